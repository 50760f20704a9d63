//! `LinkPlan`: plan of a link of any type, from which a world is built. `crate::world::links` defines the
//! interface of links during a run. Each link type has a file in both folders, a variant of [`Hop`], and a
//! field in both structs [`Links`].

mod cell;
mod radio;
mod wired;

pub use cell::WlanPlan;
pub use radio::RadioLinkPlan;
pub use wired::{ReorderPlan, WiredPlan};

use crate::queues::QueuePlan;
use crate::routing::{Hop, LinkLayerId, LinkNodes};
use airhop_base::{NodeId, Span};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_schedule::LinkSchedule;

/// Plan of a link of any type.
pub(crate) trait LinkPlan {
    /// Returns the name of the link.
    fn name(&self) -> &str;
    /// Returns the nodes of the link, in the order used by [`LinkPlan::errors`].
    fn nodes(&self) -> &[NodeId];
    /// Returns the nodes and hops of the link. `number`: index of the link among the links of its type.
    fn link_nodes(&self, number: usize) -> LinkNodes;
    /// Returns the plan of the queue before the hop's transmitter.
    fn queue(&self, hop: Hop) -> QueuePlan;
    /// Returns the error models of the link's directions. The two indices are those of the sending and
    /// receiving node in [`LinkPlan::nodes`]. Directions without errors may be missing.
    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)>;
    /// Returns the schedule of a direction, 0 or 1; `None` if rate and delay do not change during a run.
    fn schedule(&self, direction: usize) -> Option<&LinkSchedule> {
        let _ = direction;
        None
    }
    /// True if routes over the link are discovered on demand. The path of a flow is then not known in
    /// advance.
    fn is_on_demand(&self) -> bool {
        false
    }
    /// Returns the mean time for which a packet of `bytes` bytes occupies the medium of this hop. Assumes a
    /// saturated medium without lost frames.
    fn medium_time(&self, hop: Hop, bytes: u32) -> Span;
    /// Returns the time for which an answer in the reverse direction occupies the medium of this hop. Zero if
    /// the reverse direction is another medium and needs no link ACK. `bytes`: length of the answer.
    fn answer_medium_time(&self, hop: Hop, bytes: u32) -> Span {
        let _ = (hop, bytes);
        Span::ZERO
    }
    /// Returns the time for which a link ACK for a frame on this hop occupies the reverse medium; zero
    /// without link ACKs.
    fn link_ack_medium_time(&self, hop: Hop) -> Span {
        let _ = hop;
        Span::ZERO
    }
    /// Returns the time that a packet of `bytes` bytes takes to cross `hop`, if no other node sends.
    /// `before`: previous hop of the packet.
    fn crossing_time(&self, before: Hop, hop: Hop, bytes: u32) -> Span;
}

/// Links of a scenario. A link is identified by its type and its index within the type.
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

    /// Returns the link of a hop; `None` for [`Hop::None`].
    pub(crate) fn link_of_hop(&self, hop: Hop) -> Option<&dyn LinkPlan> {
        match hop {
            Hop::None => None,
            Hop::Link(i) => Some(&self.wired[usize::from(i / 2)]),
            Hop::Layer { layer: LinkLayerId::Radio(link), .. } => Some(&self.radios[usize::from(link)]),
            Hop::Layer { layer: LinkLayerId::Cell(cell), .. } | Hop::OnDemand { cell, .. } => {
                Some(&self.wlans[usize::from(cell)])
            }
        }
    }
}
