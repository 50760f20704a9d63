//! State and rules shared by several recoveries: the guard against a second reduction for one window of data,
//! segments sent regardless of the window, and the state after a timeout.

use crate::seams::{NextSegment, TransmissionCause};
use crate::sender_state::SenderState;
use std::collections::VecDeque;

/// Segments to send at once, even if the window is full.
#[derive(Debug, Default)]
pub(super) struct UrgentQueue(VecDeque<NextSegment>);

impl UrgentQueue {
    pub fn push(&mut self, start: u64, end: u64, cause: TransmissionCause) {
        if !self.0.iter().any(|queued| queued.start == start) {
            self.0.push_back(NextSegment { start, end, cause });
        }
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the unacknowledged part of the next urgent segment; `None` if no urgent segment is left.
    #[inline]
    pub fn pop(&mut self, s: &SenderState) -> Option<NextSegment> {
        if self.0.is_empty() { None } else { self.pop_unacknowledged(s) }
    }

    #[inline(never)]
    fn pop_unacknowledged(&mut self, s: &SenderState) -> Option<NextSegment> {
        while let Some(next) = self.0.pop_front() {
            let start = next.start.max(s.una);
            if start < next.end {
                return Some(NextSegment { start, ..next });
            }
        }
        None
    }

    /// Returns the next urgent segment like [`UrgentQueue::pop`], but skips fast retransmits of SACKed segments. A
    /// SACK may arrive while pacing or the host's turnaround delays the retransmission. Retransmissions after
    /// a timeout or a notice include SACKed data (RFC 2018 §8).
    #[inline]
    pub fn pop_missing(&mut self, s: &SenderState) -> Option<NextSegment> {
        if self.0.is_empty() { None } else { self.pop_not_sacked(s) }
    }

    #[inline(never)]
    fn pop_not_sacked(&mut self, s: &SenderState) -> Option<NextSegment> {
        loop {
            let next = self.pop(s)?;
            if next.cause != TransmissionCause::Fast
                || !s.scoreboard.get(next.start).is_some_and(|entry| entry.sacked)
            {
                return Some(next);
            }
        }
    }
}

/// Returns the segment at `nxt`; `None` if the window is full. The segment is new data, or old data after
/// go-back-N has moved `nxt` back.
pub(super) fn segment_at_nxt(s: &SenderState, in_flight: u64, window: f64) -> Option<NextSegment> {
    let (start, end) = s.next_sendable_segment(in_flight, window)?;
    let cause = if start < s.sent_end { TransmissionCause::Timeout } else { TransmissionCause::New };
    Some(NextSegment { start, end, cause })
}

/// Guard against a second reduction for one window of data. Duplicate ACKs for data sent before the last
/// reduction do not start a new recovery (RFC 6582 §3.2 step 1; ns-2's "bugfix").
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReductionGuard {
    /// First unsent byte at the last reduction; zero before the first reduction.
    pub recovery_point: u64,
}

impl ReductionGuard {
    /// True if the ACK "covers more than recover" (RFC 6582 §3.2 step 1). Duplicate ACKs of exactly `recover`
    /// may result from unnecessary go-back-N retransmissions.
    pub fn may_reduce(&self, s: &SenderState) -> bool {
        s.una > self.recovery_point
    }

    /// True if all data outstanding at the last reduction is acknowledged (RFC 6582 §3.2 step 3, RFC 6675
    /// §5).
    pub fn is_fully_acked(&self, s: &SenderState) -> bool {
        s.una >= self.recovery_point
    }

    /// Records a reduction, which applies to all data sent so far.
    pub fn record_reduction(&mut self, s: &SenderState) {
        self.recovery_point = s.sent_end;
    }
}

/// Ends the recovery at a timeout, and drops urgent segments. Duplicate ACKs for data sent before the timeout
/// will not start a new recovery.
fn abandon_recovery(s: &mut SenderState, guard: &mut ReductionGuard, urgent: &mut UrgentQueue) {
    guard.record_reduction(s);
    urgent.clear();
    s.dupacks = 0;
}

/// Restarts after a timeout without a scoreboard: the sender retransmits all data from the oldest segment on.
pub(super) fn go_back_n(s: &mut SenderState, guard: &mut ReductionGuard, urgent: &mut UrgentQueue) {
    abandon_recovery(s, guard, urgent);
    s.nxt = s.una;
}

/// Restarts after a timeout with a scoreboard: all data that is not SACKed counts as lost (RFC 6675 §5.1).
pub(super) fn mark_unsacked_lost(s: &mut SenderState, guard: &mut ReductionGuard, urgent: &mut UrgentQueue) {
    abandon_recovery(s, guard, urgent);
    s.scoreboard.mark_all_lost();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::{Sack, SackBlock, Time};

    // Only the bytes of a pending retransmission that are still unacknowledged are sent. Each segment is sent
    // once.
    #[test]
    fn a_pending_retransmission_sends_only_unacknowledged_bytes() {
        let mut urgent = UrgentQueue::default();
        for start in [1, 1001, 2001, 1001] {
            urgent.push(start, start + 1000, TransmissionCause::Recovery);
        }
        let s = SenderState { una: 1501, ..SenderState::new(&Preset::Ns2.config(1000)) };
        let sent: Vec<(u64, u64)> =
            std::iter::from_fn(|| urgent.pop(&s)).map(|next| (next.start, next.end)).collect();
        assert_eq!(sent, [(1501, 2001), (2001, 3001)]);
    }

    // RFC 6675 §4 NextSeg (1): a segment that was SACKed after its loss was detected is not retransmitted.
    #[test]
    fn a_segment_sacked_after_its_loss_is_not_retransmitted() {
        let (mut urgent, mut s) = (UrgentQueue::default(), SenderState::new(&Preset::Ns2.config(1000)));
        for start in [1, 1001] {
            s.scoreboard.on_sent(Time::ZERO, start, start + 1000);
            urgent.push(start, start + 1000, TransmissionCause::Fast);
        }
        let mut sack = Sack::EMPTY;
        sack.push(SackBlock { start: 1, end: 1001 });
        s.scoreboard.on_ack(Time::ZERO, 1, 2001, &sack);
        assert_eq!(urgent.pop_missing(&s).map(|next| next.start), Some(1001));
    }
}
