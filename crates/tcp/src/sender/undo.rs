//! Undo of spurious window reductions. The segments were delayed, not lost.

use super::{Sender, timestamp_clock};
use crate::scoreboard::{OutstandingSegment, Scoreboard, find_dsack};
use crate::seams::{NextSegment, RepairKind, UndoEvidence, Window};
use airhop_base::{Segment, Time};

/// Last reduction for a loss, kept while it can still prove spurious.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowReduction {
    /// Window before the reduction.
    before: Window,
    /// First unsent byte at the reduction.
    point: u64,
    /// End and timestamp of the first retransmission after the reduction.
    first: Option<(u64, u32)>,
    /// Number of retransmissions that no D-SACK has reported as a duplicate.
    unnamed: u32,
}

impl Sender {
    /// Saves the window before a reduction for a loss. Keeps the window of an earlier reduction in the same
    /// window of data.
    pub(super) fn save_window(&mut self, before: Window) {
        if !self.config.undo && !self.config.frto {
            return;
        }
        let before = self.stack.window_to_restore(before);
        let (una, point) = (self.state.una, self.state.sent_end);
        match &mut self.reduction {
            Some(reduction) if una < reduction.point => reduction.point = point,
            last => *last = Some(WindowReduction { before, point, first: None, unnamed: 0 }),
        }
    }

    /// Records a retransmission.
    pub(super) fn note_retransmission(&mut self, now: Time, next: &NextSegment) {
        if let Some(reduction) = self.reduction.as_mut().filter(|r| next.start < r.point) {
            reduction.first.get_or_insert((next.end, timestamp_clock(now)));
            reduction.unnamed += 1;
        }
    }

    /// Detects a spurious reduction from an ACK. Eifel (RFC 3522 §3.2 step 5): an ACK of the first
    /// retransmission echoes a timestamp older than the retransmission, so the original segment arrived.
    /// D-SACK (RFC 3708 §2): every retransmission arrived as a duplicate.
    #[inline]
    pub(super) fn detect_spurious(&mut self, ack: &Segment) {
        if self.reduction.is_some() && self.config.undo {
            self.check_for_spurious_reduction(ack);
        }
    }

    #[inline(never)]
    fn check_for_spurious_reduction(&mut self, ack: &Segment) {
        let Some(reduction) = &mut self.reduction else { return };
        let is_older = |echo: u32, sent: u32| echo.wrapping_sub(sent) > 1 << 31;
        let by_time = match (reduction.first, ack.timestamps) {
            (Some((end, sent)), Some(ts)) => ack.ack >= end && is_older(ts.tsecr, sent),
            _ => false,
        };
        let waits = self.stack.delays_timestamp_undo()
            && ack.ack < reduction.point
            && has_retransmission_above(&self.state.scoreboard, ack);
        let by_time = by_time && !waits;
        let is_named = find_dsack(ack.ack, &ack.options.sack).is_some_and(|b| b.start < reduction.point);
        let had = reduction.unnamed;
        reduction.unnamed -= u32::from(is_named && had > 0);
        if by_time {
            self.undo_reduction(UndoEvidence::Late);
        } else if had > 0 && reduction.unnamed == 0 {
            self.undo_reduction(UndoEvidence::Duplicates);
        }
    }

    /// Undoes the last reduction as spurious and restores the window (RFC 4015 §4). No effect if the recovery
    /// does not support undo.
    #[cold]
    pub(super) fn undo_reduction(&mut self, evidence: UndoEvidence) {
        let Some(reduction) = self.reduction.take() else { return };
        if self.frozen.is_none() && self.recovery.undo_reduction(&mut self.state, evidence) {
            self.control.on_spurious_reduction(&mut self.window, &reduction.before, &self.state);
            self.counters.undone_reductions += 1;
            self.cwr_due = false; // Linux, tcp_ecn_withdraw_cwr()
        }
    }

    /// True if ssthresh does not change at this timeout, as in Linux. Either the timer has already expired
    /// for the same segment, or a fast recovery or ECN mark has already reduced the window.
    pub(super) fn keeps_ssthresh_at_timeout(&self) -> bool {
        let in_recovery = self.recovery.repair_kind() == RepairKind::Loss && !self.window.in_slow_start();
        self.state.timed_out_una == Some(self.state.una) || in_recovery || self.state.una < self.reduced_until
    }
}

/// True if a retransmission above this ACK is in flight.
fn has_retransmission_above(board: &Scoreboard, ack: &Segment) -> bool {
    let is_sacked = |e: &OutstandingSegment| {
        ack.options.sack.blocks().iter().any(|b| b.start <= e.start && e.end <= b.end)
    };
    board.retransmitted_bytes() > 0
        && board.iter().any(|e| e.end > ack.ack && e.is_retransmission_in_flight() && !is_sacked(e))
}
