//! TCP segment: fields of its header, and its options.

use crate::{OriginalDatagram, Span, Time};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Maximum length of the TCP options in bytes (RFC 9293 §3.1).
pub const MAX_OPTION_BYTES: u32 = 40;

/// TCP segment. Sequence numbers are 64-bit stream offsets that never wrap: the SYN is 0, the first data byte is 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// Sequence number of the first payload byte or of the SYN. For a pure ACK, the next byte to send.
    pub seq: u64,
    /// Next byte expected from the other end.
    pub ack: u64,
    /// Advertised window in bytes.
    pub window: u64,
    /// Time at which the sender passed the segment to IP; not on the wire. Observers use the time to
    /// distinguish copies of a segment.
    pub sent: Time,
    /// Payload length in bytes.
    pub len: u32,
    /// Control bits.
    pub flags: Flags,
    /// True if the segment carries a checksum of the headers only (HACK: Balan et al. 2001).
    pub has_header_checksum: bool,
    /// SACK permitted, on a SYN (RFC 2018 §2).
    pub sack_permitted: bool,
    /// Timestamps option (RFC 7323), if used.
    pub timestamps: Option<Timestamps>,
    /// Options that few segments carry.
    pub options: Options,
}

impl Segment {
    /// Returns the segment with its rare options set to `options`.
    pub fn with_rare_options(self, options: RareOptions) -> Segment {
        Segment { options: options.into(), ..self }
    }

    /// Returns the first sequence number after the segment. SYN and FIN take one number each (RFC 9293 §3.4).
    pub const fn end(&self) -> u64 {
        self.seq + self.len as u64 + self.flags.syn as u64 + self.flags.fin as u64
    }

    /// True if the segment carries data or a FIN. The receiver acknowledges such a segment.
    #[inline]
    pub const fn has_data_or_fin(&self) -> bool {
        self.len > 0 || self.flags.fin
    }

    /// True if ECE echoes a CE mark. On a SYN, ECE negotiates ECN instead (RFC 3168 §6.1.1).
    pub const fn is_ecn_echo(&self) -> bool {
        self.flags.ece && !self.flags.syn
    }

    /// Returns the first byte of the segment named by the ELN; `None` without an ELN.
    pub fn eln_seq(&self) -> Option<u64> {
        match self.options.eln {
            Some(Eln::Next) => Some(self.ack),
            Some(Eln::Segment(seq)) => Some(seq),
            None => None,
        }
    }

    /// Returns the length of the TCP options in bytes, padded to a multiple of four:
    ///
    /// - Timestamps: 12 (RFC 7323 appendix A).
    /// - SACK with n blocks: 4 + 8n (RFC 2018 §3).
    /// - Header checksum: 4. Number of a damaged segment: 8 (Balan et al. 2001).
    /// - Arrival: 12. Contention time: 8.
    /// - k NAKs: 4 + 4k (Cheng & Lin 2008).
    /// - On a SYN: MSS 4 (RFC 9293 §3.7.1), SACK permitted or NOPs 4 (RFC 2018 §2), window scale 4 (RFC 7323
    ///   §2.2).
    ///
    /// A segment from a real host counts its original options, plus the NAKs that agents added.
    pub fn option_bytes(&self) -> u32 {
        if let Some(original) = &self.options.original {
            return original.option_bytes() + self.options.nak_bytes();
        }
        let syn = if self.flags.syn { 12 } else { 0 };
        let ts = if self.timestamps.is_some() { 12 } else { 0 };
        let check = if self.has_header_checksum { 4 } else { 0 };
        syn + ts + check + self.options.bytes()
    }
}

/// Options that few segments carry. Memory is allocated only if an option is present. Segments are copied
/// several times, and inline options would slow down every copy.
#[derive(Clone, Default)]
pub struct Options(Option<Box<RareOptions>>);

