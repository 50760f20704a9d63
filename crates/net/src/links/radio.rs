//! Plans of full-duplex radio links between two nodes.

use super::LinkPlan;
use crate::queues::QueuePlan;
use crate::routing::{Hop, LinkLayerId, LinkNodes};
use airhop_base::{NodeId, Span};
use airhop_radio::arq::{ArqPlan, RetransmissionGroup};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link::{LinkEnd, RadioPlan};
use airhop_radio::link_schedule::LinkSchedule;

/// Plan of a full-duplex radio link between two nodes.
#[derive(Clone, Debug)]
pub struct RadioLinkPlan {
    /// Radio link; its end `i` is node `nodes[i]`.
    pub link: RadioPlan,
    /// Node of each end.
    pub nodes: [NodeId; 2],
    /// Queue at each end.
    pub queue: [QueuePlan; 2],
}

impl LinkPlan for RadioLinkPlan {
    fn name(&self) -> &str {
        &self.link.name
    }

    fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    fn link_nodes(&self, number: usize) -> LinkNodes {
        LinkNodes::from_radio_link(self.nodes, number)
    }

    fn queue(&self, hop: Hop) -> QueuePlan {
        self.queue[usize::from(end(hop))]
    }

    fn errors(&self) -> Vec<(usize, usize, &ErrorPlan)> {
        vec![(0, 1, &self.link.errors[0]), (1, 0, &self.link.errors[1])]
    }

    fn schedule(&self, direction: usize) -> Option<&LinkSchedule> {
        self.link.rates[direction].schedule()
    }

    fn medium_time(&self, hop: Hop, bytes: u32) -> Span {
        mean_packet_time(&self.link, end(hop), bytes)
    }

    /// Returns the time of the answer's link ACK. The answer itself occupies the reverse medium. Its link ACK
    /// is sent in this direction.
    fn answer_medium_time(&self, hop: Hop, _: u32) -> Span {
        link_ack_time(&self.link, 1 - end(hop))
    }

    fn link_ack_medium_time(&self, hop: Hop) -> Span {
        link_ack_time(&self.link, end(hop))
    }

    fn crossing_time(&self, before: Hop, hop: Hop, bytes: u32) -> Span {
        let wait = match hop.reverse() == before {
            true => link_ack_time(&self.link, 1 - end(hop)), // the link ACK is sent before the packet
            false => Span::ZERO,
        };
        wait + frame_time(&self.link, end(hop), bytes) + self.link.delay[usize::from(end(hop))]
    }
}

fn end(hop: Hop) -> LinkEnd {
    match hop {
        Hop::Layer { layer: LinkLayerId::Radio(_), from, .. } => from as LinkEnd,
        other => unreachable!("{other:?} is not over a radio link"),
    }
}

/// Returns the time for which an IP packet of `bytes` bytes occupies the transmitter at `end`.
fn frame_time(link: &RadioPlan, end: LinkEnd, bytes: u32) -> Span {
    link.rates[usize::from(end)].serialisation_time(bytes + link.overhead_bytes)
}

/// Returns the time for which a link ACK for data from `end` occupies the other end's transmitter; zero
/// without link ACKs.
fn link_ack_time(link: &RadioPlan, end: LinkEnd) -> Span {
    let back = &link.rates[usize::from(1 - end)];
    link.arq[usize::from(end)].ack_bytes().map_or(Span::ZERO, |bytes| back.serialisation_time(bytes))
}

/// Returns the mean time per IP packet of `bytes` bytes at the transmitter of `end`, without losses. With a
/// sliding window of N frames, the time is at least 1/N of the time from a frame's start to the arrival of
/// its link ACK.
fn mean_packet_time(link: &RadioPlan, end: LinkEnd, bytes: u32) -> Span {
    let frame = frame_time(link, end, bytes);
    let answer = link.delay[0] + link.delay[1] + link_ack_time(link, end);
    match &link.arq[usize::from(end)] {
        ArqPlan::None | ArqPlan::Rlp(_) => frame,
        ArqPlan::GoBackN { group: RetransmissionGroup::Blocks, rules } => {
            frame + answer / u64::from(rules.window)
        }
        ArqPlan::GoBackN { group: RetransmissionGroup::Sliding, rules }
        | ArqPlan::SelectiveRepeat { rules, .. } => frame.max((frame + answer) / u64::from(rules.window)),
    }
}
