//! TCP options: options of the RFCs, and options of explicit loss notification with experimental option kinds
//! (RFC 4727).
//!
//! ```text
//! header checksum    253 | 4  | checksum (2)                                              HACK: Balan et al. 2001
//! arrival            253 | 12 | identifier (2) | first byte (4) | microseconds (4)        an identifier as RFC 6994 §3 has it
//! damaged segment    1 | 1 | 254 | 6 | first byte (4)                                     HACK, in an ACK with the ELN bit
//! NAK                253 | 4 + 4k | identifier (2) | k first bytes (4 each), k = 1 … 4    TCP-CL: Cheng & Lin 2008
//! contention         254 | 8 | identifier (2) | microseconds (4)                          TCP-CC
//! ```
//!
//! Options of kind 253 or 254 without an identifier are distinguished by their length. A segment has its
//! options in this order after MSS, SACK permitted, window scale, timestamps and SACK, with the padding
//! counted by [`Segment::option_bytes`].

use crate::WireError;
use crate::numbers::{offset_to_seq, seq_to_offset};
use airhop_base::{Eln, SackBlock, Segment, SegmentArrival, Span, Time, Timestamps};

/// Maximum segment payload in an IPv4 datagram (RFC 6691 §2). Airhop's receivers accept any length.
const MSS: u16 = u16::MAX - 40;
/// Maximum window scale (RFC 7323 §2.3).
pub(crate) const MAX_WINDOW_SHIFT: u8 = 14;

pub(crate) const NOP: u8 = 1;
pub(crate) const WINDOW_SCALE: u8 = 3;
pub(crate) const SACK_PERMITTED: u8 = 4;
pub(crate) const SACK: u8 = 5;
pub(crate) const TIMESTAMPS: u8 = 8;
/// Option kinds for experiments (RFC 4727).
pub(crate) const EXPERIMENT: [u8; 2] = [253, 254];
/// Identifier of the NAK option (RFC 6994 §3).
pub(crate) const NAKS: [u8; 2] = [0xA1, 0x50];
/// Identifier of the arrival option.
const ARRIVAL: [u8; 2] = [0xA1, 0x51];
/// Identifier of the contention option.
const CONTENTION: [u8; 2] = [0xA1, 0x52];

/// Returns the smallest window scale that can express a largest window of `window`. The smallest scale loses
/// the fewest bits (RFC 7323 §2.2).
pub fn window_shift(window: u64) -> u8 {
    (0..MAX_WINDOW_SHIFT).find(|shift| window >> shift <= u64::from(u16::MAX)).unwrap_or(MAX_WINDOW_SHIFT)
}

/// Returns the options of a segment. `isn` is the initial sequence number of the peer. The header checksum is
/// left zero.
pub(crate) fn write(segment: &Segment, isn: u32) -> Vec<u8> {
    let options = &segment.options;
    let mut out = Vec::new();
    if segment.flags.syn {
        let [high, low] = MSS.to_be_bytes();
        out.extend([2, 4, high, low, NOP, NOP]);
        out.extend(if segment.sack_permitted { [SACK_PERMITTED, 2] } else { [NOP, NOP] });
        out.extend([NOP, WINDOW_SCALE, 3, window_shift(segment.window)]);
    }
    if let Some(ts) = segment.timestamps {
        out.extend([NOP, NOP, TIMESTAMPS, 10]); // RFC 7323 appendix A
        out.extend([ts.tsval, ts.tsecr].map(u32::to_be_bytes).concat());
    }
    if !options.sack.is_empty() {
        out.extend([NOP, NOP, SACK, 2 + 8 * options.sack.len() as u8]);
        for block in options.sack.blocks() {
            out.extend([block.start, block.end].map(|edge| offset_to_seq(edge, isn).to_be_bytes()).concat());
        }
    }
    if segment.has_header_checksum {
        out.extend([EXPERIMENT[0], 4, 0, 0]);
    }
    if let Some(Eln::Segment(seq)) = options.eln {
        out.extend([NOP, NOP, EXPERIMENT[1], 6]);
        out.extend(offset_to_seq(seq, isn).to_be_bytes());
    }
    if let Some(arrival) = options.arrival {
        let micros = arrival.at.since(Time::ZERO).whole_multiples(Span::from_micros(1)) as u32;
        out.extend([EXPERIMENT[0], 12, ARRIVAL[0], ARRIVAL[1]]);
        out.extend([offset_to_seq(arrival.seq, isn), micros].map(u32::to_be_bytes).concat());
    }
    if !options.naks.is_empty() {
        out.extend([EXPERIMENT[0], 4 + 4 * options.naks.len() as u8, NAKS[0], NAKS[1]]);
        out.extend(options.naks.seqs().iter().flat_map(|&seq| offset_to_seq(seq, isn).to_be_bytes()));
    }
    if let Some(contention) = options.contention_time {
        let micros = contention.whole_multiples(Span::from_micros(1)) as u32;
        out.extend([EXPERIMENT[1], 8, CONTENTION[0], CONTENTION[1]]);
        out.extend(micros.to_be_bytes());
    }
    out
}

