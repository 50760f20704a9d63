//! `Recovery`: detects and repairs losses, i.e. interprets duplicate ACKs and selects the bytes to send next.

use super::{Ack, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;
use std::fmt::Debug;

/// Kind of repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing.
    Nothing,
    /// Fast recovery, for a loss detected by ACKs.
    Loss,
    /// Repair after a timeout.
    Timeout,
}

/// Outcome of a duplicate ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detect {
    /// No detection yet.
    Nothing,
    /// Loss of the segment that begins here, a sign of congestion: the window is reduced and recovery begins.
    Lost(u64),
    /// Probe to be sent regardless of the window: the retransmission timer restarts (RFC 8985 §7.3).
    Probe,
    /// The last timeout was spurious (RFC 5682).
    Spurious,
}

/// Outcome of an advance of the cumulative ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// No recovery: the window may grow, and the timer restarts.
    Open,
    /// Recovery continues.
    Partial {
        /// True if the timer restarts. RFC 6582 §4: "impatient" restarts it for the first partial ACK only.
        restart: bool,
    },
    /// Recovery has ended; this ACK does not grow the window.
    Over,
    /// Loss of the segment that begins here, which the same ACK detects: a further sign of congestion (RFC 6675
    /// §5).
    Lost(u64),
    /// A probe has repaired the loss of the segment that begins here, which is a sign of congestion (RFC 8985
    /// §7.4): the window is reduced without a further repair.
    Repaired(u64),
    /// The last timeout was spurious (RFC 5682).
    Spurious,
}

/// Bytes to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// First byte.
    pub start: u64,
    /// First byte after the segment.
    pub end: u64,
    /// Cause of the transmission.
    pub cause: Cause,
}

/// Senders with a stack independent of the preset: two of ns-2's agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// All others.
    Common,
    /// Agent/TCP/Vegas.
    Ns2Vegas,
    /// Agent/TCP/Linux.
    Ns2Linux,
}

/// Cause of the transmission of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// New data.
    New,
    /// Fast retransmit: the first retransmission of a recovery.
    Fast,
    /// Retransmission of a further hole during recovery.
    Recovery,
    /// Retransmission after a timeout.
    Timeout,
    /// Retransmission on an explicit notice.
    Notice,
    /// Probe for a loss at the tail of a flight (RFC 8985 §7).
    Probe,
}

/// Evidence that a reduction of the window was spurious.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// An ACK covers the first retransmission and echoes a timestamp older than the retransmission's: the
    /// original arrived late (RFC 3522).
    Late,
    /// D-SACKs report every retransmission as a duplicate (RFC 3708).
    Duplicates,
    /// ACKs after a timeout show that the segments marked lost were in flight (RFC 5682).
    Timeout,
}

/// Policy that detects losses and selects the bytes to send next. All sequence numbers are in bytes. The
/// scoreboard ([`SenderState::board`]) is updated with an ACK or a transmission before the recovery's methods
/// are called. [`NoticeAware`](crate::recovery::NoticeAware) forwards every call to another recovery: a
/// method added here must be added there.
pub trait Recovery: Debug + Send {
    /// Handles a duplicate ACK: an ACK that repeats the last one (RFC 5681 §2), or whose SACK blocks report
    /// new arrivals, whatever its other fields (RFC 6675 §2).
    fn on_duplicate(&mut self, s: &mut SenderState, a: &Ack) -> Detect;

    /// Returns a further loss detected by the same ACK, which is a separate sign of congestion. Called after
    /// each loss.
    fn next_loss(&mut self) -> Detect {
        Detect::Nothing
    }

    /// Begins recovery: the window was reduced for the loss of the segment at `seq`.
    fn enter(&mut self, s: &mut SenderState, w: &mut Window, seq: u64);

    /// Handles a window reduction during recovery for the loss that began the recovery.
    fn on_late_cut(&mut self, w: &Window) {
        let _ = w;
    }