/// Values of [`Options`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RareOptions {
    /// SACK option (RFC 2018), empty if absent.
    pub sack: Sack,
    /// Explicit loss notification (ELN) on an ACK, if any.
    pub eln: Option<Eln>,
    /// Segment that caused this ACK, and its arrival.
    pub arrival: Option<SegmentArrival>,
    /// NAKs on an ACK: segments that MACs on the path dropped.
    pub naks: Naks,
    /// Contention time accumulated on the path so far, if measured.
    pub contention_time: Option<Span>,
    /// Original datagram of a segment from a real host; `None` for a simulated segment.
    pub original: Option<OriginalDatagram>,
}

impl Options {
    /// No options.
    pub const NONE: Options = Options(None);

    /// True if memory is allocated for options.
    pub const fn is_allocated(&self) -> bool {
        self.0.is_some()
    }

    /// Returns options with these values. Reuses the memory of `self`, or allocates if there is none.
    pub fn with_values(mut self, options: RareOptions) -> Options {
        *self = options;
        self
    }

    fn bytes(&self) -> u32 {
        self.0.as_ref().map_or(0, |options| options.bytes())
    }
}

impl RareOptions {
    /// No options.
    pub const NONE: RareOptions = RareOptions {
        sack: Sack::EMPTY,
        eln: None,
        arrival: None,
        naks: Naks::EMPTY,
        contention_time: None,
        original: None,
    };

    fn bytes(&self) -> u32 {
        let sack = if self.sack.is_empty() { 0 } else { 4 + 8 * self.sack.len() as u32 };
        let eln = if matches!(self.eln, Some(Eln::Segment(_))) { 8 } else { 0 };
        let arrival = if self.arrival.is_some() { 12 } else { 0 };
        let contention = if self.contention_time.is_some() { 8 } else { 0 };
        sack + eln + arrival + self.nak_bytes() + contention
    }

    fn nak_bytes(&self) -> u32 {
        if self.naks.is_empty() { 0 } else { 4 + 4 * self.naks.len() as u32 }
    }
}

impl Deref for Options {
    type Target = RareOptions;

    #[inline]
    fn deref(&self) -> &RareOptions {
        self.0.as_deref().unwrap_or(&RareOptions::NONE)
    }
}

/// Allocates memory for the options on first use.
impl DerefMut for Options {
    fn deref_mut(&mut self) -> &mut RareOptions {
        self.0.get_or_insert_default()
    }
}

impl From<RareOptions> for Options {
    /// Allocates memory only if an option is present.
    fn from(options: RareOptions) -> Options {
        Options((options != RareOptions::NONE).then(|| Box::new(options)))
    }
}

impl PartialEq for Options {
    fn eq(&self, other: &Options) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// TCP control bits that Airhop uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags {
    /// Synchronise: opens a connection.
    pub syn: bool,
    /// The acknowledgement field is valid.
    pub ack: bool,
    /// No more data follows.
    pub fin: bool,
    /// Push: the receiver delivers all data to the application at once (RFC 9293 §3.9.1.2).
    pub psh: bool,
    /// ECN echo (RFC 3168 §6.1).
    pub ece: bool,
    /// Congestion window reduced (RFC 3168 §6.1).
    pub cwr: bool,
}

/// Timestamps option, in milliseconds (RFC 7323 §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: clock of the segment's sender.
    pub tsval: u32,
    /// TSecr: echoed value.
    pub tsecr: u32,
}

/// Explicit loss notification inside an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eln {
    /// Bit only: the next expected segment was lost (Balakrishnan and Katz 1998).
    Next,
    /// Option with the first byte of the damaged segment (HACK's special ACK: Balan et al. 2001).
    Segment(u64),
}

/// Segment that caused an ACK, as an option of 12 bytes. The option carries the segment's first byte (SMART:
/// Keshav and Morgan 1997) and the arrival time on the receiver's clock (JTCP, Santa Cruz, New Jersey).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentArrival {
    /// First byte of the segment.
    pub seq: u64,
    /// Arrival time of the segment, on the receiver's clock.
    pub at: Time,
}

