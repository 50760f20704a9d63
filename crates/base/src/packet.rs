//! What travels: IP packets that carry a TCP segment, a datagram, a notice or a routing message.
//!
//! A packet is a plain value, small enough to copy through an arena. The `wire` crate turns it into real bytes.

use crate::{Notice, Routing, Span, Time};
use std::fmt;

/// IPv4 (20) and TCP (20) headers without options, in bytes; also the length of a pure ACK.
pub const HEADER_BYTES: u32 = 40;

/// IPv4 (20) and UDP (8) headers, in bytes.
pub const UDP_HEADER_BYTES: u32 = 28;

/// What a TCP header has room for, in bytes of options (RFC 9293 §3.1).
pub const MAX_OPTION_BYTES: u32 = 40;

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
///
/// In memory, it and its segment are in this order: what every packet carries stands in the first 64 bytes, and the room for what few do
/// is not looked at. Tens of thousands of them are under way at a time, and reading them costs more than anything done with them.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
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
    /// A UDP datagram.
    Udp(Datagram),
    /// An explicit notification about a TCP flow, on its way to the sender.
    Notice(Notice),
    /// A message between the routers of two neighbours.
    Routing(Routing),
}

/// ECN codepoint of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECN-capable transport, ECT(0).
    Ect,
    /// Congestion experienced.
    Ce,
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

/// A TCP segment. Sequence numbers are 64-bit stream offsets that never wrap: the SYN is 0, the first data byte is 1.
#[derive(Clone, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Segment {
    /// First byte of the payload (or the SYN, or what a pure ACK would send next).
    pub seq: u64,
    /// Next byte expected from the other side.
    pub ack: u64,
    /// Advertised window in bytes.
    pub window: u64,
    /// When its sender handed it to IP: what an observer tells copies apart by. Not on the wire.
    pub sent: Time,
    /// Payload length in bytes.
    pub len: u32,
    /// Control bits.
    pub flags: Flags,
    /// A checksum of the headers alone, on data (HACK: Balan et al. 2001).
    pub header_check: bool,
    /// Timestamps option (RFC 7323), if used.
    pub timestamps: Option<Timestamps>,
    /// An ACK that says that a segment was lost on a wireless link.
    pub eln: Option<Eln>,
    /// How long data has contended for the medium on its way so far, if nodes add that up.
    pub contention: Option<Span>,
    /// SACK option (RFC 2018), empty if absent.
    pub sack: Sack,
    /// Which segment caused this ACK, and when it arrived.
    pub arrival: Option<Arrival>,
    /// An ACK on which nodes of the path put the numbers of segments that their MACs dropped.
    pub naks: Naks,
}

impl Segment {
    /// First sequence number after this segment; a SYN or FIN counts one (RFC 9293 §3.4).
    pub const fn end(&self) -> u64 {
        self.seq + self.len as u64 + self.flags.syn as u64 + self.flags.fin as u64
    }

    /// First byte of the segment that its ELN is about, if it has one.
    pub const fn lost(&self) -> Option<u64> {
        match self.eln {
            Some(Eln::Next) => Some(self.ack),
            Some(Eln::Segment(seq)) => Some(seq),
            None => None,
        }
    }

    /// Bytes of TCP options, padded to a multiple of four: timestamps 12 (RFC 7323 appendix A), SACK 4 + 8n (RFC 2018
    /// §3), header checksum 4 and the number of a damaged segment 8 (Balan et al. 2001), arrival 12, k NAKs 4 + 4k
    /// (Cheng & Lin 2008), contention 8. A SYN also carries MSS 4 (RFC 9293 §3.7.1), SACK permitted 4 (RFC 2018 §2) and window
    /// scale 4 (RFC 7323 §2.2).
    pub const fn option_bytes(&self) -> u32 {
        let syn = if self.flags.syn { 12 } else { 0 };
        let ts = if self.timestamps.is_some() { 12 } else { 0 };
        let sack = if self.sack.is_empty() { 0 } else { 4 + 8 * self.sack.len() as u32 };
        let check = if self.header_check { 4 } else { 0 };
        let eln = if matches!(self.eln, Some(Eln::Segment(_))) { 8 } else { 0 };
        let arrival = if self.arrival.is_some() { 12 } else { 0 };
        let naks = if self.naks.is_empty() { 0 } else { 4 + 4 * self.naks.len() as u32 };
        let contention = if self.contention.is_some() { 8 } else { 0 };
        syn + ts + sack + check + eln + arrival + naks + contention
    }
}

