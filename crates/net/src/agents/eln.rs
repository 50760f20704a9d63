//! Explicit loss notification at the base station (Balakrishnan and Katz 1998; Yun 2009 §1).
//!
//! The base station observes data on the wired side of the wireless link, and ACKs in the opposite direction.
//! From these two streams the agent determines which missing segments the wireless link has lost. The agent
//! sets a bit in the duplicate ACKs for these segments.

use super::{Agent, AgentActions, PacketAction};
use airhop_base::{Body, Eln as Bit, NodeId, Packet, Segment, Time};
use std::collections::VecDeque;

/// Maximum number of stored blocks of contiguous sequence numbers, for data from the wireless link (as in
/// ns-2).
const MAX_BLOCKS: usize = 8;

/// Maximum number of stored segments, for data to the wireless link.
const MAX_SEGMENTS: usize = 256;

/// ELN agent for one flow.
#[derive(Debug)]
pub struct ElnAgent {
    memory: DataHistory,
    /// Node of the data's sender; `None` before the first data.
    sender: Option<NodeId>,
    last_ack: u64,
}

/// Stored data of the flow, by direction.
#[derive(Debug)]
enum DataHistory {
    /// Data arrives from the wireless link.
    Uplink(ReceivedBlocks),
    /// Data is forwarded to the wireless link.
    Downlink(ForwardedSegments),
}

impl ElnAgent {
    /// Creates an agent for data that arrives from the wireless link.
    pub fn uplink() -> Self {
        ElnAgent { memory: DataHistory::Uplink(ReceivedBlocks::default()), sender: None, last_ack: 0 }
    }

    /// Creates an agent for data that is forwarded to the wireless link.
    pub fn downlink() -> Self {
        ElnAgent { memory: DataHistory::Downlink(ForwardedSegments::default()), sender: None, last_ack: 0 }
    }

    fn on_data(&mut self, from: NodeId, s: &Segment, queue_is_full: bool) {
        self.sender = Some(from);
        match &mut self.memory {
            DataHistory::Uplink(arrived) => arrived.on_data(s.seq, s.end()),
            // A segment that the queue before the wireless link drops is lost by congestion.
            DataHistory::Downlink(forwarded) if queue_is_full => forwarded.remove_segment(s.seq),
            DataHistory::Downlink(forwarded) => forwarded.on_data(s.seq, s.end(), self.last_ack),
        }
    }

    /// True if the ACK requests a segment that the wireless link lost.
    fn is_lost_on_air(&mut self, ack: u64) -> bool {
        if ack < self.last_ack {
            return false;
        }
        let is_duplicate = ack == self.last_ack;
        self.last_ack = ack;
        match &mut self.memory {
            DataHistory::Uplink(arrived) => arrived.detects_loss(ack),
            DataHistory::Downlink(forwarded) => forwarded.detects_loss(ack, is_duplicate),
        }
    }
}

impl Agent for ElnAgent {
    fn on_packet(&mut self, _: Time, packet: &mut Packet, queued: f64, _: &mut AgentActions) -> PacketAction {
        let (src, dst) = (packet.src, packet.dst);
        let Body::Tcp(s) = &mut packet.body else { return PacketAction::Forward };
        if s.len > 0 {
            self.on_data(src, s, queued >= 1.0);
        } else if !s.flags.syn && self.sender == Some(dst) && self.is_lost_on_air(s.ack) {
            s.options.eln = Some(Bit::Next);
        }
        PacketAction::Forward
    }

    fn on_piggybacked_ack(&mut self, _: Time, ack: u64) {
        if self.sender.is_some() && ack > self.last_ack {
            self.is_lost_on_air(ack); // an ACK with data is not a duplicate ACK, so no ELN bit is set
        }
    }
}

/// Blocks of contiguous data from the wireless link, the oldest first. The data between two blocks was lost
/// on the wireless link. A retransmission does not fill the gap, because duplicate ACKs in flight still refer
/// to the loss.
#[derive(Debug, Default)]
struct ReceivedBlocks {
    blocks: VecDeque<(u64, u64)>,
    /// End of the newest block that was removed for lack of memory.
    forgotten: u64,
}

impl ReceivedBlocks {
    fn on_data(&mut self, seq: u64, end: u64) {
        match self.blocks.back_mut() {
            Some(last) if seq < last.1 => {} // a retransmission
            Some(last) if seq == last.1 => last.1 = end,
            _ => {
                self.blocks.push_back((seq, end));
                if self.blocks.len() > MAX_BLOCKS {
                    self.forgotten = self.blocks.pop_front().map_or(0, |oldest| oldest.1);
                }
            }
        }
    }

    fn detects_loss(&mut self, ack: u64) -> bool {
        while self.blocks.front().is_some_and(|b| b.1 <= ack) && self.blocks.len() > 1 {
            self.blocks.pop_front();
        }
        ack >= self.forgotten && self.blocks.front().is_some_and(|b| ack < b.0)
    }
}

/// Segments forwarded to the wireless link, in the order of forwarding.
#[derive(Debug, Default)]
struct ForwardedSegments {
    segments: VecDeque<ForwardedSegment>,
}

/// Segment that the base station forwarded.
#[derive(Debug)]
struct ForwardedSegment {
    seq: u64,
    end: u64,
    /// Number of later segments that were forwarded before this segment. More than 0 for a retransmission
    /// after a loss on the wired path. Each of the later segments causes a duplicate ACK without a loss on
    /// the wireless link.
    ahead: usize,
}

impl ForwardedSegments {
    fn on_data(&mut self, seq: u64, end: u64, last_ack: u64) {
        if end <= last_ack {
            return;
        }
        let known = self.segments.iter().position(|c| c.seq == seq);
        let ahead = self.segments.iter().filter(|c| c.seq > seq).count();
        let crossing = known.and_then(|place| self.segments.remove(place));
        self.segments.push_back(crossing.unwrap_or(ForwardedSegment { seq, end, ahead }));
        if self.segments.len() > MAX_SEGMENTS {
            self.segments.pop_front();
        }
    }

    fn remove_segment(&mut self, seq: u64) {
        self.segments.retain(|c| c.seq != seq);
    }

    fn detects_loss(&mut self, ack: u64, is_duplicate: bool) -> bool {
        self.segments.retain(|c| c.end > ack);
        let Some(crossing) = self.segments.iter_mut().find(|c| c.seq == ack).filter(|_| is_duplicate) else {
            return false;
        };
        let was_ahead = crossing.ahead > 0;
        crossing.ahead -= usize::from(was_ahead);
        !was_ahead
    }
}

#[cfg(test)]
#[path = "eln_tests.rs"]
mod tests;
