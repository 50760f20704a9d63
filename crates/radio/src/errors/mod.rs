//! Error models of the channel.
//!
//! Each model has a file, a variant of [`ErrorPlan`] with its parameters, and an arm of [`ErrorPlan::build`].

mod bernoulli;
mod by_length;
mod fades;
mod gilbert_elliott;
mod loss;
mod of_data;
mod outages;
mod recorded;
mod snr;
mod sojourn;
mod stepped;
mod strikes;
mod two_state;

use airhop_base::{Span, Time};
use airhop_engine::{RandomStream, RandomStreams};
use fades::FadeProcess;
pub use fades::{FadePlan, InitialState};
pub use recorded::{FadeRecord, LineError};
pub use snr::{ChannelCode, LinkBudget, PerModel, SnrPlan};
pub use sojourn::Sojourn;
use std::sync::Arc;
pub use strikes::FrameSelection;

/// Transmission, as an error model sees it. The model determines the damage once per attempt, at the end of
/// the frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Length of the MAC frame without PLCP, bits.
    pub bits: u64,
    /// Length of the headers at the start (link layer, network and transport), bits. A control frame consists
    /// of headers only.
    pub header_bits: u64,
    /// True for an RTS, a CTS or a link ACK.
    pub is_control: bool,
    /// True for a broadcast, which is never retransmitted.
    pub is_broadcast: bool,
    /// Start of the transmission.
    pub start: Time,
    /// End of the transmission.
    pub end: Time,
    /// Number of the attempt; the first is 1.
    pub attempt: u32,
}

/// Damage of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// No bit error.
    None,
    /// Bit errors in the payload only: a receiver can identify the segment by its headers, as TCP HACK does
    /// (Yun 2009 §2.1).
    Payload,
    /// Bit errors in the headers: a receiver cannot use the frame.
    Header,
}

/// Error model of one directed link, in one run.
pub trait ErrorModel: std::fmt::Debug + Send {
    /// Returns the damage of a frame. The loss of a frame must not depend on the length of its headers.
    fn draw_damage(&mut self, frame: &Frame) -> Damage;
}

/// Error model with its parameters, before the run.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorPlan {
    /// No errors.
    Clean,
    /// Independent bit errors. A frame of `reference_bits` bits is lost with probability `fer` (Yun 2009
    /// §5.1).
    FrameErrorRate {
        /// Frame error rate of the reference frame, [0, 1].
        fer: f64,
        /// Length of the reference frame, bits.
        reference_bits: u64,
    },
    /// Loss of every frame or packet with this probability.
    Loss(f64),
    /// Bursts of lost data frames, from a Markov chain that steps once per data frame.
    GilbertElliott {
        /// Loss probability of a frame in the good and the bad state.
        loss: [f64; 2],
        /// Probability of leaving the good (p_gb) and the bad state (p_bg) after a frame.
        leave: [f64; 2],
        /// Frames that can be lost and that step the chain.
        strikes: FrameSelection,
    },
    /// Markov chain of [`ErrorPlan::GilbertElliott`], with steps at fixed intervals of time instead of one
    /// step per frame.
    Stepped {
        /// Loss probability of a data frame in the good and the bad state.
        loss: [f64; 2],
        /// Probability of leaving the good (p_gb) and the bad state (p_bg) after a step.
        leave: [f64; 2],
        /// Duration of a step.
        step: Span,
        /// Frames that can be lost.
        strikes: FrameSelection,
    },
    /// Good and bad periods in real time.
    TwoState {
        /// Bad periods of the channel.
        fades: FadePlan,
        /// Mean number of bit errors per bit, a Poisson rate, in good and in bad periods. A frame of b bits
        /// is intact with probability exp(-b × rate). An infinite rate loses every frame.
        errors_per_bit: [f64; 2],
    },
    /// Independent losses at the packet error rate for the SNR between two stations of a cell.
    Snr(SnrPlan),
    /// Outages in addition to the losses of another model. Every frame in an outage is lost.
    Outages {
        /// Outages, each [begin, end), in chronological order, with gaps between them.
        times: Arc<[[Time; 2]]>,
        /// Error model of the channel outside the outages.
        otherwise: Box<ErrorPlan>,
    },
    /// Another model, applied only to frames with data. Control frames (RTS, CTS, Ack, BlockAck, BlockAckReq)
    /// are never lost.
    OfData(Box<ErrorPlan>),
}

