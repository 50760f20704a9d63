use super::frto::{Frto, Verdict};
use super::probe::Probe;
use super::reordering::Reordering;
use super::sending_order::{SendingOrder, Transmission};
use super::{Guard, Prr, Urgent, forward};
use crate::Config;
use crate::meters::least;
use crate::scoreboard::{Scoreboard, Sent, duplicate};
use crate::seams::{Ack, Advance, Cause, Detect, Next, Recovery, Repair, Window};
use crate::space::Space;
use airhop_base::{Span, Time};

/// RACK-TLP (RFC 8985): a segment is lost if one that was sent later has arrived and the time for being overtaken is over. What
/// Linux does by default, with the parts that the configuration switches on: PRR, tail loss probes, F-RTO.
#[derive(Debug)]
pub struct Rack {
    board: Scoreboard,
    /// What is neither known to have arrived nor taken for lost.
    under_way: SendingOrder,
    guard: Guard,
    urgent: Urgent,
    state: State,
    /// The most recently sent segment that arrived; none before there is one.
    newest: Option<Newest>,
    least_rtt: Option<Span>,
    reordering: Reordering,
    /// When the wait for overtaken segments is over.
    wait: Option<Time>,
    probe: Option<Probe>,
    uses_prr: bool,
    uses_frto: bool,
    srtt: Option<Span>,
    news: News,
    /// First bytes of what the last ACK, timer or timeout has shown to be lost, in sequence order.
    newly_lost: Vec<u64>,
}

/// RACK.xmit_ts, RACK.end_seq and RACK.rtt (§5.2).
#[derive(Clone, Copy, Debug)]
struct Newest {
    order: u64,
    rtt: Span,
}

/// What the last ACK said.
#[derive(Clone, Copy, Debug, Default)]
struct News {
    /// Bytes that are newly known to have arrived.
    delivered: u64,
    /// Bytes that are newly known to be lost.
    lost: u64,
    /// Something arrived that was sent once and before the last timeout.
    late: bool,
    /// Something arrived that was sent after the last timeout for the first time.
    beyond: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Open,
    /// From a loss until everything outstanding then is acknowledged.
    Recovering(Option<Prr>),
    /// After a timeout: what is marked lost goes out again under slow start.
    Slow(Option<Frto>),
}

impl Rack {
    /// Ready for a new connection.
    pub fn new(c: &Config) -> Self {
        Rack {
            board: Scoreboard::default(),
            under_way: SendingOrder::default(),
            guard: Guard::default(),
            urgent: Urgent::default(),
            state: State::Open,
            newest: None,
            least_rtt: None,
            reordering: Reordering::default(),
            wait: None,
            probe: c.tlp.then(Probe::default),
            uses_prr: c.prr,
            uses_frto: c.frto,
            srtt: None,
            news: News::default(),
            newly_lost: Vec::new(),
        }
    }

    /// Takes in what an ACK says of arrivals and draws conclusions (§6.2). Returns the first segment that is lost, if one is.
    fn update(&mut self, s: &Space, a: &Ack) -> Option<u64> {
        self.srtt = s.srtt;
        let point = self.guard.recovery_point;
        let Rack { board, under_way, newest, least_rtt, reordering, probe, .. } = self;
        let mut news = News::default();
        board.on_ack(s.una, &a.sack, |e| {
            under_way.remove(e.order);
            news.delivered += e.len();
            news.late |= !e.retransmitted && e.end <= point;
            news.beyond |= e.start >= point;
            note_arrival(newest, least_rtt, e, a.now);
            reordering.on_arrival(e);
            if let Some(probe) = probe.as_mut().filter(|_| !e.retransmitted) {
                probe.on_sample();
            }
        });
        self.reordering.on_ack(s, duplicate(s.una, &a.sack).is_some());
        let lost = self.board.lost_bytes();
        self.find_losses(s, a.now);
        news.lost = self.board.lost_bytes() - lost;
        self.news = news;
        self.first_lost()
    }

