//! Independent bit errors.
use super::by_length::LossCache;
use super::{Damage, ErrorModel, Frame, errors_per_bit};
use airhop_engine::RandomStream;

/// Independent bit errors, defined by the error rate of a frame with a reference length.
///
/// Yun 2009 §5.1: `BER = 1 - (1 - FER)^(1 / b_ref)`. A frame of b bits is lost with probability `1 - (1 -
/// BER)^b = 1 - (1 - FER)^(b / b_ref)`. Bits are those of the MAC frame.
#[derive(Debug)]
pub struct Bernoulli {
    /// ln(1 - BER), not positive.
    ln_bit_survives: f64,
    /// Loss probability by frame length.
    known: LossCache,
    stream: RandomStream,
}

impl Bernoulli {
    /// Creates a model. A frame of `reference_bits` bits is lost with probability `fer`.
    pub fn new(fer: f64, reference_bits: u64, stream: RandomStream) -> Self {
        let ln_bit_survives = -errors_per_bit(fer, reference_bits);
        Bernoulli { ln_bit_survives, known: LossCache::default(), stream }
    }

    fn loss_probability(&mut self, bits: u64) -> f64 {
        let ln_bit_survives = self.ln_bit_survives;
        self.known.get_or_compute(bits, || -libm::expm1(bits as f64 * ln_bit_survives))
    }

    /// Returns the damage of a frame that is lost or has a new length. `u` is the number that was drawn for the
    /// frame.
    #[cold]
    #[inline(never)]
    fn damage_slow_path(&mut self, frame: &Frame, u: f64) -> Damage {
        if u >= self.loss_probability(frame.bits) {
            return Damage::None;
        }
        let all_are_headers = frame.header_bits == frame.bits;
        if all_are_headers || u < self.loss_probability(frame.header_bits) {
            Damage::Header
        } else {
            Damage::Payload
        }
    }
}

impl ErrorModel for Bernoulli {
    /// Draws one uniform number. The frame is lost if the number is in [0, loss probability). The lowest part
    /// of this interval damages the headers, so the loss of a frame does not depend on its header length.
    fn draw_damage(&mut self, frame: &Frame) -> Damage {
        let u = self.stream.uniform();
        match self.known.find(frame.bits) {
            Some(loss) if u >= loss => Damage::None,
            _ => self.damage_slow_path(frame, u),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::{ErrorPlan, count_corrupted, test_frame};
    use airhop_engine::RandomStreams;

    #[test]
    fn the_loss_rate_follows_the_frame_length_in_bits() {
        let mut b = Bernoulli::new(0.01, 8592, RandomStreams::new(1, 0).stream("x"));
        let mut twice = || {
            for bytes in [1074_u64, 14, 20, 76].into_iter().chain(1..100) {
                let expect = 1.0 - 0.99_f64.powf((bytes * 8) as f64 / 8592.0);
                let p = b.loss_probability(bytes * 8);
                assert!((p - expect).abs() < 1e-12, "{bytes} bytes: {p}, expected {expect}");
            }
        };
        twice(); // in the second call some lengths are still cached, others no longer
        twice();
        assert!((b.loss_probability(8592) - 0.01).abs() < 1e-15);
    }

    #[test]
    fn frame_losses_follow_the_bit_error_rate() {
        let plan = ErrorPlan::FrameErrorRate { fer: 0.1, reference_bits: 8592 };
        for bits in [8592_u64, 608, 112] {
            let p = 1.0 - 0.9_f64.powf(bits as f64 / 8592.0);
            let (n, expect) = (f64::from(count_corrupted(&plan, bits, 200_000)), 200_000.0 * p);
            // The count is binomial. The tolerance is five standard deviations: a correct program fails once
            // in 1.7 million cases (the seed is fixed).
            assert!(
                (n - expect).abs() < 5.0 * (expect * (1.0 - p)).sqrt(),
                "{bits} bits: {n}, expected {expect}"
            );
        }
    }

    /// P(header intact) = (1 - BER)^(8H) for headers of H bytes. Losses do not depend on H. A scheme that
    /// uses frames with damaged payload therefore meets the same channel as all other schemes.
    #[test]
    fn header_damage_follows_the_ber_without_changing_losses() {
        let (bits, frames) = (8608_u64, 100_000);
        let damages = |header_bits| {
            let mut model = Bernoulli::new(0.3, bits, RandomStreams::new(1, 0).stream("errors"));
            let frame = Frame { header_bits, ..test_frame(bits) };
            (0..frames).map(|_| model.draw_damage(&frame)).collect::<Vec<_>>()
        };
        let plain = damages(bits);
        assert!(!plain.contains(&Damage::Payload), "there is no payload");
        for header_bits in [0, 608, 4304] {
            let split = damages(header_bits);
            assert!(plain.iter().zip(&split).all(|(a, b)| (*a == Damage::None) == (*b == Damage::None)));
            let p = 1.0 - 0.7_f64.powf(header_bits as f64 / bits as f64);
            let n = split.iter().filter(|d| **d == Damage::Header).count() as f64;
            let expect = f64::from(frames) * p;
            // The count is binomial; the tolerance is five standard deviations.
            assert!(
                (n - expect).abs() <= 5.0 * (expect * (1.0 - p)).sqrt(),
                "{header_bits}: {n}, expected {expect}"
            );
        }
    }

    #[test]
    fn a_frame_error_rate_of_0_or_1_is_exact() {
        let fer = |fer| ErrorPlan::FrameErrorRate { fer, reference_bits: 8592 };
        assert_eq!(count_corrupted(&fer(0.0), 8592, 1000), 0);
        assert_eq!(count_corrupted(&fer(1.0), 112, 1000), 1000);
    }
}
