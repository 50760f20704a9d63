//! TCP-CL's extension of the MAC (Cheng & Lin 2008). A discarded data frame causes a NAK with the segment's
//! sequence number. The next ACK of the flow carries the NAK to the source. The discard is not reported to
//! routing. Routing treats the link as broken only after repeated discards.
//!
//! The slides of Cheng & Lin leave many details open. Airhop's choices are listed with the scheme (`airhop
//! schemes tcp-cl`), and the scheme's parameters select other interpretations.

use super::{Agent, AgentActions, LinkEvent, LinkEventKind, PacketAction};
use crate::plan::{FlowPlan, Transport};
use airhop_base::{Body, MAX_OPTION_BYTES, Naks, NodeId, Notice, NoticeKind, Packet, Segment, Span, Time};
use std::collections::VecDeque;

/// Maximum time for which a NAK waits for an ACK.
const MAX_NAK_WAIT: Span = Span::from_secs(1);

/// Maximum number of NAKs that wait for an ACK.
const MAX_HELD_NAKS: usize = 8;

/// NAK agent for one flow at one station.
#[derive(Debug)]
pub struct NakAgent {
    /// True if the source of the flow is on this node. The MAC then notifies the source by a function call.
    at_source: bool,
    /// Source of the flow's data and destination of the ACKs.
    source: NodeId,
    /// Retransmission threshold n. Each of the first n consecutive discards causes a NAK.
    threshold: u32,
    without_ack: MissingAckAction,
    run: DiscardCounting,
    reported: ReportedDiscards,
    /// RET_F: number of consecutive discards per hop, flow or segment, depending on `run`.
    ret_f: Vec<(u64, u32)>,
    /// NAKs that wait for an ACK, the oldest first: first byte of the discarded segment, and discard time.
    held: VecDeque<(u64, Time)>,
}

/// Treatment of a NAK when no ACK of the flow is queued at the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MissingAckAction {
    /// The NAK waits for the next ACK that the station forwards.
    Hold,
    /// The NAK is dropped.
    Drop,
    /// A separate packet carries the NAK.
    Send,
}

/// Key for counting consecutive discards, and event that resets the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiscardCounting {
    /// Next hop; a delivery to this next hop resets the count.
    Hop,
    /// Flow; no event resets the count.
    Flow,
    /// Segment; a delivery of the segment resets the count.
    Packet,
}

/// Selection of the discards that are reported to routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportedDiscards {
    /// Discards of data that cause no NAK, and discards of ACKs once the threshold of consecutive discards is
    /// reached. RET_F is "to record the number of retransmission attempts in the event of continuous
    /// transmission failures". Contention is no link failure, for data and ACKs alike.
    Runs,
    /// Discards of data that cause no NAK, and all discards of ACKs.
    Unanswered,
    /// No discard is reported to routing.
    Never,
}

impl NakAgent {
    /// Creates the agent at `node`. Parameters that the scheme does not declare have TCP-CL's defaults.
    pub fn new(plan: &FlowPlan, node: NodeId) -> Self {
        let param = |name, default| match &plan.transport {
            Transport::Tcp { params, .. } => params.find(name).unwrap_or(default),
            Transport::Udp { .. } => default,
        };
        NakAgent {
            at_source: plan.from == node,
            source: plan.from,
            threshold: param("n", 1.0) as u32,
            without_ack: match param("no_ack", 0.0) as u32 {
                0 => MissingAckAction::Hold,
                1 => MissingAckAction::Drop,
                _ => MissingAckAction::Send,
            },
            run: match param("ret_f", 0.0) as u32 {
                0 => DiscardCounting::Hop,
                1 => DiscardCounting::Flow,
                _ => DiscardCounting::Packet,
            },
            reported: match param("reported", 0.0) as u32 {
                0 => ReportedDiscards::Runs,
                1 => ReportedDiscards::Unanswered,
                _ => ReportedDiscards::Never,
            },
            ret_f: Vec::new(),
            held: VecDeque::new(),
        }
    }

