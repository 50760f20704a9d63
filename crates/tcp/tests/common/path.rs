//! A sender and a receiver on a path that loses, delays and duplicates packets as a test specifies.

use super::{MSS, byte, label, number, segment, sender};
use airhop_base::{
    Body, Ecn, Eln, FlowId, Naks, NodeId, Notice, NoticeKind, Packet, Rate, Segment, Span, Time,
};
use airhop_tcp::{Config, Receiver, Sender, SenderState};
use std::collections::{BTreeMap, BTreeSet};

/// Outcome of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Fate {
    /// Arrival after the delay of the path.
    #[default]
    Arrives,
    /// Arrival with this additional delay.
    Late(Span),
    /// Arrival, and a second arrival with this additional delay.
    Twice(Span),
    /// Arrival with a router's ECN mark (RFC 3168 §5).
    Congested,
    /// Loss without a notice (congestion).
    Lost,
    /// Loss on the air; an ELN reaches the sender this long after the transmission.
    Noticed(Span),
    /// Loss on the air; an ELN reaches the sender twice, at these times after the transmission.
    NoticedTwice(Span, Span),
    /// Arrival with intact headers and a damaged payload.
    Damaged,
    /// For an ACK: arrival with the ELN bit set by a node of the path.
    Marked,
    /// For an ACK: arrival with an ELN for the segment that begins at this byte.
    Names(u64),
    /// Drop by a MAC this long after the transmission, which adds a NAK to the next ACK.
    Dropped(Span),
    /// For an ACK: arrival with a NAK for the segment that begins at this byte.
    Nak(u64),
    /// Retransmission by the link layer: an ERSN reaches the sender after the first span; the segment reaches
    /// the receiver with the second span as additional delay.
    Repeated(Span, Span),
    /// Retransmission by the link layer without success: an ERSN reaches the sender after the first span, an
    /// ELN after the second.
    GivenUp(Span, Span),
}

/// A path.
#[derive(Clone, Debug)]
pub struct Path {
    /// One-way delay of each direction.
    pub delay: Span,
    /// Bottleneck towards the receiver: rate, and queue capacity in packets; `None`: no bottleneck.
    pub bottleneck: Option<(Rate, usize)>,
    /// Outcomes of segments, by segment number and transmission, both from 1.
    pub data: BTreeMap<(u64, u32), Fate>,
    /// Outcomes of ACKs, by number from 1.
    pub acks: BTreeMap<u64, Fate>,
    /// Number of lost SYNs, the first in sending order.
    pub lost_syns: u32,
    /// Number of lost SYN-ACKs, the first in sending order.
    pub lost_syn_acks: u32,
    /// Notices that reach the sender at given times, without a cause.
    pub notices: Vec<(Time, Notice)>,
}

impl Path {
    /// Returns a path with this one-way delay and no losses.
    pub fn of(ms: u64) -> Self {
        Path {
            delay: Span::from_millis(ms),
            bottleneck: None,
            data: BTreeMap::new(),
            acks: BTreeMap::new(),
            lost_syns: 0,
            lost_syn_acks: 0,
            notices: Vec::new(),
        }
    }

    /// Loses the first transmission of these segments, without notices.
    pub fn losing(self, segments: &[u64]) -> Self {
        segments.iter().fold(self, |p, &n| p.with(n, 1, Fate::Lost))
    }

    /// Sets the outcome of a transmission.
    pub fn with(mut self, segment: u64, nth: u32, fate: Fate) -> Self {
        self.data.insert((segment, nth), fate);
        self
    }
}

/// Segment as sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// Time of transmission.
    pub time: Time,
    /// The segment itself.
    pub segment: Segment,
    /// Number of the segment and cause of its transmission.
    pub label: String,
}

/// Observer of ACKs and segments.
pub trait Observer {
    /// Called before an ACK is processed.
    fn acknowledged(&mut self, _ack: &Segment, _sender: &Sender) {}
    /// Called after an ACK was processed.
    fn processed(&mut self, _sender: &Sender) {}
    /// Called after the timer expired.
    fn expired(&mut self, _sender: &Sender) {}
    /// Called before a notice is processed.
    fn noticed(&mut self, _n: &Notice) {}
    /// Called after a segment was sent; `before` is the sender's state before the transmission.
    fn sent(&mut self, _before: &SenderState, _segment: &Segment, _sender: &Sender) {}
}

/// Observer without effect.
pub struct Blind;
impl Observer for Blind {}

