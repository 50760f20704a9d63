//! Functions and constants shared by the versions of BBR. Section numbers after "v1" refer to
//! draft-cardwell-iccrg-bbr-congestion-control-00, all other section numbers to draft-ietf-ccwg-bbr.

mod draw;
mod excess;
mod prior;
mod stay;

use airhop_base::{Rate, Span};
pub use draw::BbrRandom;
pub use excess::AckExcess;
pub use prior::PriorCwnd;
pub use stay::ProbeRttProgress;

/// Minimum window in segments, large enough for delayed ACKs (BBRMinPipeCwnd: v1 §4.2.3.2; §2.8).
pub const MIN_PIPE_CWND: f64 = 4.0;
/// Fraction by which the pacing rate is below the estimated bandwidth, so that queues drain (v1: Linux;
/// §2.5).
pub const PACING_MARGIN: f64 = 0.01;
/// Round-trip time assumed before the first RTT sample (v1 §4.2.1; §5.6.2).
pub const INITIAL_RTT: Span = Span::from_millis(1);

/// Converts bytes per second to a rate.
pub fn from_bytes_per_second(bytes_per_second: f64) -> Rate {
    Rate::from_bps_f64(bytes_per_second * 8.0)
}