    fn key(&self, event: &LinkEvent) -> u64 {
        match self.run {
            DiscardCounting::Hop => u64::from(event.next_hop.0),
            DiscardCounting::Flow => 0,
            DiscardCounting::Packet => event.tag.seq,
        }
    }

    fn on_delivered(&mut self, event: &LinkEvent) {
        let key = self.key(event);
        if self.run != DiscardCounting::Flow {
            self.ret_f.retain(|run| run.0 != key);
        }
    }

    /// Handles the discard of a data frame. Returns true if the discard causes a NAK.
    fn on_discarded(&mut self, now: Time, event: &LinkEvent, actions: &mut AgentActions) -> bool {
        let has_way = self.at_source || event.has_queued_ack || self.without_ack != MissingAckAction::Drop;
        if !has_way || !self.count_discard(event) {
            return false;
        }
        let (seq, end) = (event.tag.seq, event.tag.end_seq());
        if self.at_source || self.without_ack == MissingAckAction::Send && !event.has_queued_ack {
            actions.notices.push(Notice::with_segment(NoticeKind::Nak, seq, end));
            return true;
        }
        if self.held.len() == MAX_HELD_NAKS {
            self.held.pop_front();
        }
        self.held.push_back((seq, now));
        true
    }

    /// Counts a discard, and returns true. If the retransmission threshold was already reached, returns false
    /// without counting.
    fn count_discard(&mut self, event: &LinkEvent) -> bool {
        let key = self.key(event);
        match self.ret_f.iter_mut().find(|run| run.0 == key) {
            Some(run) if run.1 >= self.threshold => false,
            Some(run) => {
                run.1 += 1;
                true
            }
            None => {
                let is_allowed = self.threshold > 0;
                self.ret_f.extend(is_allowed.then_some((key, 1)));
                is_allowed
            }
        }
    }

    /// Adds waiting NAKs to an ACK, the lowest sequence number first, while the ACK's options have room.
    fn attach_naks(&mut self, now: Time, packet: &mut Packet) {
        let Body::Tcp(ack) = &mut packet.body else { return };
        self.held.retain(|&(_, since)| now - since <= MAX_NAK_WAIT);
        let before = ack.option_bytes();
        while has_room(ack)
            && let Some(lowest) = (0..self.held.len()).min_by_key(|&k| self.held[k].0)
            && let Some((seq, _)) = self.held.remove(lowest)
        {
            ack.options.naks.insert(seq);
        }
        packet.bytes += ack.option_bytes() - before;
    }
}

/// True if the options of an ACK have room for a further NAK.
fn has_room(ack: &Segment) -> bool {
    let more = if ack.options.naks.is_empty() { 8 } else { 4 };
    ack.options.naks.len() < Naks::MAX_NAKS && ack.option_bytes() + more <= MAX_OPTION_BYTES
}

impl Agent for NakAgent {
    fn on_packet(&mut self, now: Time, packet: &mut Packet, _: f64, _: &mut AgentActions) -> PacketAction {
        let is_ack = packet.segment().is_some_and(|s| s.len == 0 && !s.flags.syn);
        if is_ack && packet.dst == self.source && !self.held.is_empty() {
            self.attach_naks(now, packet);
        }
        PacketAction::Forward
    }

    fn on_link_event(&mut self, now: Time, event: &LinkEvent, actions: &mut AgentActions) {
        // "If a TCP data frame is discarded": the discard of an ACK causes no NAK.
        let is_data = event.tag.payload_bytes > 0;
        let counts = is_data || self.reported == ReportedDiscards::Runs;
        match event.kind {
            LinkEventKind::Delivered if counts => self.on_delivered(event),
            LinkEventKind::Discarded => {
                let spared = if is_data {
                    self.on_discarded(now, event, actions)
                } else {
                    counts && self.count_discard(event)
                };
                actions.hides_discard = spared || self.reported == ReportedDiscards::Never;
            }
            _ => {}
        }
    }

    fn on_queued_ack(&mut self, now: Time, ack: &mut Packet) -> bool {
        self.attach_naks(now, ack);
        !self.held.is_empty()
    }
}

#[cfg(test)]
#[path = "nak_tests.rs"]
mod tests;
