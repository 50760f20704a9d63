//! Test bench of radio links: a link with a packet queue for each end.
#![allow(dead_code, reason = "a benchmark or an example that includes it uses a part")]

use airhop_base::{AccessCategory, Body, Datagram, FlowId, NodeId, Packet, Rate, Span, Time};
use airhop_engine::{Arena, EventQueue, Id, RandomStreams};
use airhop_radio::PacketTag;
use airhop_radio::arq::{ArqPlan, ArqRules, RetransmissionGroup};
use airhop_radio::layer::{LinkEffect, LostFrame, OutgoingPacket, SentFrame, StationIndex};
use airhop_radio::link::{LinkEnd, RadioEvent, RadioEventKind, RadioLink, RadioPlan};
use std::collections::VecDeque;

/// Effect that a link reports, without its packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Note {
    Delivered { end: LinkEnd, number: u64 },
    Failed { end: LinkEnd, number: u64, attempt: u32, retry: bool },
    Acknowledged { end: LinkEnd, number: u64 },
    Discarded { end: LinkEnd, number: u64, arrived: bool },
    GivenUp { end: LinkEnd, number: u64 },
    Aborted { end: LinkEnd, number: u64 },
    Lost { end: LinkEnd, frame: Option<u64>, bytes: u32, header_intact: bool, with_packet: bool },
    FadeStart(LinkEnd),
    FadeEnd(LinkEnd, Span),
    Transmitted(SentFrame),
    Ready(LinkEnd),
}

/// Returns the radio link of Kounavis 1996 (19.2 kbit/s) with a delay of 10 ms, without errors and without
/// recovery.
pub fn plan() -> RadioPlan {
    RadioPlan::new("air", ["bs", "m"], Rate::from_bps(19_200).into(), Span::from_millis(10))
}

/// Returns a link that is easy to compute by hand: a byte takes a microsecond, and the propagation delay is
/// `delay_us`.
pub fn round(delay_us: u64) -> RadioPlan {
    RadioPlan::new("air", ["bs", "m"], Rate::from_bps(8_000_000).into(), Span::from_micros(delay_us))
}

/// Returns recovery rules with link ACKs of 10 bytes and without a limit of attempts.
pub fn rules(window: u32, timeout_us: u64) -> ArqRules {
    ArqRules { window, timeout: Span::from_micros(timeout_us), max_attempts: None, ack_bytes: 10 }
}

/// Returns go-back-n recovery with these rules.
pub fn go_back(group: RetransmissionGroup, rules: ArqRules) -> ArqPlan {
    ArqPlan::GoBackN { group, rules }
}

/// Number that no link has. Events with it have no effect, and only advance the time.
const ALARM: u16 = u16::MAX;

#[derive(Debug)]
pub struct World {
    pub link: RadioLink,
    pub queue: EventQueue<RadioEvent>,
    pub packets: Arena<Packet>,
    /// Packets queued at each end: bytes, and number.
    pub waiting: [VecDeque<(u32, u64)>; 2],
    /// Length of the packets that each saturated end always has.
    pub saturated: [Option<u32>; 2],
    /// Reported effects with their times, if `keep` is true.
    pub notes: Vec<(Time, Note)>,
    pub keep: bool,
    /// Number of packets queued at each end so far.
    pub handed: [u64; 2],
    /// Number of packets from each end that have been delivered so far.
    pub delivered: [u64; 2],
    effects: Vec<LinkEffect>,
}

impl World {
    pub fn new(plan: &RadioPlan, seed: u64) -> Self {
        World {
            link: RadioLink::new(plan, &RandomStreams::new(seed, 0)),
            queue: EventQueue::new(),
            packets: Arena::new(),
            waiting: [VecDeque::new(), VecDeque::new()],
            saturated: [None; 2],
            notes: Vec::new(),
            keep: true,
            handed: [0; 2],
            delivered: [0; 2],
            effects: Vec::new(),
        }
    }

    /// Queues a packet. Its number is the number of packets queued before it at this end.
    pub fn push(&mut self, end: LinkEnd, bytes: u32) {
        let at = usize::from(end);
        self.waiting[at].push_back((bytes, self.handed[at]));
        self.handed[at] += 1;
        self.feed(end);
    }

    /// Saturates `end`: from now on it always has packets of `bytes` bytes to send.
    pub fn saturate(&mut self, end: LinkEnd, bytes: u32) {
        self.saturated[usize::from(end)] = Some(bytes);
        self.feed(end);
    }