/// First bytes of segments dropped by a MAC on the path (Cheng & Lin 2008): at most four distinct entries, in
/// ascending order.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Naks {
    len: u8,
    seqs: [u64; Naks::MAX_NAKS],
}

impl Naks {
    /// Maximum number of NAKs in one ACK.
    pub const MAX_NAKS: usize = 4;

    /// No NAKs.
    pub const EMPTY: Naks = Naks { seqs: [0; Naks::MAX_NAKS], len: 0 };

    /// Inserts the segment that begins at `seq`, unless present. If there are then five entries, the highest
    /// is dropped.
    pub fn insert(&mut self, seq: u64) {
        let place = self.seqs().partition_point(|&known| known < seq);
        if place == Naks::MAX_NAKS || self.seqs().get(place) == Some(&seq) {
            return;
        }
        let kept = self.len().min(Naks::MAX_NAKS - 1);
        self.seqs.copy_within(place..kept, place + 1);
        self.seqs[place] = seq;
        self.len = kept as u8 + 1;
    }

    /// Returns the first bytes of the segments in ascending order.
    pub fn seqs(&self) -> &[u64] {
        &self.seqs[..self.len as usize]
    }

    /// Returns the number of entries.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// True if there are no entries.
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

/// Contiguous bytes that arrived: `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// First byte.
    pub start: u64,
    /// First byte after the block.
    pub end: u64,
}

/// SACK blocks of one segment, at most four (RFC 2018 §3), the most recent first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Sack {
    len: u8,
    blocks: [SackBlock; 4],
}

impl Sack {
    /// No blocks.
    pub const EMPTY: Sack = Sack { blocks: [SackBlock { start: 0, end: 0 }; 4], len: 0 };

    /// Appends a block. A fifth block is ignored, because the option has no room.
    pub fn push(&mut self, b: SackBlock) {
        if (self.len as usize) < self.blocks.len() {
            self.blocks[self.len as usize] = b;
            self.len += 1;
        }
    }

    /// Returns the blocks, the most recent first.
    pub fn blocks(&self) -> &[SackBlock] {
        &self.blocks[..self.len as usize]
    }

    /// Returns the number of blocks.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// True if there are no blocks.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl fmt::Debug for Sack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.blocks().iter().map(|b| (b.start, b.end))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // At most four sequence numbers, the lowest first; NAKs of two nodes are merged.
    #[test]
    fn the_four_lowest_naks_are_stored_sorted_without_duplicates() {
        let four: Naks = [7, 3, 9, 3, 5, 9].into_iter().collect();
        assert_eq!(four.seqs(), [3, 5, 7, 9]);
        let merged: Naks = four.seqs().iter().copied().chain([11, 4, 7, 1]).collect();
        assert_eq!(merged.seqs(), [1, 3, 4, 5]);
    }

    // RFC 9293 §3.1: options fill 32-bit words: 2 + 4k bytes and two bytes of padding; 8 for the contention.
    #[test]
    fn nak_and_contention_options_fill_32_bit_words() {
        let mut ack = Segment::default();
        let lengths = [1, 2, 3, 4].map(|seq| {
            ack.options.naks.insert(seq);
            ack.option_bytes()
        });
        assert_eq!(lengths, [8, 12, 16, 20]);
        let data = Segment::default()
            .with_rare_options(RareOptions { contention_time: Some(Span::ZERO), ..RareOptions::NONE });
        assert_eq!(data.option_bytes(), 8);
    }

    // A run has a memory budget: options that are absent use no memory.
    #[test]
    fn absent_options_use_no_memory() {
        assert!(Options::from(RareOptions::NONE).0.is_none());
        let sacked = Sack { len: 1, ..Sack::EMPTY };
        assert!(Options::from(RareOptions { sack: sacked, ..RareOptions::NONE }).0.is_some());
        let mut made = Options::NONE;
        made.eln = None;
        assert!(made.0.is_some());
        assert_eq!((&made, made.bytes()), (&Options::NONE, 0));
        made.eln = Some(Eln::Next);
        assert_ne!(made, Options::NONE);
    }
}
