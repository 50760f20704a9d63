//! `LinkPlan`: plan of a link of any type, from which a world is built. [`crate::world::links`] has the
//! interface of a running link. Each type of link has a file in both folders, a [`Hop`], and a line in both
//! structs [`Links`].

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
    /// Returns the nodes that the link joins, and its hops. `number`: index of the link among the links of
    /// its type.
    fn joins(&self, number: usize) -> Joins;
    /// Returns the plan of the queue before the transmitter of this hop.
    fn queue(&self, hop: Hop) -> QueuePlan;
    /// Returns the directions of the link with their error models. A direction is the indices of its sending
    /// and receiving node in [`LinkPlan::nodes`]. Error-free directions may be missing.
    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)>;
    /// Returns the schedule of a direction, 0 or 1; `None` for a link that does not change during a run.
    fn schedule(&self, direction: usize) -> Option<&LinkSchedule> {
        let _ = direction;
        None
    }
    /// True if routes over the link are discovered on demand, so that a flow's path is not known in advance.
    fn is_on_demand(&self) -> bool {
        false
    }
    /// Returns the mean time for which a packet of `bytes` bytes on this hop occupies the saturated medium,
    /// without losses.
    fn time_taken(&self, hop: Hop, bytes: u32) -> Span;
    /// Returns the time for which a packet of `bytes` bytes in the reverse direction, sent in answer to a
    /// packet on this hop, occupies the medium of this hop.
    fn time_for_answer(&self, hop: Hop, bytes: u32) -> Span {
        let _ = (hop, bytes);
        Span::ZERO
    }
    /// Returns the time for which the link ACK of a frame on this hop occupies the medium of the reverse
    /// direction.
    fn time_for_link_ack(&self, hop: Hop) -> Span {
        let _ = hop;
        Span::ZERO
    }
    /// Returns the time between two arrivals of a packet of `bytes` bytes: by hop `before` at the near end of
    /// `hop`, and at its far end. No other node sends.
    fn crossing(&self, before: Hop, hop: Hop, bytes: u32) -> Span;
}

/// Links of a scenario. Type and number identify a link.
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
