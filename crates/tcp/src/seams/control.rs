//! `CongestionControl`: sets the window, from ACKs, losses and delivery rates.

use super::{Connected, Next, Repair, Run};
use crate::control::whole;
use crate::estimators::{Arrivals, LostSegment};
use crate::sender_state::SenderState;
use airhop_base::{Arrival, Profile, Rate, Sack, Span, Time};
use std::fmt::Debug;

/// Congestion window and threshold, in segments as in the papers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
}

impl Window {
    /// True below the threshold (RFC 5681 §3.1).
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Restores the window after a spurious reduction: to at least the window `before`; growth since then is
    /// kept (RFC 4015 §4).
    pub fn restore(&mut self, before: &Window) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }
}

/// Idle period of a sender that is longer than a retransmission timeout.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    /// Time since the last data transmission.
    pub lasted: Span,
    /// The retransmission timeout.
    pub timeout: Span,
    /// The initial congestion window, segments.
    pub initial_window: f64,
}

impl Idle {
    /// Returns the window after the idle period for the window `cwnd` before, in segments: halved for each
    /// timeout in the idle period, down to the initial window (Linux, tcp_cwnd_restart()).
    pub(crate) fn halved(&self, cwnd: f64) -> f64 {
        let least = self.initial_window.min(cwnd);
        let (mut left, mut passed) = (cwnd, self.timeout);
        while passed < self.lasted && left > least {
            left = whole(left / 2.0);
            passed = passed + self.timeout;
        }
        left.max(least)
    }
}

/// Acknowledgement, as seen by policies.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// Arrival time of the ACK.
    pub now: Time,
    /// Bytes newly acknowledged cumulatively; zero for a duplicate ACK.
    pub acked: u64,
    /// Newly delivered bytes: cumulatively acknowledged bytes that were not SACKed before, and newly SACKed
    /// bytes.
    pub delivered: u64,
    /// Delivered bytes for window growth: with preset linux each segment counts as a full one
    /// (tcp_clean_rtx_queue()).
    pub counted: u64,
    /// SACK blocks of the ACK.
    pub sack: Sack,
    /// Round-trip sample used by the retransmission timer, if any; without timestamps, one per round trip.
    pub rtt: Option<Span>,
    /// Round trip, in nanoseconds, of the newest segment reported as arrived that was sent once (Karn's
    /// rule): nearly every ACK has one. `None` for the ACK of a SYN.
    pub sample: Option<Span>,
    /// True if the ACK echoes an ECN mark (RFC 3168 §6.1.3), or carries Jersey's congestion warning.
    pub ece: bool,
    /// The segment that caused the ACK and its time of arrival, if the scheme's receiver reports them.
    pub arrival: Option<Arrival>,
}

#[cfg(test)]
impl Ack {
    /// Creates an ACK of `acked` bytes without other information.
    pub(crate) fn of(now: Time, acked: u64) -> Self {
        Ack {
            now,
            acked,
            delivered: acked,
            counted: acked,
            sack: Sack::EMPTY,
            rtt: None,
            sample: None,
            ece: false,
            arrival: None,
        }
    }
}

/// Delivery report of an ACK, for rate-based congestion controls (BBR, Copa).
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Time of the ACK.
    pub now: Time,
    /// Arrivals reported by the ACK.
    pub arrivals: Arrivals,
    /// Bytes newly marked lost.
    pub lost: u64,
    /// Bytes in flight before the ACK.
    pub before: u64,
    /// Bytes in flight after the ACK, before the ACK releases segments.
    pub in_flight: u64,
    /// Kind of repair after the ACK.
    pub repair: Repair,
    /// Time for which pacing delays the next segment.
    pub wait: Span,
}

/// Signal by which the sender detected a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Duplicate ACKs, or SACK blocks above a hole.
    Duplicates,
    /// The retransmission timer.
    Timeout,
    /// No loss, but a router's ECN mark echoed by the receiver (RFC 3168 §6.1.2): no segment is
    /// retransmitted.
    Echo,
}

/// Sign of congestion, unless the scheme classifies it otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Time of detection.
    pub now: Time,
    /// Signal of the detection.
    pub signal: Signal,
    /// Amount to be halved, segments: flight or window, as configured. `None`: ssthresh stays unchanged
    /// (repeated timeout of the same segment, RFC 5681 §3.1).
    pub base: Option<f64>,
    /// Half of the flight or window, as configured, segments, at least 2 (RFC 5681 §3.1 (4)).
    pub half: f64,
    /// cwnd after halving, segments; equals `half`, except in ns-2, which applies the minimum of 2 only to
    /// ssthresh.
    pub window: f64,
}

/// Cause of a loss in the scheme's classification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossClass {
    /// Overflow of a queue.
    Congestion,
    /// Loss on the wireless link.
    Wireless,
    /// Not classified yet.
    Undecided,
}

impl LossClass {
    /// Causes, in the order of the results.
    pub const ALL: [LossClass; 3] = [LossClass::Congestion, LossClass::Wireless, LossClass::Undecided];

    /// Returns the name in results.
    pub const fn name(self) -> &'static str {
        match self {
            LossClass::Congestion => "congestion",
            LossClass::Wireless => "wireless",
            LossClass::Undecided => "undecided",
        }
    }
}

/// Classification of a loss by the sender; the simulator compares it with the true cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossClassification {
    /// First byte of the segment.
    pub seq: u64,
    /// Cause, as the sender classifies it.
    pub judged: LossClass,
}

