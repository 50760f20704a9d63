//! Passive observer of a TCP connection: initial sequence numbers, offsets, window scales.

use super::ParsedTcp;
use airhop_base::{Options, OriginalDatagram, RareOptions, Sack, SackBlock, Segment, Time};

/// Direction of a segment of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamDirection {
    /// Direction from the end that opened the connection. This end sent the first observed packet.
    Forward,
    /// Direction from the other end.
    Reverse,
}

impl StreamDirection {
    /// Returns the opposite direction.
    pub const fn opposite(self) -> StreamDirection {
        match self {
            StreamDirection::Forward => StreamDirection::Reverse,
            StreamDirection::Reverse => StreamDirection::Forward,
        }
    }
}

/// State of a TCP connection for an observer between its ends: initial sequence number, highest offset and
/// window scale of each end.
///
/// Offsets are those of [`Segment`]: a SYN is 0, the first byte of data 1. If no SYN of an end was observed,
/// the first observed number counts as the first data byte. Older data that arrives later has offset 0.
///
/// Acknowledgement numbers are limited to the data observed from the other end. A host may send higher
/// numbers (RFC 9293 §3.10.7.4 drops such an ACK).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObservedConnection {
    streams: [StreamState; 2],
}

/// Stream of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StreamState {
    /// Sequence number on the wire at offset 0; `None` while unknown.
    isn: Option<u32>,
    /// First offset never sent.
    end: u64,
    /// Window scale of the stream's SYN; `None` if no SYN with the option was observed.
    window_scale: Option<u8>,
}

impl StreamState {
    /// Records the SYN of a stream.
    fn on_syn(&mut self, syn: &ParsedTcp) {
        if self.isn != Some(syn.seq) {
            *self = StreamState { isn: Some(syn.seq), ..StreamState::default() };
        }
        self.end = self.end.max(1);
        // A retransmitted SYN may lack options, so the scale of the first SYN is kept. If the first SYN did
        // not arrive, the other end's SYN has no scale, and no window is scaled.
        self.window_scale = syn.window_scale.or(self.window_scale);
    }

    /// Returns the offset of a sequence number. Of all offsets that are equal modulo 2³², selects the nearest
    /// to the end of the stream (RFC 9293 §3.4). The first observed number is the first data byte.
    fn seq_to_offset(&mut self, number: u32) -> u64 {
        let isn = *self.isn.get_or_insert_with(|| {
            self.end = 1;
            number.wrapping_sub(1)
        });
        let distance = number.wrapping_sub(offset_to_seq(isn, self.end)) as i32;
        self.end.saturating_add_signed(distance.into())
    }

    /// Returns the offset of an acknowledgement number for this stream, sent by the other end.
    fn ack_to_offset(&mut self, number: u32) -> u64 {
        self.seq_to_offset(number).min(self.end)
    }
}

/// Converts an offset to a sequence number on the wire (RFC 9293 §3.4: all arithmetic is modulo 2³²).
fn offset_to_seq(isn: u32, offset: u64) -> u32 {
    isn.wrapping_add(offset as u32)
}

impl ObservedConnection {
    /// Creates the state before any packet.
    pub fn new() -> ObservedConnection {
        ObservedConnection::default()
    }

    /// True if `seen` is the SYN of a new connection between the same ports, i.e. has a new initial sequence
    /// number (RFC 9293 §3.6, MAY-2). Must be called before [`ObservedConnection::convert_segment`], because that call
    /// restarts the numbering.
    ///
    /// A SYN-ACK to the only SYN so far never starts a new connection. A listener without state (SYN cookies,
    /// RFC 4987 §3.6) chooses a new number for each SYN-ACK.
    pub fn is_reopened_by(&self, way: StreamDirection, seen: &ParsedTcp) -> bool {
        let stream = &self.streams[way as usize];
        let peer = &self.streams[way.opposite() as usize];
        let is_other = stream.isn.is_some_and(|isn| isn != seen.seq);
        let answers =
            seen.flags.ack && peer.end <= 1 && peer.isn.map(|isn| offset_to_seq(isn, 1)) == Some(seen.ack);
        seen.flags.syn && !seen.rst && is_other && !answers
    }

    /// Converts a header with `payload` bytes of data to a segment of the datagram `original`. The caller
    /// must set the transmission time.
    ///
    /// The window is scaled if both SYNs were seen and had the option. The window of a SYN is never scaled
    /// (RFC 7323 §2.2). A RST does not update the state, because a host without such a connection sends
    /// arbitrary numbers (RFC 9293 §3.10.7.1).
    pub fn convert_segment(
        &mut self,
        way: StreamDirection,
        seen: &ParsedTcp,
        payload: u32,
        original: OriginalDatagram,
    ) -> Segment {
        let known = *self;
        if self.is_reopened_by(way, seen) {
            *self = ObservedConnection::new();
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
            has_header_checksum: false,
            sack_permitted: seen.sack_permitted,
            timestamps: seen.timestamps,
            options: Options::from(RareOptions { sack, original: Some(original), ..RareOptions::NONE }),
        }
    }

    /// Converts an offset in the stream of direction `way` to a sequence number on the wire (RFC 9293 §3.4).
    /// For the acknowledgement and NAKs of a segment, `way` is the opposite direction. If no packet of the
    /// stream was observed, returns the offset modulo 2³².
    pub fn offset_to_seq(&self, way: StreamDirection, offset: u64) -> u32 {
        offset_to_seq(self.streams[way as usize].isn.unwrap_or(0), offset)
    }

    /// Returns the next sequence number on the wire in direction `way`, after all observed data.
    pub fn next_seq(&self, way: StreamDirection) -> u32 {
        self.offset_to_seq(way, self.streams[way as usize].end)
    }

    /// Returns the offsets of the sequence and acknowledgement numbers. A number missing in the header is
    /// zero.
    fn offsets(&mut self, way: StreamDirection, seen: &ParsedTcp, payload: u32) -> [u64; 2] {
        let stream = &mut self.streams[way as usize];
        let seq = if seen.flags.syn && !seen.rst {
            stream.on_syn(seen);
            0
        } else {
            stream.seq_to_offset(seen.seq)
        };
        let numbers = u64::from(payload) + u64::from(seen.flags.syn) + u64::from(seen.flags.fin);
        stream.end = stream.end.max(seq.saturating_add(numbers));
        let peer = &mut self.streams[way.opposite() as usize];
        [seq, if seen.flags.ack { peer.ack_to_offset(seen.ack) } else { 0 }]
    }

    /// Returns the non-empty SACK blocks. A block lies above the cumulative acknowledgement, or below as a
    /// D-SACK (RFC 2883). SACK blocks do not change the observer's state.
    fn sack(&self, way: StreamDirection, seen: &ParsedTcp) -> Sack {
        let mut peer = self.streams[way.opposite() as usize];
        let mut sack = Sack::EMPTY;
        for edges in seen.sack.blocks() {
            let [start, end] = edges.map(|edge| peer.ack_to_offset(edge));
            if start < end {
                sack.push(SackBlock { start, end });
            }
        }
        sack
    }

    /// Returns the window scale of a segment (RFC 7323 §2.2).
    fn window_shift(&self, way: StreamDirection, seen: &ParsedTcp) -> u8 {
        match self.streams.map(|stream| stream.window_scale) {
            [Some(forward), Some(reverse)] if !seen.flags.syn => [forward, reverse][way as usize],
            _ => 0,
        }
    }
}