    /// §6.2 step 5.
    fn find_losses(&mut self, s: &Space, now: Time) {
        self.wait = None;
        self.newly_lost.clear();
        let Some(newest) = self.newest else { return };
        let is_open = matches!(self.state, State::Open);
        if is_open && self.board.sacked_bytes() == 0 && self.board.lost_bytes() == 0 {
            return; // what arrived last was sent before everything outstanding
        }
        let enough = u64::from(s.dupthresh) * s.mss;
        let is_urgent = !is_open || self.board.sacked_bytes() >= enough;
        let window = self.reordering.window(is_urgent, self.least_rtt, s.srtt);
        let mut next = self.under_way.first();
        while let Some((order, sent)) = next.filter(|&(order, _)| order < newest.order) {
            next = self.under_way.after(&sent);
            let until = sent.at + newest.rtt + window;
            if self.is_held(s, &sent, now) {
                continue;
            }
            if until <= now {
                self.lose(s, order, &sent);
            } else {
                self.wait = Some(until); // the last of them waits longest
            }
        }
        self.newly_lost.sort_unstable(); // they were found in sending order
    }

    /// True if the link layer works on it (ERSN).
    fn is_held(&self, s: &Space, sent: &Transmission, now: Time) -> bool {
        self.board.get(sent.first(s)).is_some_and(|e| e.held_until > now)
    }

    /// Takes a transmission that is under way for lost.
    fn lose(&mut self, s: &Space, order: u64, sent: &Transmission) {
        self.under_way.remove(order);
        self.board.mark_lost(sent.first(s));
        self.newly_lost.push(sent.first(s));
    }

    fn first_lost(&mut self) -> Option<u64> {
        self.board.first_lost().map(|e| e.start)
    }

    /// §7.2: the probe timer starts when nothing is wrong and something is outstanding.
    fn arm_probe(&mut self, now: Time) {
        let is_calm = matches!(self.state, State::Open) && self.board.sacked_bytes() == 0;
        let outstanding = self.board.len();
        if let Some(probe) = &mut self.probe {
            probe.due = None;
            if is_calm && outstanding > 0 {
                probe.arm(now, self.srtt, outstanding == 1);
            }
        }
    }

    /// §7.3: new data if there is some and the receiver takes it, whatever cwnd; else the last segment once more.
    fn send_probe(&mut self, s: &Space) -> Detect {
        let Some(probe) = self.probe.as_mut() else { return Detect::Nothing };
        probe.due = None;
        let may_go = matches!(self.state, State::Open) && probe.may_go();
        let fresh = forward(s, 0, f64::INFINITY).map(|next| (next.start, next.end, None));
        let tail = self.board.last().map(|e| (e.start, e.end, Some(e.start)));
        let Some((start, end, again)) = fresh.or(tail).filter(|_| may_go) else { return Detect::Nothing };
        probe.on_sent(end.max(s.nxt), again);
        self.urgent.push(start, end, Cause::Probe);
        Detect::Probe
    }

    /// What an ACK means during F-RTO. True if the timeout was for nothing.
    fn on_frto_ack(&mut self, s: &Space, a: &Ack) -> bool {
        let State::Slow(Some(frto)) = self.state else { return false };
        let News { late, beyond, .. } = self.news;
        let verdict = frto.on_ack(s, a, late, beyond, self.guard.recovery_point);
        match verdict {
            Verdict::Open(next) => self.state = State::Slow(Some(next)),
            Verdict::Lost => self.state = State::Slow(None),
            Verdict::Spurious => {}
        }
        verdict == Verdict::Spurious
    }

    /// The next segment of fast recovery: what is lost before what is new.
    fn next_in_recovery(&mut self, s: &Space, cause: Cause, has_room: impl Fn(u64) -> bool) -> Option<Next> {
        let lost = self.board.first_lost().map(|e| e.again(cause));
        let next = lost.or_else(|| forward(s, 0, f64::INFINITY))?;
        has_room(next.end - next.start).then_some(next)
    }
}

/// §6.2 steps 1 and 2.
fn note_arrival(newest: &mut Option<Newest>, least_rtt: &mut Option<Span>, e: &Sent, now: Time) {
    let rtt = now - e.at;
    if !e.retransmitted {
        *least_rtt = least(*least_rtt, rtt);
    } else if least_rtt.is_some_and(|least| rtt < least) {
        return; // too soon: it is an earlier transmission that arrived
    }
    if newest.is_none_or(|newest| e.order > newest.order) {
        *newest = Some(Newest { order: e.order, rtt });
    }
}

