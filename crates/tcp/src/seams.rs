//! The policies that make one sender differ from another. Read this first.
//!
//! ```text
//!            segment                       notice
//!               │                             │
//!   Sender ── Recovery ── Detect::Lost ── NoticePolicy ── Reaction
//!               │   │                         │
//!               │   └── CongestionControl     └── retransmit, hold, freeze
//!               └── next(): which bytes go out now
//! ```
//!
//! The sender owns the sequence space, the clock work (one retransmission timer, one RTT being timed) and the counters. A
//! [`Recovery`] decides which bytes go next and what a duplicate ACK means; a [`CongestionControl`] moves the window; a
//! [`NoticePolicy`] says what an explicit notification is worth; an [`RtoPolicy`] turns RTT samples into a timeout.

pub use crate::rto::RtoPolicy;
use crate::space::Space;
use airhop_base::{Notice, Sack, Span, Time};
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
}

/// An acknowledgement, as policies see it.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// When it came.
    pub now: Time,
    /// Bytes that it acknowledges cumulatively for the first time; zero for a duplicate.
    pub acked: u64,
    /// Its SACK blocks.
    pub sack: Sack,
    /// A valid round-trip sample, if it gave one (Karn's rule applied).
    pub rtt: Option<Span>,
}

/// What told the sender of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Duplicate ACKs, or SACK blocks above a hole.
    Duplicates,
    /// The retransmission timer.
    Timeout,
}

/// A loss that counts as congestion.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// When it was noticed.
    pub now: Time,
    /// How it was noticed.
    pub signal: Signal,
    /// Half of what the configuration halves (data in flight or window), in segments, at least 2 (RFC 5681 §3.1 (4)).
    pub half: f64,
    /// The window that halving leaves, in segments. The same as `half`, but for ns-2, which keeps only ssthresh above 2.
    pub window: f64,
}

/// Moves the window.
pub trait CongestionControl: Debug + Send {
    /// An ACK of new data, outside recovery.
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &Space);
    /// A loss that counts as congestion.
    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &Space);
}

/// What a duplicate ACK means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detect {
    /// Nothing yet.
    Nothing,
    /// The segment that begins here was lost, and that is a sign of congestion: the window is cut and recovery begins.
    Lost(u64),
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
}

/// Decides what a duplicate ACK means and which bytes go out next. All of it in byte sequence numbers.
pub trait Recovery: Debug + Send {
    /// A duplicate ACK. The scoreboard, if there is one, is updated here.
    fn on_duplicate(&mut self, s: &mut Space, a: &Ack) -> Detect;

    /// The window was cut for the loss of the segment at `seq`: recovery begins.
    fn enter(&mut self, s: &mut Space, w: &mut Window, seq: u64);

    /// The cumulative ACK advanced; `s.una` is the new value.
    fn on_advance(&mut self, s: &mut Space, w: &mut Window, a: &Ack) -> Advance;

    /// The retransmission timer expired; the window has been cut.
    fn on_timeout(&mut self, s: &mut Space);

    /// The next segment that the window and the state of recovery permit.
    fn next(&mut self, s: &Space, w: &Window) -> Option<Next>;

    /// A segment was handed to IP.
    fn on_sent(&mut self, sent: &Next) {
        let _ = sent;
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

    /// The segment at `seq` is known to be lost, but is not to be repaired now.
    fn mark_lost(&mut self, s: &mut Space, seq: u64) {
        let _ = (s, seq);
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
    /// A notice about a segment that is missing.
    fn on_notice(&mut self, now: Time, n: &Notice, s: &Space) -> Reaction;

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
