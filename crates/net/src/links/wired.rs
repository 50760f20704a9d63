//! Full-duplex wires.

use super::LinkPlan;
use crate::queues::QueuePlan;
use crate::routing::{Hop, Joins};
use airhop_base::{NodeId, Span};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_schedule::LinkSchedule;
use airhop_radio::pace::LinkRate;

/// A full-duplex wired link.
#[derive(Clone, Debug)]
pub struct WiredPlan {
    /// Its name.
    pub name: String,
    /// The two ends.
    pub ends: [NodeId; 2],
    /// How fast each direction is.
    pub pace: LinkRate,
    /// Propagation delay; a schedule may say otherwise.
    pub delay: Span,
    /// The queue at each end.
    pub queue: QueuePlan,
    /// Errors from `ends[0]` to `ends[1]` and back.
    pub errors: [ErrorPlan; 2],
}

impl LinkPlan for WiredPlan {
    fn name(&self) -> &str {
        &self.name
    }

    fn nodes(&self) -> &[NodeId] {
        &self.ends
    }

    fn joins(&self, number: usize) -> Joins {
        Joins::wire(self.ends, number)
    }

    fn queue(&self) -> QueuePlan {
        self.queue
    }

    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)> {
        vec![(0, 1, &self.errors[0]), (1, 0, &self.errors[1])]
    }

    fn schedule(&self) -> Option<&LinkSchedule> {
        self.pace.schedule()
    }

    fn time_taken(&self, _: Hop, bytes: u32) -> Span {
        self.pace.time_for(bytes)
    }

    fn crossing(&self, _: Hop, _: Hop, bytes: u32) -> Span {
        self.pace.time_for(bytes) + self.delay
    }
}
