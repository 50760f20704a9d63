use super::rfc6675::Rfc6675;
use crate::recovery::common::{Guard, Urgent, forward};
use crate::seams::{Ack, Advance, Cause, Detect, Next, Recovery, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Recovery of RFC 6675 with a delayed start (TCP-DCR; Bhandarkar et al. 2005). The link layer has one round
/// trip from the first duplicate ACK to fill the hole. Meanwhile every duplicate ACK releases a new segment
/// (extended limited transmit, RFC 4653), and the ACK clock keeps running.
#[derive(Debug, Default)]
pub struct Delayed {
    inner: Rfc6675,
    /// Guard against repeated reductions. Updated when `inner` leaves the state Open.
    guard: Guard,
    urgent: Urgent,
    waiting: Option<Waiting>,
}

/// Hole that the link layer may still fill.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// End of the delay.
    until: Time,
    /// Number of duplicate ACKs during the delay.
    duplicates: u32,
}

impl Recovery for Delayed {
    fn on_duplicate(&mut self, s: &mut SenderState, a: &Ack) -> Detect {
        let before = s.dupacks;
        let detect = self.inner.on_duplicate(s, a);
        // RFC 6675 §2: a duplicate ACK without new SACK information does not indicate a hole.
        if !self.guard.is_fully_acked(s) || s.dupacks == before {
            return Detect::Nothing;
        }
        let Some(waiting) = &mut self.waiting else {
            // without a measured RTT the recovery is not delayed
            let Some(srtt) = s.srtt else { return detect };
            self.waiting = Some(Waiting { until: a.now + srtt, duplicates: 1 });
            return Detect::Nothing;
        };
        waiting.duplicates += 1;
        Detect::Nothing
    }

    fn enter(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.guard.set(s);
        self.waiting = None;
        self.inner.enter(s, w, seq);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> Advance {
        self.waiting = None;
        match self.inner.on_advance(s, w, a) {
            Advance::Lost(seq) => {
                let Some(srtt) = s.srtt else { return Advance::Lost(seq) };
                self.waiting = Some(Waiting { until: a.now + srtt, duplicates: 0 });
                Advance::Open
            }
            advance => advance,
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, now: Time) {
        self.guard.set(s);
        self.waiting = None;
        self.urgent.clear();
        self.inner.on_timeout(s, now);
    }

    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        if !self.guard.is_fully_acked(s) {
            return self.inner.next(s, w);
        }
        // Until the delay ends no segment counts as lost, so the flight is all outstanding data.
        let extra = self.waiting.map_or_else(|| s.limited_transmit_extra(), |waiting| waiting.duplicates);
        forward(s, s.nxt - s.una, w.cwnd + f64::from(extra))
    }

    fn deadline(&self) -> Option<Time> {
        self.waiting.map(|waiting| waiting.until)
    }

    fn on_deadline(&mut self, s: &mut SenderState, _: Time) -> Detect {
        self.waiting = None;
        Detect::Lost(s.una)
    }

    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &Next, earlier: Option<u64>) {
        self.inner.on_sent(s, now, sent, earlier);
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        self.inner.in_flight(s)
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), Cause::Notice);
    }

    /// True during the delay. The retransmission timer must not expire before the end of the delay.
    fn is_held(&self, _: &SenderState, _: Time) -> bool {
        self.waiting.is_some()
    }
}
