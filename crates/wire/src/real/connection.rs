//! Passive observer of a TCP connection: initial sequence numbers, offsets, window scales.

use super::SeenTcp;
use airhop_base::{Options, Original, RareOptions, Sack, SackBlock, Segment, Time};

/// Direction of a segment of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the side that opened the connection, the sender of the first observed packet.
    Forward,
    /// From the other side.
    Reverse,
}

impl Way {
    /// Returns the opposite direction.
    pub const fn opposite(self) -> Way {
        match self {
            Way::Forward => Way::Reverse,
            Way::Reverse => Way::Forward,
        }
    }
}

/// A TCP connection as an observer between its ends knows it: from which number each side counts, how far it has come, and what its window
/// field means.
///
/// Offsets are those of [`Segment`]: a SYN is 0, the first byte of data 1. For a side without an observed SYN, the
/// first observed number counts as its first byte of data. Older data that arrives later has offset 0.
///
/// Acknowledgements of a side are bounded by the data seen from the other side: a host may claim more (RFC 9293 §3.10.7.4 drops such an
/// ACK).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    streams: [Stream; 2],
}

/// Stream of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stream {
    /// The number on the wire that is offset 0, once one is known.
    isn: Option<u32>,
    /// The first offset that was never sent.
    end: u64,
    /// Window scale of its SYN.
    window_scale: Option<u8>,
}

impl Stream {
    /// Records the SYN of a stream.
    fn open(&mut self, syn: &SeenTcp) {
        if self.isn != Some(syn.seq) {
            *self = Stream { isn: Some(syn.seq), ..Stream::default() };
        }
        self.end = self.end.max(1);
        // A retransmitted SYN may lack options; the other side's SYN shows whether the first arrived.
        self.window_scale = syn.window_scale.or(self.window_scale);
    }

    /// Returns the offset of a number: the one next to the end (RFC 9293 §3.4). Before any is known, this is the first byte of data.
    fn unfold(&mut self, number: u32) -> u64 {
        let isn = *self.isn.get_or_insert_with(|| {
            self.end = 1;
            number.wrapping_sub(1)
        });
        let distance = number.wrapping_sub(fold(isn, self.end)) as i32;
        self.end.saturating_add_signed(distance.into())
    }

    /// Returns the offset of a number that the other side sent about this stream.
    fn acknowledged(&mut self, number: u32) -> u64 {
        self.unfold(number).min(self.end)
    }
}

/// Converts an offset to a number on the wire (RFC 9293 §3.4: all arithmetic is modulo 2³²).
fn fold(isn: u32, offset: u64) -> u32 {
    isn.wrapping_add(offset as u32)
}

impl Connection {
    /// Creates a connection of which nothing has been seen.
    pub fn new() -> Connection {
        Connection::default()
    }

    /// True if this is the SYN of another connection between the same ports: its initial sequence number is not the one known
    /// (RFC 9293 §3.6, MAY-2). To be asked before [`Connection::segment`], which would begin to count anew.
    ///
    /// A SYN that answers the only SYN seen so far belongs to it, whatever its number: a listener that keeps no state (SYN cookies, RFC
    /// 4987 §3.6) picks another one for each answer.
    pub fn is_reopened_by(&self, way: Way, seen: &SeenTcp) -> bool {
        let stream = &self.streams[way as usize];
        let peer = &self.streams[way.opposite() as usize];
        let is_other = stream.isn.is_some_and(|isn| isn != seen.seq);
        let answers = seen.flags.ack && peer.end <= 1 && peer.isn.map(|isn| fold(isn, 1)) == Some(seen.ack);
        seen.flags.syn && !seen.rst && is_other && !answers
    }

    /// Returns the segment that a header describes, with `payload` bytes of data, as part of the datagram `original`. When it was sent is
    /// for the caller to fill in.
    ///
    /// Its window is scaled if both sides' SYNs were seen and had the option; that of a SYN never is (RFC 7323 §2.2). A RST teaches
    /// nothing: that of a host which knows no such connection has made-up numbers (RFC 9293 §3.10.7.1).
    pub fn segment(&mut self, way: Way, seen: &SeenTcp, payload: u32, original: Original) -> Segment {
        let known = *self;
        if self.is_reopened_by(way, seen) {
            *self = Connection::new();
        }
        let [seq, ack] = self.offsets(way, seen, payload);
        let sack = self.sack(way, seen);
        let window = u64::from(seen.window) << self.window_shift(way, seen);
        if seen.rst {
            *self = known;
        }
        Segment {
            seq,
            ack,
            window,
            sent: Time::ZERO,
            len: payload,
            flags: seen.flags,
            header_check: false,
            sack_permitted: seen.sack_permitted,
            timestamps: seen.timestamps,
            options: Options::from(RareOptions { sack, original: Some(original), ..RareOptions::NONE }),
        }
    }

    /// Returns the number on the wire of an offset in the stream that flows `way` (RFC 9293 §3.4): of the acknowledgement and of NAKs of a
    /// segment, that is the opposite one. Of a stream of which nothing was seen, the offset itself modulo 2³².
    pub fn fold(&self, way: Way, offset: u64) -> u32 {
        fold(self.streams[way as usize].isn.unwrap_or(0), offset)
    }

    /// Returns the next sequence number on the wire of the stream that flows `way`: behind all data seen of it.
    pub fn next(&self, way: Way) -> u32 {
        self.fold(way, self.streams[way as usize].end)
    }

    /// Returns sequence and acknowledgement number; zero in place of a number that a header does not have.
    fn offsets(&mut self, way: Way, seen: &SeenTcp, payload: u32) -> [u64; 2] {
        let stream = &mut self.streams[way as usize];
        let seq = if seen.flags.syn && !seen.rst {
            stream.open(seen);
            0
        } else {
            stream.unfold(seen.seq)
        };
        let numbers = u64::from(payload) + u64::from(seen.flags.syn) + u64::from(seen.flags.fin);
        stream.end = stream.end.max(seq.saturating_add(numbers));
        let peer = &mut self.streams[way.opposite() as usize];
        [seq, if seen.flags.ack { peer.acknowledged(seen.ack) } else { 0 }]
    }

    /// Returns the SACK blocks that are not empty. They do not update the observer's state, hence the copy of the
    /// stream: they lie above the cumulative acknowledgement or, as D-SACK (RFC 2883), below it.
    fn sack(&self, way: Way, seen: &SeenTcp) -> Sack {
        let mut peer = self.streams[way.opposite() as usize];
        let mut sack = Sack::EMPTY;
        for edges in seen.sack.blocks() {
            let [start, end] = edges.map(|edge| peer.acknowledged(edge));
            if start < end {
                sack.push(SackBlock { start, end });
            }
        }
        sack
    }

    /// Returns the window scale of a segment (RFC 7323 §2.2).
    fn window_shift(&self, way: Way, seen: &SeenTcp) -> u8 {
        match self.streams.map(|stream| stream.window_scale) {
            [Some(forward), Some(reverse)] if !seen.flags.syn => [forward, reverse][way as usize],
            _ => 0,
        }
    }
}
