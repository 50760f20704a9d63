//! Captured packets, decoded from bytes: any bytes are a script.

use super::bytes::Bytes;
use airhop_base::{
    AodvMessage, Body, Datagram, Ecn, Eln, Flags, FlowId, NodeId, Notice, NoticeKind, Options, Packet,
    Profile, RareOptions, RouteReply, RouteRequest, Sack, SackBlock, Segment, SegmentArrival, Span, Time,
    Timestamps, UnreachableDestination,
};
use airhop_trace::Direction;

/// Maximum number of nodes and flows.
pub const NODES: u16 = 4;
pub const FLOWS: u16 = 3;
/// Maximum number of events of a script.
const LONGEST: usize = 200;

/// Names that the scenario loader accepts, and some that it rejects.
const NAMES: [&str; 12] =
    ["bs", "BS", "a_b", "a b", "1-a_b", "../etc/x", "..", "", "bücher", "con", "a\nb", "0-BS"];
const COMMENTS: [&str; 6] = ["lost on bs->d: channel", "kept by an agent", "", "x", "é", "three"];

/// Captured run.
#[derive(Debug)]
pub struct Script {
    /// Names of the nodes, all distinct.
    pub nodes: Vec<&'static str>,
    pub duration: Span,
    pub events: Vec<Event>,
}

#[derive(Debug)]
pub enum Event {
    /// Registration of another interface of a node, with this name.
    Interface(NodeId, &'static str),
    /// Transmission or reception of a packet at an interface.
    Crossing(Box<Crossing>),
}

#[derive(Debug)]
pub struct Crossing {
    pub t: Time,
    pub node: NodeId,
    /// Number of the interface, modulo the number of interfaces.
    pub interface: u8,
    pub direction: Direction,
    pub packet: Packet,
    pub comment: Option<&'static str>,
}

/// Decodes the script from bytes.
pub fn read(bytes: &[u8]) -> Script {
    let mut bytes = Bytes(bytes);
    let first = usize::from(bytes.next());
    let count = 1 + usize::from(bytes.next()) % usize::from(NODES);
    let nodes: Vec<_> = (0..count).map(|i| NAMES[(first + i) % NAMES.len()]).collect();
    let duration = bytes.span();
    let begin = |i| Event::Interface(NodeId(i as u16), NAMES[(first + 5 * i) % NAMES.len()]);
    let mut events: Vec<_> = (0..count).map(begin).collect();
    while !bytes.0.is_empty() && events.len() < LONGEST {
        let node = NodeId(u16::from(bytes.next()) % count as u16);
        events.push(match bytes.next() % 8 {
            0 => Event::Interface(node, bytes.one_of(&NAMES)),
            _ => Event::Crossing(Box::new(bytes.crossing(node))),
        });
    }
    Script { nodes, duration, events }
}

impl Bytes<'_> {
    fn crossing(&mut self, node: NodeId) -> Crossing {
        Crossing {
            t: if self.flag() { Time::ZERO + self.span() } else { Time::from_nanos(self.word()) },
            node,
            interface: self.next(),
            direction: self.one_of(&[Direction::In, Direction::Out]),
            comment: self.maybe(|b| b.one_of(&COMMENTS)),
            packet: self.packet(),
        }
    }

    fn packet(&mut self) -> Packet {
        let (flow, src) = (FlowId(u16::from(self.next()) % FLOWS), self.node());
        let (flow, dst, body) = match self.next() % 8 {
            0..=3 => (flow, self.node(), Body::Tcp(self.segment())),
            4 => (flow, self.node(), Body::Udp(self.datagram())),
            5 | 6 => (flow, self.node(), Body::Notice(self.notice(src))),
            _ => (FlowId::NONE, self.anybody(), Body::Routing(self.routing())),
        };
        let bytes = match &body {
            Body::Tcp(s) => 40 + s.option_bytes() + s.len,
            Body::Udp(d) => 28 + d.len,
            Body::Notice(n) => n.datagram_bytes(),
            Body::Routing(message) => 28 + message.message_bytes(),
        };
        // One packet in 64 has a wrong length.
        let bytes = if self.next() % 64 == 63 { bytes + 1 } else { bytes };
        Packet {
            ecn: self.one_of(&Ecn::ALL),
            ttl: self.next(),
            has_payload_errors: self.flag(),
            profile: self.one_of(&[Profile::In, Profile::Out]),
            ..Packet::new(flow, src, dst, bytes, body)
        }
    }

