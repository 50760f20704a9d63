//! `CongestionControl` moves the window, by ACKs, losses and delivery rates.

use super::{Connected, Next, Repair, Run};
use crate::estimators::{Arrivals, LostSegment};
use crate::sender_state::SenderState;
use airhop_base::{Arrival, Profile, Rate, Sack, Span, Time};
use std::fmt::Debug;

/// The congestion window, in segments, as the papers write it.
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

    /// Restores the window after a spurious reduction: at least the window `before`, and growth since then is kept (RFC 4015 §4).
    pub fn restore(&mut self, before: &Window) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }
}

/// An acknowledgement, as policies see it.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// Time of arrival.
    pub now: Time,
    /// Bytes that it acknowledges cumulatively for the first time; zero for a duplicate.
    pub acked: u64,
    /// Newly delivered bytes: those acknowledged cumulatively, less those SACKed before, plus those of its own new SACK
    /// blocks.
    pub delivered: u64,
    /// Delivered bytes as growth counts them: with preset linux each segment as a full one (tcp_clean_rtx_queue()).
    pub counted: u64,
    /// SACK blocks.
    pub sack: Sack,
    /// The round-trip sample that the retransmission timer took from it, if it took one: one a round trip without timestamps.
    pub rtt: Option<Span>,
    /// The round trip, to the nanosecond, of the newest segment that it shows to have arrived, among those that were sent once (Karn's
    /// rule): one for nearly every ACK. None for that of a SYN.
    pub sample: Option<Span>,
    /// True if the ACK echoes a mark of congestion (RFC 3168 §6.1.3, or Jersey's congestion warning).
    pub ece: bool,
    /// The segment that caused the ACK and its time of arrival, if the scheme's receiver reports them.
    pub arrival: Option<Arrival>,
}

#[cfg(test)]
impl Ack {
    /// Returns an ACK of a number of bytes without other information.
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

/// Per-ACK delivery report, for rate-based controls (BBR, Copa).
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Time of the ACK.
    pub now: Time,
    /// Arrivals that the ACK reports.
    pub arrivals: Arrivals,
    /// Bytes that it shows to be lost.
    pub lost: u64,
    /// Bytes in the network before it.
    pub before: u64,
    /// Bytes in flight after the ACK, before the segments that it releases.
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
    /// No loss, but a router's mark, echoed by the receiver (RFC 3168 §6.1.2): nothing is retransmitted.
    Echo,
}

/// A sign of congestion, unless the scheme classifies it otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Time of detection.
    pub now: Time,
    /// Signal by which it was detected.
    pub signal: Signal,
    /// Amount to be reduced, segments: data in flight or window, as configured. `None`: leave ssthresh unchanged (this segment already timed
    /// out, RFC 5681 §3.1).
    pub base: Option<f64>,
    /// Half of what the configuration halves (data in flight or window), in segments, at least 2 (RFC 5681 §3.1 (4)).
    pub half: f64,
    /// cwnd after halving, segments; equals `half`, except that ns-2 applies the floor of 2 only to ssthresh.
    pub window: f64,
}

/// Cause that a scheme attributes to a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// A queue overflowed.
    Congestion,
    /// The wireless link lost the segment.
    Wireless,
    /// Not classified yet.
    Undecided,
}

impl Judged {
    /// The causes, in the order of the results.
    pub const ALL: [Judged; 3] = [Judged::Congestion, Judged::Wireless, Judged::Undecided];

    /// Returns the name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Judged::Congestion => "congestion",
            Judged::Wireless => "wireless",
            Judged::Undecided => "undecided",
        }
    }
}

/// Classification of a loss by the sender; the simulator compares it with the true cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossClassification {
    /// First byte of the segment.
    pub seq: u64,
    /// Cause, as the sender classifies it.
    pub judged: Judged,
}

/// State of the path that only a simulator knows: for senders that show the value of perfect knowledge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// Share of the bottleneck that this flow has: payload per second.
    pub rate: Rate,
    /// Rate of this flow's payload at the bottleneck without other traffic.
    pub whole: Rate,
    /// The round-trip time with empty queues.
    pub rtt: Span,
}

