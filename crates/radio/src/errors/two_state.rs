//! Fades: good and bad times that come and go whether or not anybody sends.
use super::{Damage, ErrorModel, Frame};
use airhop_base::{Span, Time};
use airhop_engine::Stream;

/// One of the two states of a fading channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Mean duration; durations are exponential.
    pub mean: Span,
    /// Bit errors per bit, Poisson: a frame of b bits survives with exp(-b × this). Infinite where nothing survives.
    pub errors_per_bit: f64,
}

/// A channel that is good and bad by turns, in its own time (schemes.md 4.8.4: Bakshi et al. 1997, Kounavis 1996).
///
/// The states come from a stream of their own, so they are the same at the same time whatever is sent. A frame that spans a
/// change suffers each state for its part of the airtime, over which its bits are spread evenly.
#[derive(Debug)]
pub struct TwoState {
    fades: Fades,
    /// Good, bad.
    errors_per_bit: [f64; 2],
    stream: Stream,
}

impl TwoState {
    /// Changes state by `fades`, and breaks bits by `errors`.
    pub fn new(good: State, bad: State, fades: Stream, errors: Stream) -> Self {
        TwoState {
            fades: Fades::new([good.mean, bad.mean], fades),
            errors_per_bit: [good.errors_per_bit, bad.errors_per_bit],
            stream: errors,
        }
    }

    /// Errors to expect in `bits` bits that are on the air from `from` to `to`.
    fn expected_errors(&mut self, bits: u64, from: Time, to: Time) -> f64 {
        let bad = self.fades.bad_share(from, to);
        let in_state = |per_bit: f64, share: f64| {
            let bits = bits as f64 * share;
            if bits > 0.0 { per_bit * bits } else { 0.0 } // infinitely many in no bits are none
        };
        in_state(self.errors_per_bit[0], 1.0 - bad) + in_state(self.errors_per_bit[1], bad)
    }
}

impl ErrorModel for TwoState {
    /// One uniform number per frame, the headers' share of the loss at its low end.
    fn damage(&mut self, frame: &Frame) -> Damage {
        let u = self.stream.uniform();
        let share = frame.header_bits as f64 / frame.bits as f64;
        let payload_from = frame.start + Span::from_secs_f64((frame.end - frame.start).secs_f64() * share);
        let header = self.expected_errors(frame.header_bits, frame.start, payload_from);
        let payload = self.expected_errors(frame.bits - frame.header_bits, payload_from, frame.end);
        let hit = |expected: f64| -libm::expm1(-expected);
        if u >= hit(header + payload) {
            Damage::None
        } else if u < hit(header) {
            Damage::Header
        } else {
            Damage::Payload
        }
    }
}

/// The states through time; to be looked at in the order of time.
#[derive(Debug)]
struct Fades {
    /// Good, bad.
    means: [Span; 2],
    bad: bool,
    /// The end of the present state.
    until: Time,
    stream: Stream,
}

impl Fades {
    /// Begins in a stationary moment: bad with its share of the time. What is left of an exponential time is exponential.
    fn new(means: [Span; 2], mut stream: Stream) -> Self {
        let [good, bad] = means.map(Span::secs_f64);
        let bad = stream.uniform() * (good + bad) < bad;
        let mut fades = Fades { means, bad: !bad, until: Time::ZERO, stream };
        fades.turn();
        fades
    }

    /// The state ends, the other begins.
    fn turn(&mut self) {
        self.bad = !self.bad;
        let mean = self.means[usize::from(self.bad)].secs_f64();
        self.until += Span::from_secs_f64(-mean * libm::log1p(-self.stream.uniform()));
    }