impl Recovery for Rack {
    fn on_duplicate(&mut self, s: &mut Space, a: &Ack) -> Detect {
        let lost = self.update(s, a);
        if let Some(probe) = &mut self.probe {
            probe.on_ack(s, a);
        }
        self.arm_probe(a.now);
        let in_flight = self.in_flight(s);
        let is_spurious = self.on_frto_ack(s, a);
        match &mut self.state {
            State::Open => lost.map_or(Detect::Nothing, Detect::Lost),
            State::Recovering(prr) => {
                if let Some(prr) = prr.as_mut().filter(|_| self.news.delivered > 0) {
                    prr.on_ack(self.news.delivered, in_flight, false);
                }
                Detect::Nothing
            }
            State::Slow(_) if is_spurious => Detect::Spurious,
            State::Slow(_) => Detect::Nothing,
        }
    }

    fn note(&mut self, s: &mut Space, a: &Ack) {
        self.update(s, a);
        if let Some(probe) = &mut self.probe {
            probe.on_ack(s, a);
        }
    }

    fn enter(&mut self, s: &mut Space, w: &mut Window, seq: u64) {
        self.guard.set(s);
        if let Some(probe) = &mut self.probe {
            probe.forget();
        }
        let News { delivered, .. } = self.news;
        self.state = State::Recovering(self.uses_prr.then(|| {
            // RFC 9937 §6.1: what was reported before this ACK has left already.
            let flight = s.nxt - s.una + delivered - self.board.sacked_bytes();
            let mut prr = Prr::new(s.mss, flight, (w.cwnd * s.mss as f64) as u64);
            prr.on_ack(delivered, self.in_flight(s), false);
            prr
        }));
        self.urgent.push(seq, self.board.end_of(seq, s), Cause::Fast);
    }

    fn on_advance(&mut self, s: &mut Space, _: &mut Window, a: &Ack) -> Advance {
        let mut lost = self.update(s, a);
        let repaired = self.probe.as_mut().and_then(|probe| probe.on_ack(s, a));
        let in_flight = self.in_flight(s);
        let News { delivered, lost: newly_lost, .. } = self.news;
        let is_passed = self.guard.is_passed(s);
        let is_spurious = self.on_frto_ack(s, a);
        let advance = match &mut self.state {
            State::Open => lost.map_or(Advance::Open, Advance::Lost),
            State::Recovering(prr) if !is_passed => {
                if let Some(prr) = prr {
                    prr.on_ack(delivered, in_flight, newly_lost == 0);
                }
                lost = None;
                Advance::Partial { restart: true }
            }
            State::Slow(_) if !is_passed => {
                lost = None;
                if is_spurious { Advance::Spurious } else { Advance::Open }
            }
            // The ACK that ends it may show the next loss at once.
            over => {
                let was_slow = matches!(over, State::Slow(_));
                self.state = State::Open;
                self.reordering.on_recovered();
                match lost {
                    Some(seq) => Advance::Lost(seq),
                    None if was_slow => Advance::Open,
                    None => Advance::Over,
                }
            }
        };
        self.arm_probe(a.now);
        match repaired {
            Some(seq) if lost.is_none() && matches!(self.state, State::Open) => Advance::Repaired(seq),
            _ => advance,
        }
    }

    fn on_timeout(&mut self, s: &mut Space, now: Time) {
        // RFC 5682 §3.1 step 1: not if the last recovery is still unfinished.
        let may_doubt = self.uses_frto && self.guard.is_passed(s);
        self.guard.set(s);
        self.state = State::Slow(may_doubt.then_some(Frto::AwaitsAnswer));
        self.urgent.clear();
        self.wait = None;
        if let Some(probe) = &mut self.probe {
            probe.forget();
        }
        // RFC 8985 §6.3: what was sent a moment ago may yet arrive.
        let rtt = self.newest.map_or(Span::ZERO, |newest| newest.rtt);
        let window = self.reordering.window(true, self.least_rtt, s.srtt);
        self.newly_lost.clear();
        if let Some(first) = self.board.iter().next() {
            self.under_way.remove(first.order);
            self.newly_lost.push(first.start);
        }
        self.board.mark_first_lost();
        while let Some((order, sent)) =
            self.under_way.first().filter(|(_, sent)| sent.at + rtt + window <= now)
        {
            self.lose(s, order, &sent);
        }
        self.newly_lost.sort_unstable();
        self.urgent.push(s.una, self.board.end_of(s.una, s), Cause::Timeout);
    }

