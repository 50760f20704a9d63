use super::{Guard, Prr, Urgent, forward};
use crate::Config;
use crate::scoreboard::Scoreboard;
use crate::seams::{Ack, Advance, Cause, Detect, Next, Recovery, Window};
use crate::space::Space;
use airhop_base::Time;

/// SACK-based loss recovery of RFC 6675. It comes down to the new window at once, by half a round trip of silence, or with PRR evenly.
#[derive(Debug, Default)]
pub struct Rfc6675 {
    board: Scoreboard,
    guard: Guard,
    urgent: Urgent,
    state: State,
    uses_prr: bool,
    prr: Option<Prr>,
    /// Bytes that the last ACK reported for the first time.
    delivered: u64,
}

#[derive(Debug, Default, PartialEq)]
enum State {
    #[default]
    Open,
    /// From a loss until everything outstanding then is acknowledged.
    Recovering {
        /// The rescue retransmission was used (§4 NextSeg (4)).
        rescued: bool,
    },
    /// After a timeout: what is marked lost goes out again under slow start.
    Slow,
}

impl Rfc6675 {
    /// Ready for a new connection.
    pub fn new(c: &Config) -> Self {
        Rfc6675 { uses_prr: c.prr, ..Rfc6675::default() }
    }

    /// The end of the segment that begins at `start`.
    pub(super) fn end_of(&self, start: u64, s: &Space) -> u64 {
        self.board.end_of(start, s)
    }

    /// Lets PRR know of an ACK during recovery.
    fn pace(&mut self, s: &Space, is_safe: bool) {
        let (delivered, in_flight) = (self.delivered, self.in_flight(s));
        if let Some(prr) = self.prr.as_mut().filter(|_| delivered > 0) {
            prr.on_ack(delivered, in_flight, is_safe);
        }
    }

    /// §4 IsLost(): DupThresh discontiguous SACKed runs above a segment, or more than (DupThresh - 1) segments' worth of
    /// SACKed bytes. Marks every segment for which it holds, unless the link layer works on it: those below the run with which enough is SACKed.
    fn update_lost(&mut self, s: &Space, now: Time) {
        let (mut runs, mut bytes) = (0, 0);
        let enough = self.board.sacked_runs().rev().find(|run| {
            runs += 1;
            bytes += run.end - run.start;
            runs >= s.dupthresh || bytes > u64::from(s.dupthresh - 1) * s.mss
        });
        if let Some(run) = enough {
            let edge = run.start;
            self.board.mark_holes_lost(edge, now);
        }
    }

    fn next_in_recovery(&mut self, s: &Space, rescued: bool) -> Option<Next> {
        // §4 NextSeg (1): the lowest lost segment not yet retransmitted.
        let lost = self.board.first_lost().map(|e| e.again(Cause::Recovery));
        // (2): new data.
        if let Some(next) = lost.or_else(|| forward(s, 0, f64::INFINITY)) {
            return Some(next);
        }
        // (3): a hole below the highest SACKed byte, even if it does not look lost yet.
        if let Some(hole) = self.board.first_hole() {
            return Some(hole.again(Cause::Recovery));
        }
        // (4): once per recovery, the highest segment not SACKed.
        let last = self.board.last_missing().filter(|_| !rescued)?;
        self.state = State::Recovering { rescued: true };
        Some(last.again(Cause::Recovery))
    }
}

impl Recovery for Rfc6675 {
    fn on_duplicate(&mut self, s: &mut Space, a: &Ack) -> Detect {
        self.delivered = self.board.on_sack(&a.sack);
        if self.delivered > 0 {
            s.dupacks += 1; // §2: a duplicate ACK carries SACK information that was not known
        }
        self.update_lost(s, a.now);
        self.pace(s, false);
        // RFC 6675 §5.1: after a timeout not before HighACK reaches RecoveryPoint.
        if self.state != State::Open || !self.guard.is_passed(s) {
            return Detect::Nothing;
        }
        let una_lost = self.board.get(s.una).is_some_and(|e| e.lost);
        // §5: (1) DupThresh duplicate ACKs, or (2) IsLost(HighACK + 1).
        if s.dupacks >= s.dupthresh || una_lost { Detect::Lost(s.una) } else { Detect::Nothing }
    }

