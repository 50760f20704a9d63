use crate::recovery::common::{ReductionGuard, UrgentQueue, go_back_n, segment_at_nxt};
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, TransmissionCause, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Reaction of fast recovery to a partial ACK. A partial ACK acknowledges only part of the data outstanding
/// at the start of the recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAckReaction {
    /// Recovery ends, even if further segments were lost (Reno, RFC 5681 §3.2).
    Ends,
    /// Recovery retransmits the next hole at once (NewReno, RFC 6582 §3.2).
    RepairsNext,
}

/// Fast retransmit and fast recovery without SACK: each further duplicate ACK inflates the window by one
/// segment.
#[derive(Debug)]
pub struct RenoRecovery {
    partial: PartialAckReaction,
    /// True if the window after recovery is at most the flight plus one segment, to prevent a burst (RFC 6582
    /// §3.2 step 3 (1)).
    exit_to_flight: bool,
    guard: ReductionGuard,
    urgent: UrgentQueue,
    state: State,
}

#[derive(Debug, PartialEq)]
enum State {
    Open,
    Fast {
        /// Inflation of the window in segments.
        inflation: f64,
        /// True after the first partial ACK of this recovery.
        partial_seen: bool,
        /// Window at the start of the recovery: reduced if the scheme classified the loss as congestion,
        /// otherwise unreduced.
        begun_with: f64,
    },
}

impl RenoRecovery {
    /// Creates the recovery of a new connection.
    pub fn new(partial: PartialAckReaction, exit_to_flight: bool) -> Self {
        RenoRecovery {
            partial,
            exit_to_flight,
            guard: ReductionGuard::default(),
            urgent: UrgentQueue::default(),
            state: State::Open,
        }
    }

    /// True in fast recovery. ([`Recovery::repair_kind`] does not report fast recovery, because a timeout in fast
    /// recovery reduces the window again, as in ns-2.)
    pub(super) fn is_recovering(&self) -> bool {
        self.state != State::Open
    }

    /// Starts fast recovery for a loss that is not congestion. The window is not reduced, so a sign of
    /// congestion in this window of data can still reduce the window. Retransmits the segment at `again`, if
    /// any.
    pub(super) fn enter_without_reduction(&mut self, s: &SenderState, again: Option<u64>) {
        let begun_with = f64::INFINITY;
        self.state = State::Fast { inflation: f64::from(s.dupthresh), partial_seen: false, begun_with };
        if let Some(seq) = again {
            self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
        }
    }
}

impl Recovery for RenoRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, _: &Ack) -> DetectionOutcome {
        if let State::Fast { inflation, .. } = &mut self.state {
            *inflation += 1.0; // RFC 5681 §3.2 step 4
            return DetectionOutcome::Nothing;
        }
        s.dupacks += 1;
        if s.dupacks == s.dupthresh && self.guard.may_reduce(s) {
            DetectionOutcome::Lost(s.una)
        } else {
            DetectionOutcome::Nothing
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        self.state =
            State::Fast { inflation: f64::from(s.dupthresh), partial_seen: false, begun_with: w.cwnd };
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
    }

    fn on_postponed_reduction(&mut self, w: &Window) {
        if let State::Fast { begun_with, .. } = &mut self.state {
            *begun_with = begun_with.min(w.cwnd);
        }
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        s.dupacks = 0;
        let State::Fast { inflation, partial_seen, begun_with } = &mut self.state else {
            return AdvanceOutcome::Open;
        };
        if self.partial == PartialAckReaction::RepairsNext && !self.guard.is_fully_acked(s) {
            // RFC 6582 §3.2 step 3, partial ACK: the next hole is retransmitted, and the window is deflated
            // by the acknowledged data. If the acknowledged data is a segment or more, one segment is added
            // back. If the inflation is smaller than the deflation, the difference reduces cwnd.
            let back = if a.acked_bytes >= s.mss { 1.0 } else { 0.0 };
            let mut left = *inflation - a.acked_bytes as f64 / s.mss as f64 + back;
            if left < 1.0 {
                w.cwnd = (w.cwnd + left - 1.0).max(1.0);
                left = 1.0;
            }
            *inflation = left;
            let restart = !*partial_seen;
            *partial_seen = true;
            self.urgent.push(s.una, s.segment_end(s.una), TransmissionCause::Recovery);
            return AdvanceOutcome::Partial { restart };
        }
        if self.exit_to_flight {
            let flight = (s.sent_end - s.una) as f64 / s.mss as f64;
            w.cwnd = begun_with.min(flight.max(1.0) + 1.0);
        }
        self.state = State::Open;
        AdvanceOutcome::Over
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.state = State::Open;
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        let extra = match self.state {
            State::Open => f64::from(s.limited_transmit_extra()),
            State::Fast { inflation, .. } => inflation,
        };
        self.urgent.pop(s).or_else(|| segment_at_nxt(s, self.in_flight(s), w.cwnd + extra))
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }
}