    /// Passes packets from the queue to the link while the link accepts them.
    fn feed(&mut self, end: LinkEnd) {
        let (at, now) = (usize::from(end), self.queue.now());
        while self.link.has_room(end.into()) {
            let next = self.waiting[at].pop_front().or_else(|| {
                let bytes = self.saturated[at]?;
                self.handed[at] += 1;
                Some((bytes, self.handed[at] - 1))
            });
            let Some((bytes, number)) = next else { return };
            let body = Body::Udp(Datagram { sequence_number: number, len: bytes, sent: now, original: None });
            let [from, to] = [end, 1 - end].map(u16::from);
            let packet = self.packets.insert(Packet::new(FlowId(0), NodeId(from), NodeId(to), bytes, body));
            let tag = PacketTag { flow: FlowId(0), payload_bytes: 0, seq: number };
            let category = AccessCategory::default();
            let packet = OutgoingPacket {
                to,
                packet,
                bytes,
                header_bytes: bytes / 4,
                tag,
                category,
                fragmentation: None,
            };
            self.link.send(now, from, packet, &mut self.queue, &mut self.effects);
        }
    }

    /// Simulates up to the time `end`, and sets the current time to `end`, even if no event occurs then.
    pub fn run_until(&mut self, end: Time) {
        self.run(end);
        self.queue.push(end, RadioEvent { link: ALARM, kind: RadioEventKind::Sent(0) });
        self.run(end);
    }

    /// Simulates up to the time `end`.
    pub fn run(&mut self, end: Time) {
        while self.step(end).is_some() {}
    }

    /// Processes the next event, unless it is later than `end`.
    pub fn step(&mut self, end: Time) -> Option<Time> {
        let (now, event) = self.queue.pop_until(end)?;
        if event.link != ALARM {
            self.link.on_event(now, event.kind, &mut self.queue, &mut self.effects);
        }
        for effect in std::mem::take(&mut self.effects) {
            self.take(now, effect);
        }
        Some(now)
    }

    /// Removes a packet from the test bench, and returns its number.
    fn out(&mut self, packet: Id<Packet>) -> u64 {
        let Body::Udp(Datagram { sequence_number: number, .. }) = self.packets.take(packet).body else {
            unreachable!()
        };
        number
    }

    fn take(&mut self, now: Time, effect: LinkEffect) {
        let at = |station: StationIndex| station as LinkEnd;
        let note = match effect {
            LinkEffect::Deliver { from, packet, .. } => {
                self.delivered[usize::from(from)] += 1;
                Note::Delivered { end: at(from), number: self.out(packet) }
            }
            LinkEffect::GivenUp { from, packet, .. } => {
                Note::GivenUp { end: at(from), number: self.out(packet) }
            }
            LinkEffect::Aborted { from, tag, .. } => Note::Aborted { end: at(from), number: tag.seq },
            LinkEffect::AttemptFailed { from, tag, attempt, retry, .. } => {
                Note::Failed { end: at(from), number: tag.seq, attempt, retry }
            }
            LinkEffect::Acknowledged { from, tag, .. } => {
                Note::Acknowledged { end: at(from), number: tag.seq }
            }
            LinkEffect::Discarded { from, tag, packet, .. } => {
                let arrived = packet.is_none();
                packet.map(|p| self.packets.take(p));
                Note::Discarded { end: at(from), number: tag.seq, arrived }
            }
            LinkEffect::FrameLost(LostFrame {
                from,
                bytes,
                packet_number: frame,
                is_header_intact: header_intact,
                packet,
                ..
            }) => {
                let with_packet = packet.is_some();
                packet.map(|p| self.packets.take(p));
                Note::Lost { end: at(from), frame, bytes, header_intact, with_packet }
            }
            LinkEffect::FadeStart { from, .. } => Note::FadeStart(at(from)),
            LinkEffect::FadeEnd { from, lasted, .. } => Note::FadeEnd(at(from), lasted),
            LinkEffect::Transmitted(frame) => Note::Transmitted(frame),
            LinkEffect::Ready(from, _) => {
                self.feed(at(from));
                Note::Ready(at(from))
            }
            LinkEffect::Heard { .. }
            | LinkEffect::Broadcast { .. }
            | LinkEffect::HeaderOnly { .. }
            | LinkEffect::Mpdu(_) => {
                unreachable!("a radio link sends no broadcasts, no fragments and no A-MPDUs")
            }
        };
        if self.keep {
            self.notes.push((now, note));
        }
    }
}
