//! `LinkPlan`: interface of a link's plan, of any type, to the building of a world. The interface of the link in operation is in
//! [`crate::world::links`]. A type of link is a file in either folder, a [`Hop`], and a line in [`Links`] of both.

mod cell;
mod radio;
mod wired;

pub use cell::WlanPlan;
pub use radio::RadioLinkPlan;
pub use wired::{ReorderPlan, WiredPlan};

use crate::queues::QueuePlan;
use crate::routing::{Hop, Joins, Layer};
use airhop_base::{NodeId, Span};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_schedule::LinkSchedule;

/// Plan of a link of any type.
pub(crate) trait LinkPlan {
    /// Returns its name.
    fn name(&self) -> &str;
    /// Returns the nodes that it joins.
    fn nodes(&self) -> &[NodeId];
    /// Returns the joined nodes and hops of the link with this number among those of its type.
    fn joins(&self, number: usize) -> Joins;
    /// Returns the queue before the transmitter of this hop.
    fn queue(&self, hop: Hop) -> QueuePlan;
    /// Returns its directions with their error models, by the sending and the receiving one of [`LinkPlan::nodes`]. Error-free directions
    /// may be left out.
    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)>;
    /// Returns the schedule of this direction, 0 or 1, of a link between two nodes that changes in the course of a run.
    fn schedule(&self, direction: usize) -> Option<&LinkSchedule> {
        let _ = direction;
        None
    }
    /// True if routes over it are found on demand, so that the path of a flow is not known in advance.
    fn is_on_demand(&self) -> bool {
        false
    }
    /// Returns the mean time for which a packet of `bytes` over this hop occupies the medium, if nothing is lost and the medium is
    /// saturated.
    fn time_taken(&self, hop: Hop, bytes: u32) -> Span;
    /// Returns the time for which the answer to a packet over this hop, a packet of `bytes` in the reverse direction,
    /// occupies the medium of this hop.
    fn time_for_answer(&self, hop: Hop, bytes: u32) -> Span {
        let _ = (hop, bytes);
        Span::ZERO
    }
    /// Returns the time for which the link layer's own answer to a frame over this hop occupies the medium of the
    /// reverse direction.
    fn time_for_link_ack(&self, hop: Hop) -> Span {
        let _ = hop;
        Span::ZERO
    }
    /// Returns the time from the arrival by `before` of a packet of `bytes` that continues by `hop` until it is at the
    /// other end, without other senders.
    fn crossing(&self, before: Hop, hop: Hop, bytes: u32) -> Span;
}

/// Links of a scenario. Each is known by its type and its number.
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
    /// Returns all of them, each with its number among those of its type.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &dyn LinkPlan)> {
        fn numbered<L: LinkPlan>(links: &[L]) -> impl Iterator<Item = (usize, &dyn LinkPlan)> {
            links.iter().map(|link| link as &dyn LinkPlan).enumerate()
        }
        numbered(&self.wired).chain(numbered(&self.radios)).chain(numbered(&self.wlans))
    }

    /// Returns the link of a hop.
    pub(crate) fn of(&self, hop: Hop) -> Option<&dyn LinkPlan> {
        match hop {
            Hop::None => None,
            Hop::Link(i) => Some(&self.wired[usize::from(i / 2)]),
            Hop::Layer { layer: Layer::Radio(link), .. } => Some(&self.radios[usize::from(link)]),
            Hop::Layer { layer: Layer::Cell(cell), .. } | Hop::OnDemand { cell, .. } => {
                Some(&self.wlans[usize::from(cell)])
            }
        }
    }
}