    /// Returns a captured node, or any other node.
    fn node(&mut self) -> NodeId {
        match self.next() {
            byte @ 0..=239 => NodeId(u16::from(byte) % NODES),
            _ => NodeId(self.word() as u16 % u16::MAX),
        }
    }

    fn anybody(&mut self) -> NodeId {
        if self.flag() { NodeId::BROADCAST } else { self.node() }
    }

    /// Returns a stream offset, near or far.
    fn offset(&mut self) -> u64 {
        match self.next() % 4 {
            0 => self.next().into(),
            1 => u64::from(self.next()) * 1000 + 1,
            2 => u64::from(u32::MAX) - 500 + u64::from(self.next()) * 4,
            _ => self.word() >> 4,
        }
    }

    fn length(&mut self) -> u32 {
        match self.next() % 4 {
            0 => 0,
            1 => self.next().into(),
            2 => self.one_of(&[1000, 1460, 536, 65_000]),
            _ => self.word() as u32 % 66_000,
        }
    }

    /// Returns `None` in most calls, because the options of a segment have limited space.
    fn seldom<T>(&mut self, get: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.next().is_multiple_of(4).then(|| get(self))
    }

    fn few(&mut self) -> u8 {
        self.one_of(&[0, 0, 0, 0, 1, 2, 3, 4])
    }

    fn segment(&mut self) -> Segment {
        let bits = self.next();
        let [syn, ack, fin, ece, cwr] = [1, 2, 4, 8, 16].map(|bit| bits & bit != 0);
        let mut sack = Sack::EMPTY;
        for _ in 0..self.few() {
            sack.push(SackBlock { start: self.offset(), end: self.offset() });
        }
        Segment {
            seq: self.offset(),
            len: self.length(),
            ack: self.offset(),
            window: if self.flag() { self.word() } else { 20_000 },
            flags: Flags { syn, ack, fin, psh: false, ece, cwr },
            timestamps: self.seldom(|b| Timestamps { tsval: b.word() as u32, tsecr: b.next().into() }),
            has_header_checksum: self.flag(),
            sack_permitted: syn && fin,
            options: Options::from(RareOptions {
                sack,
                eln: self.seldom(|b| b.maybe(Bytes::offset).map_or(Eln::Next, Eln::Segment)),
                arrival: self.seldom(|b| SegmentArrival { seq: b.offset(), at: Time::from_nanos(b.word()) }),
                naks: (0..self.few()).map(|_| self.offset()).collect(),
                contention_time: self.seldom(|b| Span::from_nanos(b.word())),
                original: None,
            }),
            sent: Time::from_nanos(self.next().into()),
        }
    }

    fn datagram(&mut self) -> Datagram {
        Datagram {
            sequence_number: self.word(),
            len: self.length(),
            sent: Time::from_nanos(self.word()),
            original: None,
        }
    }

    fn notice(&mut self, origin: NodeId) -> Notice {
        let (seq, length) = (self.offset(), u64::from(self.length()));
        let kind = self.one_of(&NoticeKind::ALL);
        let delay = if self.flag() { self.span() } else { Span::from_nanos(self.word()) };
        Notice {
            additional_delay: delay,
            origin,
            created: Time::ZERO + self.span(),
            ..Notice::with_segment(kind, seq, seq + length)
        }
    }

    fn routing(&mut self) -> AodvMessage {
        let (hops, dst, dst_seq) = (self.next(), self.node(), self.one_of(&[0, 1, u32::MAX]));
        match self.next() % 3 {
            0 => AodvMessage::Request(RouteRequest {
                id: self.word() as u32,
                hops,
                dst,
                dst_seq,
                origin: self.node(),
                origin_seq: self.next().into(),
            }),
            1 => {
                let lifetime = Span::from_nanos(self.word());
                AodvMessage::Reply(RouteReply { hops, dst, dst_seq, origin: self.node(), lifetime })
            }
            _ => AodvMessage::Error(vec![UnreachableDestination { dst, dst_seq }; self.next().into()]),
        }
    }
}