enum Event {
    Data(Packet),
    Ack(Packet),
    Notice(Notice),
}

/// Transfer in progress.
pub struct Transfer<O: Observer = Blind> {
    pub sender: Sender,
    pub receiver: Receiver,
    pub observer: O,
    pub now: Time,
    /// Every segment sent, in order.
    pub log: Vec<Sent>,
    /// cwnd after every event.
    pub cwnd: Vec<(Time, f64)>,
    path: Path,
    events: BTreeMap<(Time, u64), Event>,
    scheduled: u64,
    transmissions: BTreeMap<u64, u32>,
    acks: u64,
    busy_until: Time,
    /// First byte that has not reached the receiver, computed independently of the receiver.
    expected: u64,
    /// Ranges that reached the receiver out of order, by first byte.
    arrived: BTreeMap<u64, u64>,
    /// NAKs for the next ACK, with the times from which on they are available.
    naks: BTreeSet<(Time, u64)>,
}

impl Transfer {
    /// Creates a transfer of `segments` full segments of `scheme` over `path`.
    pub fn new(scheme: &str, config: &Config, path: Path, segments: u64) -> Self {
        Transfer::watched(sender(scheme, &[], config), scheme, config, path, byte(segments + 1) - 1, Blind)
    }

    /// Creates a transfer as [`Transfer::new`], with parameters of the scheme.
    pub fn given(scheme: &str, given: &[(&str, f64)], config: &Config, path: Path, segments: u64) -> Self {
        let bytes = byte(segments + 1) - 1;
        Transfer::watched(sender(scheme, given, config), scheme, config, path, bytes, Blind)
    }

    /// Runs a transfer of [`Transfer::new`] to its end.
    pub fn run(scheme: &str, config: &Config, path: Path, segments: u64) -> Self {
        Transfer::run_with(scheme, &[], config, path, segments)
    }

    /// Runs a transfer to its end, with parameters of the scheme.
    pub fn run_with(scheme: &str, given: &[(&str, f64)], config: &Config, path: Path, segments: u64) -> Self {
        let bytes = byte(segments + 1) - 1;
        let mut t = Transfer::watched(sender(scheme, given, config), scheme, config, path, bytes, Blind);
        t.run_until(Time::ZERO + Span::from_secs(100_000));
        assert_eq!(
            t.receiver.delivered_bytes(),
            byte(segments + 1) - 1,
            "the transfer did not end: {}",
            t.trace()
        );
        t
    }
}

impl<O: Observer> Transfer<O> {
    /// Creates a transfer of `bytes` bytes from `sender`, of `scheme`, over `path`, with an observer.
    pub fn watched(
        sender: Sender,
        scheme: &str,
        config: &Config,
        path: Path,
        bytes: u64,
        observer: O,
    ) -> Self {
        let features = airhop_tcp::find_scheme(scheme).expect("a known scheme").features;
        let mut t = Transfer {
            sender,
            receiver: Receiver::new(FlowId(0), NodeId(1), NodeId(0), config, features),
            observer,
            now: Time::ZERO,
            log: Vec::new(),
            cwnd: Vec::new(),
            events: BTreeMap::new(),
            scheduled: 0,
            transmissions: BTreeMap::new(),
            acks: 0,
            busy_until: Time::ZERO,
            expected: 1,
            arrived: BTreeMap::new(),
            naks: BTreeSet::new(),
            path,
        };
        for (time, notice) in std::mem::take(&mut t.path.notices) {
            t.schedule(time, Event::Notice(notice));
        }
        t.sender.supply_data(bytes);
        t.pump();
        t
    }

    /// Supplies `bytes` more bytes of application data at `now`.
    pub fn supply(&mut self, now: Time, bytes: u64) {
        self.now = now;
        self.sender.supply_data(bytes);
        self.pump();
    }

    /// Closes the sender's side at `now`.
    pub fn close(&mut self, now: Time) {
        self.now = now;
        self.sender.close();
        self.pump();
    }

    /// Returns the time of the next event; `None` if no event is left.
    fn next(&self) -> Option<Time> {
        let event = self.events.keys().next().map(|k| k.0);
        [event, self.sender.poll_timeout(), self.receiver.poll_timeout()].into_iter().flatten().min()
    }

    /// Runs until no event is left, or until `end`.
    pub fn run_until(&mut self, end: Time) {
        while let Some(now) = self.next().filter(|&t| t <= end) {
            self.step(now);
        }
    }

