use super::reno::{PartialAckReaction, RenoRecovery};
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Recovery of TCP-CL (Cheng & Lin 2008): Reno's recovery, plus NAKs that name corrupted segments. The third
/// duplicate ACK for a corrupted segment starts fast recovery and retransmits the segment, but is not a sign
/// of congestion.
#[derive(Debug)]
pub struct TcpClRecovery {
    reno: RenoRecovery,
    /// Unacknowledged segments that NAKs have named since the last timeout.
    known: Vec<NakSegment>,
    /// True if duplicate ACKs retransmit a segment even within one round trip of its retransmission for a
    /// NAK.
    repeats: bool,
}

/// Segment named by a NAK.
#[derive(Clone, Copy, Debug)]
struct NakSegment {
    /// First byte of the segment.
    seq: u64,
    /// Time of the last retransmission; `None` if the segment was not retransmitted.
    sent: Option<Time>,
}

impl TcpClRecovery {
    /// Creates the recovery of a new connection. With `repeats`, duplicate ACKs retransmit a segment even
    /// within one round trip of its retransmission for a NAK.
    pub fn new(repeats: bool) -> Self {
        TcpClRecovery { reno: RenoRecovery::new(PartialAckReaction::Ends, false), known: Vec::new(), repeats }
    }

    fn find(&mut self, seq: u64) -> Option<&mut NakSegment> {
        self.known.iter_mut().find(|k| k.seq == seq)
    }

    /// True if a duplicate ACK may retransmit the segment: with `repeats` always, otherwise if the last
    /// retransmission is more than one SRTT ago (Cheng and Lin 2008).
    fn is_due(&self, known: NakSegment, s: &SenderState, now: Time) -> bool {
        let is_fresh = |sent| s.srtt.is_none_or(|srtt| now - sent <= srtt);
        self.repeats || !known.sent.is_some_and(is_fresh)
    }
}

impl Recovery for TcpClRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        let was_fast = self.reno.is_recovering();
        let detect = self.reno.on_duplicate_ack(s, a);
        let una = s.una;
        match self.find(una).copied() {
            Some(known) if !was_fast && s.dupacks == s.dupthresh => {
                let again = self.is_due(known, s, a.now).then_some(una);
                self.reno.enter_without_reduction(s, again);
                DetectionOutcome::Nothing
            }
            _ => detect,
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.reno.enter_recovery(s, w, seq);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        self.known.retain(|k| k.seq >= s.una);
        self.reno.on_advance(s, w, a)
    }

    fn on_timeout(&mut self, s: &mut SenderState, now: Time) {
        // After the timeout all data is retransmitted. Segments that had arrived before then cause duplicate
        // ACKs, which must not start a recovery.
        self.known.clear();
        self.reno.on_timeout(s, now);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        self.reno.next_segment(s, w)
    }

    fn on_sent(&mut self, _: &mut SenderState, now: Time, sent: &NextSegment, _: Option<u64>) {
        if let Some(known) = self.find(sent.start) {
            known.sent = Some(now);
        }
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        if self.find(seq).is_none() {
            self.known.push(NakSegment { seq, sent: None });
        }
        self.reno.retransmit(s, seq);
    }
}
