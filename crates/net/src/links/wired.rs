//! Plans of full-duplex wired links.

use super::LinkPlan;
use crate::queues::QueuePlan;
use crate::routing::{Hop, LinkNodes};
use airhop_base::{NodeId, Span};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_radio::link_schedule::LinkSchedule;

/// Plan of a full-duplex wired link.
#[derive(Clone, Debug)]
pub struct WiredPlan {
    /// Name of the link.
    pub name: String,
    /// Nodes at the two ends.
    pub ends: [NodeId; 2],
    /// Rates of the two directions: from `ends[0]`, and to `ends[0]`.
    pub rates: [LinkRate; 2],
    /// Propagation delay of each direction. A link schedule overrides this delay.
    pub delay: [Span; 2],
    /// Queue at each end.
    pub queue: [QueuePlan; 2],
    /// Error models of the two directions: from `ends[0]`, and to `ends[0]`.
    pub errors: [ErrorPlan; 2],
    /// Reordering in each direction, if any.
    pub reorder: [Option<ReorderPlan>; 2],
}

/// Reordering in one direction of a wired link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReorderPlan {
    /// Fraction of the packets that are delayed, 0 to 1.
    pub delayed_share: f64,
    /// Additional delay of a delayed packet.
    pub extra_delay: Span,
}

impl LinkPlan for WiredPlan {
    fn name(&self) -> &str {
        &self.name
    }

    fn nodes(&self) -> &[NodeId] {
        &self.ends
    }

    fn link_nodes(&self, number: usize) -> LinkNodes {
        LinkNodes::from_wired_link(self.ends, number)
    }

    fn queue(&self, hop: Hop) -> QueuePlan {
        self.queue[direction(hop)]
    }

    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)> {
        vec![(0, 1, &self.errors[0]), (1, 0, &self.errors[1])]
    }

    fn schedule(&self, direction: usize) -> Option<&LinkSchedule> {
        self.rates[direction].schedule()
    }

    fn medium_time(&self, hop: Hop, bytes: u32) -> Span {
        self.rates[direction(hop)].serialisation_time(bytes)
    }

    fn crossing_time(&self, _: Hop, hop: Hop, bytes: u32) -> Span {
        self.medium_time(hop, bytes) + self.delay[direction(hop)]
    }
}

/// Returns the direction of a hop over the link: 0 from `ends[0]`, 1 to `ends[0]`.
fn direction(hop: Hop) -> usize {
    match hop {
        Hop::Link(number) => usize::from(number % 2),
        other => unreachable!("{other:?} is not over a wire"),
    }
}
