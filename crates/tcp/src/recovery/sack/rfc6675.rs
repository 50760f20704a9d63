use crate::Config;
use crate::recovery::common::{Guard, Urgent, forward, lose_all};
use crate::recovery::prr::Prr;
use crate::seams::{Ack, Advance, Cause, Detect, Evidence, Next, Recovery, Repair, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// SACK-based loss recovery of RFC 6675. With PRR, the flight decreases evenly to the new window. Without
/// PRR, the sender is silent for half a round trip.
#[derive(Debug, Default)]
pub struct Rfc6675 {
    guard: Guard,
    urgent: Urgent,
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
    fn pace(&mut self, s: &SenderState, is_safe: bool) {
        let (delivered, in_flight) = (s.board.delivered(), s.pipe());
        if let Some(prr) = self.prr.as_mut().filter(|_| delivered > 0) {
            prr.on_ack(delivered, in_flight, is_safe);
        }
    }

    /// Marks every segment lost that satisfies IsLost() (§4), unless a link layer is retransmitting the
    /// segment. IsLost() requires DupThresh discontiguous SACKed ranges, or SACKed bytes of more than
    /// DupThresh - 1 segments, above the segment.
    fn update_lost(s: &mut SenderState, now: Time) {
        let (mut runs, mut bytes) = (0, 0);
        let enough = s.board.sacked_runs().rev().find(|run| {
            runs += 1;
            bytes += run.end - run.start;
            runs >= s.dupthresh || bytes > u64::from(s.dupthresh - 1) * s.mss
        });
        if let Some(run) = enough {
            let edge = run.start;
            s.board.mark_holes_lost(edge, now);
        }
    }

    /// Returns IsLost(HighACK + 1), the condition of §5 (2).
    fn is_head_lost(s: &SenderState) -> bool {
        s.board.lost_bytes() > 0 && s.board.get(s.una).is_some_and(|e| e.lost)
    }

    fn next_in_recovery(&mut self, s: &mut SenderState, rescued: bool) -> Option<Next> {
        // §4 NextSeg (1): the lowest lost segment that was not yet retransmitted.
        let lost = s.board.first_lost().map(|e| e.again(Cause::Recovery));
        // (2): new data.
        if let Some(next) = lost.or_else(|| forward(s, 0, f64::INFINITY)) {
            return Some(next);
        }
        // (3): a hole below the highest SACKed byte, even if IsLost() is false for it.
        if let Some(hole) = s.board.first_hole() {
            return Some(hole.again(Cause::Recovery));
        }
        // (4): the highest segment that is not SACKed, once per recovery.
        let last = s.board.last_missing().filter(|_| !rescued)?;
        self.state = State::Recovering { rescued: true };
        Some(last.again(Cause::Recovery))
    }
}

impl Recovery for Rfc6675 {
    fn on_duplicate(&mut self, s: &mut SenderState, a: &Ack) -> Detect {
        if s.board.newly_sacked() > 0 {
            s.dupacks += 1; // §2: a duplicate ACK contains new SACK information
        }
        Self::update_lost(s, a.now);
        self.pace(s, false);
        // RFC 6675 §5.1: after a timeout, a recovery starts only once HighACK has reached RecoveryPoint.
        if self.state != State::Open || !self.guard.is_fully_acked(s) {
            return Detect::Nothing;
        }
        // §5: (1) DupThresh duplicate ACKs, or (2) IsLost(HighACK + 1).
        if s.dupacks >= s.dupthresh || Self::is_head_lost(s) { Detect::Lost(s.una) } else { Detect::Nothing }
    }

    fn enter(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.guard.set(s);
        self.state = State::Recovering { rescued: false };
        s.board.mark_lost(seq);
        if self.uses_prr {
            let flight = s.nxt - s.una + s.board.delivered() - s.board.sacked_bytes();
            self.prr = Some(Prr::new(s.mss, flight, (w.cwnd * s.mss as f64) as u64));
            self.pace(s, false);
        }
        self.urgent.push(seq, s.segment_end(seq), Cause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> Advance {
        s.dupacks = 0;
        Self::update_lost(s, a.now); // §5: "regardless of its status as a cumulative acknowledgment"
        if !self.guard.is_fully_acked(s) {
            if self.state == State::Slow {
                return Advance::Open;
            }
            self.pace(s, s.board.newly_lost_bytes() == 0);
            return Advance::Partial { restart: true };
        }
        let ends_recovery = self.repair() == Repair::Loss;
        self.state = State::Open;
        self.prr = None;
        // If the scheme classified the loss as no congestion, ssthresh may be infinite and must not become
        // the window.
        if ends_recovery && w.ssthresh.is_finite() {
            w.cwnd = w.ssthresh;
        }
        match ends_recovery {
            _ if Self::is_head_lost(s) => Advance::Lost(s.una),
            true => Advance::Over,
            false => Advance::Open,
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.state = State::Slow;
        self.prr = None;
        lose_all(s, &mut self.guard, &mut self.urgent);
    }

    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        if self.state == State::Open {
            // RFC 5681 §3.1: outside recovery all outstanding data counts.
            return forward(s, s.nxt - s.una, w.cwnd + f64::from(s.limited_transmit_extra()));
        }
        let flight = s.pipe();
        let room =
            self.prr.map_or_else(|| s.has_room(s.mss, flight, w.cwnd), |prr| prr.has_room(s.mss, flight));
        match self.state {
            State::Recovering { rescued } if room => self.next_in_recovery(s, rescued),
            State::Slow if room => {
                let lost = s.board.first_lost().map(|e| e.again(Cause::Timeout));
                lost.or_else(|| forward(s, flight, w.cwnd))
            }
            _ => None,
        }
    }

    fn on_sent(&mut self, _: &mut SenderState, _: Time, sent: &Next, _: Option<u64>) {
        if let Some(prr) = &mut self.prr {
            prr.on_sent(sent.end - sent.start);
        }
    }

    fn forgive(&mut self, s: &mut SenderState, _: Evidence) -> bool {
        self.state = State::Open;
        self.prr = None;
        self.guard = Guard::default();
        self.urgent.clear();
        s.board.forgive();
        true
    }

    /// Returns the repair in progress. Excludes recovery after a timeout.
    fn repair(&self) -> Repair {
        if matches!(self.state, State::Recovering { .. }) { Repair::Loss } else { Repair::Nothing }
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        s.pipe()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), Cause::Notice);
    }
}
