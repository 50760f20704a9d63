use crate::Config;
use crate::recovery::common::{ReductionGuard, UrgentQueue, mark_unsacked_lost, segment_at_nxt};
use crate::recovery::prr::Prr;
use crate::seams::{
    Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, RepairKind, TransmissionCause,
    UndoEvidence, Window,
};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// SACK-based loss recovery of RFC 6675. With PRR, the flight decreases evenly to the new window. Without
/// PRR, the sender is silent for half a round trip.
#[derive(Debug, Default)]
pub struct Rfc6675 {
    guard: ReductionGuard,
    urgent: UrgentQueue,
    state: State,
    uses_prr: bool,
    prr: Option<Prr>,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    Open,
    /// Loss recovery, until all data outstanding at its start is acknowledged.
    Recovering {
        /// True if the rescue retransmission was sent (§4 NextSeg (4)).
        rescued: bool,
    },
    /// Recovery after a timeout: segments marked lost are retransmitted in slow start.
    Slow,
}

impl Rfc6675 {
    /// Creates the recovery of a new connection.
    pub fn new(c: &Config) -> Self {
        Rfc6675 { uses_prr: c.prr, ..Rfc6675::default() }
    }

    /// Passes an ACK to PRR during recovery.
    fn update_prr(&mut self, s: &SenderState, is_safe: bool) {
        let (delivered, in_flight) = (s.scoreboard.delivered(), s.pipe());
        if let Some(prr) = self.prr.as_mut().filter(|_| delivered > 0) {
            prr.on_ack(delivered, in_flight, is_safe);
        }
    }

    /// Marks every segment lost that satisfies IsLost() (§4), unless a link layer is retransmitting the
    /// segment. IsLost() requires DupThresh discontiguous SACKed ranges, or SACKed bytes of more than
    /// DupThresh - 1 segments, above the segment.
    fn update_lost(s: &mut SenderState, now: Time) {
        let (mut runs, mut bytes) = (0, 0);
        let enough = s.scoreboard.sacked_runs().rev().find(|run| {
            runs += 1;
            bytes += run.end - run.start;
            runs >= s.dupthresh || bytes > u64::from(s.dupthresh - 1) * s.mss
        });
        if let Some(run) = enough {
            let edge = run.start;
            s.scoreboard.mark_holes_lost(edge, now);
        }
    }

    /// Returns IsLost(HighACK + 1), the condition of §5 (2).
    fn is_head_lost(s: &SenderState) -> bool {
        s.scoreboard.lost_bytes() > 0 && s.scoreboard.get(s.una).is_some_and(|e| e.lost)
    }

    fn next_in_recovery(&mut self, s: &mut SenderState, rescued: bool) -> Option<NextSegment> {
        // §4 NextSeg (1): the lowest lost segment that was not yet retransmitted.
        let lost = s.scoreboard.first_lost().map(|e| e.to_retransmission(TransmissionCause::Recovery));
        // (2): new data.
        if let Some(next) = lost.or_else(|| segment_at_nxt(s, 0, f64::INFINITY)) {
            return Some(next);
        }
        // (3): a hole below the highest SACKed byte, even if IsLost() is false for it.
        if let Some(hole) = s.scoreboard.first_hole() {
            return Some(hole.to_retransmission(TransmissionCause::Recovery));
        }
        // (4): the highest segment that is not SACKed, once per recovery.
        let last = s.scoreboard.last_missing().filter(|_| !rescued)?;
        self.state = State::Recovering { rescued: true };
        Some(last.to_retransmission(TransmissionCause::Recovery))
    }
}

impl Recovery for Rfc6675 {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        if s.scoreboard.newly_sacked_bytes() > 0 {
            s.dupacks += 1; // §2: a duplicate ACK contains new SACK information
        }
        Self::update_lost(s, a.now);
        self.update_prr(s, false);
        // RFC 6675 §5.1: after a timeout, a recovery starts only once HighACK has reached RecoveryPoint.
        if self.state != State::Open || !self.guard.is_fully_acked(s) {
            return DetectionOutcome::Nothing;
        }
        // §5: (1) DupThresh duplicate ACKs, or (2) IsLost(HighACK + 1).
        if s.dupacks >= s.dupthresh || Self::is_head_lost(s) {
            DetectionOutcome::Lost(s.una)
        } else {
            DetectionOutcome::Nothing
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        self.state = State::Recovering { rescued: false };
        s.scoreboard.mark_lost(seq);
        if self.uses_prr {
            let flight = s.nxt - s.una + s.scoreboard.delivered() - s.scoreboard.sacked_bytes();
            self.prr = Some(Prr::new(s.mss, flight, (w.cwnd * s.mss as f64) as u64));
            self.update_prr(s, false);
        }
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        s.dupacks = 0;
        Self::update_lost(s, a.now); // §5: "regardless of its status as a cumulative acknowledgment"
        if !self.guard.is_fully_acked(s) {
            if self.state == State::Slow {
                return AdvanceOutcome::Open;
            }
            self.update_prr(s, s.scoreboard.newly_lost_bytes() == 0);
            return AdvanceOutcome::Partial { restart: true };
        }
        let ends_recovery = self.repair_kind() == RepairKind::Loss;
        self.state = State::Open;
        self.prr = None;
        // If the scheme classified the loss as no congestion, ssthresh may be infinite and must not become
        // the window.
        if ends_recovery && w.ssthresh.is_finite() {
            w.cwnd = w.ssthresh;
        }
        match ends_recovery {
            _ if Self::is_head_lost(s) => AdvanceOutcome::Lost(s.una),
            true => AdvanceOutcome::Over,
            false => AdvanceOutcome::Open,
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.state = State::Slow;
        self.prr = None;
        mark_unsacked_lost(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        if self.state == State::Open {
            // RFC 5681 §3.1: outside recovery all outstanding data counts.
            return segment_at_nxt(s, s.nxt - s.una, w.cwnd + f64::from(s.limited_transmit_extra()));
        }
        let flight = s.pipe();
        let room =
            self.prr.map_or_else(|| s.has_room(s.mss, flight, w.cwnd), |prr| prr.has_room(s.mss, flight));
        match self.state {
            State::Recovering { rescued } if room => self.next_in_recovery(s, rescued),
            State::Slow if room => {
                let lost = s.scoreboard.first_lost().map(|e| e.to_retransmission(TransmissionCause::Timeout));
                lost.or_else(|| segment_at_nxt(s, flight, w.cwnd))
            }
            _ => None,
        }
    }

    fn on_sent(&mut self, _: &mut SenderState, _: Time, sent: &NextSegment, _: Option<u64>) {
        if let Some(prr) = &mut self.prr {
            prr.on_sent(sent.end - sent.start);
        }
    }

    fn undo_reduction(&mut self, s: &mut SenderState, _: UndoEvidence) -> bool {
        self.state = State::Open;
        self.prr = None;
        self.guard = ReductionGuard::default();
        self.urgent.clear();
        s.scoreboard.clear_loss_marks();
        true
    }

    /// Returns the repair in progress. Excludes recovery after a timeout.
    fn repair_kind(&self) -> RepairKind {
        if matches!(self.state, State::Recovering { .. }) { RepairKind::Loss } else { RepairKind::Nothing }
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        s.pipe()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }
}
