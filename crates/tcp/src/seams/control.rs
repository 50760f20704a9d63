//! `CongestionControl`: policy that sets the window from ACKs, losses and delivery rates.

use super::{ConnectionEnds, NextSegment, RepairKind, RunState};
use crate::control::floor_segments;
use crate::estimators::{Arrivals, LostSegment};
use crate::sender_state::SenderState;
use airhop_base::{Profile, Rate, Sack, SegmentArrival, Span, Time};
use std::fmt::Debug;

/// Congestion window and slow-start threshold, in segments, as in the papers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
}

impl Window {
    /// True if the window is below the threshold (RFC 5681 §3.1).
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Raises the window to at least `before`, the window before a spurious reduction. Growth since the
    /// reduction is kept (RFC 4015 §4).
    pub fn restore(&mut self, before: &Window) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    /// Rounds window and threshold down to whole segments.
    pub(crate) fn round_down(&mut self) {
        (self.cwnd, self.ssthresh) = (floor_segments(self.cwnd), floor_segments(self.ssthresh));
    }
}

/// Idle period of a sender, longer than the RTO.
#[derive(Clone, Copy, Debug)]
pub struct IdlePeriod {
    /// Time since the last data transmission.
    pub duration: Span,
    /// Retransmission timeout.
    pub timeout: Span,
    /// Initial congestion window in segments.
    pub initial_window: f64,
}

impl IdlePeriod {
    /// Returns the window after the idle period in segments. `cwnd` is halved for each RTO of the idle
    /// period, but not below the initial window (Linux, tcp_cwnd_restart()).
    pub(crate) fn halved_window(&self, cwnd: f64) -> f64 {
        let least = self.initial_window.min(cwnd);
        let (mut left, mut passed) = (cwnd, self.timeout);
        while passed < self.duration && left > least {
            left = floor_segments(left / 2.0);
            passed = passed + self.timeout;
        }
        left.max(least)
    }
}

/// ACK as passed to policies.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// Arrival time of the ACK.
    pub now: Time,
    /// Newly acknowledged bytes; zero for a duplicate ACK.
    pub acked_bytes: u64,
    /// Newly delivered bytes. Includes newly SACKed bytes, and acknowledged bytes that were not SACKed
    /// before.
    pub delivered_bytes: u64,
    /// Delivered bytes that count for window growth. Under the preset linux, each segment counts as a full
    /// segment (tcp_clean_rtx_queue()).
    pub growth_bytes: u64,
    /// SACK blocks of the ACK.
    pub sack: &'a Sack,
    /// RTT sample for the retransmission timer; `None` if the ACK yields no sample. Without timestamps, one
    /// sample per round trip.
    pub timer_rtt: Option<Span>,
    /// RTT of the newest segment that the ACK reports, in nanoseconds. Only segments sent once count (Karn's
    /// rule). Nearly every ACK yields this sample. `None` for the ACK of a SYN.
    pub newest_rtt: Option<Span>,
    /// True if the ACK echoes an ECN mark (RFC 3168 §6.1.3), or carries Jersey's congestion warning.
    pub ece: bool,
    /// Segment that caused the ACK, with arrival time; `None` if the scheme's receiver does not report it.
    pub arrival: Option<SegmentArrival>,
}

#[cfg(test)]
impl Ack<'_> {
    /// Creates an ACK of `acked` bytes. All other fields are empty.
    pub(crate) fn with_acked_bytes(now: Time, acked: u64) -> Self {
        Ack {
            now,
            acked_bytes: acked,
            delivered_bytes: acked,
            growth_bytes: acked,
            sack: &Sack::EMPTY,
            timer_rtt: None,
            newest_rtt: None,
            ece: false,
            arrival: None,
        }
    }
}

/// Delivery report of an ACK, for congestion controls that use delivery rates (BBR, Copa).
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Time of the ACK.
    pub now: Time,
    /// Arrivals reported by the ACK.
    pub arrivals: Arrivals,
    /// Bytes newly marked lost.
    pub lost_bytes: u64,
    /// Flight before the ACK in bytes.
    pub prior_in_flight: u64,
    /// Flight after the ACK in bytes, before new segments are released.
    pub in_flight: u64,
    /// Kind of repair after the ACK.
    pub repair_kind: RepairKind,
    /// Delay of the next segment by pacing.
    pub pacing_delay: Span,
}

