//! The policies that make one sender differ from another. Read this first.
//!
//! ```text
//!            segment                       notice
//!               │                             │
//!   Sender ── Recovery ── Detect::Lost ── NoticePolicy ── Reaction
//!               │   │                         │
//!               │   └── CongestionControl     └── retransmit, hold, freeze; restart or prolong the timer
//!               └── next(): which bytes go out now
//! ```
//!
//! The sender owns the sequence space, the clock work (one retransmission timer, one RTT being timed) and the counters. A
//! [`Recovery`] decides which bytes go next and what a duplicate ACK means; a [`CongestionControl`] moves the window; a
//! [`NoticePolicy`] says what an explicit notification is worth; an [`RtoPolicy`] turns RTT samples into a timeout.

use crate::meters::{Arrivals, LostSegment};
pub use crate::rto::RtoPolicy;
use crate::space::Space;
use airhop_base::{Arrival, Notice, Profile, Rate, Sack, Span, Time};
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

    /// A reduction was for nothing: it is as it was `before`, and what was gained since is kept (RFC 4015 §4).
    pub fn restore(&mut self, before: &Window) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }
}

/// An acknowledgement, as policies see it.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// When it came.
    pub now: Time,
    /// Bytes that it acknowledges cumulatively for the first time; zero for a duplicate.
    pub acked: u64,
    /// Bytes that it shows to have arrived for the first time: those it acknowledges cumulatively, less what SACK blocks had
    /// reported before, plus what its own report. Known once the recovery has seen it; before, the same as `acked`.
    pub delivered: u64,
    /// Its SACK blocks.
    pub sack: Sack,
    /// The round-trip sample that the retransmission timer took from it, if it took one: one a round trip without timestamps.
    /// A scheme that needs one per ACK keeps [`SendTimes`](crate::meters::SendTimes).
    pub rtt: Option<Span>,
    /// It echoes a mark of congestion (RFC 3168 §6.1.3, or Jersey's congestion warning).
    pub ece: bool,
    /// Which segment caused it and when that arrived, if the scheme's receiver says so.
    pub arrival: Option<Arrival>,
}

#[cfg(test)]
impl Ack {
    /// One that acknowledges so many bytes and says nothing else.
    pub(crate) fn of(now: Time, acked: u64) -> Self {
        Ack { now, acked, delivered: acked, sack: Sack::EMPTY, rtt: None, ece: false, arrival: None }
    }
}

/// What an ACK did, as senders see it that go by the rate at which data is delivered.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// When it came.
    pub now: Time,
    /// What it says of arrivals.
    pub arrivals: Arrivals,
    /// Bytes that it shows to be lost.
    pub lost: u64,
    /// Bytes in the network before it.
    pub before: u64,
    /// Bytes in the network after it; what it lets out is still to be sent.
    pub in_flight: u64,
    /// What is being repaired after it.
    pub repair: Repair,
    /// How long pacing holds the next segment back.
    pub wait: Span,
}

/// What a sender repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing.
    Nothing,
    /// A loss that ACKs told of: fast recovery.
    Loss,
    /// What a timeout left.
    Timeout,
}

/// What told the sender of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Duplicate ACKs, or SACK blocks above a hole.
    Duplicates,
    /// The retransmission timer.
    Timeout,
    /// No loss, but a router's mark, echoed by the receiver (RFC 3168 §6.1.2): nothing is retransmitted.
    Echo,
}

/// A sign of congestion, unless the scheme finds that it is none.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// When it was noticed.
    pub now: Time,
    /// How it was noticed.
    pub signal: Signal,
    /// What is to be reduced, in segments: data in flight or window, as configured. None at a timeout that leaves the threshold as it
    /// is, since the segment has timed out before (RFC 5681 §3.1).
    pub base: Option<f64>,
    /// Half of what the configuration halves (data in flight or window), in segments, at least 2 (RFC 5681 §3.1 (4)).
    pub half: f64,
    /// The window that halving leaves, in segments. The same as `half`, but for ns-2, which keeps only ssthresh above 2.
    pub window: f64,
}

