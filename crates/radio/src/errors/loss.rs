//! Independent losses of frames, for any frame length.
use super::{Damage, ErrorModel, Frame};
use airhop_engine::RandomStream;

/// Loss of frames with a constant probability, independent of other frames and of the frame length.
#[derive(Debug)]
pub struct IndependentLoss {
    p: f64,
    stream: RandomStream,
}

impl IndependentLoss {
    /// Creates a model that loses a frame with probability `p`.
    pub fn new(p: f64, stream: RandomStream) -> Self {
        IndependentLoss { p, stream }
    }
}

impl ErrorModel for IndependentLoss {
    fn draw_damage(&mut self, _: &Frame) -> Damage {
        if self.stream.random_bool(self.p) { Damage::Header } else { Damage::None }
    }
}

#[cfg(test)]
mod tests {
    use crate::errors::{ErrorPlan, count_corrupted};

    #[test]
    fn the_loss_rate_does_not_depend_on_the_frame_length() {
        // Of a million frames 2 % are lost. The standard deviation of the count is 140 frames; the tolerance
        // is five standard deviations, at which a correct program fails with probability 6e-7.
        for bits in [1, 112, 8512] {
            let n = f64::from(count_corrupted(&ErrorPlan::Loss(0.02), bits, 1_000_000));
            assert!((n - 20_000.0).abs() < 5.0 * 140.0, "{n} frames of {bits} bits");
        }
        assert_eq!(count_corrupted(&ErrorPlan::Loss(0.0), 8512, 1000), 0);
        assert_eq!(count_corrupted(&ErrorPlan::Loss(1.0), 8512, 1000), 1000);
    }
}