/// Signal by which the sender detected a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionSignal {
    /// Duplicate ACKs, or SACK blocks above a hole.
    Duplicates,
    /// The retransmission timer.
    Timeout,
    /// ECN mark echoed by the receiver (RFC 3168 §6.1.2). No segment is lost or retransmitted.
    Echo,
}

/// Sign of congestion: a loss or an ECN mark. The scheme may decide that it is no congestion.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Time of detection.
    pub now: Time,
    /// Signal that revealed the loss or mark.
    pub signal: CongestionSignal,
    /// Flight or window to be halved, in segments, as configured. `None` if ssthresh does not change
    /// (repeated timeout of one segment, RFC 5681 §3.1).
    pub halving_base: Option<f64>,
    /// Half of the flight or window in segments, as configured. At least 2 (RFC 5681 §3.1 (4)).
    pub halved_base: f64,
    /// cwnd after halving, in segments. Equals `halved_base` except in ns-2, where the minimum of 2 applies only to
    /// ssthresh.
    pub halved_cwnd: f64,
}

/// Cause of a loss according to the scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossClass {
    /// Overflow of a queue.
    Congestion,
    /// Loss on the wireless link.
    Wireless,
    /// The scheme has not classified the loss yet.
    Undecided,
}

impl LossClass {
    /// All classes, in the order of the results.
    pub const ALL: [LossClass; 3] = [LossClass::Congestion, LossClass::Wireless, LossClass::Undecided];

    /// Name used in results.
    pub const fn name(self) -> &'static str {
        match self {
            LossClass::Congestion => "congestion",
            LossClass::Wireless => "wireless",
            LossClass::Undecided => "undecided",
        }
    }
}

/// Loss classification by the sender. The simulator compares the classification with the true cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossClassification {
    /// First byte of the lost segment.
    pub seq: u64,
    /// Cause according to the sender.
    pub class: LossClass,
}

/// State of the path that only the simulator can measure. For schemes that demonstrate the value of perfect
/// knowledge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathTruth {
    /// Payload rate of this flow's share of the bottleneck.
    pub share_rate: Rate,
    /// Payload rate of this flow at the bottleneck without other traffic.
    pub bottleneck_rate: Rate,
    /// Round-trip time with empty queues.
    pub base_rtt: Span,
}

