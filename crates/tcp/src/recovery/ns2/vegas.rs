use crate::recovery::common::{ReductionGuard, UrgentQueue, go_back_n, segment_at_nxt};
use crate::recovery::fine_timeout::FineTimeout;
use crate::seams::{
    Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Ns2Agent, Recovery, TransmissionCause, Window,
};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Retransmission of [`VegasRecovery`](super::super::VegasRecovery) as implemented in ns-2.35, including apparent defects. A
/// fast retransmission counts as the third duplicate ACK. Without further duplicate ACKs, the window stays
/// inflated. Each fast retransmission backs off the coarse timer. A segment that is overdue when all data is
/// acknowledged is sent twice.
#[derive(Debug, Default)]
pub struct Ns2VegasRecovery {
    timeout: FineTimeout,
    guard: ReductionGuard,
    urgent: UrgentQueue,
    /// Window inflation in segments.
    inflation: f64,
    /// Window after the last reduction, and time of the reduction; `None` before the first reduction.
    cut: Option<(f64, Time)>,
    /// Number of further ACKs of new data that check the age of the oldest segment. Set by a retransmission.
    checks_left: u32,
    /// First byte of the segment to be sent twice; `None` without such a segment.
    twice: Option<u64>,
    now: Time,
}

impl Ns2VegasRecovery {
    /// True if the segment at `una` is older than the fine-grained timeout and no link layer is
    /// retransmitting the segment. Also true if the segment was never sent.
    fn is_overdue(&self, s: &SenderState, now: Time) -> bool {
        let timeout = self.timeout.timeout_secs.unwrap_or(f64::INFINITY);
        s.scoreboard.get(s.una).is_none_or(|e| e.held_until <= now && (now - e.sent_at).secs_f64() >= timeout)
    }
}

impl Recovery for Ns2VegasRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        self.now = a.now;
        s.dupacks += 1;
        if self.is_overdue(s, a.now) || s.dupacks == s.dupthresh {
            return if self.guard.may_reduce(s) {
                DetectionOutcome::Lost(s.una)
            } else {
                DetectionOutcome::Nothing
            };
        }
        self.inflation += f64::from(u8::from(s.dupacks > s.dupthresh));
        DetectionOutcome::Nothing
    }

    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        let (at, again) =
            s.scoreboard.get(seq).map_or((self.now, false), |e| (e.sent_at, e.ever_retransmitted));
        if self.cut.is_none_or(|(_, when)| at > when) {
            self.cut = Some((w.cwnd, self.now));
            self.inflation = f64::from(s.dupacks);
        }
        self.checks_left = 2.min(((s.nxt - s.una) / s.mss) as u32 + 1);
        self.timeout.back_off(again);
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
        if !again {
            s.dupacks = s.dupthresh;
        }
    }

    fn ns2_agent(&self) -> Ns2Agent {
        Ns2Agent::Ns2Vegas
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        let inflation = std::mem::take(&mut self.inflation);
        match self.cut {
            Some((left, _)) if s.dupacks > s.dupthresh => {
                if w.cwnd + inflation > left {
                    (w.cwnd, w.ssthresh) = (left, 2.0);
                }
            }
            _ => w.cwnd += inflation,
        }
        s.dupacks = 0;
        if let Some(rtt) = a.newest_rtt {
            self.timeout.on_rtt(rtt);
        }
        if self.checks_left > 0 {
            self.checks_left -= 1;
            if self.is_overdue(s, a.now) {
                s.dupacks = s.dupthresh;
                if s.has_outstanding_data() {
                    self.urgent.push(s.una, s.segment_end(s.una), TransmissionCause::Recovery);
                } else {
                    self.twice = Some(s.una);
                }
            } else {
                self.checks_left = 0;
            }
        }
        AdvanceOutcome::Open
    }

    fn on_timeout(&mut self, s: &mut SenderState, now: Time) {
        self.inflation = 0.0;
        self.cut = Some((1.0, now));
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop(s) {
            return Some(next);
        }
        if (1..s.dupthresh).contains(&s.dupacks) {
            return None;
        }
        segment_at_nxt(s, self.in_flight(s), w.cwnd + self.inflation)
    }

    fn on_sent(&mut self, _: &mut SenderState, _: Time, sent: &NextSegment, _: Option<u64>) {
        if self.twice.take_if(|seq| *seq == sent.start).is_some() {
            self.urgent.push(sent.start, sent.end, TransmissionCause::Recovery);
        }
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }
}
