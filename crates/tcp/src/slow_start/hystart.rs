use super::{MIN_RTT_SAMPLES, SlowStartAck, threshold};
use crate::estimators::min_with_sample;
use airhop_base::{Span, Time};

/// HyStart (Ha and Rhee 2011, Taming the elephants: New TCP slow start, §4) as in Linux. Slow start ends when
/// the ACK train of a round lasts longer than half the minimum RTT, or when the round's minimum RTT has
/// increased.
#[derive(Debug, Default)]
pub(crate) struct HyStart {
    round: Round,
    is_paced: bool,
    is_over: bool,
}

/// Round. Ends when all data sent before the start of the round is acknowledged.
#[derive(Debug, Default)]
struct Round {
    began: Time,
    end: u64,
    /// Time of the last ACK in the train. The train begins with the round.
    train: Time,
    least: Option<Span>,
    samples: u32,
}

/// Minimum window in segments for the end of slow start (Linux, hystart_low_window). Rounds are also counted
/// below this window (since 6.14).
const LEAST_WINDOW: f64 = 16.0;
/// Maximum gap between the ACKs of a train (Linux, hystart_ack_delta_us).
const LONGEST_GAP: Span = Span::from_millis(2);
/// Tolerance for segmentation offload, added to the duration of an ACK train at rates below 2 Gbit/s (Linux,
/// hystart_ack_delay()).
const OFFLOAD_TOLERANCE: Span = Span::from_millis(1);

impl HyStart {
    /// Creates HyStart for a sender with or without pacing.
    pub fn new(is_paced: bool) -> Self {
        HyStart { is_paced, ..HyStart::default() }
    }

    /// Restarts the detection with a round that ends at `nxt`.
    pub fn restart(&mut self, now: Time, nxt: u64) {
        *self = HyStart { round: Round::new(now, nxt), ..HyStart::new(self.is_paced) };
    }

    /// Processes an ACK. Returns true if slow start ends with this ACK.
    pub fn on_ack(&mut self, cwnd: f64, sample: &SlowStartAck) -> bool {
        if let (Some(rtt), Some(least_rtt)) = (sample.rtt, sample.min_rtt)
            && !self.is_over
        {
            if sample.una > self.round.end {
                self.round = Round::new(sample.now, sample.nxt);
            }
            if cwnd >= LEAST_WINDOW {
                let longest = self.longest_train(least_rtt);
                self.is_over = self.round.is_long_train(sample.now, longest)
                    | self.round.detect_delay_increase(rtt, least_rtt);
                return self.is_over;
            }
        }
        false
    }

    /// Returns the maximum duration of an ACK train: half of the minimum RTT, i.e. the one-way delay of the
    /// path. With pacing, the maximum is the whole minimum RTT, because segments are spread over a round trip
    /// (Linux).
    fn longest_train(&self, least_rtt: Span) -> Span {
        let longest = least_rtt + OFFLOAD_TOLERANCE;
        if self.is_paced { longest } else { longest / 2 }
    }
}

impl Round {
    fn new(now: Time, end: u64) -> Self {
        Round { began: now, end, train: now, ..Round::default() }
    }

    /// True if the ACKs since the start of the round form a train longer than `longest`.
    fn is_long_train(&mut self, now: Time, longest: Span) -> bool {
        if now - self.train > LONGEST_GAP {
            return false;
        }
        self.train = now;
        now - self.began > longest
    }

    /// Adds an RTT sample. Returns true if the round has enough samples and a minimum RTT above the
    /// threshold.
    fn detect_delay_increase(&mut self, rtt: Span, least_rtt: Span) -> bool {
        self.least = min_with_sample(self.least, rtt);
        self.samples += 1;
        self.samples > MIN_RTT_SAMPLES && self.least > Some(least_rtt + threshold(least_rtt))
    }
}

#[cfg(test)]
mod tests {
    use super::super::SlowStartMethod;
    use super::*;
    use crate::seams::Window;

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    /// Simulates one round. Returns the number, from 1, of the ACK that ends slow start. `cwnd` is the
    /// window, `least` the minimum RTT so far in ms, `rtt` the RTT in µs, and `acks` the arrival times.
    fn ends(cwnd: f64, least: u64, rtt: u64, acks: impl Iterator<Item = u64>) -> Option<usize> {
        ends_of(HyStart::default(), cwnd, least, rtt, acks)
    }

    fn ends_of(
        mut hystart: HyStart,
        cwnd: f64,
        least: u64,
        rtt: u64,
        acks: impl Iterator<Item = u64>,
    ) -> Option<usize> {
        let least_rtt = Some(Span::from_millis(least));
        acks.enumerate()
            .position(|(n, at)| {
                let sample = SlowStartAck {
                    now: us(at),
                    una: n as u64 + 1,
                    nxt: 1000,
                    rtt: Some(Span::from_micros(rtt)),
                    min_rtt: least_rtt,
                };
                hystart.on_ack(cwnd, &sample)
            })
            .map(|n| n + 1)
    }

