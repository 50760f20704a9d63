use crate::recovery::common::{ReductionGuard, UrgentQueue, mark_unsacked_lost, segment_at_nxt};
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, TransmissionCause, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Forward acknowledgement with rate halving (Mathis and Mahdavi 1996; Mathis, Semke and Mahdavi 1999), as in
/// Linux 2.4 and 2.6. [`Ns2LinuxRecovery`](super::super::Ns2LinuxRecovery) implements all rules of ns-2's port of Linux 2.6.
///
/// With RFC 6675's pipe alone, a sender is silent for half a round trip after a loss. Rate halving sends a
/// segment on every second ACK until the flight has decreased to the reduced window. A retransmission is lost
/// if a segment sent later has arrived.
///
/// Difference from Linux: in Linux an ACK during recovery releases at most one segment (tcp_cwnd_down()
/// limits the window to the flight plus one). Here an ACK that reports several losses releases a burst. The
/// burst restores the flight to its size before the ACK.
#[derive(Debug, Default)]
pub struct RateHalving {
    guard: ReductionGuard,
    urgent: UrgentQueue,
    state: State,
    /// Flight before the last ACK, in segments.
    flight_before: f64,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    Open,
    /// Recovery from a loss, until all data outstanding at its detection is acknowledged.
    Recovering {
        /// Limit of the flight in segments. A larger cwnd replaces this limit.
        ceiling: f64,
    },
    /// Recovery after a timeout: segments marked lost are retransmitted in slow start.
    Slow,
}

impl RateHalving {
    /// Processes the arrivals that an ACK reports, and detects losses. Returns the first lost segment; `None`
    /// without a loss.
    fn detect_losses(&mut self, s: &mut SenderState, a: &Ack) -> Option<u64> {
        self.flight_before = (s.pipe() + a.delivered_bytes) as f64 / s.mss as f64;
        s.dupacks += u32::from(a.acked_bytes == 0 && s.scoreboard.newly_sacked_bytes() > 0);
        // FACK: a segment is lost if at least DupThresh segments lie above it, up to the highest SACKed
        // segment.
        let foremost = s.scoreboard.high_sack();
        let reach = u64::from(s.dupthresh) * s.mss;
        let newest = s
            .scoreboard
            .iter()
            .filter(|e| e.sacked && !e.retransmitted)
            .map(|e| e.transmission_number)
            .max()
            .unwrap_or(0);
        s.scoreboard.mark_lost_where(|e| {
            let is_lost =
                if e.retransmitted { newest > e.transmission_number } else { e.end + reach <= foremost };
            is_lost && e.held_until <= a.now
        });
        if let State::Recovering { ceiling } = &mut self.state {
            *ceiling -= 0.5;
        }
        s.scoreboard.first_lost().map(|e| e.start)
    }

    /// Returns the limit of the flight in segments.
    fn flight_limit_segments(&self, w: &Window) -> f64 {
        match self.state {
            State::Recovering { ceiling } => ceiling.max(w.cwnd),
            _ => w.cwnd,
        }
    }
}

impl Recovery for RateHalving {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        match self.detect_losses(s, a) {
            Some(seq) if self.state == State::Open => DetectionOutcome::Lost(seq),
            _ => DetectionOutcome::Nothing,
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        self.state = State::Recovering { ceiling: self.flight_before };
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, a: &Ack) -> AdvanceOutcome {
        s.dupacks = 0;
        let lost = self.detect_losses(s, a);
        match self.state {
            State::Open => lost.map_or(AdvanceOutcome::Open, AdvanceOutcome::Lost),
            _ if !self.guard.is_fully_acked(s) => match self.state {
                State::Slow => AdvanceOutcome::Open,
                _ => AdvanceOutcome::Partial { restart: true },
            },
            // The ACK that ends the recovery may already report the next loss.
            _ => match (std::mem::take(&mut self.state), lost) {
                (_, Some(seq)) => AdvanceOutcome::Lost(seq),
                (State::Slow, None) => AdvanceOutcome::Open,
                (_, None) => AdvanceOutcome::Over,
            },
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.state = State::Slow;
        mark_unsacked_lost(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        let flight = s.pipe();
        if self.state == State::Open {
            let extra = f64::from(s.limited_transmit_extra());
            return segment_at_nxt(s, flight + s.scoreboard.sacked_bytes(), w.cwnd + extra);
        }
        let ceiling = self.flight_limit_segments(w);
        let cause =
            if self.state == State::Slow { TransmissionCause::Timeout } else { TransmissionCause::Recovery };
        match s.scoreboard.first_lost().copied() {
            Some(e) => s.has_room(e.bytes(), flight, ceiling).then(|| e.to_retransmission(cause)),
            None => segment_at_nxt(s, flight, ceiling),
        }
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        s.pipe()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }
}
