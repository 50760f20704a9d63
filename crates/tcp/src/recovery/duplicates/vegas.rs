use crate::recovery::common::{ReductionGuard, UrgentQueue, go_back_n, segment_at_nxt};
use crate::recovery::fine_timeout::FineTimeout;
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, TransmissionCause, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Retransmission of Vegas (Brakmo and Peterson 1995, §3.1). The sender checks the age of the oldest segment
/// at the first duplicate ACK, and at the first two ACKs after a retransmission. A segment older than the
/// fine-grained timeout counts as lost without a third duplicate ACK. Otherwise the sender follows Reno,
/// except that the first two duplicate ACKs release no segments.
#[derive(Debug, Default)]
pub struct VegasRecovery {
    timeout: FineTimeout,
    guard: ReductionGuard,
    urgent: UrgentQueue,
    /// Window inflation in segments; `None` outside fast recovery.
    inflation: Option<f64>,
    /// Number of further ACKs of new data that check the age of the oldest segment. Set by a retransmission.
    checks_left: u32,
}

impl VegasRecovery {
    /// True if the segment at `una` has been outstanding for longer than the fine-grained timeout.
    fn is_overdue(&self, s: &SenderState, now: Time) -> bool {
        let sent = s.scoreboard.get(s.una).map(|e| e.sent_at);
        sent.zip(self.timeout.timeout_secs).is_some_and(|(at, timeout)| (now - at).secs_f64() >= timeout)
    }
}

impl Recovery for VegasRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        let overdue = self.is_overdue(s, a.now);
        if let Some(inflation) = &mut self.inflation {
            *inflation += 1.0;
            if overdue {
                self.checks_left = 2;
                self.timeout.back_off(true);
                self.urgent.push(s.una, s.segment_end(s.una), TransmissionCause::Recovery);
            }
            return DetectionOutcome::Nothing;
        }
        s.dupacks += 1;
        let lost = (overdue || s.dupacks == s.dupthresh) && self.guard.may_reduce(s);
        if lost { DetectionOutcome::Lost(s.una) } else { DetectionOutcome::Nothing }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.inflation = Some(f64::from(s.dupacks));
        self.checks_left = 2;
        self.timeout.back_off(s.scoreboard.get(seq).is_some_and(|e| e.ever_retransmitted));
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, a: &Ack) -> AdvanceOutcome {
        s.dupacks = 0;
        self.inflation = None;
        if let Some(rtt) = a.newest_rtt {
            self.timeout.on_rtt(rtt);
        }
        if self.checks_left == 0 {
            return AdvanceOutcome::Open;
        }
        self.checks_left -= 1;
        if self.is_overdue(s, a.now) {
            return AdvanceOutcome::Lost(s.una);
        }
        self.checks_left = 0;
        AdvanceOutcome::Open
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.inflation = None;
        self.checks_left = 0;
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop(s) {
            return Some(next);
        }
        if self.inflation.is_none() && (1..s.dupthresh).contains(&s.dupacks) {
            return None;
        }
        segment_at_nxt(s, self.in_flight(s), w.cwnd + self.inflation.unwrap_or(0.0))
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }
}
