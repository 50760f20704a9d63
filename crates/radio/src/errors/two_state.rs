//! Bit errors with different rates in good and in bad periods.
use super::fades::{FadePlan, FadeProcess};
use super::{Damage, ErrorModel, Frame};
use airhop_base::{Span, Time};
use airhop_engine::RandomStream;

/// Channel with alternating good and bad states in real time (Bakshi et al. 1997, Kounavis 1996).
///
/// The states are drawn from their own random stream, so they do not depend on the traffic. If the state
/// changes during a frame, each part of the frame has the error rate of the state at that time.
#[derive(Debug)]
pub struct TwoState {
    fades: FadeProcess,
    /// Bit errors per bit in the good and the bad state.
    errors_per_bit: [f64; 2],
    stream: RandomStream,
}

impl TwoState {
    /// Creates a channel with the fades of `plan`, drawn from `fades`. Bit errors are drawn from `errors`.
    /// `errors_per_bit` are the Poisson rates in good and bad periods.
    pub fn new(plan: &FadePlan, errors_per_bit: [f64; 2], fades: RandomStream, errors: RandomStream) -> Self {
        TwoState { fades: FadeProcess::new(plan, fades), errors_per_bit, stream: errors }
    }

    /// Returns the expected number of bit errors in `bits` bits that are sent from `from` to `to`.
    fn expected_errors(&mut self, bits: u64, from: Time, to: Time) -> f64 {
        let bad = self.fades.bad_fraction(from, to);
        let in_state = |per_bit: f64, share: f64| {
            let bits = bits as f64 * share;
            // Infinity times zero bits must not be NaN.
            if bits > 0.0 { per_bit * bits } else { 0.0 }
        };
        in_state(self.errors_per_bit[0], 1.0 - bad) + in_state(self.errors_per_bit[1], bad)
    }
}

impl ErrorModel for TwoState {
    /// Draws one uniform number per frame. A number below the loss probability damages the frame. The lowest
    /// of these numbers damage the headers.
    fn draw_damage(&mut self, frame: &Frame) -> Damage {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::{InitialState, Sojourn};
    use airhop_engine::RandomStreams;

    fn stream(name: &str) -> RandomStream {
        RandomStreams::new(1, 0).stream(name)
    }

    fn plan(good_s: u64, bad_s: u64) -> FadePlan {
        let means = [good_s, bad_s].map(Span::from_secs);
        FadePlan::Drawn { means, sojourn: Sojourn::Exponential, start: InitialState::Stationary }
    }

    fn fades(good_s: u64, bad_s: u64) -> FadeProcess {
        FadeProcess::new(&plan(good_s, bad_s), stream("fades"))
    }

    fn model(plan: &FadePlan, errors_per_bit: [f64; 2]) -> TwoState {
        TwoState::new(plan, errors_per_bit, stream("fades"), stream("errors"))
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Values computed by hand: a frame of 1024 bits is lost with probability 0.1 % in a good and 99.996 % in
    /// a bad period. Further error rates damage headers and payload often in both states.
    #[test]
    fn each_channel_state_has_its_own_bit_error_rate() {
        let lost = |per_bit: f64| 1.0 - (-1024.0 * per_bit).exp();
        assert!((lost(1e-6) - 0.001).abs() < 5e-5 && (lost(1e-2) - 0.99996).abs() < 5e-6);
        for rates in [[1e-6, 1e-2], [1e-5, 1e-3]] {
            let (mut model, mut fades) = (model(&plan(10, 4), rates), fades(10, 4));
            // Frames of 1024 bits, 128 of them headers, with negligible airtime, every 10 ms.
            let mut seen = [[0.0; 4]; 2];
            for i in 0..1_000_000 {
                let t = at(10 * i);
                let bad = fades.bad_fraction(t, t) > 0.0;
                let frame = Frame {
                    bits: 1024,
                    header_bits: 128,
                    is_control: false,
                    is_broadcast: false,
                    start: t,
                    end: t,
                    attempt: 1,
                };
                seen[usize::from(bad)][model.draw_damage(&frame) as usize] += 1.0;
                seen[usize::from(bad)][3] += 1.0;
            }
            for ([ok, payload, header, n], per_bit) in seen.into_iter().zip(rates) {
                let expect = [1.0 - lost(per_bit), (-128.0 * per_bit).exp()];
                // The count is binomial, and the tolerance is five standard deviations. About ten intact
                // frames are expected in the bad periods; their number differs from the mean by more than
                // five standard deviations, 16 frames, once in 60 000 cases.
                let near = |count: f64, p: f64| (count - n * p).abs() < 5.0 * (n * p * (1.0 - p)).sqrt();
                assert!(near(ok, expect[0]), "{ok} of {n}");
                assert!(near(payload, expect[1] - expect[0]), "{payload} of {n}");
                assert!(near(header, 1.0 - expect[1]), "{header} of {n}");
            }
        }
    }

    /// A frame with 14 s of airtime spans both states, its headers in the first. It is intact with
    /// probability exp(-(errors in the good state + errors in the bad state)).
    #[test]
    fn a_frame_across_two_states_has_the_errors_of_both() {
        let mut model = model(&plan(10, 4), [0.001, 0.1]);
        let mut whole = fades(10, 4);
        for i in 0..1000 {
            let (from, to) = (at(14_000 * i), at(14_000 * (i + 1)));
            let share = whole.bad_fraction(from, to);
            let expect = 100.0 * (0.001 * (1.0 - share) + 0.1 * share);
            let cut = at(14_000 * i + 3_500);
            let parts = model.expected_errors(25, from, cut) + model.expected_errors(75, cut, to);
            assert!((parts - expect).abs() < 1e-9, "{parts}, expected {expect}");
        }
    }

    #[test]
    fn an_infinite_error_rate_loses_every_frame_in_bad_periods() {
        let mut model = model(&plan(1, 1), [0.0, f64::INFINITY]);
        let mut fades = fades(1, 1);
        for i in 0..1000 {
            let (start, end) = (at(10 * i), at(10 * i + 1));
            let frame = Frame {
                bits: 8592,
                header_bits: 608,
                is_control: false,
                is_broadcast: false,
                start,
                end,
                attempt: 1,
            };
            let expect = match fades.bad_fraction(start, end) {
                0.0 => Damage::None,
                1.0 => Damage::Header,
                _ => continue,
            };
            assert_eq!(model.draw_damage(&frame), expect);
        }
    }
}