    /// Which part of the time from `from` to `to` is bad, 0 to 1; of a mere instant, whether it is.
    fn bad_share(&mut self, from: Time, to: Time) -> f64 {
        while self.until <= from {
            self.turn();
        }
        if to <= from {
            return f64::from(u8::from(self.bad));
        }
        let (mut bad, mut at) = (Span::ZERO, from);
        loop {
            if self.bad {
                bad = bad + self.until.min(to).since(at);
            }
            if self.until >= to {
                return bad.nanos() as f64 / (to - from).nanos() as f64;
            }
            at = self.until;
            self.turn();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_engine::Streams;

    fn stream(name: &str) -> Stream {
        Streams::new(1, 0).stream(name)
    }

    fn fades(good_s: u64, bad_s: u64) -> Fades {
        Fades::new([good_s, bad_s].map(Span::from_secs), stream("fades"))
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// DESIGN 1.5: who looks more often, or for longer, sees the same fades.
    #[test]
    fn the_state_at_a_time_does_not_depend_on_who_looks_when() {
        let (mut often, mut seldom, mut wide) = (fades(10, 4), fades(10, 4), fades(10, 4));
        for second in 0..2000 {
            let states: Vec<f64> =
                (0..10).map(|i| at(1000 * second + 100 * i)).map(|t| often.bad_share(t, t)).collect();
            if second % 7 == 0 {
                let t = at(1000 * second);
                assert_eq!(seldom.bad_share(t, t), states[0]);
            }
            if second % 13 == 0 {
                let share = wide.bad_share(at(1000 * second), at(1000 * second + 900));
                assert!((share - states.iter().sum::<f64>() / 10.0).abs() < 0.2, "{share}, {states:?}");
            }
        }
    }

    #[test]
    fn times_are_exponential_with_their_means() {
        let mut fades = fades(10, 4);
        let mut lengths = [Vec::new(), Vec::new()];
        for _ in 0..40_000 {
            let (begin, bad) = (fades.until, !fades.bad);
            fades.turn();
            lengths[usize::from(bad)].push((fades.until - begin).secs_f64());
        }
        for (mean, lengths) in [10.0, 4.0].into_iter().zip(lengths) {
            let n = lengths.len() as f64;
            let measured = lengths.iter().sum::<f64>() / n;
            assert!((measured - mean).abs() < 5.0 * mean / n.sqrt(), "{measured}");
            // Ten equally likely bins; chi-square with 9 degrees of freedom, 99.99 % quantile 33.7.
            let mut bins = [0.0; 10];
            lengths.iter().for_each(|l| bins[((1.0 - (-l / mean).exp()) * 10.0) as usize] += 1.0);
            let chi2: f64 = bins.iter().map(|b: &f64| (b - n / 10.0).powi(2) / (n / 10.0)).sum();
            assert!(chi2 < 33.7, "{chi2}");
        }
    }

    /// 4 of 14 seconds are bad, from the first on.
    #[test]
    fn the_bad_share_is_stationary() {
        let share = fades(10, 4).bad_share(Time::ZERO, at(10_000_000 * 14));
        // A cycle's bad time has variance of the order of its mean squared: 2 % of 1e7 cycles' mean is far beyond chance.
        assert!((share - 4.0 / 14.0).abs() < 0.001, "{share}");
        let bad = |seed| Fades::new([10, 4].map(Span::from_secs), Streams::new(seed, 0).stream("fades")).bad;
        let first = (0..20_000).filter(|seed| bad(*seed)).count() as f64 / 20_000.0;
        assert!((first - 4.0 / 14.0).abs() < 5.0 * (0.2857 * 0.7143 / 20_000.0_f64).sqrt(), "{first}");
    }

    /// schemes.md 4.8.4: 1024 bits are lost with 0.1 % in a good and 99.996 % in a bad time.
    #[test]
    fn each_state_breaks_bits_at_its_own_rate() {
        let state = |mean_s, errors_per_bit| State { mean: Span::from_secs(mean_s), errors_per_bit };
        let model = || TwoState::new(state(10, 1e-5), state(4, 1e-3), stream("fades"), stream("errors"));
        let (mut model, mut fades) = (model(), fades(10, 4));
        // Frames of 1024 bits, 128 of them header, with no airtime to speak of, every 10 ms.
        let mut seen = [[0.0; 4]; 2];
        for i in 0..1_000_000 {
            let t = at(10 * i);
            let bad = fades.bad_share(t, t) > 0.0;
            let frame = Frame { bits: 1024, header_bits: 128, control: false, start: t, end: t, attempt: 1 };
            seen[usize::from(bad)][model.damage(&frame) as usize] += 1.0;
            seen[usize::from(bad)][3] += 1.0;
        }
        for ([ok, payload, header, n], per_bit) in seen.into_iter().zip([1e-5_f64, 1e-3]) {
            let expect = [(-1024.0 * per_bit).exp(), (-128.0 * per_bit).exp()];
            let near = |count: f64, p: f64| (count - n * p).abs() < 5.0 * (n * p * (1.0 - p)).sqrt();
            assert!(near(ok, expect[0]), "{ok} of {n}");
            assert!(near(payload, expect[1] - expect[0]), "{payload} of {n}");
            assert!(near(header, 1.0 - expect[1]), "{header} of {n}");
        }
    }

    /// A frame of 14 s on the air meets both states: exp(-(errors in good + errors in bad)), headers first.
    #[test]
    fn a_frame_suffers_each_state_for_its_part_of_the_airtime() {
        let state = |mean_s, errors_per_bit| State { mean: Span::from_secs(mean_s), errors_per_bit };
        let mut model = TwoState::new(state(10, 0.001), state(4, 0.1), stream("fades"), stream("errors"));
        let mut whole = fades(10, 4);
        for i in 0..1000 {
            let (from, to) = (at(14_000 * i), at(14_000 * (i + 1)));
            let share = whole.bad_share(from, to);
            let expect = 100.0 * (0.001 * (1.0 - share) + 0.1 * share);
            let cut = at(14_000 * i + 3_500);
            let parts = model.expected_errors(25, from, cut) + model.expected_errors(75, cut, to);
            assert!((parts - expect).abs() < 1e-9, "{parts}, expected {expect}");
        }
    }

    #[test]
    fn nothing_survives_an_infinite_rate_and_all_survive_zero() {
        let state = |errors_per_bit| State { mean: Span::from_secs(1), errors_per_bit };
        let mut model = TwoState::new(state(0.0), state(f64::INFINITY), stream("fades"), stream("errors"));
        let mut fades = fades(1, 1);
        for i in 0..1000 {
            let (start, end) = (at(10 * i), at(10 * i + 1));
            let frame = Frame { bits: 8592, header_bits: 608, control: false, start, end, attempt: 1 };
            let expect = match fades.bad_share(start, end) {
                0.0 => Damage::None,
                1.0 => Damage::Header,
                _ => continue,
            };
            assert_eq!(model.damage(&frame), expect);
        }
    }
}