/// What a scheme takes the cause of a loss to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// A queue overflowed.
    Congestion,
    /// The wireless link lost it.
    Wireless,
    /// It cannot tell yet.
    Undecided,
}

impl Judged {
    /// All of them, in the order of the results.
    pub const ALL: [Judged; 3] = [Judged::Congestion, Judged::Wireless, Judged::Undecided];

    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Judged::Congestion => "congestion",
            Judged::Wireless => "wireless",
            Judged::Undecided => "undecided",
        }
    }
}

/// A loss and what the sender took its cause to be. Whoever knows the true cause can say how often that is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// First byte of the segment.
    pub seq: u64,
    /// The cause, as the sender sees it.
    pub judged: Judged,
}

/// What only a simulator knows of the path: for senders that show what perfect knowledge would be worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// The share of the bottleneck that is this flow's: payload per second.
    pub rate: Rate,
    /// The round-trip time with empty queues.
    pub rtt: Span,
}

/// Moves the window.
pub trait CongestionControl: Debug + Send {
    /// An ACK of new data, outside recovery.
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &Space);

    /// A loss, or a mark that is echoed. What it is taken for is told; a loss that is no congestion leaves the window as it is
    /// and is repaired all the same.
    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &Space) -> Judged;

    /// The last reduction was for nothing: what was taken for lost had arrived, or did so later (RFC 4015 §4). `before` is the
    /// window as it was then; what was gained since is kept.
    fn on_spurious(&mut self, w: &mut Window, before: &Window, s: &Space) {
        let _ = s;
        w.restore(before);
    }

    /// How fast segments may go out at most, payload alone, if they are to be spaced. Asked before each.
    fn pacing_rate(&self, w: &Window, s: &Space) -> Option<Rate> {
        let _ = (w, s);
        None
    }

    /// How many segments leave together when they are spaced.
    fn send_quantum(&self) -> u64 {
        1
    }

    /// Any ACK, duplicates and those during recovery included, before anything else acts on it: for estimators.
    fn observe(&mut self, a: &Ack, s: &Space) {
        let _ = (a, s);
    }

    /// Any ACK that acknowledges something or is a duplicate, after everything else has acted on it; only for schemes that ask for
    /// [`Asks::delivery_rate`](crate::Asks).
    fn on_delivery(&mut self, w: &mut Window, d: &Delivery, s: &Space) {
        let _ = (w, d, s);
    }

    /// A segment is newly taken to be lost, whatever told of it: after [`CongestionControl::on_loss`] if that is what recovery begins
    /// with, and before [`CongestionControl::on_delivery`]; for the same schemes.
    fn on_lost(&mut self, w: &mut Window, now: Time, lost: &LostSegment) {
        let _ = (w, now, lost);
    }

    /// The sender had nothing to send, nothing is outstanding, and now it sends again; for the same schemes.
    fn on_restart(&mut self, w: &mut Window, now: Time) {
        let _ = (w, now);
    }

    /// True if it sends less than the path might take, of its own accord: what is sent now says nothing of the path's rate.
    fn holds_back(&self) -> bool {
        false
    }

    /// A segment is handed to IP.
    fn on_sent(&mut self, now: Time, sent: &Next) {
        let _ = (now, sent);
    }

    /// A random number, of this flow and replication alone, for a scheme that draws.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Whether a biased queue is to spare the segment that goes out now.
    fn profile(&mut self, sent: &Next) -> Profile {
        let _ = sent;
        Profile::In
    }

    /// The simulator tells how the path is.
    fn on_truth(&mut self, truth: &Truth) {
        let _ = truth;
    }
}

/// What a duplicate ACK means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detect {
    /// Nothing yet.
    Nothing,
    /// The segment that begins here was lost, and that is a sign of congestion: the window is cut and recovery begins.
    Lost(u64),
    /// A probe goes out, whatever the window: the retransmission timer starts anew (RFC 8985 §7.3).
    Probe,
    /// The last timeout was for nothing (RFC 5682).
    Spurious,
}

