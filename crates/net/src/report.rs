//! What a run measured.

use airhop_base::Span;

/// The results of one run: the fields of the run document, without what only the caller knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Simulated time.
    pub duration: Span,
    /// Events handled.
    pub events: u64,
    /// Rolling hash of the trajectory.
    pub fingerprint: u64,
    /// The flows, in the order of the scenario.
    pub flows: Vec<FlowReport>,
    /// Drops by reason, in the order of `Drop::ALL`.
    pub drops: [u64; 6],
}

/// The results of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowReport {
    /// Its name.
    pub name: String,
    /// Its scheme, if it is TCP.
    pub scheme: Option<&'static str>,
    /// "tcp" or "udp".
    pub transport: &'static str,
    /// The sending node.
    pub from: String,
    /// The receiving node.
    pub to: String,
    /// New in-order bytes handed to the receiving application × 8 / duration / 1e6.
    pub goodput_mbps: f64,
    /// New in-order bytes handed to the receiving application.
    pub delivered_bytes: u64,
    /// Data segments (or datagrams) sent, retransmissions included.
    pub sent_segments: u64,
    /// Retransmissions among them.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Fast recoveries.
    pub fast_recoveries: u64,
    /// Reductions of the congestion window.
    pub window_cuts: u64,
    /// Timeouts whose retransmission the receiver did not need: it arrived as a duplicate.
    pub spurious_timeouts: u64,
    /// Smoothed round-trip time at the end, milliseconds.
    pub srtt_ms: Option<f64>,
    /// Notices received, in the order of `NoticeKind::ALL`.
    pub notices: [u64; 5],
}