/// Returns the Poisson rate of bit errors per bit, -ln(1 - BER). `fer` is the loss probability of a frame of
/// `reference_bits` bits.
pub fn errors_per_bit(fer: f64, reference_bits: u64) -> f64 {
    -libm::log1p(-fer) / reference_bits as f64
}

impl ErrorPlan {
    /// Builds the model of the directed link from one node or station of `network` to another. The link has
    /// its own random streams. Both directions draw their fades from the same stream.
    pub fn build(&self, streams: &RandomStreams, network: &str, from: &str, to: &str) -> Box<dyn ErrorModel> {
        let stream = streams.stream(&format!("{network}.errors.{from}->{to}"));
        match *self {
            ErrorPlan::Clean => Box::new(CleanChannel),
            ErrorPlan::FrameErrorRate { fer, reference_bits } => {
                Box::new(bernoulli::Bernoulli::new(fer, reference_bits, stream))
            }
            ErrorPlan::Loss(p) => Box::new(loss::IndependentLoss::new(p, stream)),
            ErrorPlan::GilbertElliott { loss, leave, strikes } => {
                Box::new(gilbert_elliott::GilbertElliott::new(loss, leave, strikes, stream))
            }
            ErrorPlan::Stepped { loss, leave, step, strikes } => {
                let states = streams.stream(&format!("{network}.states.{from}->{to}"));
                Box::new(stepped::SteppedGilbertElliott::new(loss, leave, step, strikes, states, stream))
            }
            ErrorPlan::TwoState { ref fades, errors_per_bit } => {
                let states = fade_stream(streams, network, from, to);
                Box::new(two_state::TwoState::new(fades, errors_per_bit, states, stream))
            }
            ErrorPlan::Snr(ref plan) => Box::new(snr::SnrModel::new(plan, stream)),
            ErrorPlan::Outages { ref times, ref otherwise } => {
                let otherwise = otherwise.build(streams, network, from, to);
                Box::new(outages::Outages::new(times.clone(), otherwise))
            }
            ErrorPlan::OfData(ref model) => {
                Box::new(of_data::DataOnlyErrors::new(model.build(streams, network, from, to)))
            }
        }
    }

    /// Returns the bad periods of this directed link up to `until`, each [begin, end), in chronological
    /// order. The model that [`ErrorPlan::build`] creates from the same arguments has the same bad periods.
    /// `None` if the model has no fades in real time and no outages.
    pub fn bad_periods(
        &self,
        streams: &RandomStreams,
        network: &str,
        from: &str,
        to: &str,
        until: Time,
    ) -> Option<Vec<[Time; 2]>> {
        match self {
            ErrorPlan::TwoState { fades, .. } => {
                Some(FadeProcess::new(fades, fade_stream(streams, network, from, to)).bad_periods(until))
            }
            ErrorPlan::Outages { times, otherwise } => {
                let fades = otherwise.bad_periods(streams, network, from, to, until).unwrap_or_default();
                let times = times.iter().filter(|[begin, _]| *begin < until);
                let times: Vec<_> = times.map(|[begin, end]| [*begin, (*end).min(until)]).collect();
                Some(outages::merge_periods(&fades, &times))
            }
            ErrorPlan::OfData(model) => model.bad_periods(streams, network, from, to, until),
            _ => None,
        }
    }