    fn next(&mut self, s: &Space, w: &Window) -> Option<Next> {
        if let Some(next) = self.urgent.pop(s) {
            return Some(next);
        }
        let flight = self.in_flight(s);
        match self.state {
            // RFC 3042, and beyond: each segment that has arrived makes room for one.
            State::Open if s.limited_transmit => forward(s, flight, w.cwnd),
            State::Open => forward(s, flight + self.board.sacked_bytes(), w.cwnd),
            State::Recovering(Some(prr)) => {
                self.next_in_recovery(s, Cause::Recovery, |len| prr.has_room(len, flight))
            }
            State::Recovering(None) => {
                self.next_in_recovery(s, Cause::Recovery, |len| s.has_room(len, flight, w.cwnd))
            }
            // RFC 5682 §3.1 step 2: nothing but the first segment until that is answered.
            State::Slow(Some(Frto::AwaitsAnswer)) => None,
            State::Slow(Some(Frto::AwaitsVerdict { point })) => {
                let fresh = forward(s, flight, w.cwnd).filter(|next| next.start < point + 2 * s.mss);
                if fresh.is_none() && s.nxt == point {
                    self.state = State::Slow(None); // nothing new can be sent: conventional recovery
                    return self.next(s, w);
                }
                fresh
            }
            State::Slow(None) => {
                self.next_in_recovery(s, Cause::Timeout, |len| s.has_room(len, flight, w.cwnd))
            }
        }
    }

    fn deadline(&self) -> Option<Time> {
        let probe = self.probe.and_then(|probe| probe.due);
        [self.wait, probe].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, s: &mut Space, now: Time) -> Detect {
        if self.wait.is_some_and(|until| until <= now) {
            self.news = News::default();
            self.find_losses(s, now);
            let lost = self.first_lost().filter(|_| matches!(self.state, State::Open));
            return lost.map_or(Detect::Nothing, Detect::Lost);
        }
        self.send_probe(s)
    }

    fn probe_instead(&mut self, s: &mut Space, _: Time) -> bool {
        let is_due = self.probe.is_some_and(|probe| probe.due.is_some());
        is_due && self.send_probe(s) == Detect::Probe
    }

    fn on_sent(&mut self, now: Time, sent: &Next) {
        if let Some(before) = self.board.on_sent(now, sent.start, sent.end) {
            self.under_way.remove(before);
        }
        if let Some(e) = self.board.get(sent.start).filter(|e| !e.sacked) {
            self.under_way.push(e.order, e.start, e.at);
        }
        if let State::Recovering(Some(prr)) = &mut self.state {
            prr.on_sent(sent.end - sent.start);
        }
        if sent.cause == Cause::New {
            self.arm_probe(now);
        }
    }

    fn forgive(&mut self, _: &mut Space) -> bool {
        self.state = State::Open;
        self.guard = Guard::default();
        self.urgent.clear();
        self.board.forgive();
        self.under_way.clear();
        let mut missing: Vec<&Sent> = self.board.iter().filter(|e| !e.sacked).collect();
        missing.sort_by_key(|e| e.order);
        missing.into_iter().for_each(|e| self.under_way.push(e.order, e.start, e.at));
        true
    }

    fn is_fast(&self) -> bool {
        matches!(self.state, State::Recovering(_))
    }

    fn repair(&self) -> Repair {
        match self.state {
            State::Open => Repair::Nothing,
            State::Recovering(_) => Repair::Loss,
            State::Slow(_) => Repair::Timeout,
        }
    }

    fn sacked(&self) -> u64 {
        self.board.sacked_bytes()
    }

    fn lost(&self) -> u64 {
        self.board.all_lost()
    }

    fn each_newly_lost(&self, visit: &mut dyn FnMut(u64)) {
        self.newly_lost.iter().for_each(|&start| visit(start));
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

    fn goes_by_order(&self) -> bool {
        true
    }

    fn hold(&mut self, seq: u64, until: Time) {
        self.board.hold(seq, until);
    }
}
