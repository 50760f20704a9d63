//! The seam of links: what building a world asks of a link's plan, whatever its type. What the world asks of the link at work is in
//! [`crate::world::links`]. A type of link is a file in either folder, a [`Hop`], and a line in [`Links`] of both.

mod cell;
mod radio;
mod wired;

pub use cell::WlanPlan;
pub use radio::RadioLinkPlan;
pub use wired::{ReorderPlan, WiredPlan};

use crate::queues::QueuePlan;
use crate::routing::{Hop, Joins};
use airhop_base::{NodeId, Span};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_schedule::LinkSchedule;

/// The plan of a link of any type.
pub(crate) trait LinkPlan {
    /// Its name.
    fn name(&self) -> &str;
    /// The nodes that it joins.
    fn nodes(&self) -> &[NodeId];
    /// How it joins them, as the link of this number among those of its type.
    fn joins(&self, number: usize) -> Joins;
    /// The queue before the transmitter of this hop.
    fn queue(&self, hop: Hop) -> QueuePlan;
    /// Its directions with what the channel does to frames: the sending and the receiving one of [`LinkPlan::nodes`]. Those that never
    /// err may be left out.
    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)>;
    /// The schedule of this direction, 0 or 1, of one between two nodes that changes in the course of a run.
    fn schedule(&self, direction: usize) -> Option<&LinkSchedule> {
        let _ = direction;
        None
    }
    /// Routes over it are found on demand, so that nobody knows the way of a flow in advance.
    fn is_on_demand(&self) -> bool {
        false
    }
    /// How long a packet of `bytes` over this hop keeps the medium busy in the mean, if nothing is lost and somebody always sends.
    fn time_taken(&self, hop: Hop, bytes: u32) -> Span;
    /// How long the medium of this hop is kept busy by what answers a packet over it: a packet of `bytes` over the way back.
    fn time_for_answer(&self, hop: Hop, bytes: u32) -> Span {
        let _ = (hop, bytes);
        Span::ZERO
    }
    /// How long the link layer's own answer to a frame over this hop keeps the medium of the way back busy.
    fn time_for_link_ack(&self, hop: Hop) -> Span {
        let _ = hop;
        Span::ZERO
    }
    /// From when a packet of `bytes` that came by `before` is to go by `hop` until it is at the other end, if nobody else sends.
    fn crossing(&self, before: Hop, hop: Hop, bytes: u32) -> Span;
}

/// The links of a scenario. Each is known by its type and its number.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Wired links.
    pub wired: Vec<WiredPlan>,
    /// Radio links.
    pub radios: Vec<RadioLinkPlan>,
    /// 802.11 channels.
    pub wlans: Vec<WlanPlan>,
}

impl Links {
    /// All of them, each with its number among those of its type.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &dyn LinkPlan)> {
        fn numbered<L: LinkPlan>(links: &[L]) -> impl Iterator<Item = (usize, &dyn LinkPlan)> {
            links.iter().map(|link| link as &dyn LinkPlan).enumerate()
        }
        numbered(&self.wired).chain(numbered(&self.radios)).chain(numbered(&self.wlans))
    }

    /// The link that a hop is over.
    pub(crate) fn of(&self, hop: Hop) -> Option<&dyn LinkPlan> {
        match hop {
            Hop::None => None,
            Hop::Link(i) => Some(&self.wired[usize::from(i / 2)]),
            Hop::Radio { link, .. } => Some(&self.radios[usize::from(link)]),
            Hop::Air { cell, .. } | Hop::OnDemand { cell, .. } => Some(&self.wlans[usize::from(cell)]),
        }
    }
}
