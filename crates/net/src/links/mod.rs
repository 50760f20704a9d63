//! `LinkPlan`: interface of a link's plan, of any type, for building a world. The interface of a link in
//! operation is in [`crate::world::links`]. A type of link has a file in both folders, a [`Hop`], and a line
//! in [`Links`] of both.

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
    /// Returns the name of the link.
    fn name(&self) -> &str;
    /// Returns the nodes joined by the link.
    fn nodes(&self) -> &[NodeId];
    /// Returns the joined nodes and hops of the link; `number`: its index among the links of its type.
    fn joins(&self, number: usize) -> Joins;
    /// Returns the queue before the transmitter of this hop.
    fn queue(&self, hop: Hop) -> QueuePlan;
    /// Returns the directions of the link with their error models, given by the indices of the sending and
    /// receiving node in [`LinkPlan::nodes`]. Error-free directions may be omitted.
    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)>;
    /// Returns the schedule of a direction, 0 or 1, of a link between two nodes that changes during a run.
    fn schedule(&self, direction: usize) -> Option<&LinkSchedule> {
        let _ = direction;
        None
    }
    /// True if routes over the link are discovered on demand, so that the path of a flow is not known in
    /// advance.
    fn is_on_demand(&self) -> bool {
        false
    }
    /// Returns the mean time for which a packet of `bytes` bytes over this hop occupies a saturated medium
    /// without losses.
    fn time_taken(&self, hop: Hop, bytes: u32) -> Span;
    /// Returns the time for which the answer to a packet over this hop, a packet of `bytes` bytes in the
    /// reverse direction, occupies the medium of this hop.
    fn time_for_answer(&self, hop: Hop, bytes: u32) -> Span {
        let _ = (hop, bytes);
        Span::ZERO
    }
    /// Returns the time for which the link ACK of a frame over this hop occupies the medium of the reverse
    /// direction.
    fn time_for_link_ack(&self, hop: Hop) -> Span {
        let _ = hop;
        Span::ZERO
    }
    /// Returns the time from the arrival, by hop `before`, of a packet of `bytes` bytes to its arrival at the
    /// other end of `hop`, without other senders.
    fn crossing(&self, before: Hop, hop: Hop, bytes: u32) -> Span;
}

/// Links of a scenario. Each link is identified by its type and its number.
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
    /// Returns all links, each with its index among the links of its type.
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