/// Reads options into `segment`. `isn` is the initial sequence number of the peer. Returns the window scale
/// of a SYN; `None` without this option. Unknown options are ignored (RFC 9293 §3.1, MUST-6).
pub(crate) fn read(options: &[u8], isn: u32, segment: &mut Segment) -> Result<Option<u8>, WireError> {
    let mut window_shift = None;
    for option in (OptionIter { options, offset: 0 }) {
        let (_, kind, body) = option?;
        match (kind, body) {
            (WINDOW_SCALE, &[shift]) if segment.flags.syn => window_shift = Some(shift.min(MAX_WINDOW_SHIFT)),
            (SACK_PERMITTED, []) => segment.sack_permitted = segment.flags.syn,
            (TIMESTAMPS, body) if body.len() == 8 => {
                segment.timestamps = Some(Timestamps { tsval: word(body, 0), tsecr: word(body, 4) });
            }
            (SACK, body) if body.len() % 8 == 0 => {
                for edges in body.chunks(8) {
                    let [start, end] = [0, 4].map(|at| seq_to_offset(word(edges, at), isn));
                    segment.options.sack.push(SackBlock { start, end });
                }
            }
            (TIMESTAMPS | SACK, _) => return Err(MALFORMED),
            (253, [_, _]) => segment.has_header_checksum = true,
            (254, body) if body.len() == 4 && segment.options.eln.is_some() => {
                segment.options.eln = Some(Eln::Segment(seq_to_offset(word(body, 0), isn)));
            }
            (253, body) if body.len() == 10 && body.starts_with(&ARRIVAL) => {
                let at = Time::ZERO + Span::from_micros(word(body, 6).into());
                segment.options.arrival = Some(SegmentArrival { seq: seq_to_offset(word(body, 2), isn), at });
            }
            (253, body) if matches!(body.len(), 6 | 10 | 14 | 18) && body.starts_with(&NAKS) => {
                segment.options.naks =
                    body[NAKS.len()..].chunks(4).map(|seq| seq_to_offset(word(seq, 0), isn)).collect();
            }
            (254, body) if body.len() == 6 && body.starts_with(&CONTENTION) => {
                segment.options.contention_time = Some(Span::from_micros(word(body, 2).into()));
            }
            _ => {}
        }
    }
    Ok(window_shift)
}

/// Returns the offset of the header checksum's value in `options`; `None` without this option.
pub(crate) fn header_checksum_offset(options: &[u8]) -> Option<usize> {
    let mut walk = (OptionIter { options, offset: 0 }).filter_map(Result::ok);
    walk.find(|(_, kind, body)| *kind == EXPERIMENT[0] && body.len() == 2).map(|(at, _, _)| at + 2)
}

const MALFORMED: WireError = WireError::Malformed("TCP option");

/// Iterator over options: offset, kind, and value (RFC 9293 §3.1).
pub(crate) struct OptionIter<'a> {
    pub options: &'a [u8],
    /// Offset of the next option, or of the end of the list.
    pub offset: usize,
}

impl<'a> Iterator for OptionIter<'a> {
    type Item = Result<(usize, u8, &'a [u8]), WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match *self.options.get(self.offset..)? {
                [] | [0, ..] => return None,
                [NOP, ..] => self.offset += 1,
                [kind, length, ..] if length >= 2 => {
                    let (at, end) = (self.offset, self.offset + usize::from(length));
                    self.offset = end;
                    let body = self.options.get(at + 2..end);
                    return Some(body.map(|body| (at, kind, body)).ok_or(MALFORMED));
                }
                _ => {
                    self.offset = self.options.len();
                    return Some(Err(MALFORMED));
                }
            }
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
