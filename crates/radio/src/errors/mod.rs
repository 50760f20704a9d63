//! What the channel does to frames.
//!
//! A model is one file beside this one, a variant of [`ErrorPlan`] with its parameters, and an arm of
//! [`ErrorPlan::build`].

mod bernoulli;
mod loss;

use airhop_base::Time;
use airhop_engine::Stream;

/// A transmission, as an error model sees it: once per attempt, at its end.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Length in bits (MAC frame, PLCP excluded).
    pub bits: u64,
    /// Start on the air.
    pub start: Time,
    /// End on the air.
    pub end: Time,
    /// The attempt, the first is 1.
    pub attempt: u32,
}

/// An error model of one directed link.
pub trait ErrorModel: std::fmt::Debug + Send {
    /// True if this frame arrives corrupted.
    fn corrupts(&mut self, frame: &Frame) -> bool;
}

/// Which error model, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorPlan {
    /// No errors.
    Clean,
    /// Independent bit errors such that a frame of `reference_bits` is lost with probability `fer` (Yun 2009 §5.1).
    FrameErrorRate {
        /// Frame error rate of the reference frame, [0, 1].
        fer: f64,
        /// Length of the reference frame, bits.
        reference_bits: u64,
    },
    /// Every frame or packet alike is lost with this probability.
    Loss(f64),
}

impl ErrorPlan {
    /// The model at work on one directed link, with the randomness of that link.
    pub fn build(&self, stream: Stream) -> Box<dyn ErrorModel> {
        match *self {
            ErrorPlan::Clean => Box::new(Clean),
            ErrorPlan::FrameErrorRate { fer, reference_bits } => {
                Box::new(bernoulli::Bernoulli::new(fer, reference_bits, stream))
            }
            ErrorPlan::Loss(p) => Box::new(loss::Loss::new(p, stream)),
        }
    }
}

/// A link without errors.
#[derive(Debug)]
struct Clean;

impl ErrorModel for Clean {
    fn corrupts(&mut self, _: &Frame) -> bool {
        false
    }
}

/// The number of `frames` equal frames of `bits` bits that `plan` corrupts.
#[cfg(test)]
pub(crate) fn corrupted(plan: &ErrorPlan, bits: u64, frames: u32) -> u32 {
    let mut model = plan.build(airhop_engine::Streams::new(1, 0).stream("errors"));
    let frame = Frame { bits, start: Time::ZERO, end: Time::ZERO, attempt: 1 };
    (0..frames).map(|_| u32::from(model.corrupts(&frame))).sum()
}
