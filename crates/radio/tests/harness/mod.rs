//! Test bench of this crate: a cell with packet queues for each station.
#![allow(dead_code, reason = "a benchmark or an example that includes it uses a part")]

use airhop_base::{AccessCategory, Body, Datagram, DropCause, FlowId, NodeId, Packet, Rate, Span, Time};
use airhop_engine::{Arena, EventQueue, RandomStreams};
use airhop_radio::PacketTag;
use airhop_radio::cell::{
    AirEvent, Cell, CellEvent, CellPlan, CellRules, LinkErrors, RadioRange, StationIndex,
};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::layer::{
    Fragmentation, FrameKind, LinkEffect, LostFrame, OutgoingPacket, SentFrame, SentMpdu,
};
use airhop_radio::phy::{DATA_OVERHEAD_BYTES, Phy};
use std::collections::VecDeque;

/// Effect that a cell reports, without its packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Note {
    Delivered {
        from: StationIndex,
        to: StationIndex,
        number: u64,
    },
    Heard {
        from: StationIndex,
        to: StationIndex,
    },
    Broadcast {
        from: StationIndex,
        number: u64,
    },
    Failed {
        from: StationIndex,
        number: u64,
        attempt: u32,
        retry: bool,
    },
    Discarded {
        from: StationIndex,
        number: u64,
        arrived: bool,
    },
    HeaderOnly {
        to: StationIndex,
        number: u64,
    },
    Acknowledged {
        from: StationIndex,
        number: u64,
    },
    Lost {
        from: StationIndex,
        to: StationIndex,
        frame: FrameKind,
        bytes: u32,
        cause: DropCause,
        header_intact: bool,
    },
    Transmitted(SentFrame),
    Mpdu(SentMpdu),
    Ready(StationIndex),
    Fade {
        from: StationIndex,
        begins: bool,
    },
}

/// Returns the plan of an 802.11b cell with 11 Mbit/s for data and control frames and ns-2's rules. Its `n`
/// stations are at one point.
pub fn plan(n: usize) -> CellPlan {
    CellPlan {
        overhead_bytes: DATA_OVERHEAD_BYTES,
        rules: CellRules::NS2,
        stations: (0..n).map(|i| (format!("s{i}"), [0.0, 0.0])).collect(),
        ..CellPlan::new("cell", Phy::DSSS, Rate::from_bps(11_000_000))
    }
}

/// Returns [`plan`] with stations on a line at these positions, in metres, and with these ranges.
pub fn line(metres: &[f64], receive: f64, sense: f64) -> CellPlan {
    let mut plan = plan(metres.len());
    plan.stations.iter_mut().zip(metres).for_each(|(s, x)| s.1 = [*x, 0.0]);
    plan.range = Some(RadioRange::free_space(receive, sense));
    plan
}

/// Returns the errors of one directed link.
pub fn on_link(from: StationIndex, to: StationIndex, model: ErrorPlan) -> LinkErrors {
    LinkErrors { from: Some(from), to: Some(to), model }
}

/// Length of the headers of IPv4 (20) and UDP (8), bytes.
pub const UDP_HEADERS: u32 = 28;

#[derive(Debug)]
pub struct World {
    pub cell: Cell,
    pub queue: EventQueue<CellEvent>,
    pub packets: Arena<Packet>,
    /// Packets queued at each station by access category: destination, IP length in bytes, and number.
    pub waiting: Vec<[VecDeque<(StationIndex, u32, u64)>; 4]>,
    /// For each saturated station and access category, the packets that it always has: destination, and IP
    /// length in bytes.
    pub saturated: Vec<[Option<(StationIndex, u32)>; 4]>,
    /// Access category of each queued packet, by its number.
    pub categories: Vec<AccessCategory>,
    /// Reported effects with their times, if `keep` is true.
    pub notes: Vec<(Time, Note)>,
    pub keep: bool,
    /// Fragmentation of all packets.
    pub fragments: Option<Fragmentation>,
    /// Number of packets delivered so far.
    pub delivered: u64,
    /// Number of packets queued so far.
    pub handed: u64,
    effects: Vec<LinkEffect>,
}

impl World {
    pub fn new(plan: &CellPlan, seed: u64) -> Self {
        let n = plan.stations.len();
        World {
            cell: Cell::new(plan, &RandomStreams::new(seed, 0)),
            queue: EventQueue::new(),
            packets: Arena::new(),
            waiting: vec![Default::default(); n],
            saturated: vec![[None; 4]; n],
            categories: Vec::new(),
            notes: Vec::new(),
            keep: true,
            fragments: None,
            delivered: 0,
            handed: 0,
            effects: Vec::new(),
        }
    }

    /// Queues a packet of `bytes` IP bytes. Its number is the number of packets queued before it.
    pub fn push(&mut self, from: StationIndex, to: StationIndex, bytes: u32) {
        self.push_as(AccessCategory::Be, from, to, bytes);
    }

    /// Queues a packet of this access category.
    pub fn push_as(&mut self, category: AccessCategory, from: StationIndex, to: StationIndex, bytes: u32) {
        let number = self.next_number(category);
        self.waiting[usize::from(from)][category as usize].push_back((to, bytes, number));
        self.feed(from, category);
    }

    /// Saturates `from`: from now on it always has a packet of `bytes` IP bytes to send.
    pub fn saturate(&mut self, from: StationIndex, to: StationIndex, bytes: u32) {
        self.saturate_as(AccessCategory::Be, from, to, bytes);
    }

