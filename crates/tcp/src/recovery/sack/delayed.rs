use super::rfc6675::Rfc6675;
use crate::recovery::common::{ReductionGuard, UrgentQueue, segment_at_nxt};
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, TransmissionCause, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Recovery of RFC 6675 with a delayed start (TCP-DCR; Bhandarkar et al. 2005). The link layer has one round
/// trip from the first duplicate ACK to fill the hole. Meanwhile every duplicate ACK releases a new segment
/// (extended limited transmit, RFC 4653), and the ACK clock keeps running.
#[derive(Debug, Default)]
pub struct DcrRecovery {
    inner: Rfc6675,
    /// Guard against repeated reductions. Updated when `inner` leaves the state Open.
    guard: ReductionGuard,
    urgent: UrgentQueue,
    waiting: Option<PendingHole>,
}

/// Hole that the link layer may still fill.
#[derive(Clone, Copy, Debug)]
struct PendingHole {
    /// End of the delay.
    until: Time,
    /// Number of duplicate ACKs during the delay.
    duplicates: u32,
}

impl Recovery for DcrRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        let before = s.dupacks;
        let detect = self.inner.on_duplicate_ack(s, a);
        // RFC 6675 §2: a duplicate ACK without new SACK information does not indicate a hole.
        if !self.guard.is_fully_acked(s) || s.dupacks == before {
            return DetectionOutcome::Nothing;
        }
        let Some(waiting) = &mut self.waiting else {
            // without a measured RTT the recovery is not delayed
            let Some(srtt) = s.srtt else { return detect };
            self.waiting = Some(PendingHole { until: a.now + srtt, duplicates: 1 });
            return DetectionOutcome::Nothing;
        };
        waiting.duplicates += 1;
        DetectionOutcome::Nothing
    }

    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        self.waiting = None;
        self.inner.enter_recovery(s, w, seq);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        self.waiting = None;
        match self.inner.on_advance(s, w, a) {
            AdvanceOutcome::Lost(seq) => {
                let Some(srtt) = s.srtt else { return AdvanceOutcome::Lost(seq) };
                self.waiting = Some(PendingHole { until: a.now + srtt, duplicates: 0 });
                AdvanceOutcome::Open
            }
            advance => advance,
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, now: Time) {
        self.guard.record_reduction(s);
        self.waiting = None;
        self.urgent.clear();
        self.inner.on_timeout(s, now);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        if !self.guard.is_fully_acked(s) {
            return self.inner.next_segment(s, w);
        }
        // Until the delay ends no segment counts as lost, so the flight is all outstanding data.
        let extra = self.waiting.map_or_else(|| s.limited_transmit_extra(), |waiting| waiting.duplicates);
        segment_at_nxt(s, s.nxt - s.una, w.cwnd + f64::from(extra))
    }

    fn deadline(&self) -> Option<Time> {
        self.waiting.map(|waiting| waiting.until)
    }

    fn on_deadline(&mut self, s: &mut SenderState, _: Time) -> DetectionOutcome {
        self.waiting = None;
        DetectionOutcome::Lost(s.una)
    }

    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &NextSegment, earlier: Option<u64>) {
        self.inner.on_sent(s, now, sent, earlier);
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        self.inner.in_flight(s)
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }

    /// True during the delay. The retransmission timer must not expire before the end of the delay.
    fn is_first_missing_held(&self, _: &SenderState, _: Time) -> bool {
        self.waiting.is_some()
    }
}
