use crate::recovery::common::{ReductionGuard, UrgentQueue, go_back_n, segment_at_nxt};
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, TransmissionCause, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Recovery of ns-2's "Sack1": the counter `pipe` estimates the number of segments in the network during
/// recovery (Fall and Floyd 1996, §4). Yun 2009 calls this sender SACK.
#[derive(Debug, Default)]
pub struct SackPipe {
    guard: ReductionGuard,
    urgent: UrgentQueue,
    /// Estimated number of segments in the network, possibly negative; `None` outside recovery.
    pipe: Option<i64>,
}

impl Recovery for SackPipe {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, _: &Ack) -> DetectionOutcome {
        if let Some(pipe) = &mut self.pipe {
            *pipe -= 1;
            return DetectionOutcome::Nothing;
        }
        if s.scoreboard.newly_sacked_bytes() == 0 {
            return DetectionOutcome::Nothing; // the ACK does not report that another segment left the network
        }
        s.dupacks += 1;
        if s.dupacks == s.dupthresh && self.guard.may_reduce(s) {
            DetectionOutcome::Lost(s.una)
        } else {
            DetectionOutcome::Nothing
        }
    }

    fn on_uncounted_duplicate(&mut self, s: &mut SenderState, _: &Ack) {
        if let Some(pipe) = self.pipe.as_mut().filter(|_| s.scoreboard.newly_sacked_bytes() > 0) {
            *pipe -= 1; // an ACK that only reports a loss does not report that a segment left the network
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        let outstanding = (s.sent_end - s.una).div_ceil(s.mss) as i64;
        self.pipe = Some(outstanding - i64::from(s.dupthresh));
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, _: &Ack) -> AdvanceOutcome {
        s.dupacks = 0;
        let Some(pipe) = &mut self.pipe else {
            return AdvanceOutcome::Open;
        };
        if self.guard.is_fully_acked(s) {
            self.pipe = None;
            self.guard = ReductionGuard::default(); // ns-2: only a timeout sets the guard
            return AdvanceOutcome::Over;
        }
        // One segment caused the ACK, and the ACK acknowledges the retransmission: both left the network.
        *pipe -= 2;
        AdvanceOutcome::Partial { restart: true }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.pipe = None;
        s.scoreboard.clear_sack_state();
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        let Some(pipe) = self.pipe else {
            return segment_at_nxt(s, self.in_flight(s), w.cwnd + f64::from(s.limited_transmit_extra()));
        };
        if pipe >= w.cwnd as i64 {
            return None;
        }
        let hole = s.scoreboard.first_hole().map(|e| e.to_retransmission(TransmissionCause::Recovery));
        hole.or_else(|| segment_at_nxt(s, 0, f64::INFINITY))
    }

    fn on_sent(&mut self, _: &mut SenderState, _: Time, sent: &NextSegment, _: Option<u64>) {
        // A fast retransmit, or a retransmission on a notice, replaces the lost segment, which the pipe still
        // counts.
        if let Some(pipe) = self
            .pipe
            .as_mut()
            .filter(|_| !matches!(sent.cause, TransmissionCause::Fast | TransmissionCause::Notice))
        {
            *pipe += 1;
        }
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }
}
