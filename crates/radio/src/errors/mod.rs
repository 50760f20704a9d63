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
    /// So many of them, at the front, are headers: link layer, network and transport. All of a control frame.
    pub header_bits: u64,
    /// Start on the air.
    pub start: Time,
    /// End on the air.
    pub end: Time,
    /// The attempt, the first is 1.
    pub attempt: u32,
}

/// What is left of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// All of it.
    None,
    /// The headers: a receiver can tell which segment this was (Yun 2009 §2.1: TCP HACK).
    Payload,
    /// Nothing that could be used.
    Header,
}

/// An error model of one directed link.
pub trait ErrorModel: std::fmt::Debug + Send {
    /// What this frame suffers. Whether it is lost does not depend on where its headers end.
    fn damage(&mut self, frame: &Frame) -> Damage;
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
    fn damage(&mut self, _: &Frame) -> Damage {
        Damage::None
    }
}

/// The number of `frames` equal frames of `bits` bits that `plan` corrupts.
#[cfg(test)]
pub(crate) fn corrupted(plan: &ErrorPlan, bits: u64, frames: u32) -> u32 {
    let mut model = plan.build(airhop_engine::Streams::new(1, 0).stream("errors"));
    let frame = Frame { bits, header_bits: bits, start: Time::ZERO, end: Time::ZERO, attempt: 1 };
    (0..frames).map(|_| u32::from(model.damage(&frame) != Damage::None)).sum()
}
