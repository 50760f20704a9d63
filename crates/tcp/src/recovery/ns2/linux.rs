use crate::control::floor_segments;
use crate::recovery::common::{ReductionGuard, UrgentQueue, mark_unsacked_lost, segment_at_nxt};
use crate::seams::{
    Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Ns2Agent, Recovery, TransmissionCause, Window,
};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Forward acknowledgement with rate halving (Mathis and Mahdavi 1996; Mathis, Semke and Mahdavi 1999).
/// Follows ns-2.35's Agent/TCP/Linux, a port of the Linux 2.6 sender.
///
/// With RFC 6675's pipe alone, a sender is silent for half a round trip after a loss. Rate halving sends a
/// segment on every second ACK until the flight has decreased to the reduced window.
#[derive(Debug, Default)]
pub struct Ns2LinuxRecovery {
    guard: ReductionGuard,
    urgent: UrgentQueue,
    state: State,
    /// Limit of the flight in fast recovery, in bytes. A larger window replaces this limit.
    ceiling: u64,
    /// Retransmitted segments that have not arrived, in sending order.
    repairs: Vec<Retransmission>,
    /// Number of retransmissions since the last timeout or recovery.
    repaired: u64,
    /// Number of the latest retransmission that arrived.
    arrived: u64,
}

/// Retransmitted segment.
#[derive(Clone, Copy, Debug)]
struct Retransmission {
    start: u64,
    number: u64,
    /// First unsent byte at the retransmission.
    point: u64,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    Open,
    /// Recovery from a loss, until all data outstanding at its detection is acknowledged.
    Recovery,
    /// Recovery after a timeout: segments marked lost are retransmitted in slow start.
    Loss,
}

/// Maximum excess of the window over the flight at the end of a recovery, in segments (tcp_max_burst).
const MAX_BURST_SEGMENTS: f64 = 3.0;

impl Ns2LinuxRecovery {
    /// Detects losses from an ACK. Returns the first lost segment if the ACK led to a new loss mark; `None`
    /// otherwise.
    fn detect_losses(&mut self, s: &mut SenderState, a: &Ack) -> Option<u64> {
        self.remove_arrived_repairs(s);
        // FACK: a segment is lost if more than DupThresh segments lie between it and the highest SACKed
        // segment. The port counts from the segment before the lost segment, so four segments above it must
        // arrive instead of three.
        let foremost = s.scoreboard.high_sack();
        let reach = (u64::from(s.dupthresh) + 2) * s.mss;
        s.scoreboard.mark_holes_lost((foremost + 1).saturating_sub(reach), a.now);
        // A retransmission is lost if data first sent after it has arrived, or if a retransmission whose
        // number is higher by more than four has arrived.
        for repair in &self.repairs {
            let overtaken = repair.number + u64::from(s.dupthresh) + 1 < self.arrived;
            let held = s.scoreboard.get(repair.start).is_some_and(|e| e.held_until > a.now);
            if (overtaken || repair.point < foremost) && !held {
                s.scoreboard.mark_lost(repair.start);
            }
        }
        let found = !s.scoreboard.newly_lost().is_empty();
        s.scoreboard.first_lost().filter(|_| found).map(|e| e.start)
    }

    /// Removes the retransmissions that have arrived.
    fn remove_arrived_repairs(&mut self, s: &SenderState) {
        let arrived = &mut self.arrived;
        self.repairs.retain(|repair| {
            let is_missing = s.is_missing(repair.start);
            if !is_missing {
                *arrived = (*arrived).max(repair.number);
            }
            is_missing
        });
    }

    /// Ends the recovery and clears the SACK information. A window below ssthresh becomes the smaller of
    /// ssthresh and the flight plus a burst.
    fn end_recovery(&mut self, s: &mut SenderState, w: &mut Window) -> AdvanceOutcome {
        self.start_anew();
        let was = std::mem::take(&mut self.state);
        s.scoreboard.clear_sack_state();
        if w.cwnd < w.ssthresh {
            let flight = s.pipe() as f64 / s.mss as f64;
            w.cwnd = floor_segments(w.ssthresh).min(floor_segments(flight) + MAX_BURST_SEGMENTS);
            return AdvanceOutcome::Over;
        }
        if was == State::Loss { AdvanceOutcome::Open } else { AdvanceOutcome::Over }
    }

    fn start_anew(&mut self) {
        (self.ceiling, self.repaired, self.arrived) = (0, 0, 0);
        self.repairs.clear();
    }
}

impl Recovery for Ns2LinuxRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        s.dupacks += 1;
        match self.detect_losses(s, a) {
            // Outside fast recovery a loss is a new sign of congestion. After a timeout it is the loss of a
            // retransmission.
            Some(seq) if self.state != State::Recovery => DetectionOutcome::Lost(seq),
            _ => DetectionOutcome::Nothing,
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        self.state = State::Recovery;
        self.ceiling = s.pipe() + s.mss;
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        s.dupacks = 0;
        let lost = self.detect_losses(s, a);
        match (&self.state, lost) {
            (State::Open, None) => AdvanceOutcome::Open,
            (State::Open, Some(seq)) => AdvanceOutcome::Lost(seq),
            _ if self.guard.is_fully_acked(s) => self.end_recovery(s, w),
            (State::Loss, Some(seq)) => AdvanceOutcome::Lost(seq),
            (State::Loss, None) => AdvanceOutcome::Open,
            (State::Recovery, _) => AdvanceOutcome::Partial { restart: true },
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.start_anew();
        self.state = State::Loss;
        mark_unsacked_lost(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        let ceiling = (self.ceiling as f64 / s.mss as f64).max(floor_segments(w.cwnd));
        let cause =
            if self.state == State::Loss { TransmissionCause::Timeout } else { TransmissionCause::Recovery };
        match s.scoreboard.first_lost().copied() {
            Some(e) => s.has_room(e.bytes(), s.pipe(), ceiling).then(|| e.to_retransmission(cause)),
            None => segment_at_nxt(s, s.pipe(), ceiling),
        }
    }

    fn on_sent(&mut self, s: &mut SenderState, _: Time, sent: &NextSegment, earlier: Option<u64>) {
        // Each segment sent lowers the ceiling to one segment below the flight. An ACK therefore releases at
        // most one segment, for any number of reported arrivals. If two ACKs report one arrival each, the
        // second ACK releases a segment.
        self.ceiling = self.ceiling.min(s.pipe().saturating_sub(s.mss).max(s.mss));
        if earlier.is_some() {
            self.repaired += 1;
            self.repairs.retain(|repair| repair.start != sent.start);
            self.repairs.push(Retransmission { start: sent.start, number: self.repaired, point: s.nxt });
        }
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        s.pipe()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }

    fn ns2_agent(&self) -> Ns2Agent {
        Ns2Agent::Ns2Linux
    }
}
