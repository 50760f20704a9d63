//! Explicit notices. According to the [`NoticePolicy`](crate::seams::NoticePolicy), a notice retransmits a
//! segment, suspends congestion control for a segment, freezes the sender, or changes the retransmission
//! timer.

use super::{HandshakeState, Sender};
use crate::seams::{LossClass, LossClassification, NoticeReaction, RtoPolicy, Window};
use airhop_base::{Body, Flags, Notice, NoticeKind, Packet, Segment, Span, Time};

/// Longest time for which an ERSN suspends congestion control for a segment. Yun 2009 §3.1 sets no limit.
/// Airhop limits the time in case the next notice is lost.
const LONGEST_HOLD: Span = Span::from_secs(60);

/// Sender parameters frozen by a disconnection (Yun 2009 §4.2: "freezes all the TCP-related parameters").
#[derive(Debug)]
pub(super) struct FrozenState {
    pub window: Window,
    pub rto: Box<dyn RtoPolicy>,
    pub probes: u32,
}

impl Sender {
    /// Processes a notice that arrived as a packet or from the link layer of this station.
    pub fn on_notice(&mut self, now: Time, n: Notice) {
        self.counters.notices[n.kind.index()] += 1;
        if self.listens {
            return self.deliver_to_interface(now, n);
        }
        let is_missing = self.recovery.is_missing(&self.state, n.seq);
        if self.connection != HandshakeState::Established || (n.kind.is_segment_specific() && !is_missing) {
            return;
        }
        match self.notices.on_notice(now, &n, &self.state) {
            NoticeReaction::Ignore => return,
            NoticeReaction::RestartTimer => return self.restart_timer_on_ebsn(now),
            NoticeReaction::Expect => {
                self.expected.record_announcement(now, n.origin, n.additional_delay);
                return self.extend_timer_on_rttn(now);
            }
            _ if !is_missing => return, // the segment has arrived, so no repair is needed
            NoticeReaction::Retransmit => {
                self.classifications.push_back(LossClassification { seq: n.seq, class: LossClass::Wireless });
                self.recovery.retransmit(&mut self.state, n.seq);
            }
            NoticeReaction::Hold => {
                let hold = (self.rto.timeout() * 2).min(LONGEST_HOLD);
                self.recovery.hold_segment(&mut self.state, n.seq, now + hold);
            }
            NoticeReaction::Freeze { retransmit } => {
                if self.frozen.is_none() {
                    self.frozen =
                        Some(FrozenState { window: self.window, rto: self.rto.snapshot(), probes: 0 });
                }
                self.classifications.push_back(LossClassification { seq: n.seq, class: LossClass::Wireless });
                if retransmit {
                    self.recovery.retransmit(&mut self.state, n.seq);
                } else {
                    self.recovery.mark_lost(&mut self.state, n.seq);
                }
            }
        }
        self.restart_timer(now);
    }

    /// Passes a notice as a packet to the program at the interface, as in a kernel. If the program lets the
    /// notice pass and the packet has the form of an ACK, TCP processes it as an ACK of all data below the
    /// named segment.
    #[cold]
    fn deliver_to_interface(&mut self, now: Time, n: Notice) {
        let packet = Packet::new(self.flow, n.origin, self.local, n.datagram_bytes(), Body::Notice(n));
        if self.notices.consumes_packet(now, &packet) || !n.kind.is_segment_specific() {
            return;
        }
        let flags = Flags { ack: true, ..Flags::default() };
        let window = self.state.right_edge.saturating_sub(n.seq);
        self.on_acknowledgement(now, &Segment { seq: 1, ack: n.seq, window, flags, ..Segment::default() });
    }

    /// Processes the NAKs that nodes on the path added to an ACK (Cheng & Lin 2008).
    #[inline(never)]
    pub(super) fn on_naks(&mut self, now: Time, segment: &Segment) {
        for &seq in segment.options.naks.seqs() {
            let end = self.state.segment_end(seq);
            self.on_notice(now, Notice::with_segment(NoticeKind::Nak, seq, end));
        }
    }
}