    fn step(&mut self, now: Time) {
        assert!(now >= self.now, "a timer that was due in the past");
        self.now = now;
        // Arrivals at the time of a timeout are processed before the timeout.
        if let Some(entry) = self.events.first_entry().filter(|e| e.key().0 == now) {
            match entry.remove() {
                Event::Data(p) => self.arrive(&p),
                Event::Ack(p) => {
                    self.observer.acknowledged(segment(&p), &self.sender);
                    self.sender.on_segment(now, &p);
                    self.observer.processed(&self.sender);
                }
                Event::Notice(n) => {
                    self.observer.noticed(&n);
                    self.sender.on_notice(now, n);
                }
            }
        } else if self.sender.poll_timeout() == Some(now) {
            self.sender.on_timeout(now);
            self.observer.expired(&self.sender);
        } else {
            self.receiver.on_timeout(now);
        }
        self.pump();
        self.check();
    }

    /// Checks the invariants of every scheme after an event.
    fn check(&self) {
        let w = self.sender.window();
        assert!(w.cwnd >= 1.0 && w.cwnd.is_finite() && w.ssthresh >= 1.0, "{w:?}");
        if self.sender.state().has_outstanding_data() {
            assert!(self.sender.poll_timeout().is_some(), "outstanding data and no timer at {}", self.now);
        }
        let fin = u64::from(self.receiver.has_ended());
        assert_eq!(
            self.receiver.delivered_bytes() + fin,
            self.expected - 1,
            "delivered data differs from the data that arrived in order"
        );
    }

    fn arrive(&mut self, p: &Packet) {
        let s = segment(p);
        if s.has_data_or_fin() && !p.has_payload_errors {
            let end = self.arrived.entry(s.seq).or_insert(0);
            *end = s.end().max(*end);
            while let Some(first) = self.arrived.first_entry().filter(|first| *first.key() <= self.expected) {
                self.expected = self.expected.max(first.remove());
            }
        }
        self.receiver.on_segment(self.now, p);
    }

    fn pump(&mut self) {
        loop {
            let before = self.sender.state().clone();
            let Some(p) = self.sender.poll_transmit(self.now) else { break };
            let s = segment(&p).clone();
            let label = label(&s, self.sender.last_transmission_cause());
            self.observer.sent(&before, &s, &self.sender);
            self.log.push(Sent { time: self.now, segment: s, label });
            self.forward(p);
        }
        while let Some(p) = self.receiver.poll_transmit(self.now) {
            self.back(p);
        }
        self.cwnd.push((self.now, self.sender.window().cwnd));
    }

    fn forward(&mut self, p: Packet) {
        let s = segment(&p).clone();
        let n = number(s.seq.max(1));
        let nth = self.transmissions.entry(s.seq).or_insert(0);
        *nth += 1;
        if s.flags.syn {
            if *nth > self.path.lost_syns {
                self.schedule(self.now + self.path.delay, Event::Data(p));
            }
            return;
        }
        let fate = if s.has_data_or_fin() {
            self.path.data.get(&(n, *nth)).copied().unwrap_or_default()
        } else {
            Fate::Arrives
        };
        let Some(departure) = self.serve(p.bytes) else { return };
        let (now, arrival) = (self.now, departure + self.path.delay);
        let mut notice = |kind, after| {
            let n = Notice::with_segment(kind, s.seq, s.end());
            self.scheduled += 1;
            self.events.insert((now + after, self.scheduled), Event::Notice(n));
        };
        match fate {
            Fate::Noticed(after) => notice(NoticeKind::Eln, after),
            Fate::NoticedTwice(first, then) => {
                notice(NoticeKind::Eln, first);
                notice(NoticeKind::Eln, then);
            }
            Fate::Repeated(after, _) => notice(NoticeKind::Ersn, after),
            Fate::Dropped(after) => drop(self.naks.insert((now + after, s.seq))),
            Fate::GivenUp(first, then) => {
                notice(NoticeKind::Ersn, first);
                notice(NoticeKind::Eln, then);
            }
            _ => {}
        }
        match fate {
            Fate::Arrives | Fate::Marked | Fate::Names(_) | Fate::Nak(_) => {
                self.schedule(arrival, Event::Data(p))
            }
            Fate::Congested => {
                assert_eq!(p.ecn, Ecn::Ect0, "only ECN-capable packets are marked");
                self.schedule(arrival, Event::Data(Packet { ecn: Ecn::Ce, ..p }));
            }
            Fate::Damaged => self.schedule(arrival, Event::Data(Packet { has_payload_errors: true, ..p })),
            Fate::Late(by) | Fate::Repeated(_, by) => self.schedule(arrival + by, Event::Data(p)),
            Fate::Twice(by) => {
                self.schedule(arrival, Event::Data(p.clone()));
                self.schedule(arrival + by, Event::Data(p));
            }
            Fate::Lost | Fate::Noticed(_) | Fate::NoticedTwice(..) | Fate::GivenUp(..) | Fate::Dropped(_) => {
            }
        }
    }

