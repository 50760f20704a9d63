use crate::control::whole;
use crate::recovery::common::{Guard, Urgent, forward, lose_all};
use crate::seams::{Ack, Advance, Agent, Cause, Detect, Next, Recovery, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Forward acknowledgement with rate halving (Mathis and Mahdavi 1996; Mathis, Semke and Mahdavi 1999).
/// Follows ns-2.35's Agent/TCP/Linux, a port of the Linux 2.6 sender.
///
/// With RFC 6675's pipe alone, a sender is silent for half a round trip after a loss. Rate halving sends a
/// segment on every second ACK until the flight has decreased to the reduced window.
#[derive(Debug, Default)]
pub struct Ns2Linux {
    guard: Guard,
    urgent: Urgent,
    state: State,
    /// Limit of the flight in fast recovery, in bytes. A larger window replaces this limit.
    ceiling: u64,
    /// Retransmitted segments that have not arrived, in sending order.
    repairs: Vec<Repaired>,
    /// Number of retransmissions since the last timeout or recovery.
    repaired: u64,
    /// Number of the latest retransmission that arrived.
    arrived: u64,
}

/// Retransmitted segment.
#[derive(Clone, Copy, Debug)]
struct Repaired {
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
const BURST: f64 = 3.0;

impl Ns2Linux {
    /// Detects losses from an ACK. Returns the first lost segment if the ACK led to a new loss mark; `None`
    /// otherwise.
    fn update(&mut self, s: &mut SenderState, a: &Ack) -> Option<u64> {
        self.note_repairs(s);
        // FACK: a segment is lost if more than DupThresh segments lie between it and the highest SACKed
        // segment. The port counts from the segment before the lost segment, so four segments above it must
        // arrive instead of three.
        let foremost = s.board.high_sack();
        let reach = (u64::from(s.dupthresh) + 2) * s.mss;
        s.board.mark_holes_lost((foremost + 1).saturating_sub(reach), a.now);
        // A retransmission is lost if data first sent after it has arrived, or if a retransmission whose
        // number is higher by more than four has arrived.
        for repair in &self.repairs {
            let overtaken = repair.number + u64::from(s.dupthresh) + 1 < self.arrived;
            let held = s.board.get(repair.start).is_some_and(|e| e.held_until > a.now);
            if (overtaken || repair.point < foremost) && !held {
                s.board.mark_lost(repair.start);
            }
        }
        let found = !s.board.newly_lost().is_empty();
        s.board.first_lost().filter(|_| found).map(|e| e.start)
    }

    /// Removes the retransmissions that have arrived.
    fn note_repairs(&mut self, s: &SenderState) {
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
    fn end(&mut self, s: &mut SenderState, w: &mut Window) -> Advance {
        self.start_anew();
        let was = std::mem::take(&mut self.state);
        s.board.forget();
        if w.cwnd < w.ssthresh {
            let flight = s.pipe() as f64 / s.mss as f64;
            w.cwnd = whole(w.ssthresh).min(whole(flight) + BURST);
            return Advance::Over;
        }
        if was == State::Loss { Advance::Open } else { Advance::Over }
    }

    fn start_anew(&mut self) {
        (self.ceiling, self.repaired, self.arrived) = (0, 0, 0);
        self.repairs.clear();
    }
}

impl Recovery for Ns2Linux {
    fn on_duplicate(&mut self, s: &mut SenderState, a: &Ack) -> Detect {
        s.dupacks += 1;
        match self.update(s, a) {
            // Outside fast recovery a loss is a new sign of congestion. After a timeout it is the loss of a
            // retransmission.
            Some(seq) if self.state != State::Recovery => Detect::Lost(seq),
            _ => Detect::Nothing,
        }
    }

    fn enter(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.guard.set(s);
        self.state = State::Recovery;
        self.ceiling = s.pipe() + s.mss;
        self.urgent.push(seq, s.segment_end(seq), Cause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> Advance {
        s.dupacks = 0;
        let lost = self.update(s, a);
        match (&self.state, lost) {
            (State::Open, None) => Advance::Open,
            (State::Open, Some(seq)) => Advance::Lost(seq),
            _ if self.guard.is_fully_acked(s) => self.end(s, w),
            (State::Loss, Some(seq)) => Advance::Lost(seq),
            (State::Loss, None) => Advance::Open,
            (State::Recovery, _) => Advance::Partial { restart: true },
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.start_anew();
        self.state = State::Loss;
        lose_all(s, &mut self.guard, &mut self.urgent);
    }

    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        let ceiling = (self.ceiling as f64 / s.mss as f64).max(whole(w.cwnd));
        let cause = if self.state == State::Loss { Cause::Timeout } else { Cause::Recovery };
        match s.board.first_lost().copied() {
            Some(e) => s.has_room(e.bytes(), s.pipe(), ceiling).then(|| e.again(cause)),
            None => forward(s, s.pipe(), ceiling),
        }
    }

    fn on_sent(&mut self, s: &mut SenderState, _: Time, sent: &Next, earlier: Option<u64>) {
        // Each segment sent lowers the ceiling to one segment below the flight. An ACK therefore releases at
        // most one segment, for any number of reported arrivals. If two ACKs report one arrival each, the
        // second ACK releases a segment.
        self.ceiling = self.ceiling.min(s.pipe().saturating_sub(s.mss).max(s.mss));
        if earlier.is_some() {
            self.repaired += 1;
            self.repairs.retain(|repair| repair.start != sent.start);
            self.repairs.push(Repaired { start: sent.start, number: self.repaired, point: s.nxt });
        }
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        s.pipe()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), Cause::Notice);
    }

    fn agent(&self) -> Agent {
        Agent::Ns2Linux
    }
}
