//! Fragments with link-layer header protection, LHP (Gao, Diggavi and Muthukrishnan 2003, as described in Yun
//! 2009 §2.1). Details that Yun does not describe are reconstructed.
//!
//! The first fragment of a packet carries the TCP/IP headers, and is retransmitted until it is acknowledged.
//! Then every other fragment is sent once, and the failed fragments are sent again while transmissions
//! remain. The number of transmissions per packet is its number of fragments times the attempt limit. If a
//! receiver misses a fragment, it therefore often has at least the packet's headers.
//!
//! Every fragment has the overhead of a data frame. Eight bytes of this overhead are LLC and SNAP. A standard
//! MAC sends LLC and SNAP only in the first fragment.
use super::data_frame::DataFrame;
use super::fragments::{FragmentFrames, Fragments};
use super::turns::FragmentOrder;
use crate::cell::frames::MAX_FRAGMENTS;
use crate::layer::Fragmentation;
use crate::phy::LLC_BYTES;

/// Cuts a packet of `bytes` bytes with `header` bytes of headers into fragments. `frame` is a function that
/// creates a data frame from its length and header length in bytes. `None` if the first fragment would carry
/// the whole packet.
pub(crate) fn fragment_packet(
    cut: Fragmentation,
    (bytes, header): (u32, u32),
    attempts: u32,
    frame: impl Fn(u32, u32) -> DataFrame,
) -> Option<Fragments> {
    let first = cut.first_bytes.max(header);
    let behind = bytes.checked_sub(first).filter(|rest| *rest > 0)?;
    let rest = cut.max_later_bytes.max(behind.div_ceil(MAX_FRAGMENTS - 1));
    let count = 1 + behind.div_ceil(rest);
    // A later fragment counts as header in its whole length, so that any bit error loses it.
    let part = |bytes| frame(bytes, bytes);
    let pieces = FragmentFrames {
        first: frame(first, header),
        middle: part(rest),
        last: part(behind - (count - 2) * rest),
        count,
        msdu_bytes: [LLC_BYTES + first, rest],
    };
    Some(Fragments::new(pieces, FragmentOrder::HeadersFirst, attempts.saturating_mul(count)))
}

#[cfg(test)]
mod tests {
    use super::super::fragments::testing::{
        fragment_header_bytes, frame_sizes, simulate_arrivals, simulate_outcomes,
    };
    use super::super::fragments::{Fragments, NextStep};
    use super::*;
    use airhop_base::Span;

    /// Cuts a packet into fragments with frames without overhead.
    fn cut(first: u32, rest: u32, packet: (u32, u32), attempts: u32) -> Option<Fragments> {
        let frame = |bytes, header| DataFrame {
            bytes,
            header_bytes: header,
            airtime: Span::from_micros(bytes.into()),
        };
        super::fragment_packet(
            Fragmentation { first_bytes: first, max_later_bytes: rest },
            packet,
            attempts,
            frame,
        )
    }

    #[test]
    fn lhp_cuts_a_packet_into_headers_and_at_most_15_fragments() {
        let of = |first, rest, bytes| cut(first, rest, (bytes, 52), 1).map(|f| frame_sizes(&f));
        assert_eq!(of(100, 256, 1052), Some(vec![100, 256, 256, 256, 184]));
        assert_eq!(of(100, 256, 612), Some(vec![100, 256, 256]));
        assert_eq!(of(100, 256, 101), Some(vec![100, 1]));
        assert_eq!(of(100, 256, 100), None);
        assert_eq!(of(0, 1000, 1052), Some(vec![52, 1000]), "never shorter than the headers");
        let many = of(100, 0, 1052).expect("the packet is fragmented");
        assert_eq!((many.len(), many.iter().sum::<u32>()), (16, 1052), "{many:?}");
        let headers = |i| cut(100, 256, (1052, 52), 1).map(|f| fragment_header_bytes(&f, i));
        assert_eq!([0, 1, 4].map(headers), [Some(52), Some(256), Some(184)]);
    }

    /// The first fragment is sent until it is acknowledged. Then every other fragment is sent once, and then
    /// the failed fragments.
    #[test]
    fn lhp_sends_the_first_fragment_until_it_is_acknowledged() {
        let play = |attempts, script: &[bool]| {
            let fragments = cut(100, 100, (400, 52), attempts).expect("four fragments");
            simulate_outcomes(fragments, script.iter().copied())
        };
        assert_eq!(play(1, &[true; 4]), (vec![0, 1, 2, 3], NextStep::Done));
        assert_eq!(play(1, &[false; 4]), (vec![0; 4], NextStep::GiveUp));
        assert_eq!(play(2, &[false; 8]), (vec![0; 8], NextStep::GiveUp));
        assert_eq!(play(1, &[true, false, true, true]), (vec![0, 1, 2, 3], NextStep::GiveUp));
        let script = [false, false, true, false, true, false, true, true];
        assert_eq!(play(2, &script), (vec![0, 0, 0, 1, 2, 3, 1, 3], NextStep::Done));
        let script = [true, false, false, true, false, true, false, false];
        assert_eq!(play(2, &script), (vec![0, 1, 2, 3, 1, 2, 1, 1], NextStep::GiveUp));
    }

    #[test]
    fn the_last_missing_fragment_delivers_the_packet_once() {
        let fragments = cut(100, 100, (300, 52), 9).expect("three fragments");
        let expect =
            [(false, false), (false, false), (false, true), (true, true), (false, true), (false, true)];
        assert_eq!(simulate_arrivals(fragments, &[2, 2, 0, 1, 1, 0]), expect);
    }
}