    // ACKs 3 ms apart are not a train. The threshold is an eighth of the minimum RTT: 10 ms for 80 ms, at
    // least 4 ms (2 ms for 16 ms), at most 16 ms (50 ms for 400 ms). The increase must be "more than" the
    // threshold, and eight samples are necessary.
    #[test]
    fn a_longer_rtt_ends_slow_start() {
        for (least, just) in [(80, 90_000), (16, 20_000), (400, 416_000)] {
            let acks = || (0..60).map(|n| 3000 * n);
            assert_eq!(ends(16.0, least, just, acks()), None, "{least}");
            assert_eq!(ends(16.0, least, just + 1, acks()), Some(9), "{least}");
            assert_eq!(ends(15.9, least, just + 1, acks()), None, "{least}");
        }
    }

    // Half of 60 ms and half of the millisecond for offload are 30.5 ms. With an ACK every 1.5 ms, the 22nd
    // ACK is the first after 30.5 ms.
    #[test]
    fn an_ack_train_of_half_a_round_trip_ends_slow_start() {
        assert_eq!(ends(16.0, 60, 60_000, (0..60).map(|n| 1500 * n)), Some(22));
        assert_eq!(ends(16.0, 60, 60_000, (0..60).map(|n| 2000 * n)), Some(17), "2 ms are not a gap");
        let gap = |n: u64| 1500 * n + if n >= 10 { 501 } else { 0 };
        assert_eq!(ends(16.0, 60, 60_000, (0..60).map(gap)), None, "more than 2 ms are a gap");
        assert_eq!(ends(15.9, 60, 60_000, (0..60).map(|n| 1500 * n)), None);
    }

    // "More than": a train of exactly the maximum duration does not end slow start. If one ACK fulfils both
    // conditions, slow start ends once: here the ninth ACK, after 8.8 ms, at a maximum of 8.5 ms.
    #[test]
    fn an_ack_train_of_exactly_the_limit_continues_slow_start() {
        assert_eq!(ends(16.0, 60, 60_000, (0..80).map(|n| 500 * n)), Some(63));
        assert_eq!(ends(16.0, 16, 20_001, (0..80).map(|n| 1100 * n)), Some(9));
    }

    // bictcp_state(): a timeout restarts the detection. After any other loss ssthresh is known, and the
    // detection is off.
    #[test]
    fn only_a_timeout_restarts_hystart() {
        for (by_timeout, again) in [(true, true), (false, false)] {
            let mut slow_start = SlowStartMethod::hystart(false);
            let ends = |slow_start: &mut SlowStartMethod| {
                let rtt = Some(Span::from_millis(60));
                let mut w = Window { cwnd: 16.0, ssthresh: f64::INFINITY };
                (0..60).any(|n| {
                    let sample = SlowStartAck { now: us(1500 * n), una: n + 1, nxt: 1000, rtt, min_rtt: rtt };
                    slow_start.on_ack(&mut w, 1.0, &sample);
                    w.ssthresh == 16.0
                })
            };
            assert!(ends(&mut slow_start));
            slow_start.on_loss(by_timeout, us(0), 1000);
            assert_eq!(ends(&mut slow_start), again);
        }
    }

    // With pacing, slow start ends when an ACK train lasts for the full 60 ms plus one millisecond: at the
    // 42nd ACK.
    #[test]
    fn pacing_doubles_the_ack_train_that_ends_slow_start() {
        let acks = || (0..60).map(|n| 1500 * n);
        assert_eq!(ends_of(HyStart::new(true), 16.0, 60, 60_000, acks()), Some(42));
    }

    // A round starts with its first ACK, even below 16 segments, so the 22nd ACK of the round ends slow
    // start, not the 22nd ACK above 16 segments. Slow start ends once; after a restart, the round contains
    // all data sent before.
    #[test]
    fn hystart_rounds_begin_below_the_minimum_window() {
        let mut hystart = HyStart::default();
        let mut ack = |n: u64| {
            let rtt = Some(Span::from_millis(60));
            let sample = SlowStartAck { now: us(1500 * n), una: n + 1, nxt: 1000, rtt, min_rtt: rtt };
            hystart.on_ack(if n == 0 { 15.0 } else { 16.0 }, &sample)
        };
        assert_eq!((0..60).filter(|&n| ack(n)).collect::<Vec<_>>(), [21]);
        let mut hystart = HyStart::default();
        hystart.restart(us(0), 10);
        let rtt = Some(Span::from_millis(60));
        let ends = |n: u64| {
            hystart.on_ack(16.0, &SlowStartAck { now: us(1500 * n), una: n + 1, nxt: 90, rtt, min_rtt: rtt })
        };
        assert_eq!((0..60).position(ends), Some(10 + 21));
    }

    // A new round resets both the train and the round's minimum RTT.
    #[test]
    fn a_new_round_resets_train_and_minimum_rtt() {
        let mut hystart = HyStart::default();
        let mut ack = |at: u64, una: u64, nxt: u64, rtt: u64| {
            let (rtt, least_rtt) = (Some(Span::from_millis(rtt)), Some(Span::from_millis(80)));
            hystart.on_ack(20.0, &SlowStartAck { now: us(at), una, nxt, rtt, min_rtt: least_rtt })
        };
        for n in 0..20 {
            assert!(!ack(1500 * n, 1 + n, 20, 80), "the smallest round trip is not longer");
        }
        for n in 0..8 {
            assert!(!ack(100_000 + 1500 * n, 21 + n, 60, 100), "too few samples");
        }
        assert!(ack(112_000, 29, 60, 100));
    }
}