    /// Handles an echoed mark, for which the window was reduced from `before` to `after` without a
    /// retransmission (RFC 3168 §6.1.2). The recovery may reduce the flight evenly, as Linux does
    /// (tcp_enter_cwr()).
    fn on_mark(&mut self, s: &SenderState, before: &Window, after: &Window, a: &Ack) {
        let _ = (s, before, after, a);
    }

    /// Handles an advance of the cumulative ACK; `s.una` is the new value.
    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> Advance;

    /// Handles an expiry of the retransmission timer, after the window was reduced.
    fn on_timeout(&mut self, s: &mut SenderState, now: Time);

    /// Returns the next segment that the window and the state of recovery permit.
    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next>;

    /// Handles an expiry of the retransmission timer while a loss probe is due. True if the probe is sent in
    /// place of the timeout (RFC 8985 §7.2).
    fn probe_instead(&mut self, s: &mut SenderState, now: Time) -> bool {
        let _ = (s, now);
        false
    }

    /// Undoes the last reduction, which this evidence proves spurious: segments marked lost count as in
    /// flight, and recovery ends. False if this recovery has no undo.
    fn forgive(&mut self, s: &mut SenderState, evidence: Evidence) -> bool {
        let _ = (s, evidence);
        false
    }

    /// Returns the kind of repair of RACK and RFC 6675; older recoveries return [`Repair::Nothing`].
    fn repair(&self) -> Repair {
        Repair::Nothing
    }

    /// True if newly SACKed data may grow the window after reordering was detected (Linux,
    /// tcp_may_raise_cwnd()); false during a reduction.
    fn may_grow_by_sack(&self) -> bool {
        false
    }

    /// Observes an ACK that is not counted: a duplicate explained by a notice, or an ACK without information
    /// on outstanding data.
    fn note(&mut self, s: &mut SenderState, a: &Ack) {
        let _ = (s, a);
    }

    /// Returns the time at which [`Recovery::on_deadline`] is due: a timer besides the retransmission timer.
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// Handles the expiry of [`Recovery::deadline`].
    fn on_deadline(&mut self, s: &mut SenderState, now: Time) -> Detect {
        let _ = (s, now);
        Detect::Nothing
    }

    /// Observes a segment passed to IP. `earlier`: number of its previous transmission, if there was one.
    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &Next, earlier: Option<u64>) {
        let _ = (s, now, sent, earlier);
    }

    /// Returns the estimate of the bytes in the network.
    fn in_flight(&self, s: &SenderState) -> u64 {
        s.nxt - s.una
    }

    /// True if a notice about the segment at `seq` can have an effect: the segment is outstanding and not
    /// known to have arrived.
    fn is_missing(&self, s: &SenderState, seq: u64) -> bool {
        s.is_missing(seq)
    }

    /// Retransmits the segment at `seq` at once, regardless of the window: the lost segment has left the
    /// network, so the flight is unchanged (Yun 2009 §2.1).
    fn retransmit(&mut self, s: &mut SenderState, seq: u64);

    /// True if the recovery attributes duplicate ACKs by sending order: segments sent before a retransmission
    /// cause no duplicates of it, and arrived segments make room for new data.
    fn goes_by_order(&self) -> bool {
        false
    }

    /// Returns the agent whose stack the sender uses instead of the preset's.
    fn agent(&self) -> Agent {
        Agent::Common
    }

    /// Marks the segment at `seq` lost without a retransmission now. False if the recovery does not support
    /// this.
    fn mark_lost(&mut self, s: &mut SenderState, seq: u64) -> bool {
        let _ = (s, seq);
        false
    }

    /// Suspends congestion control until `until` for the segment at `seq`, which a link layer is
    /// retransmitting (Yun 2009 §3.1).
    fn hold(&mut self, s: &mut SenderState, seq: u64, until: Time) {
        s.board.hold(seq, until);
    }

    /// True if the oldest missing segment is held in this way.
    fn is_held(&self, s: &SenderState, now: Time) -> bool {
        let _ = (s, now);
        false
    }
}