    fn note(&mut self, _: &mut Space, a: &Ack) {
        self.board.on_sack(&a.sack);
    }

    fn enter(&mut self, s: &mut Space, w: &mut Window, seq: u64) {
        self.guard.set(s);
        self.state = State::Recovering { rescued: false };
        self.board.mark_lost(seq);
        if self.uses_prr {
            let flight = s.nxt - s.una + self.delivered - self.board.sacked_bytes();
            self.prr = Some(Prr::new(s.mss, flight, (w.cwnd * s.mss as f64) as u64));
            self.pace(s, false);
        }
        self.urgent.push(seq, self.board.end_of(seq, s), Cause::Fast);
    }

    fn on_advance(&mut self, s: &mut Space, w: &mut Window, a: &Ack) -> Advance {
        s.dupacks = 0;
        let before = self.board.sacked_bytes();
        self.board.on_cumulative(s.una);
        self.board.on_sack(&a.sack);
        self.delivered = a.acked + self.board.sacked_bytes() - before;
        match self.state {
            State::Open => Advance::Open,
            _ if self.guard.is_passed(s) => {
                let was_fast = matches!(self.state, State::Recovering { .. });
                self.state = State::Open;
                self.prr = None;
                if !was_fast {
                    return Advance::Open;
                }
                w.cwnd = w.ssthresh;
                Advance::Over
            }
            State::Recovering { .. } => {
                let lost = self.board.lost_bytes();
                self.update_lost(s, a.now);
                self.pace(s, self.board.lost_bytes() <= lost);
                Advance::Partial { restart: true }
            }
            State::Slow => Advance::Open,
        }
    }

    fn on_timeout(&mut self, s: &mut Space, _: Time) {
        self.guard.set(s);
        self.state = State::Slow;
        self.prr = None;
        self.urgent.clear();
        s.dupacks = 0;
        self.board.mark_all_lost();
    }

    fn next(&mut self, s: &Space, w: &Window) -> Option<Next> {
        if let Some(next) = self.urgent.pop(s) {
            return Some(next);
        }
        if self.state == State::Open {
            // RFC 5681 §3.1: outside recovery everything outstanding counts.
            return forward(s, s.nxt - s.una, w.cwnd + f64::from(s.limited_transmit_extra()));
        }
        let flight = self.in_flight(s);
        let room =
            self.prr.map_or_else(|| s.has_room(s.mss, flight, w.cwnd), |prr| prr.has_room(s.mss, flight));
        match self.state {
            State::Recovering { rescued } if room => self.next_in_recovery(s, rescued),
            State::Slow if room => {
                let lost = self.board.first_lost().map(|e| e.again(Cause::Timeout));
                lost.or_else(|| forward(s, flight, w.cwnd))
            }
            _ => None,
        }
    }

    fn on_sent(&mut self, now: Time, sent: &Next) {
        self.board.on_sent(now, sent.start, sent.end);
        if let Some(prr) = &mut self.prr {
            prr.on_sent(sent.end - sent.start);
        }
    }

    fn forgive(&mut self, _: &mut Space) -> bool {
        self.state = State::Open;
        self.prr = None;
        self.guard = Guard::default();
        self.urgent.clear();
        self.board.forgive();
        true
    }

    fn is_fast(&self) -> bool {
        matches!(self.state, State::Recovering { .. })
    }

    fn sacked(&self) -> u64 {
        self.board.sacked_bytes()
    }

    fn in_flight(&self, s: &Space) -> u64 {
        self.board.in_flight(s)
    }

    fn is_missing(&self, s: &Space, seq: u64) -> bool {
        self.board.is_missing(s, seq)
    }

    fn retransmit(&mut self, s: &mut Space, seq: u64) {
        self.urgent.push(seq, self.board.end_of(seq, s), Cause::Notice);
    }

    fn hold(&mut self, seq: u64, until: Time) {
        self.board.hold(seq, until);
    }
}
