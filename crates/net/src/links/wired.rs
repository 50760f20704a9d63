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
    /// How fast it is from `ends[0]` to `ends[1]`, and back.
    pub pace: [LinkRate; 2],
    /// Propagation delay of each direction; a schedule may say otherwise.
    pub delay: [Span; 2],
    /// The queue at each end.
    pub queue: [QueuePlan; 2],
    /// Errors from `ends[0]` to `ends[1]` and back.
    pub errors: [ErrorPlan; 2],
    /// What each direction makes late.
    pub reorder: [Option<ReorderPlan>; 2],
}

/// What a direction of a wire makes late.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReorderPlan {
    /// The share of the packets.
    pub share: f64,
    /// How much later than by the delay of the wire each of them arrives.
    pub by: Span,
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

    fn queue(&self, hop: Hop) -> QueuePlan {
        self.queue[direction(hop)]
    }

    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)> {
        vec![(0, 1, &self.errors[0]), (1, 0, &self.errors[1])]
    }

    fn schedule(&self, direction: usize) -> Option<&LinkSchedule> {
        self.pace[direction].schedule()
    }

    fn time_taken(&self, hop: Hop, bytes: u32) -> Span {
        self.pace[direction(hop)].time_for(bytes)
    }

    fn crossing(&self, _: Hop, hop: Hop, bytes: u32) -> Span {
        self.time_taken(hop, bytes) + self.delay[direction(hop)]
    }
}

/// Returns which direction of a wire a hop takes: 0 from `ends[0]`, 1 back.
fn direction(hop: Hop) -> usize {
    match hop {
        Hop::Link(number) => usize::from(number % 2),
        other => unreachable!("{other:?} is over no wire"),
    }
}
