use crate::recovery::common::{ReductionGuard, UrgentQueue, go_back_n, segment_at_nxt};
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, TransmissionCause, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Fast retransmit without fast recovery (Jacobson 1988): after a loss the sender restarts in slow start at
/// the lost segment.
#[derive(Debug, Default)]
pub struct TahoeRecovery {
    guard: ReductionGuard,
    urgent: UrgentQueue,
}

impl Recovery for TahoeRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, _: &Ack) -> DetectionOutcome {
        s.dupacks += 1;
        if s.dupacks == s.dupthresh && self.guard.may_reduce(s) {
            DetectionOutcome::Lost(s.una)
        } else {
            DetectionOutcome::Nothing
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        w.cwnd = 1.0;
        s.nxt = s.segment_end(seq);
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, _: &Ack) -> AdvanceOutcome {
        s.dupacks = 0;
        AdvanceOutcome::Open
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        self.urgent
            .pop(s)
            .or_else(|| segment_at_nxt(s, self.in_flight(s), w.cwnd + f64::from(s.limited_transmit_extra())))
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }
}