    /// Saturates `from` with packets of this access category.
    pub fn saturate_as(
        &mut self,
        category: AccessCategory,
        from: StationIndex,
        to: StationIndex,
        bytes: u32,
    ) {
        self.saturated[usize::from(from)][category as usize] = Some((to, bytes));
        self.feed(from, category);
    }

    fn next_number(&mut self, category: AccessCategory) -> u64 {
        self.categories.push(category);
        self.handed += 1;
        self.handed - 1
    }

    /// Passes packets from the queue to the station's MAC while the MAC accepts them.
    fn feed(&mut self, station: StationIndex, category: AccessCategory) {
        while self.cell.has_room(station, category) && self.feed_one(station, category) {}
    }

    fn feed_one(&mut self, station: StationIndex, category: AccessCategory) -> bool {
        let (at, of) = (usize::from(station), category as usize);
        let next = self.waiting[at][of].pop_front().or_else(|| {
            let (to, bytes) = self.saturated[at][of]?;
            Some((to, bytes, self.next_number(category)))
        });
        let Some((to, bytes, number)) = next else { return false };
        let body = Body::Udp(Datagram {
            sequence_number: number,
            len: bytes - UDP_HEADERS,
            sent: self.queue.now(),
            original: None,
        });
        let packet = self.packets.insert(Packet::new(FlowId(0), NodeId(station), NodeId(to), bytes, body));
        let tag = PacketTag { flow: FlowId(0), payload_bytes: 0, seq: number };
        let fragments = self.fragments;
        let packet = OutgoingPacket {
            to,
            packet,
            bytes,
            header_bytes: UDP_HEADERS,
            tag,
            category,
            fragmentation: fragments,
        };
        self.cell.send(self.queue.now(), station, packet, &mut self.queue);
        true
    }

    /// Simulates up to the time `end`.
    pub fn run(&mut self, end: Time) {
        while self.step(end).is_some() {}
    }

    /// Processes the next event, unless it is later than `end`.
    pub fn step(&mut self, end: Time) -> Option<Time> {
        let (now, event) = self.queue.pop_until(end)?;
        self.handle(now, event.kind);
        Some(now)
    }

    /// Processes an event that was taken from the queue.
    pub fn handle(&mut self, now: Time, event: AirEvent) {
        self.cell.on_event(now, event, &mut self.queue, &mut self.effects);
        for effect in std::mem::take(&mut self.effects) {
            let note = self.take(effect);
            self.note(now, note);
        }
    }

    fn note(&mut self, now: Time, note: Note) {
        if self.keep {
            self.notes.push((now, note));
        }
    }

    fn take(&mut self, effect: LinkEffect) -> Note {
        match effect {
            LinkEffect::Deliver { from, to, packet, .. } => {
                self.delivered += 1;
                let packet = self.packets.take(packet);
                let Body::Udp(Datagram { sequence_number: number, .. }) = packet.body else { unreachable!() };
                Note::Delivered { from, to, number }
            }
            LinkEffect::Heard { from, to, .. } => Note::Heard { from, to },
            LinkEffect::Broadcast { from, packet, .. } => {
                let Body::Udp(Datagram { sequence_number: number, .. }) = self.packets.take(packet).body
                else {
                    unreachable!()
                };
                Note::Broadcast { from, number }
            }
            LinkEffect::AttemptFailed { from, tag, attempt, retry, .. } => {
                Note::Failed { from, number: tag.seq, attempt, retry }
            }
            LinkEffect::Discarded { from, tag, packet, .. } => {
                let arrived = packet.is_none();
                packet.map(|p| self.packets.take(p));
                Note::Discarded { from, number: tag.seq, arrived }
            }
            LinkEffect::HeaderOnly { to, tag, .. } => Note::HeaderOnly { to, number: tag.seq },
            LinkEffect::Acknowledged { from, tag, .. } => Note::Acknowledged { from, number: tag.seq },
            LinkEffect::FrameLost(LostFrame {
                from,
                to,
                kind: frame,
                bytes,
                cause,
                is_header_intact: header_intact,
                ..
            }) => Note::Lost { from, to, frame, bytes, cause, header_intact },
            LinkEffect::Transmitted(frame) => Note::Transmitted(frame),
            LinkEffect::Mpdu(mpdu) => Note::Mpdu(mpdu),
            LinkEffect::Ready(station, category) => {
                self.feed(station, category);
                Note::Ready(station)
            }
            LinkEffect::FadeStart { from, .. } => Note::Fade { from, begins: true },
            LinkEffect::FadeEnd { from, .. } => Note::Fade { from, begins: false },
            LinkEffect::GivenUp { .. } | LinkEffect::Aborted { .. } => {
                unreachable!("only radio links report that")
            }
        }
    }
}

/// Returns the number of packets per second that saturated stations deliver to station 0, over `seconds`
/// after one second of warm-up.
pub fn saturation(plan: &CellPlan, bytes: u32, seconds: u64, seed: u64) -> f64 {
    let mut world = World::new(plan, seed);
    world.keep = false;
    for station in 1..plan.stations.len() as StationIndex {
        world.saturate(station, 0, bytes);
    }
    world.run(Time::ZERO + Span::from_secs(1));
    let before = world.delivered;
    world.run(Time::ZERO + Span::from_secs(1 + seconds));
    (world.delivered - before) as f64 / seconds as f64
}