    /// True if the model can lose frames outside outages.
    pub fn may_lose_frames(&self) -> bool {
        match self {
            ErrorPlan::Clean => false,
            ErrorPlan::FrameErrorRate { fer, .. } => *fer > 0.0,
            ErrorPlan::Loss(loss) => *loss > 0.0,
            ErrorPlan::GilbertElliott { loss, .. } | ErrorPlan::Stepped { loss, .. } => {
                loss.iter().any(|p| *p > 0.0)
            }
            ErrorPlan::TwoState { errors_per_bit, .. } => errors_per_bit.iter().any(|rate| *rate > 0.0),
            ErrorPlan::Snr(_) => true,
            ErrorPlan::Outages { otherwise, .. } => otherwise.may_lose_frames(),
            ErrorPlan::OfData(model) => model.may_lose_frames(),
        }
    }

    /// Returns the model for two stations at this distance. Only SNR models depend on the distance, also
    /// within [`ErrorPlan::OfData`].
    pub fn at_distance(&self, metres: f64) -> ErrorPlan {
        match self {
            ErrorPlan::Snr(plan) => ErrorPlan::Snr(SnrPlan { metres, ..*plan }),
            ErrorPlan::OfData(model) => ErrorPlan::OfData(Box::new(model.at_distance(metres))),
            model => model.clone(),
        }
    }

    /// Returns the model with its losses limited to frames with data.
    pub fn limited_to_data(self) -> ErrorPlan {
        match self {
            ErrorPlan::Clean => ErrorPlan::Clean,
            model => ErrorPlan::OfData(Box::new(model)),
        }
    }

    /// Returns the model with these outages added; with an empty list the model is unchanged.
    pub fn with_outages(self, mut times: Vec<[Time; 2]>) -> ErrorPlan {
        if times.is_empty() {
            return self;
        }
        times.sort_unstable();
        ErrorPlan::Outages { times: outages::merge_periods(&times, &[]).into(), otherwise: Box::new(self) }
    }
}

/// Returns the random stream of the fades between two nodes or stations. Both directions share this stream.
fn fade_stream(streams: &RandomStreams, network: &str, from: &str, to: &str) -> RandomStream {
    let (a, b) = (from.min(to), from.max(to));
    streams.stream(&format!("{network}.fades.{a}-{b}"))
}

/// Channel without errors.
#[derive(Debug)]
struct CleanChannel;

impl ErrorModel for CleanChannel {
    fn draw_damage(&mut self, _: &Frame) -> Damage {
        Damage::None
    }
}

/// Returns a data frame of `bits` bits, all of them headers, at time zero.
#[cfg(test)]
pub(crate) fn test_frame(bits: u64) -> Frame {
    Frame {
        bits,
        header_bits: bits,
        is_control: false,
        is_broadcast: false,
        start: Time::ZERO,
        end: Time::ZERO,
        attempt: 1,
    }
}

/// Returns the number of frames that `plan` damages among `frames` frames of `bits` bits.
#[cfg(test)]
pub(crate) fn count_corrupted(plan: &ErrorPlan, bits: u64, frames: u32) -> u32 {
    let mut model = plan.build(&RandomStreams::new(1, 0), "cell", "a", "b");
    (0..frames).map(|_| u32::from(model.draw_damage(&test_frame(bits)) != Damage::None)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both directions of a path have the same fades; other paths have independent fades.
    #[test]
    fn both_directions_of_a_path_fade_together() {
        let fades = FadePlan::Drawn {
            means: [Span::from_secs(1); 2],
            sojourn: Sojourn::Exponential,
            start: InitialState::Stationary,
        };
        let plan = ErrorPlan::TwoState { fades, errors_per_bit: [0.0, f64::INFINITY] };
        let fates = |from, to| {
            let mut model = plan.build(&RandomStreams::new(1, 0), "cell", from, to);
            let at = |i| Frame {
                start: Time::from_nanos(i * 10_000_000),
                end: Time::from_nanos(i * 10_000_000),
                ..test_frame(112)
            };
            (0..10_000_u64).map(|i| model.draw_damage(&at(i))).collect::<Vec<_>>()
        };
        assert_eq!(fates("bs", "d1"), fates("d1", "bs"));
        assert_ne!(fates("bs", "d1"), fates("bs", "d2"));
    }
}
