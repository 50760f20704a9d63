//! Parts that the versions of BBR share. Section numbers of v1 are those of draft-cardwell-iccrg-bbr-congestion-control-00, others those of
//! draft-ietf-ccwg-bbr.

mod draw;
mod excess;
mod prior;
mod stay;

use airhop_base::{Rate, Span};
pub use draw::Draw;
pub use excess::Excess;
pub use prior::PriorCwnd;
pub use stay::Stay;

/// Minimum window, segments: enough to trigger delayed ACKs (BBRMinPipeCwnd: v1 §4.2.3.2; §2.8).
pub const LEAST_CWND: f64 = 4.0;
/// Margin of the pacing rate below the estimated bandwidth, which drains queues (v1: Linux; §2.5).
pub const PACING_MARGIN: f64 = 0.01;
/// Round trip assumed before the first sample (v1 §4.2.1; §5.6.2).
pub const WITHOUT_SAMPLE: Span = Span::from_millis(1);

/// Returns the rate of a number of bytes per second.
pub fn rate_of(bytes_per_second: f64) -> Rate {
    Rate::computed(bytes_per_second * 8.0)
}
