//! What travels: IP packets that carry a TCP segment, a datagram, a notice or a routing message.
//!
//! A packet is a plain value, small enough to copy through an arena. The `wire` crate turns it into real bytes.

use crate::{Notice, Original, Routing, Segment, Time};

/// IPv4 (20) and TCP (20) headers without options, in bytes; also the length of a pure ACK.
pub const HEADER_BYTES: u32 = 40;

/// IPv4 (20) and UDP (8) headers, in bytes.
pub const UDP_HEADER_BYTES: u32 = 28;

/// A node of the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u16);

impl NodeId {
    /// Everybody who hears it: the destination of a broadcast. No node has this number.
    pub const BROADCAST: NodeId = NodeId(u16::MAX);
}

/// A flow: one sender, one receiver, in the order of the scenario file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u16);

impl FlowId {
    /// What belongs to no flow: routing messages. No flow has this number.
    pub const NONE: FlowId = FlowId(u16::MAX);

    /// Its place among the flows, unless it is none.
    pub fn index(self) -> Option<usize> {
        (self != FlowId::NONE).then_some(usize::from(self.0))
    }
}

/// An IP packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// The flow it belongs to; a notice belongs to the flow that it is about.
    pub flow: FlowId,
    /// Where it was made.
    pub src: NodeId,
    /// Where it goes.
    pub dst: NodeId,
    /// ECN field of the IP header (RFC 3168 §5).
    pub ecn: Ecn,
    /// How much a biased queue spares it.
    pub profile: Profile,
    /// Bit errors hit its payload; its headers are intact. Only the receiver of a scheme that asks for such packets meets one.
    pub damaged: bool,
    /// Hops that it may still go. Only on-demand routing counts them: static routes have no loops.
    pub ttl: u8,
    /// Length of the IP datagram in bytes, headers and options included.
    pub bytes: u32,
    /// What it carries.
    pub body: Body,
}

/// What a packet carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A TCP segment.
    Tcp(Segment),
    /// A UDP datagram, or what a real host sent that is not TCP.
    Udp(Datagram),
    /// An explicit notification about a TCP flow, on its way to the sender.
    Notice(Notice),
    /// A message between the routers of two neighbours.
    Routing(Routing),
}

/// ECN codepoint of the IP header (RFC 3168 §5); its number is that of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct = 0b00,
    /// ECN-capable transport, ECT(1). Queues treat it as ECT(0): L4S (RFC 9331) is not modelled.
    Ect1 = 0b01,
    /// ECN-capable transport, ECT(0).
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// All codepoints; the number of one is its place.
    pub const ALL: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

    /// The codepoint in the last two bits of the traffic class.
    pub const fn of_traffic_class(byte: u8) -> Ecn {
        Ecn::ALL[(byte & 0b11) as usize]
    }

    /// True if a queue may mark the packet in place of dropping it: ECT(0), ECT(1) or CE (RFC 3168 §5).
    pub const fn is_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }

    /// Its name in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Ecn::NotEct => "not-ect",
            Ecn::Ect1 => "ect1",
            Ecn::Ect0 => "ect0",
            Ecn::Ce => "ce",
        }
    }
}

/// What a queue with biased management may do to a packet when it is full (Biaz and Vaidya 2005).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Profile {
    /// It is spared as long as there are others.
    #[default]
    In,
    /// It is dropped first.
    Out,
}

/// A UDP datagram.
#[derive(Clone, Debug, PartialEq)]
pub struct Datagram {
    /// Its number, counted from zero.
    pub number: u64,
    /// Payload length in bytes.
    pub len: u32,
    /// When it was sent, for the receiver's delay statistics.
    pub sent: Time,
    /// What it is if it came from outside: UDP, ICMP, or anything else that is not TCP.
    pub original: Option<Box<Original>>,
}

/// Why something was dropped. Every drop has exactly one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drop {
    /// The queue was full.
    Queue,
    /// Active queue management decided so.
    Aqm,
    /// Bit errors on the channel (a frame).
    Channel,
    /// Two frames on the air at once, or the receiver was itself sending (a frame).
    Collision,
    /// The link layer gave the packet up after its last attempt.
    Retries,
    /// An agent consumed it, for example Snoop suppressing a duplicate ACK.
    Agent,
    /// There was no route to its destination, or there is none any more.
    Route,
}

impl Drop {
    /// All reasons, in the order of the results.
    pub const ALL: [Drop; 7] =
        [Drop::Queue, Drop::Aqm, Drop::Channel, Drop::Collision, Drop::Retries, Drop::Agent, Drop::Route];

    /// Its name in results and traces.
    pub const fn name(self) -> &'static str {
        match self {
            Drop::Queue => "queue",
            Drop::Aqm => "aqm",
            Drop::Channel => "channel",
            Drop::Collision => "collision",
            Drop::Retries => "retries",
            Drop::Agent => "agent",
            Drop::Route => "route",
        }
    }
}

impl Packet {
    /// The time to live of a packet as it is made (RFC 1700).
    pub const TTL: u8 = 64;

    /// A packet without marks.
    pub const fn new(flow: FlowId, src: NodeId, dst: NodeId, bytes: u32, body: Body) -> Self {
        let (ecn, profile, ttl) = (Ecn::NotEct, Profile::In, Packet::TTL);
        Packet { flow, src, dst, bytes, ecn, profile, damaged: false, ttl, body }
    }

    /// A message from the router of a node to that of a neighbour, or of all neighbours ([`NodeId::BROADCAST`]).
    pub fn routing(src: NodeId, dst: NodeId, ttl: u8, message: Routing) -> Self {
        let bytes = UDP_HEADER_BYTES + message.bytes();
        Packet { ttl, ..Packet::new(FlowId::NONE, src, dst, bytes, Body::Routing(message)) }
    }

    /// The TCP segment it carries, if any.
    pub fn segment(&self) -> Option<&Segment> {
        match &self.body {
            Body::Tcp(s) => Some(s),
            _ => None,
        }
    }

    /// The real bytes, if it came from outside.
    pub fn original(&self) -> Option<&Original> {
        match &self.body {
            Body::Tcp(s) => s.options.original.as_ref(),
            Body::Udp(d) => d.original.as_deref(),
            Body::Notice(_) | Body::Routing(_) => None,
        }
    }

    /// Bytes of payload; the rest are headers.
    pub fn payload(&self) -> u32 {
        match &self.body {
            Body::Tcp(s) => s.len,
            Body::Udp(d) => d.len,
            Body::Notice(_) => 0,
            Body::Routing(message) => message.bytes(),
        }
    }

    /// Bytes of headers, options included.
    pub fn header_bytes(&self) -> u32 {
        self.bytes - self.payload()
    }

    /// True if it carries TCP payload, as opposed to a pure ACK, a notice or a datagram.
    pub fn is_tcp_data(&self) -> bool {
        self.segment().is_some_and(|s| s.len > 0)
    }
}
