//! Fragmentation of IEEE 802.11: a packet is sent in fragments if its frame is longer than
//! dot11FragmentationThreshold (IEEE 802.11-2016 §10.2.7, §10.5).
//!
//! Fragments are sent in order, each until it is acknowledged. After a missing ACK the station contends
//! again, and the burst continues with the same fragment. An ACK resets the retry count (§10.3.4.4), so each
//! fragment has the full number of attempts. The station discards the packet when a fragment has used all its
//! attempts, or when the packet's lifetime has ended. The receiver delivers only complete packets (§10.6).
//! The receiver's dot11MaxReceiveLifetime equals the sender's lifetime but starts later, so the receiver's
//! never expires first.
use super::data_frame::DataFrame;
use super::fragments::{FragmentFrames, Fragments};
use super::turns::{FragmentLimits, FragmentOrder};
use crate::cell::frames::FrameLengths;

/// Cuts a packet into frames of these `lengths`. `header`: length of the packet's headers, bytes; `frame`:
/// function that creates a data frame from its length and header length, bytes.
pub(crate) fn fragment_packet(
    lengths: FrameLengths,
    header: u32,
    attempts: u32,
    frame: impl Fn(u32, u32) -> DataFrame,
) -> Fragments {
    let FrameLengths { count, frame_bytes: each, last_frame_bytes: last, overhead_bytes: own } = lengths;
    let [middle, last] = [each, last].map(|bytes| frame(bytes, bytes));
    let pieces = FragmentFrames {
        first: frame(each, header.min(each)),
        middle,
        last,
        count,
        msdu_bytes: [each - own; 2],
    };
    Fragments::new(pieces, FragmentOrder::Standard(FragmentLimits::new(attempts)), attempts)
}

#[cfg(test)]
mod tests {
    use super::super::fragments::NextStep;
    use super::super::fragments::testing::{
        fragment_header_bytes, frame_sizes, simulate_arrivals, simulate_outcomes,
    };
    use super::*;
    use airhop_base::{Span, Time};

    fn fragments(frame: u32, threshold: u32, attempts: u32) -> Fragments {
        let airtime = |bytes: u32| Span::from_micros(bytes.into());
        let frame_of = |bytes, header| DataFrame { bytes, header_bytes: header, airtime: airtime(bytes) };
        fragment_packet(FrameLengths::new(frame, 28, threshold), 76, attempts, frame_of)
    }

    #[test]
    fn the_first_fragment_contains_the_headers() {
        let four = fragments(1076, 300, 1);
        assert_eq!(frame_sizes(&four), [300, 300, 300, 260]);
        assert_eq!([0, 1, 3].map(|i| fragment_header_bytes(&four, i)), [76, 300, 260]);
    }

    /// IEEE 802.11-2016 §10.3.4.4, §10.3.4.5: the burst continues with the failed fragment, and each fragment
    /// has all attempts.
    #[test]
    fn each_fragment_is_sent_until_it_is_acknowledged() {
        let play = |attempts, script: &[bool]| {
            simulate_outcomes(fragments(1076, 300, attempts), script.iter().copied())
        };
        assert_eq!(play(1, &[true; 4]), (vec![0, 1, 2, 3], NextStep::Done));
        assert_eq!(play(1, &[true, false]), (vec![0, 1], NextStep::GiveUp));
        let script = [false, true, false, true, false, true, false, true];
        assert_eq!(play(2, &script), (vec![0, 0, 1, 1, 2, 2, 3, 3], NextStep::Done));
        assert_eq!(play(2, &[false, true, true, false, false]), (vec![0, 0, 1, 2, 2], NextStep::GiveUp));
    }

    /// IEEE 802.11-2016 §10.6, §10.3.2.14: duplicate fragments are dropped. The receiver delivers the whole
    /// packet or nothing, never the headers alone.
    #[test]
    fn a_fragmented_packet_is_delivered_once() {
        let fates = simulate_arrivals(fragments(800, 300, 9), &[0, 0, 1, 2, 2]);
        assert_eq!(fates, [false, false, false, true, false].map(|whole| (whole, false)));
    }

    #[test]
    fn no_fragment_begins_after_the_msdu_lifetime() {
        let mut three = fragments(800, 300, 9);
        let [begun, end] = [1_000, 525_288].map(|us| Time::ZERO + Span::from_micros(us));
        assert!(three.begin_burst(begun) && three.begin_burst(end));
        assert_eq!(three.on_ack(end), NextStep::Fragment);
        assert!(!three.begin_burst(end + Span::from_nanos(1)));
        assert_eq!(three.on_ack(end + Span::from_nanos(1)), NextStep::GiveUp);
    }
}
