//! Estimators of path properties at the sender or the receiver, used by schemes.

mod ack_credit;
mod available_rate;
mod backlog;
mod bandwidth;
mod contention;
mod delivery_rate;
mod departure_rate;
mod flip_flop;
mod forward_delays;
mod rounds;
mod windowed;

use airhop_base::Span;

pub use ack_credit::{AckCredit, Ns3Credit};
pub use available_rate::AvailableRateEstimator;
pub use backlog::{Backlog, queued_segments};
pub use bandwidth::{RateFilter, WestwoodEstimator, WestwoodPlusEstimator, WestwoodPlusFilter};
pub use contention::ContentionLimit;
pub use delivery_rate::{Arrivals, DeliveryRateEstimator, LostSegment, RateSample};
pub use departure_rate::DepartureRate;
pub use flip_flop::FlipFlop;
pub use forward_delays::{ArrivalInterval, ForwardDelays};
pub use rounds::RoundCounter;
pub use windowed::{WindowedExtreme, WindowedMax, WindowedMin};

/// Returns the minimum RTT including a new sample.
pub(crate) fn min_with_sample(known: Option<Span>, sample: Span) -> Option<Span> {
    Some(known.map_or(sample, |known| known.min(sample)))
}
