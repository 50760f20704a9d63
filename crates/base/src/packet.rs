//! IP packets that carry a TCP segment, a datagram, a notice or a routing message.
//!
//! A packet is a plain value, small enough to be copied through an arena. The `wire` crate encodes packets as
//! real bytes.

use crate::{AodvMessage, Notice, Options, OriginalDatagram, Segment, Time};

/// IPv4 (20) and TCP (20) headers without options, in bytes; also the length of a pure ACK.
pub const TCP_IP_HEADER_BYTES: u32 = 40;

/// IPv4 (20) and UDP (8) headers, in bytes.
pub const UDP_IP_HEADER_BYTES: u32 = 28;

/// Node of the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u16);

impl NodeId {
    /// Broadcast address: every node in receive range. No node has this number.
    pub const BROADCAST: NodeId = NodeId(u16::MAX);
}

/// Flow: one sender and one receiver, numbered in the order of the scenario file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u16);

impl FlowId {
    /// Flow number of packets without a flow, i.e. routing messages.
    pub const NONE: FlowId = FlowId(u16::MAX);

    /// Returns the index of the flow; `None` for [`FlowId::NONE`].
    pub fn index(self) -> Option<usize> {
        (self != FlowId::NONE).then_some(usize::from(self.0))
    }
}

/// IP packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// Flow of the packet. A notice has the flow that the notice is about.
    pub flow: FlowId,
    /// Source node.
    pub src: NodeId,
    /// Destination node.
    pub dst: NodeId,
    /// ECN field of the IP header (RFC 3168 §5).
    pub ecn: Ecn,
    /// Drop priority in a biased queue.
    pub profile: Profile,
    /// True if bit errors hit the payload but not the headers. Such a packet is delivered only if the
    /// receiver's scheme uses damaged packets.
    pub has_payload_errors: bool,
    /// Remaining hops. Only on-demand routing decrements the TTL, because static routes have no loops.
    pub ttl: u8,
    /// Length of the IP datagram in bytes, including headers and options.
    pub bytes: u32,
    /// Payload of the packet.
    pub body: Body,
}

/// Payload of a packet.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// TCP segment.
    Tcp(Segment),
    /// UDP datagram, or a non-TCP datagram of a real host.
    Udp(Datagram),
    /// Explicit notice about a TCP flow, on its way to the sender.
    Notice(Notice),
    /// Message between the routers of two neighbours.
    Routing(AodvMessage),
}

/// ECN codepoint, encoded as in the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct = 0b00,
    /// ECN-capable transport, ECT(1). Queues treat ECT(1) as ECT(0), because L4S (RFC 9331) is not modelled.
    Ect1 = 0b01,
    /// ECN-capable transport, ECT(0).
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// All codepoints, indexed by value.
    pub const ALL: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];

    /// Returns the codepoint in the last two bits of the traffic class.
    pub const fn from_traffic_class(byte: u8) -> Ecn {
        Ecn::ALL[(byte & 0b11) as usize]
    }

    /// True if a queue may mark the packet instead of dropping: ECT(0), ECT(1) or CE (RFC 3168 §5).
    pub const fn is_ecn_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }

    /// Returns the name used in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Ecn::NotEct => "not-ect",
            Ecn::Ect1 => "ect1",
            Ecn::Ect0 => "ect0",
            Ecn::Ce => "ce",
        }
    }
}

/// Drop priority of a packet in a full biased queue (Biaz and Vaidya 2005).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Profile {
    /// Dropped only if no packet marked "out" is queued.
    #[default]
    In,
    /// Dropped first.
    Out,
}

/// UDP datagram, or a datagram of a real host of any protocol except TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Datagram {
    /// Number of the datagram, counted from zero.
    pub sequence_number: u64,
    /// Payload length in bytes.
    pub len: u32,
    /// Time of sending, for the receiver's delay statistics.
    pub sent: Time,
    /// Bytes of a datagram from a real host; `None` for simulated datagrams.
    pub original: Option<Box<OriginalDatagram>>,
}

/// Cause of a drop. Every drop has exactly one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DropCause {
    /// Full queue.
    Queue,
    /// Active queue management.
    Aqm,
    /// Frame lost to bit errors on the channel.
    Channel,
    /// Frame lost because frames overlapped on the air, or because the receiver was transmitting.
    Collision,
    /// Discard by the link layer after its last attempt.
    Retries,
    /// Drop by an agent, for example Snoop's suppression of a duplicate ACK.
    Agent,
    /// No route to the destination, or the route was lost.
    Route,
}

impl DropCause {
    /// All causes, in the order of the results.
    pub const ALL: [DropCause; 7] = [
        DropCause::Queue,
        DropCause::Aqm,
        DropCause::Channel,
        DropCause::Collision,
        DropCause::Retries,
        DropCause::Agent,
        DropCause::Route,
    ];

    /// Returns the name used in results and traces.
    pub const fn name(self) -> &'static str {
        match self {
            DropCause::Queue => "queue",
            DropCause::Aqm => "aqm",
            DropCause::Channel => "channel",
            DropCause::Collision => "collision",
            DropCause::Retries => "retries",
            DropCause::Agent => "agent",
            DropCause::Route => "route",
        }
    }
}

impl Packet {
    /// Time to live of a new packet (RFC 1700).
    pub const DEFAULT_TTL: u8 = 64;

    /// Creates a packet without marks.
    pub const fn new(flow: FlowId, src: NodeId, dst: NodeId, bytes: u32, body: Body) -> Self {
        let (ecn, profile, ttl) = (Ecn::NotEct, Profile::In, Packet::DEFAULT_TTL);
        Packet { flow, src, dst, bytes, ecn, profile, has_payload_errors: false, ttl, body }
    }

    /// Creates a routing message to a neighbour, or to all neighbours ([`NodeId::BROADCAST`]).
    pub fn from_routing_message(src: NodeId, dst: NodeId, ttl: u8, message: AodvMessage) -> Self {
        let bytes = UDP_IP_HEADER_BYTES + message.message_bytes();
        Packet { ttl, ..Packet::new(FlowId::NONE, src, dst, bytes, Body::Routing(message)) }
    }

    /// Returns the TCP segment of the packet, if any.
    pub fn segment(&self) -> Option<&Segment> {
        match &self.body {
            Body::Tcp(s) => Some(s),
            _ => None,
        }
    }

    /// Removes and returns the options of the TCP segment.
    pub fn take_options(&mut self) -> Options {
        match &mut self.body {
            Body::Tcp(s) => std::mem::take(&mut s.options),
            _ => Options::NONE,
        }
    }

    /// Returns the real bytes of a packet from a real host; `None` for a simulated packet.
    pub fn original(&self) -> Option<&OriginalDatagram> {
        match &self.body {
            Body::Tcp(s) => s.options.original.as_ref(),
            Body::Udp(d) => d.original.as_deref(),
            Body::Notice(_) | Body::Routing(_) => None,
        }
    }

    /// Returns the payload length in bytes.
    pub fn payload_bytes(&self) -> u32 {
        match &self.body {
            Body::Tcp(s) => s.len,
            Body::Udp(d) => d.len,
            Body::Notice(_) => 0,
            Body::Routing(message) => message.message_bytes(),
        }
    }

    /// Returns the header length in bytes, including options.
    pub fn header_bytes(&self) -> u32 {
        self.bytes - self.payload_bytes()
    }

    /// True if the packet carries TCP payload.
    pub fn is_tcp_data(&self) -> bool {
        self.segment().is_some_and(|s| s.len > 0)
    }
}