/// What an advance of the cumulative ACK means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// No recovery is under way: the window may grow, the timer restarts.
    Open,
    /// Recovery goes on. The timer restarts if `restart` is true.
    Partial {
        /// RFC 6582 §4: "impatient" restarts for the first partial ACK only.
        restart: bool,
    },
    /// Recovery is over; the window is not grown by this ACK.
    Over,
    /// It shows at once that the segment that begins here was lost too, which is a sign of congestion (Vegas).
    Lost(u64),
    /// A probe has repaired the loss of the segment that begins here, which is a sign of congestion (RFC 8985 §7.4): the window
    /// is cut, and nothing is left to repair.
    Repaired(u64),
    /// The last timeout was for nothing (RFC 5682).
    Spurious,
}

/// Bytes to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// First byte.
    pub start: u64,
    /// First byte after them.
    pub end: u64,
    /// Why.
    pub cause: Cause,
}

/// Why a segment is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// New data.
    New,
    /// Fast retransmit: the segment that recovery begins with.
    Fast,
    /// A further hole repaired during recovery.
    Recovery,
    /// After a timeout.
    Timeout,
    /// On an explicit notification.
    Notice,
    /// To find out whether the tail of a flight was lost (RFC 8985 §7).
    Probe,
}

/// Decides what a duplicate ACK means and which bytes go out next. All of it in byte sequence numbers.
/// [`Told`](crate::recovery::Told) passes every call on to another: what is added here is to be added there.
pub trait Recovery: Debug + Send {
    /// A duplicate ACK. The scoreboard, if there is one, is updated here.
    fn on_duplicate(&mut self, s: &mut Space, a: &Ack) -> Detect;

    /// A further loss that the same ACK shows, which is a sign of congestion of its own. Asked after each loss.
    fn next_loss(&mut self) -> Detect {
        Detect::Nothing
    }

    /// The window was cut for the loss of the segment at `seq`: recovery begins.
    fn enter(&mut self, s: &mut Space, w: &mut Window, seq: u64);

    /// The cumulative ACK advanced; `s.una` is the new value.
    fn on_advance(&mut self, s: &mut Space, w: &mut Window, a: &Ack) -> Advance;

    /// The retransmission timer expired; the window has been cut.
    fn on_timeout(&mut self, s: &mut Space, now: Time);

    /// The next segment that the window and the state of recovery permit.
    fn next(&mut self, s: &Space, w: &Window) -> Option<Next>;

    /// The retransmission timer expired. True if a loss probe was due no earlier and goes out in its place (RFC 8985 §7.2).
    fn probe_instead(&mut self, s: &mut Space, now: Time) -> bool {
        let _ = (s, now);
        false
    }

    /// The last reduction was for nothing: what is marked lost is under way, and recovery is over. False if this recovery cannot
    /// go back.
    fn forgive(&mut self, s: &mut Space) -> bool {
        let _ = s;
        false
    }

    /// True in fast recovery.
    fn is_fast(&self) -> bool {
        false
    }

    /// What is being repaired.
    fn repair(&self) -> Repair {
        if self.is_fast() { Repair::Loss } else { Repair::Nothing }
    }

    /// Bytes beyond the cumulative ACK that are known to have arrived.
    fn sacked(&self) -> u64 {
        0
    }

    /// Bytes that were taken to be lost so far, all in all. With [`Recovery::each_newly_lost`], for schemes that go by the rate of
    /// delivery: they stand on RACK, and no other recovery tells.
    fn lost(&self) -> u64 {
        0
    }

    /// Shows the first byte of each segment that the last ACK, timer or timeout has shown to be lost, in sequence order.
    fn each_newly_lost(&self, visit: &mut dyn FnMut(u64)) {
        let _ = visit;
    }

    /// A duplicate ACK that an explicit notification explains: what it says of arrivals is taken in, and it counts for nothing.
    fn note(&mut self, s: &mut Space, a: &Ack) {
        let _ = (s, a);
    }

