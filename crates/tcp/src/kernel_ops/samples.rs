//! Samples that Linux passes to a congestion control with an ACK.

use crate::seams::Delivery;
use airhop_base::Span;

/// `struct ack_sample`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSample {
    /// Packets newly acknowledged cumulatively.
    pub pkts_acked: u32,
    /// RTT sample in µs of the last acknowledged packet that was sent once; -1 if there is none.
    pub rtt_us: i32,
    /// Bytes in flight before the ACK. A kernel passes the bytes in flight at the transmission of the newest
    /// packet that arrived.
    pub in_flight: u32,
}

/// `struct rate_sample` (draft-cheng-iccrg-delivery-rate-estimation §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// `tp->delivered` at the transmission of the sampled segment.
    pub prior_delivered: u32,
    /// Packets delivered over the interval; -1 if the sample is not valid.
    pub delivered: i32,
    /// Time in µs in which the packets were sent or acknowledged, whichever is longer; -1 if the sample is
    /// invalid.
    pub interval_us: i64,
    /// RTT sample in µs of the newest delivered packet that was sent once; -1 if there is none.
    pub rtt_us: i64,
    /// Packets newly marked lost by this ACK.
    pub losses: i32,
    /// Packets newly delivered by this ACK, including SACKed packets.
    pub acked_sacked: u32,
    /// Packets in flight before this ACK.
    pub prior_in_flight: u32,
    /// True if the sender was application-limited at the transmission of the sampled segment.
    pub is_app_limited: bool,
    /// True if the ACK is of a single partial segment, so the receiver may have delayed the ACK.
    pub is_ack_delayed: bool,
}

impl RateSample {
    /// Creates the rate sample of a delivery report with `acked` newly delivered packets. `mss` is in bytes.
    pub(super) fn from_delivery(d: &Delivery, acked: u32, mss: u32, is_ack_delayed: bool) -> RateSample {
        let count = |bytes: u64| bytes.div_ceil(u64::from(mss)) as u32;
        let rate = d.arrivals.rate.as_ref();
        RateSample {
            prior_delivered: rate.map_or(0, |r| count(r.prior_delivered_bytes)),
            delivered: rate.map_or(-1, |r| count(r.delivered_bytes) as i32),
            interval_us: rate.map_or(-1, |r| micros(r.interval)),
            rtt_us: d.arrivals.rtt.map_or(-1, micros),
            losses: count(d.lost_bytes) as i32,
            acked_sacked: acked,
            prior_in_flight: count(d.prior_in_flight),
            is_app_limited: rate.is_some_and(|r| r.is_app_limited),
            is_ack_delayed,
        }
    }
}

/// Converts a span to µs.
pub(super) fn micros(span: Span) -> i64 {
    (span.nanos() / 1000) as i64
}