/// State of the path, known only to the simulator, for senders that demonstrate the value of perfect
/// knowledge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// Share of this flow at the bottleneck: payload rate.
    pub rate: Rate,
    /// Payload rate of this flow at the bottleneck without other traffic.
    pub whole: Rate,
    /// Round-trip time with empty queues.
    pub rtt: Span,
}

/// Policy that sets the congestion window.
///
/// Order of the calls for an ACK (checked in builds with debug assertions): [`observe`](Self::observe);
/// [`on_duplicate`](Self::on_duplicate), [`on_loss`](Self::on_loss) for a mark, [`on_ack`](Self::on_ack)
/// unless a recovery or the mark forbids growth; [`on_loss`](Self::on_loss) or
/// [`on_marked_loss`](Self::on_marked_loss) for a loss; [`on_lost`](Self::on_lost) for each segment;
/// [`on_delivery`](Self::on_delivery). The expiry of a timer leads to calls for losses only.
/// [`on_spurious`](Self::on_spurious) is called at detection: before all others if the ACK's timestamp or
/// D-SACK is the evidence.
pub trait CongestionControl: Debug + Send {
    /// Handles an ACK of new data, outside recovery.
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState);

    /// Reacts to a loss or an echoed mark, and returns its classification. A loss classified as no congestion
    /// leaves the window unchanged; the segment is retransmitted in any case.
    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass;

    /// Reacts to a loss in a window of data for which a mark has reduced the window: "the TCP sender's
    /// congestion window should be reduced only once in response to a series of dropped and/or CE packets
    /// from a single window of data" (RFC 3168 §6.1.2). The segment is retransmitted. Returns the
    /// classification of the loss.
    fn on_marked_loss(&mut self, w: &mut Window, now: Time, s: &SenderState) -> LossClass {
        let _ = (w, now, s);
        LossClass::Congestion
    }

    /// Undoes the last reduction as spurious: the segments marked lost arrived (RFC 4015 §4). `before` is the
    /// window before the reduction; growth since then is kept.
    fn on_spurious(&mut self, w: &mut Window, before: &Window, s: &SenderState) {
        let _ = s;
        w.restore(before);
    }

    /// Returns the pacing rate, payload only; `None` without pacing. Called before each segment of a scheme
    /// with the feature `paces`.
    fn pacing_rate(&self, w: &Window, s: &SenderState) -> Option<Rate> {
        let _ = (w, s);
        None
    }

    /// Returns the number of segments per burst under pacing.
    fn send_quantum(&self) -> u64 {
        1
    }

    /// Observes every ACK, including duplicates and ACKs during recovery, before any other call; for
    /// estimators.
    fn observe(&mut self, a: &Ack, s: &SenderState) {
        let _ = (a, s);
    }

    /// Handles a duplicate ACK not explained by a notice, before recovery processes it. A scheme may
    /// reclassify the loss here; a window reduction then counts for the loss under repair.
    fn on_duplicate(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        let _ = (w, a, s);
    }

    /// Handles the delivery report of an ACK of new data or a duplicate ACK, after all other calls; only for
    /// schemes with [`ReceiverFeatures::delivery_rate`](crate::ReceiverFeatures).
    fn on_delivery(&mut self, w: &mut Window, d: &Delivery, s: &SenderState) {
        let _ = (w, d, s);
    }

    /// Handles a segment newly marked lost, by any signal: after [`CongestionControl::on_loss`] if recovery
    /// begins with the segment, and before [`CongestionControl::on_delivery`]; only for schemes with delivery
    /// reports.
    fn on_lost(&mut self, w: &mut Window, now: Time, lost: &LostSegment) {
        let _ = (w, now, lost);
    }

    /// Handles the first transmission after an idle period without data outstanding; only for schemes with
    /// delivery reports.
    fn on_restart(&mut self, w: &mut Window, now: Time) {
        let _ = (w, now);
    }

    /// Restarts the window after an idle period by Linux' rule, tcp_cwnd_restart(): halves the window for each
    /// timeout in the period; ssthresh keeps three quarters of it.
    fn on_idle(&mut self, w: &mut Window, now: Time, idle: &Idle, s: &SenderState) {
        let _ = (now, s);
        let cwnd = whole(w.cwnd);
        w.ssthresh = w.ssthresh.max(whole(cwnd / 2.0) + whole(cwnd / 4.0));
        w.cwnd = idle.halved(cwnd);
    }

    /// Observes, before the transmission of a segment, that no data is in flight; only for controls of Linux'
    /// interface.
    fn on_start(&mut self, now: Time, s: &SenderState) {
        let _ = (now, s);
    }

    /// True if the scheme deliberately sends less than the path could carry, so that samples of the segments
    /// sent now do not measure the rate of the path.
    fn holds_back(&self) -> bool {
        false
    }

    /// Observes a segment passed to IP.
    fn on_sent(&mut self, now: Time, sent: &Next) {
        let _ = (now, sent);
    }

    /// Joins the connections of this run, after [`CongestionControl::on_seed`] and before any other call; for schemes
    /// whose connections share state.
    fn on_join(&mut self, run: &mut Run, ends: &Connected) {
        let _ = (run, ends);
    }

    /// Receives a random number of this flow and replication, for schemes with random draws.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Returns the profile of the segment to be sent: biased queues drop segments marked "in" last.
    fn profile(&mut self, sent: &Next) -> Profile {
        let _ = sent;
        Profile::In
    }

    /// Receives the simulator's knowledge of the path.
    fn on_truth(&mut self, truth: &Truth) {
        let _ = truth;
    }
}