    /// When [`Recovery::on_deadline`] is to be called: a timer beside the retransmission timer.
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// The time that [`Recovery::deadline`] named has come.
    fn on_deadline(&mut self, s: &mut Space, now: Time) -> Detect {
        let _ = (s, now);
        Detect::Nothing
    }

    /// A segment was handed to IP.
    fn on_sent(&mut self, now: Time, sent: &Next) {
        let _ = (now, sent);
    }

    /// Bytes taken to be in the network.
    fn in_flight(&self, s: &Space) -> u64 {
        s.nxt - s.una
    }

    /// True if a notice about the segment at `seq` can matter: it is outstanding and not known to have arrived.
    fn is_missing(&self, s: &Space, seq: u64) -> bool {
        s.una <= seq && seq < s.max_sent
    }

    /// Sends the segment at `seq` again at once, whatever the window: it left the network, so the flight is the same
    /// (schemes.md 3.0).
    fn retransmit(&mut self, s: &mut Space, seq: u64);

    /// True if it tells by the order of sending what a duplicate is about: nothing that was sent before a retransmission is held
    /// against it, and what has arrived makes room for new data.
    fn goes_by_order(&self) -> bool {
        false
    }

    /// The segment at `seq` is known to be lost, but is not to be repaired now. False if the recovery cannot keep that in mind.
    fn mark_lost(&mut self, s: &mut Space, seq: u64) -> bool {
        let _ = (s, seq);
        false
    }

    /// The link layer works on the segment at `seq`: until then no congestion control because of it (Yun 2009 §3.1).
    fn hold(&mut self, seq: u64, until: Time) {
        let _ = (seq, until);
    }

    /// True if the oldest missing segment is under such a hold.
    fn is_held(&self, s: &Space, now: Time) -> bool {
        let _ = (s, now);
        false
    }
}

/// Says what an explicit notification is worth.
pub trait NoticePolicy: Debug + Send {
    /// A notice: about a segment that is missing, or about the link ([`NoticeKind::names_segment`](airhop_base::NoticeKind)).
    fn on_notice(&mut self, now: Time, n: &Notice, s: &Space) -> Reaction;

    /// True if it knows what an ELN in an ACK is. To all others such an ACK is one like any other.
    fn knows_eln(&self) -> bool {
        true
    }

    /// True if it knows what NAKs in an ACK are.
    fn knows_nak(&self) -> bool {
        false
    }

    /// True if a duplicate ACK that arrives now is explained by an earlier notice, and so is no sign of congestion.
    fn explains(&self, now: Time, s: &Space) -> bool {
        let _ = (now, s);
        false
    }

    /// The connection made progress: something new was acknowledged, cumulatively (`advanced`) or selectively.
    fn on_progress(&mut self, advanced: bool) {
        let _ = advanced;
    }

    /// The retransmission timer expired, and its ordinary rules apply.
    fn on_timeout(&mut self) {}

    /// Repeated timeouts while frozen: how many probes may go unanswered before the ordinary rules return.
    fn patience(&self) -> u32 {
        0
    }
}

/// What a sender does on a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing.
    Ignore,
    /// Retransmit at once, without congestion control; the timer restarts.
    Retransmit,
    /// No congestion control for this segment for a while; the timer restarts.
    Hold,
    /// Keep all parameters as they are until a new ACK comes, and send no new data. Retransmit this segment, or not.
    Freeze {
        /// Whether this segment is retransmitted.
        retransmit: bool,
    },
    /// If the timer runs, start it anew with a + 4v: the estimates as they are, no backoff now, and the backoff kept for later
    /// timers (Kounavis 1996 §3). Nothing else changes.
    RestartTimer,
    /// For the next 60 s timeouts allow for the delay that the notice tells of, on top of that of other base stations. The running
    /// timer is put off, never brought forward (RTTN).
    Expect,
}

/// The policies of one sender.
#[derive(Debug)]
pub struct Parts {
    /// Moves the window.
    pub control: Box<dyn CongestionControl>,
    /// Repairs losses.
    pub recovery: Box<dyn Recovery>,
    /// Heeds notices.
    pub notices: Box<dyn NoticePolicy>,
}