    /// Returns the time at which a packet leaves the bottleneck; `None` if the queue is full.
    fn serve(&mut self, bytes: u32) -> Option<Time> {
        let Some((rate, room)) = self.path.bottleneck else { return Some(self.now) };
        let start = self.busy_until.max(self.now);
        let waiting = start.since(self.now).whole_multiples(rate.time_for_bytes(MSS)) as usize;
        if waiting > room {
            return None;
        }
        self.busy_until = start + rate.time_for_bytes(bytes);
        Some(self.busy_until)
    }

    fn back(&mut self, mut p: Packet) {
        if segment(&p).flags.syn {
            if self.path.lost_syn_acks > 0 {
                self.path.lost_syn_acks -= 1;
                return;
            }
            return self.schedule(self.now + self.path.delay, Event::Ack(p));
        }
        self.acks += 1;
        let arrival = self.now + self.path.delay;
        let Body::Tcp(ack) = &mut p.body else { unreachable!("a receiver sends segments") };
        while let Some(nak) =
            self.naks.first().filter(|nak| nak.0 <= self.now && ack.options.naks.len() < Naks::MAX_NAKS)
        {
            ack.options.naks.insert(nak.1);
            self.naks.pop_first();
        }
        match self.path.acks.get(&self.acks).copied().unwrap_or_default() {
            Fate::Late(by) => self.schedule(arrival + by, Event::Ack(p)),
            Fate::Twice(by) => {
                self.schedule(arrival, Event::Ack(p.clone()));
                self.schedule(arrival + by, Event::Ack(p));
            }
            Fate::Arrives => self.schedule(arrival, Event::Ack(p)),
            Fate::Nak(seq) => {
                ack.options.naks.insert(seq);
                self.schedule(arrival, Event::Ack(p));
            }
            fate @ (Fate::Marked | Fate::Names(_)) => {
                let eln = if let Fate::Names(seq) = fate { Eln::Segment(seq) } else { Eln::Next };
                ack.options.eln = Some(eln);
                self.schedule(arrival, Event::Ack(p));
            }
            _ => {}
        }
    }

    fn schedule(&mut self, time: Time, e: Event) {
        self.scheduled += 1;
        self.events.insert((time, self.scheduled), e);
    }

    /// Returns every segment with its time in milliseconds, one line per time.
    pub fn trace(&self) -> String {
        let mut lines: Vec<(Time, String)> = Vec::new();
        for s in &self.log {
            match lines.last_mut().filter(|l| l.0 == s.time) {
                Some(line) => {
                    line.1.push(' ');
                    line.1.push_str(&s.label);
                }
                None => lines.push((s.time, s.label.clone())),
            }
        }
        lines.iter().map(|(t, s)| format!("{:>8.1}  {s}", t.secs_f64() * 1e3)).collect::<Vec<_>>().join("\n")
    }

    /// Returns a line per round trip: number of the round, number of segments sent, cwnd at the end, and the
    /// retransmitted segments.
    pub fn rounds(&self) -> String {
        let rtt = self.path.delay * 2;
        let round = |t: Time| t.since(Time::ZERO).whole_multiples(rtt);
        let last = self.log.last().map_or(0, |s| round(s.time));
        let mut lines = Vec::new();
        for k in 0..=last {
            let sent: Vec<&Sent> = self.log.iter().filter(|s| round(s.time) == k).collect();
            if sent.is_empty() {
                continue;
            }
            let cwnd = self.cwnd.iter().rev().find(|(t, _)| round(*t) <= k).map_or(0.0, |c| c.1);
            let again: Vec<&str> = sent
                .iter()
                .map(|s| s.label.as_str())
                .filter(|l| l.ends_with(|c: char| !c.is_ascii_digit()))
                .collect();
            lines.push(
                format!("{k:>3} {:>3} {cwnd:>6.2}  {}", sent.len(), again.join(" ")).trim_end().to_string(),
            );
        }
        lines.join("\n")
    }
}
