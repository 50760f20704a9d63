//! `Recovery`: policy that detects and repairs losses. Interprets duplicate ACKs and selects the next bytes
//! to send.

use super::{Ack, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;
use std::fmt::Debug;

/// Kind of loss repair in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairKind {
    /// No repair.
    Nothing,
    /// Fast recovery, for a loss detected by ACKs.
    Loss,
    /// Repair after a timeout.
    Timeout,
}

/// Outcome of a duplicate ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectionOutcome {
    /// No loss detected.
    Nothing,
    /// Loss of the segment with this first byte. As a sign of congestion, the loss reduces the window and
    /// starts a recovery.
    Lost(u64),
    /// A probe is due. The sender transmits the probe even if the window is full, and restarts the
    /// retransmission timer (RFC 8985 §7.3).
    Probe,
    /// The last timeout was spurious (RFC 5682).
    Spurious,
}

/// Outcome of an ACK that advances the cumulative acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdvanceOutcome {
    /// No recovery. The window may grow, and the timer restarts.
    Open,
    /// Recovery continues.
    Partial {
        /// True if the retransmission timer restarts. The "impatient" variant restarts the timer only for the
        /// first partial ACK (RFC 6582 §4).
        restart: bool,
    },
    /// Recovery has ended. The ACK that ends recovery does not increase the window.
    Over,
    /// Loss of the segment with this first byte, detected by the same ACK. Counts as a further sign of
    /// congestion (RFC 6675 §5).
    Lost(u64),
    /// A probe has repaired the loss of the segment with this first byte. The loss still reduces the window
    /// (RFC 8985 §7.4), but no repair follows.
    Repaired(u64),
    /// The last timeout was spurious (RFC 5682).
    Spurious,
}

/// Bytes to send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextSegment {
    /// First byte.
    pub start: u64,
    /// First byte after the segment.
    pub end: u64,
    /// Cause of the transmission.
    pub cause: TransmissionCause,
}

/// ns-2 agent with a stack that does not depend on the preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ns2Agent {
    /// No such agent. The preset determines the stack.
    Common,
    /// Agent/TCP/Vegas.
    Ns2Vegas,
    /// Agent/TCP/Linux.
    Ns2Linux,
}

/// Cause of the transmission of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmissionCause {
    /// New data.
    New,
    /// Fast retransmit: the first retransmission of a recovery.
    Fast,
    /// Retransmission of a further hole during recovery.
    Recovery,
    /// Retransmission after a timeout.
    Timeout,
    /// Retransmission after an explicit notice.
    Notice,
    /// Probe for a loss at the tail of a flight (RFC 8985 §7).
    Probe,
}

/// Evidence that a window reduction was spurious.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UndoEvidence {
    /// An ACK of the first retransmission echoes a timestamp older than the retransmission, so the original
    /// segment arrived late (RFC 3522).
    Late,
    /// D-SACKs report every retransmission as a duplicate (RFC 3708).
    Duplicates,
    /// ACKs after a timeout show that the segments marked lost were still in flight (RFC 5682).
    Timeout,
}

/// Policy that detects losses and selects the next bytes to send. Sequence numbers count bytes. Before each
/// call, the sender updates the scoreboard ([`SenderState::scoreboard`]) with the ACK or transmission.
/// [`NoticeAwareRecovery`](crate::recovery::NoticeAwareRecovery) must forward every method of this trait, including new
/// methods.
pub trait Recovery: Debug + Send {
    /// Handles a duplicate ACK. A duplicate ACK repeats the last ACK (RFC 5681 §2), or has SACK blocks that
    /// report new arrivals (RFC 6675 §2).
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome;

    /// Returns a further loss that the same ACK detects, as a separate sign of congestion. Called after each
    /// loss.
    fn next_loss(&mut self) -> DetectionOutcome {
        DetectionOutcome::Nothing
    }

