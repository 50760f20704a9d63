use super::MIN_CWND;
use super::delays::DelayFilters;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

/// Congestion control of RFC 6817 §2.4.2.
#[derive(Debug)]
pub struct Ledbat {
    target: Span,
    gain: f64,
    /// ALLOWED_INCREASE, in segments.
    allowed: f64,
    delays: DelayFilters,
}

impl Ledbat {
    /// Creates the congestion control with TARGET, GAIN and ALLOWED_INCREASE (in segments).
    pub fn new(target: Span, gain: f64, allowed: f64) -> Self {
        Ledbat { target, gain, allowed, delays: DelayFilters::new() }
    }

    /// Returns (TARGET - queuing_delay) / TARGET; `None` before the first delay sample.
    fn off_target(&self) -> Option<f64> {
        Some(1.0 - self.delays.queueing()?.secs_f64() / self.target.secs_f64())
    }
}

impl CongestionControl for Ledbat {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        let Some(off_target) = self.off_target() else { return };
        let mss = s.mss as f64;
        w.cwnd += self.gain * off_target * (a.delivered_bytes as f64 / mss) / w.cwnd;
        // The flight before this ACK.
        let flight = (s.nxt - s.una + a.acked_bytes) as f64 / mss;
        w.cwnd = w.cwnd.min(flight + self.allowed).max(MIN_CWND);
    }

    /// Sets "cwnd = min (cwnd, max (cwnd/2, MIN_CWND * MSS))" once per round trip. After a timeout, sets one
    /// segment.
    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        let half = (w.cwnd / 2.0).max(MIN_CWND).min(w.cwnd);
        w.ssthresh = half.max(MIN_CWND);
        w.cwnd = if l.signal == CongestionSignal::Timeout { 1.0 } else { half };
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        if let Some(arrival) = a.arrival
            && let Some(sent) = s.scoreboard.single_transmission_time(arrival.seq)
        {
            // a receiver that reports wrong times cannot make the delay negative
            self.delays.add_delay_sample(a.now, arrival.at.since(sent));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Time;
    use airhop_base::SegmentArrival;

    const MSS: u64 = 1000;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Sender with ten segments in flight since time zero. Four delay samples of 30 ms precede ACKs with
    /// another delay.
    struct Case {
        ledbat: Ledbat,
        state: SenderState,
        w: Window,
    }

    impl Case {
        fn new(in_flight: u64) -> Self {
            let mut ledbat = Ledbat::new(Span::from_millis(100), 1.0, 1.0);
            ledbat.delays.add_delay_sample(at(0), Span::from_millis(30));
            let mut state = SenderState::new(&Preset::Ns2.config(MSS as u32));
            for n in 0..in_flight {
                let start = 1 + n * MSS;
                state.scoreboard.on_sent(at(0), start, start + MSS);
            }
            (state.nxt, state.sent_end) = (1 + in_flight * MSS, 1 + in_flight * MSS);
            Case { ledbat, state, w: Window { cwnd: 10.0, ssthresh: f64::INFINITY } }
        }

        /// Returns the window after `acks` ACKs of one segment each, with a one-way delay of `ms`.
        fn after(mut self, acks: u64, ms: u64) -> f64 {
            for n in 0..acks {
                let a = Ack { arrival: Some(SegmentArrival { seq: 1 + n * MSS, at: at(ms) }), ..Ack::with_acked_bytes(at(ms + 30), MSS) };
                self.state.una += MSS;
                self.ledbat.observe_ack(&a, &self.state);
                self.ledbat.on_ack(&mut self.w, &a, &self.state);
            }
            self.w.cwnd
        }
    }

    // cwnd += GAIN * off_target * bytes_newly_acked * MSS / cwnd. At the first three ACKs, the minimum of the
    // last four samples is the earlier 30 ms.
    #[test]
    fn window_changes_are_proportional_to_off_target() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a}, expected {b}");
        near(Case::new(30).after(1, 30), 10.1);
        let three = [10.0, 10.1, 10.1 + 1.0 / 10.1].map(|w: f64| w + 1.0 / w)[2];
        // From the fourth ACK on, off_target is (100 - 50) / 100, then 0, then -1.
        near(Case::new(30).after(4, 80), three + 0.5 / three);
        near(Case::new(30).after(4, 130), three);
        near(Case::new(30).after(4, 230), three - 1.0 / three);
    }

    // max_allowed_cwnd = flightsize + ALLOWED_INCREASE * MSS, with the flight before the ACK; at least MIN_CWND.
    #[test]
    fn the_window_exceeds_the_flight_by_at_most_allowed_increase() {
        assert_eq!(Case::new(5).after(1, 30), 6.0);
        assert_eq!(Case::new(5).after(5, 30), 2.0);
    }

    #[test]
    fn delay_never_reduces_the_window_below_two_segments() {
        let case = Case { w: Window { cwnd: 2.0, ssthresh: 2.0 }, ..Case::new(6) };
        assert_eq!(case.after(6, 1000), 2.0);
    }

    // "on data loss: cwnd = min (cwnd, max (cwnd/2, MIN_CWND * MSS))"; "if no ACKs are received within a CTO: cwnd = 1 * MSS".
    #[test]
    fn a_loss_halves_the_window_and_a_timeout_leaves_one_segment() {
        let after = |cwnd, signal| {
            let mut case = Case { w: Window { cwnd, ssthresh: f64::INFINITY }, ..Case::new(10) };
            let loss = Loss { now: at(9), signal, halving_base: Some(cwnd), halved_base: cwnd / 2.0, halved_cwnd: cwnd / 2.0 };
            case.ledbat.on_loss(&mut case.w, &loss, &case.state);
            case.w.cwnd
        };
        let lost = [10.0, 3.0, 1.5].map(|cwnd| after(cwnd, CongestionSignal::Duplicates));
        assert_eq!(lost, [5.0, 2.0, 1.5]);
        assert_eq!(after(10.0, CongestionSignal::Timeout), 1.0);
    }
}