/// Policy that sets the congestion window.
///
/// For an ACK, the sender calls the methods in this order (checked in builds with debug assertions):
///
/// 1. [`observe_ack`](Self::observe_ack)
/// 2. [`on_duplicate_ack`](Self::on_duplicate_ack)
/// 3. [`on_loss`](Self::on_loss) for an ECN mark
/// 4. [`on_ack`](Self::on_ack), unless a recovery or the ECN mark forbids growth
/// 5. [`on_loss`](Self::on_loss) or [`on_marked_loss`](Self::on_marked_loss) for a loss
/// 6. [`on_segment_lost`](Self::on_segment_lost) for each lost segment
/// 7. [`on_delivery_report`](Self::on_delivery_report)
///
/// When a timer expires, the sender calls only the methods for losses. The sender calls
/// [`on_spurious_reduction`](Self::on_spurious_reduction) as soon as it detects a spurious reduction. If the evidence is the
/// timestamp or D-SACK of an ACK, this call precedes all others.
pub trait CongestionControl: Debug + Send {
    /// Handles an ACK of new data, outside recovery.
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState);

    /// Reacts to a loss or an echoed ECN mark, and returns the class. The window does not change if the loss
    /// is not congestion. The sender retransmits the segment for any class.
    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass;

    /// Reacts to a loss in a window of data that an ECN mark has already reduced, and returns the class of
    /// the loss. "the TCP sender's congestion window should be reduced only once in response to a series of
    /// dropped and/or CE packets from a single window of data" (RFC 3168 §6.1.2). The sender retransmits the
    /// segment.
    fn on_marked_loss(&mut self, w: &mut Window, now: Time, s: &SenderState) -> LossClass {
        let _ = (w, now, s);
        LossClass::Congestion
    }

    /// Undoes the last reduction after it proved spurious, i.e. the segments marked lost have arrived (RFC
    /// 4015 §4). `before` is the window before the reduction. Growth since the reduction is kept.
    fn on_spurious_reduction(&mut self, w: &mut Window, before: &Window, s: &SenderState) {
        let _ = s;
        w.restore(before);
    }

    /// Returns the pacing rate of the payload; `None` without pacing. Called before each segment if the
    /// scheme has the feature `paces`.
    fn pacing_rate(&self, w: &Window, s: &SenderState) -> Option<Rate> {
        let _ = (w, s);
        None
    }

    /// Returns the maximum burst under pacing in segments.
    fn send_quantum(&self) -> u64 {
        1
    }

    /// Observes every ACK before any other call, including duplicate ACKs and ACKs during recovery. Meant for
    /// estimators.
    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        let _ = (a, s);
    }

    /// Handles a duplicate ACK that no notice explains, before the recovery processes it. A scheme may
    /// reclassify the loss here. A window reduction made here counts for the loss under repair.
    fn on_duplicate_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        let _ = (w, a, s);
    }

    /// Handles the delivery report of an ACK of new data or of a duplicate ACK, after all other calls. Called
    /// only for schemes with [`ReceiverFeatures::delivery_rate`](crate::ReceiverFeatures).
    fn on_delivery_report(&mut self, w: &mut Window, d: &Delivery, s: &SenderState) {
        let _ = (w, d, s);
    }

    /// Handles a segment newly marked lost by any signal. Called before [`CongestionControl::on_delivery_report`],
    /// and after [`CongestionControl::on_loss`] if the segment starts a recovery. Called only for schemes
    /// with delivery reports.
    fn on_segment_lost(&mut self, w: &mut Window, now: Time, lost: &LostSegment) {
        let _ = (w, now, lost);
    }

    /// Handles the first transmission after an idle period without outstanding data. Called only for schemes
    /// with delivery reports.
    fn on_restart(&mut self, w: &mut Window, now: Time) {
        let _ = (w, now);
    }

    /// Halves the window for each RTO of an idle period (Linux, tcp_cwnd_restart()). ssthresh becomes at
    /// least three quarters of the previous window.
    fn on_idle(&mut self, w: &mut Window, now: Time, idle: &IdlePeriod, s: &SenderState) {
        let _ = (now, s);
        let cwnd = floor_segments(w.cwnd);
        w.ssthresh = w.ssthresh.max(floor_segments(cwnd / 2.0) + floor_segments(cwnd / 4.0));
        w.cwnd = idle.halved_window(cwnd);
    }

    /// Handles the first segment after a period with no data in flight, before its transmission. Called only
    /// for congestion controls of Linux' interface.
    fn on_start(&mut self, now: Time, s: &SenderState) {
        let _ = (now, s);
    }

    /// True if the scheme deliberately sends less than the path can carry. Segments sent now do not measure
    /// the rate of the path.
    fn is_self_limiting(&self) -> bool {
        false
    }

    /// Handles a segment that was passed to IP.
    fn on_sent(&mut self, now: Time, sent: &NextSegment) {
        let _ = (now, sent);
    }

    /// Adds the connection to the state shared by all connections of the run. Called after
    /// [`CongestionControl::on_seed`] and before any other call.
    fn on_join(&mut self, run: &mut RunState, ends: &ConnectionEnds) {
        let _ = (run, ends);
    }

    /// Sets the seed of the scheme's random numbers for this flow and replication.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Returns the profile of the segment to be sent. Biased queues first drop segments marked "out".
    fn profile(&mut self, sent: &NextSegment) -> Profile {
        let _ = sent;
        Profile::In
    }

    /// Sets the true state of the path, as measured by the simulator.
    fn on_path_truth(&mut self, truth: &PathTruth) {
        let _ = truth;
    }
}