    /// Starts recovery, after the window was reduced for the loss of the segment at `seq`.
    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64);

    /// Handles a window reduction that the scheme makes late, during recovery, for the loss under repair.
    fn on_postponed_reduction(&mut self, w: &Window) {
        let _ = w;
    }

    /// Handles an echoed ECN mark. The window was reduced from `before` to `after`, and no segment is
    /// retransmitted (RFC 3168 §6.1.2). The recovery may reduce the flight evenly, as Linux does
    /// (tcp_enter_cwr()).
    fn on_ecn_echo(&mut self, s: &SenderState, before: &Window, after: &Window, a: &Ack) {
        let _ = (s, before, after, a);
    }

    /// Handles an advance of the cumulative acknowledgement to `s.una`.
    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome;

    /// Handles an expiry of the retransmission timer. Called after the window was reduced.
    fn on_timeout(&mut self, s: &mut SenderState, now: Time);

    /// Returns the next segment that window and recovery permit; `None` if no segment may be sent now.
    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment>;

    /// Handles an expiry of the retransmission timer while a loss probe is due. Returns true if the probe
    /// replaces the timeout (RFC 8985 §7.2).
    fn try_loss_probe(&mut self, s: &mut SenderState, now: Time) -> bool {
        let _ = (s, now);
        false
    }

    /// Undoes the last reduction, which `evidence` proves spurious. Segments marked lost count as in flight,
    /// and recovery ends. Returns false if this recovery has no undo.
    fn undo_reduction(&mut self, s: &mut SenderState, evidence: UndoEvidence) -> bool {
        let _ = (s, evidence);
        false
    }

    /// Returns the kind of repair in progress. Only RACK and RFC 6675 report repairs; other recoveries return
    /// [`RepairKind::Nothing`].
    fn repair_kind(&self) -> RepairKind {
        RepairKind::Nothing
    }

    /// True if newly SACKed data may increase the window after reordering (Linux, tcp_may_raise_cwnd()).
    /// False during a reduction.
    fn may_grow_by_sack(&self) -> bool {
        false
    }

    /// Handles an ACK that does not count as a duplicate ACK: a notice explains the ACK, or the ACK brings no
    /// news of outstanding data.
    fn on_uncounted_duplicate(&mut self, s: &mut SenderState, a: &Ack) {
        let _ = (s, a);
    }

    /// Returns the expiry of the recovery's own timer; `None` while stopped. [`Recovery::on_deadline`]
    /// handles the expiry.
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// Handles the expiry of the timer of [`Recovery::deadline`].
    fn on_deadline(&mut self, s: &mut SenderState, now: Time) -> DetectionOutcome {
        let _ = (s, now);
        DetectionOutcome::Nothing
    }

    /// Handles a segment that was passed to IP. `earlier` is the number of the segment's previous
    /// transmission; `None` for new data.
    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &NextSegment, earlier: Option<u64>) {
        let _ = (s, now, sent, earlier);
    }

    /// Returns the estimated flight in bytes.
    fn in_flight(&self, s: &SenderState) -> u64 {
        s.nxt - s.una
    }

    /// True if the segment at `seq` is outstanding and not known to have arrived. A notice about any other
    /// segment has no effect.
    fn is_missing(&self, s: &SenderState, seq: u64) -> bool {
        s.is_missing(seq)
    }

    /// Retransmits the segment at `seq` at once, even if the window is full. The lost segment has left the
    /// network, so the flight does not change (Yun 2009 §2.1).
    fn retransmit(&mut self, s: &mut SenderState, seq: u64);

    /// True if the recovery attributes duplicate ACKs by sending order. Segments sent before a retransmission
    /// then do not count against the retransmitted segment, and arrived segments release new data.
    fn uses_sending_order(&self) -> bool {
        false
    }

    /// Returns the ns-2 agent that determines the sender's stack.
    fn ns2_agent(&self) -> Ns2Agent {
        Ns2Agent::Common
    }

    /// Marks the segment at `seq` as lost without retransmitting it now. Returns false if the recovery does
    /// not support this.
    fn mark_lost(&mut self, s: &mut SenderState, seq: u64) -> bool {
        let _ = (s, seq);
        false
    }

    /// Suspends congestion control for the segment at `seq` until `until`, while a link layer is
    /// retransmitting the segment (Yun 2009 §3.1).
    fn hold_segment(&mut self, s: &mut SenderState, seq: u64, until: Time) {
        s.scoreboard.hold_segment(seq, until);
    }

    /// True if congestion control is suspended for the oldest missing segment.
    fn is_first_missing_held(&self, s: &SenderState, now: Time) -> bool {
        let _ = (s, now);
        false
    }
}