/// TCP control bits that Airhop uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags {
    /// Synchronise: opens a connection.
    pub syn: bool,
    /// The acknowledgement field is valid.
    pub ack: bool,
    /// No more data.
    pub fin: bool,
    /// ECN echo (RFC 3168 §6.1).
    pub ece: bool,
    /// Congestion window reduced (RFC 3168 §6.1).
    pub cwr: bool,
}

/// Timestamps option, in milliseconds (RFC 7323 §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the clock of whoever sent this segment.
    pub value: u32,
    /// TSecr: the value being echoed.
    pub echo: u32,
}

/// An explicit loss notification inside an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eln {
    /// A bit alone: it is the segment expected next (Balakrishnan and Katz 1998).
    Next,
    /// An option with the first byte of the segment that arrived damaged (HACK's special ACK: Balan et al. 2001).
    Segment(u64),
}

/// The segment that caused an ACK: its first byte, as SMART has it (Keshav and Morgan 1997), and the receiver's clock at its
/// arrival, as JTCP, Santa Cruz and New Jersey need it. An option of 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// First byte of the segment.
    pub seq: u64,
    /// When it arrived, on the receiver's clock.
    pub at: Time,
}

/// First bytes of segments that a MAC on the way dropped (Cheng & Lin 2008): at most four, each once, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Naks {
    len: u8,
    seqs: [u64; Naks::MOST],
}

impl Naks {
    /// So many fit one ACK.
    pub const MOST: usize = 4;

    /// None.
    pub const EMPTY: Naks = Naks { seqs: [0; Naks::MOST], len: 0 };

    /// Adds the segment that begins at `seq`, unless it is there. Of five the highest is left out.
    pub fn insert(&mut self, seq: u64) {
        let place = self.seqs().partition_point(|&known| known < seq);
        if place == Naks::MOST || self.seqs().get(place) == Some(&seq) {
            return;
        }
        let kept = self.len().min(Naks::MOST - 1);
        self.seqs.copy_within(place..kept, place + 1);
        self.seqs[place] = seq;
        self.len = kept as u8 + 1;
    }

    /// The first bytes, the lowest first.
    pub fn seqs(&self) -> &[u64] {
        &self.seqs[..self.len as usize]
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// True if there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl FromIterator<u64> for Naks {
    fn from_iter<I: IntoIterator<Item = u64>>(seqs: I) -> Self {
        let mut naks = Naks::EMPTY;
        for seq in seqs {
            naks.insert(seq);
        }
        naks
    }
}

impl fmt::Debug for Naks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.seqs()).finish()
    }
}

/// A run of bytes that arrived: `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// First byte.
    pub start: u64,
    /// First byte after the run.
    pub end: u64,
}

/// The SACK blocks of one segment, at most four (RFC 2018 §3), the most recent first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Sack {
    len: u8,
    blocks: [SackBlock; 4],
}

impl Sack {
    /// No blocks.
    pub const EMPTY: Sack = Sack { blocks: [SackBlock { start: 0, end: 0 }; 4], len: 0 };

    /// Adds a block behind the others; a fifth is left out, as there is no room for it in the option.
    pub fn push(&mut self, b: SackBlock) {
        if (self.len as usize) < self.blocks.len() {
            self.blocks[self.len as usize] = b;
            self.len += 1;
        }
    }

    /// The blocks, the most recent first.
    pub fn blocks(&self) -> &[SackBlock] {
        &self.blocks[..self.len as usize]
    }

    /// How many blocks there are.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// True if there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl fmt::Debug for Sack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.blocks().iter().map(|b| (b.start, b.end))).finish()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    // Up to four sequence numbers, the lowest first; NAKs of two nodes are merged.
    #[test]
    fn naks_are_sorted_each_once_and_the_lowest_stay() {
        let four: Naks = [7, 3, 9, 3, 5, 9].into_iter().collect();
        assert_eq!(four.seqs(), [3, 5, 7, 9]);
        let merged: Naks = four.seqs().iter().copied().chain([11, 4, 7, 1]).collect();
        assert_eq!(merged.seqs(), [1, 3, 4, 5]);
    }

    // RFC 9293 §3.1: options fill 32-bit words. 2 + 4k bytes and two of padding; 8 for the contention.
    #[test]
    fn options_of_naks_and_contention() {
        let mut ack = Segment::default();
        let lengths = [1, 2, 3, 4].map(|seq| {
            ack.naks.insert(seq);
            ack.option_bytes()
        });
        assert_eq!(lengths, [8, 12, 16, 20]);
        let data = Segment { contention: Some(Span::ZERO), ..Segment::default() };
        assert_eq!(data.option_bytes(), 8);
    }
}
