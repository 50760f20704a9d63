//! `Recovery` detects and repairs losses: it interprets duplicate ACKs and selects the bytes to send next.

use super::{Ack, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;
use std::fmt::Debug;

/// Kind of repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing.
    Nothing,
    /// A loss detected by ACKs: fast recovery.
    Loss,
    /// Repair after a timeout.
    Timeout,
}

/// Outcome of a duplicate ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detect {
    /// Nothing yet.
    Nothing,
    /// The segment that begins here is lost, as a sign of congestion: the window is reduced and recovery begins.
    Lost(u64),
    /// A probe is sent regardless of the window: the retransmission timer restarts (RFC 8985 §7.3).
    Probe,
    /// The last timeout was spurious (RFC 5682).
    Spurious,
}

/// Outcome of an advance of the cumulative ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// No recovery: the window may grow, and the timer restarts.
    Open,
    /// Recovery goes on. The timer restarts if `restart` is true.
    Partial {
        /// RFC 6582 §4: "impatient" restarts for the first partial ACK only.
        restart: bool,
    },
    /// Recovery is over; the window is not grown by this ACK.
    Over,
    /// A further segment, which begins here, is lost, by the same ACK, which is a sign of congestion (RFC 6675 §5).
    Lost(u64),
    /// A probe has repaired the loss of the segment that begins here, which is a sign of congestion (RFC 8985 §7.4):
    /// the window is reduced, and no loss remains to be repaired.
    Repaired(u64),
    /// The last timeout was spurious (RFC 5682).
    Spurious,
}

/// Bytes to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// First byte.
    pub start: u64,
    /// First byte after them.
    pub end: u64,
    /// Reason for sending.
    pub cause: Cause,
}

/// Senders with a stack of their own, in any preset: two of ns-2's agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// All others.
    Common,
    /// Agent/TCP/Vegas.
    Ns2Vegas,
    /// Agent/TCP/Linux.
    Ns2Linux,
}

/// Reason for sending a segment.
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
    /// Probe for a loss of the tail of a flight (RFC 8985 §7).
    Probe,
}

/// Evidence that a reduction of the window was spurious.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// An ACK covers the first retransmission and echoes a timestamp older than that: the original came late (RFC 3522).
    Late,
    /// D-SACKs name every retransmission (RFC 3708).
    Duplicates,
    /// ACKs after a timeout show that the segments marked lost were in flight (RFC 5682).
    Timeout,
}

/// Policy that detects losses and selects the bytes to send next. All of it in byte sequence numbers. The sender's
/// record ([`SenderState::board`]) of transmissions and arrivals is updated with an ACK, or a transmission, before the
/// recovery's methods run. [`NoticeAware`](crate::recovery::NoticeAware) passes every call on to another recovery: a
/// method added here must be added there.
pub trait Recovery: Debug + Send {
    /// Handles a duplicate ACK: an ACK that repeats the last (RFC 5681 §2), or whose SACK blocks report new arrivals, whatever its other fields
    /// (RFC 6675 §2).
    fn on_duplicate(&mut self, s: &mut SenderState, a: &Ack) -> Detect;

    /// Returns a further loss that the same ACK shows, which is a sign of congestion of its own. Asked after each loss.
    fn next_loss(&mut self) -> Detect {
        Detect::Nothing
    }

    /// Begins recovery: the window was reduced for the loss of the segment at `seq`.
    fn enter(&mut self, s: &mut SenderState, w: &mut Window, seq: u64);

    /// Handles a window reduction during recovery, for the loss at the beginning of recovery.
    fn on_late_cut(&mut self, w: &Window) {
        let _ = w;
    }

    /// Handles an echoed mark, for which the window came down from `before` to `after`, without a repair (RFC 3168 §6.1.2). The recovery may
    /// reduce the flight evenly, as Linux does (tcp_enter_cwr()).
    fn on_mark(&mut self, s: &SenderState, before: &Window, after: &Window, a: &Ack) {
        let _ = (s, before, after, a);
    }

    /// Handles an advance of the cumulative ACK; `s.una` is the new value.
    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> Advance;

    /// Handles an expiry of the retransmission timer; the window has been reduced.
    fn on_timeout(&mut self, s: &mut SenderState, now: Time);

    /// Returns the next segment that the window and the state of recovery permit.
    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next>;

    /// The retransmission timer expired. Returns true if a loss probe was due no earlier and is sent in its place (RFC
    /// 8985 §7.2).
    fn probe_instead(&mut self, s: &mut SenderState, now: Time) -> bool {
        let _ = (s, now);
        false
    }

    /// Undoes the last reduction, which was spurious by this evidence: segments marked lost are in flight, and recovery
    /// is over. False if this recovery cannot undo.
    fn forgive(&mut self, s: &mut SenderState, evidence: Evidence) -> bool {
        let _ = (s, evidence);
        false
    }

    /// Returns the kind of repair, for RACK and RFC 6675; the recoveries before them return [`Repair::Nothing`].
    fn repair(&self) -> Repair {
        Repair::Nothing
    }

    /// True if data that is SACKed now may grow the window where the path reorders (Linux, tcp_may_raise_cwnd()): never during a reduction.
    fn may_grow_by_sack(&self) -> bool {
        false
    }

    /// Observes an ACK that does not count: a duplicate that an explicit notification explains, or an ACK without
    /// information on outstanding data.
    fn note(&mut self, s: &mut SenderState, a: &Ack) {
        let _ = (s, a);
    }

    /// Returns the time at which [`Recovery::on_deadline`] is due: a timer beside the retransmission timer.
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// Handles the expiry of [`Recovery::deadline`].
    fn on_deadline(&mut self, s: &mut SenderState, now: Time) -> Detect {
        let _ = (s, now);
        Detect::Nothing
    }

    /// Observes a segment handed to IP. `earlier` is the number of its transmission before this one, if there was one.
    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &Next, earlier: Option<u64>) {
        let _ = (s, now, sent, earlier);
    }

    /// Returns the bytes taken to be in the network.
    fn in_flight(&self, s: &SenderState) -> u64 {
        s.nxt - s.una
    }

    /// True if a notice about the segment at `seq` can matter: it is outstanding and not known to have arrived.
    fn is_missing(&self, s: &SenderState, seq: u64) -> bool {
        s.is_missing(seq)
    }

    /// Sends the segment at `seq` again at once, whatever the window: it left the network, so the flight is the same
    /// (Yun 2009 §2.1).
    fn retransmit(&mut self, s: &mut SenderState, seq: u64);

    /// True if the recovery attributes duplicates by the order of sending: transmissions before a retransmission do not count against it, and
    /// segments that have arrived make room for new data.
    fn goes_by_order(&self) -> bool {
        false
    }

    /// Returns the agent whose stack the sender has, if it is not that of the preset.
    fn agent(&self) -> Agent {
        Agent::Common
    }

    /// Marks the segment at `seq` lost without a repair now. False if the recovery cannot store that.
    fn mark_lost(&mut self, s: &mut SenderState, seq: u64) -> bool {
        let _ = (s, seq);
        false
    }

    /// Suspends congestion control for the segment at `seq`, which the link layer retries, until this time (Yun 2009
    /// §3.1).
    fn hold(&mut self, s: &mut SenderState, seq: u64, until: Time) {
        s.board.hold(seq, until);
    }

    /// True if the oldest missing segment is under such a hold.
    fn is_held(&self, s: &SenderState, now: Time) -> bool {
        let _ = (s, now);
        false
    }
}