/// Policy that moves the congestion window.
///
/// Order of the calls for an ACK, which builds with debug assertions check: [`observe`](Self::observe); [`on_duplicate`](Self::on_duplicate),
/// [`on_loss`](Self::on_loss) for a mark, [`on_ack`](Self::on_ack) unless a recovery or the mark forbids growth; [`on_loss`](Self::on_loss) or
/// [`on_marked_loss`](Self::on_marked_loss) for a loss; [`on_lost`](Self::on_lost) for each segment; [`on_delivery`](Self::on_delivery). A timer
/// that expires reports losses alone. [`on_spurious`](Self::on_spurious) comes as soon as the sender knows: first of all if the ACK's timestamp
/// or D-SACK is the evidence.
pub trait CongestionControl: Debug + Send {
    /// Handles an ACK of new data, outside recovery.
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState);

    /// Reacts to a loss or an echoed mark, and returns its classification. A loss that is not congestion leaves the
    /// window unchanged and is repaired as well.
    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> Judged;

    /// Reacts to a loss in a window of data for which a mark has reduced the window: "the TCP sender's congestion window should be reduced only
    /// once in response to a series of dropped and/or CE packets from a single window of data" (RFC 3168 §6.1.2). The loss is repaired. Returns
    /// its classification.
    fn on_marked_loss(&mut self, w: &mut Window, now: Time, s: &SenderState) -> Judged {
        let _ = (w, now, s);
        Judged::Congestion
    }

    /// Undoes the last reduction, which was spurious: the segments marked lost had arrived, or arrived later (RFC 4015
    /// §4). `before` is the window before the reduction; growth since then is kept.
    fn on_spurious(&mut self, w: &mut Window, before: &Window, s: &SenderState) {
        let _ = s;
        w.restore(before);
    }

    /// Returns the greatest rate of segments, payload alone, if they are to be spaced. Asked before each.
    fn pacing_rate(&self, w: &Window, s: &SenderState) -> Option<Rate> {
        let _ = (w, s);
        None
    }

    /// Returns the number of segments that leave together when they are spaced.
    fn send_quantum(&self) -> u64 {
        1
    }

    /// Observes any ACK, duplicates and ACKs during recovery included, before anything else acts on it: for estimators.
    fn observe(&mut self, a: &Ack, s: &SenderState) {
        let _ = (a, s);
    }

    /// Handles a duplicate ACK that no notice explains, before recovery acts on it: a loss may be classified again. A
    /// window reduction now counts for the loss under repair.
    fn on_duplicate(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        let _ = (w, a, s);
    }

    /// Handles the delivery report of an ACK that acknowledges something or is a duplicate, after everything else has acted on it; only for
    /// schemes that ask for [`ReceiverFeatures::delivery_rate`](crate::ReceiverFeatures).
    fn on_delivery(&mut self, w: &mut Window, d: &Delivery, s: &SenderState) {
        let _ = (w, d, s);
    }

    /// Handles a segment that is newly taken to be lost, whatever the signal: after [`CongestionControl::on_loss`] if recovery begins with the
    /// segment, and before [`CongestionControl::on_delivery`]; for the same schemes.
    fn on_lost(&mut self, w: &mut Window, now: Time, lost: &LostSegment) {
        let _ = (w, now, lost);
    }

    /// Handles the first transmission after a pause with nothing to send and nothing outstanding; for the same schemes.
    fn on_restart(&mut self, w: &mut Window, now: Time) {
        let _ = (w, now);
    }

    /// True if the scheme deliberately sends less than the path might take: samples of the segments sent now do not measure the path's rate.
    fn holds_back(&self) -> bool {
        false
    }

    /// Observes a segment that is handed to IP.
    fn on_sent(&mut self, now: Time, sent: &Next) {
        let _ = (now, sent);
    }

    /// Joins the connections of this run, before anything else happens: for a scheme whose connections share state.
    fn on_join(&mut self, run: &mut Run, ends: &Connected) {
        let _ = (run, ends);
    }

    /// Receives a random number of this flow and replication, for a scheme with random draws.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Returns whether the segment to be sent now is marked "in", which biased queues drop last.
    fn profile(&mut self, sent: &Next) -> Profile {
        let _ = sent;
        Profile::In
    }

    /// Receives the simulator's knowledge of the path.
    fn on_truth(&mut self, truth: &Truth) {
        let _ = truth;
    }
}
