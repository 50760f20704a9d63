//! Reports of arrivals in ACKs: SACK blocks and D-SACK blocks.

use super::*;

// RFC 2018 §4, cases 2 and 3: a burst of 8 segments from 5000.
#[test]
fn rfc2018_sack_block_grows_after_a_lost_first_segment() {
    let mut b = Bench::expecting(5000, plain());
    for last in 1..8 {
        let (seq, end) = (5000 + 500 * last, 5500 + 500 * last);
        assert_eq!(b.data(seq, end), (5000, vec![(5500, end)]));
    }
}

#[test]
fn rfc2018_sack_has_a_block_between_gaps() {
    let mut b = Bench::expecting(5000, plain());
    assert_eq!(b.data(5000, 5500), (5500, vec![]));
    assert_eq!(b.data(6000, 6500), (5500, vec![(6000, 6500)]));
    assert_eq!(b.data(7000, 7500), (5500, vec![(7000, 7500), (6000, 6500)]));
    assert_eq!(b.data(8000, 8500), (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)]));
    // "… the 4th packet is received out of order": the packet joins two blocks of data, and the first SACK
    // block reports the joined data.
    assert_eq!(b.data(6500, 7000), (5500, vec![(6000, 7500), (8000, 8500)]));
    assert_eq!(b.data(5500, 6000), (7500, vec![(8000, 8500)]));
}

// RFC 2018 §4: if the option space limits the number of blocks, the most recent blocks are sent.
#[test]
fn rfc2018_the_most_recent_sack_blocks_are_sent() {
    let gaps = |config| {
        let mut b = Bench::expecting(1, config);
        (1..=5).map(|i| b.data(1000 * i, 1000 * i + 500).1.len()).collect::<Vec<_>>()
    };
    assert_eq!(gaps(Config { sack_blocks: 4, ..plain() }), [1, 2, 3, 4, 4]);
    assert_eq!(gaps(Config { sack_blocks: 4, timestamps: true, ..plain() }), [1, 2, 3, 3, 3]);
    assert_eq!(gaps(Config { sack_blocks: 1, ..plain() }), [1, 1, 1, 1, 1]);
}

// RFC 9293 §3.1: an ACK has 40 bytes for options. The block of the latest arrival and the ELN have priority
// over repeated blocks.
#[test]
fn latest_sack_block_and_eln_precede_repeated_blocks() {
    let features = ReceiverFeatures { arrival_report: true, eln_repeated: true, ..ReceiverFeatures::SACK };
    for (timestamps, blocks) in [(false, [3, 3, 2]), (true, [1, 2, 0])] {
        let config = Config { sack_blocks: 4, timestamps, ..plain() };
        let mut receiver = Receiver::new(FlowId(7), NodeId(2), NodeId(1), &config, features);
        let mut acks = Vec::new();
        // Five separate blocks of data arrive, then the segment of the first hole arrives damaged, and then a
        // sixth block. The ACK of the sixth block repeats the ELN.
        for (start, damaged) in [1, 2, 3, 4, 5, 0, 6].map(|k| (1 + 1000 * k, k == 0)) {
            let segment = Segment { seq: start, len: 500, ..Segment::default() };
            let packet = Packet::new(FlowId(7), NodeId(1), NodeId(2), 540, Body::Tcp(segment));
            receiver.on_segment(Time::ZERO, &Packet { has_payload_errors: damaged, ..packet });
            acks.extend(receiver.poll_transmit(Time::ZERO));
        }
        let acks: Vec<&Segment> = acks.iter().filter_map(|p| p.segment()).collect();
        assert!(acks.iter().all(|a| a.option_bytes() <= 40));
        assert_eq!([4, 5, 6].map(|i| acks[i].options.sack.len()), blocks);
        assert_eq!(acks[5].options.eln, Some(Eln::Segment(1)));
        assert_eq!(acks[6].options.eln, Some(Eln::Segment(1)));
    }
}

// An ACK reuses the memory of an earlier ACK, to which agents may have added options. The new ACK contains
// none of the earlier options. A receiver stores a bounded amount of memory even if it sends no options.
#[test]
fn an_ack_in_reused_memory_has_no_earlier_options() {
    let mut b = Bench::expecting(1, plain());
    let naks = [1, 2].into_iter().collect();
    for seq in 0..=MAX_SPARE_OPTIONS as u64 {
        let arrival = Some(SegmentArrival { seq, at: ms(seq) });
        b.receiver
            .recycle_options(RareOptions { naks, arrival, eln: Some(Eln::Next), ..RareOptions::NONE }.into());
    }
    assert_eq!(b.receiver.spare.len(), MAX_SPARE_OPTIONS);
    b.receiver.on_segment(ms(5), &packet(segment(1001, 500), Ecn::NotEct));
    let ack = b.receiver.poll_transmit(ms(5)).expect("an ACK");
    let options = &ack.segment().expect("TCP").options;
    assert_eq!(**options, RareOptions { sack: options.sack, ..RareOptions::NONE });
    assert_eq!(options.sack.blocks(), [SackBlock { start: 1001, end: 1501 }]);
    assert_eq!(b.receiver.spare.len(), MAX_SPARE_OPTIONS - 1);
}

#[test]
fn a_receiver_without_sack_sends_no_sack_blocks() {
    let mut b = Bench {
        receiver: Receiver::new(
            FlowId(7),
            NodeId(2),
            NodeId(1),
            &Config { dsack: true, ..plain() },
            ReceiverFeatures::NONE,
        ),
    };
    assert_eq!(b.data(501, 1001), (1, vec![]));
    assert_eq!(b.data(501, 1001), (1, vec![]));
}

fn dsack(expected: u64) -> Bench {
    Bench::expecting(expected, Config { dsack: true, sack_blocks: 4, ..plain() })
}

// RFC 2883 §4.1.1: a duplicate below the cumulative ACK is reported.
#[test]
fn rfc2883_d_sack_reports_a_duplicate_segment() {
    let mut b = dsack(3000);
    assert_eq!(b.data(3000, 3500), (3500, vec![]));
    assert_eq!(b.data(3500, 4000), (4000, vec![]));
    assert_eq!(b.data(3000, 3500), (4000, vec![(3000, 3500)]));
}

// RFC 2883 §4.1.2: a duplicate is reported while there is a gap.
#[test]
fn rfc2883_d_sack_reports_a_duplicate_during_a_gap() {
    let mut b = dsack(3000);
    b.data(3000, 3500);
    b.data(3500, 4000);
    assert_eq!(b.data(4500, 5000), (4000, vec![(4500, 5000)]));
    assert_eq!(b.data(3000, 3500), (4000, vec![(3000, 3500), (4500, 5000)]));
}

// RFC 2883 §4.1.3: a duplicate of a segment above the gap is reported, and the second block is the run that
// contains it.
#[test]
fn rfc2883_d_sack_reports_an_out_of_order_duplicate() {
    let mut b = dsack(3500);
    b.data(3500, 4000);
    assert_eq!(b.data(4500, 5000), (4000, vec![(4500, 5000)]));
    assert_eq!(b.data(5000, 5500), (4000, vec![(4500, 5500)]));
    assert_eq!(b.data(5000, 5500), (4000, vec![(5000, 5500), (4500, 5500)]));
}

// A segment counts as a duplicate if all its bytes arrived before, whether below the cumulative ACK or above
// a gap.
#[test]
fn a_segment_counts_as_duplicate_if_all_its_bytes_arrived() {
    let mut b = Bench::expecting(1000, plain());
    let counts =
        [(1000, 1500), (2000, 2500), (1000, 1500), (2000, 2500), (2250, 2750), (1250, 2250), (500, 3000)]
            .map(|(seq, end)| {
                b.data(seq, end);
                b.receiver.duplicate_segments()
            });
    assert_eq!(counts, [0, 0, 1, 2, 2, 2, 2]);
}

// RFC 2883 §4.2: parts of a segment are duplicate.
#[test]
fn rfc2883_d_sack_reports_partial_duplicates() {
    // One part is duplicate, below the cumulative ACK.
    let mut b = dsack(1000);
    b.data(1000, 1500);
    assert_eq!(b.data(2000, 2500), (1500, vec![(2000, 2500)]));
    assert_eq!(b.data(1000, 2000), (2500, vec![(1000, 1500)]));
    // Two parts are duplicate; the ACK reports the first part.
    let mut b = dsack(1000);
    b.data(1000, 1500);
    b.data(2000, 2500);
    assert_eq!(b.data(1000, 2500), (2500, vec![(1000, 1500)]));
    // Two parts above a gap are duplicate.
    let mut b = dsack(1000);
    assert_eq!(b.data(1500, 2000), (1000, vec![(1500, 2000)]));
    assert_eq!(b.data(2500, 3000), (1000, vec![(2500, 3000), (1500, 2000)]));
    assert_eq!(b.data(1500, 3000), (1000, vec![(1500, 2000), (1500, 3000)]));
}

// RFC 2018 §4 alone, without D-SACK: the ACK of a duplicate has no block for it.
#[test]
fn without_d_sack_a_duplicate_causes_no_sack_block() {
    let mut b = Bench::expecting(1, plain());
    b.data(1, 501);
    assert_eq!(b.data(1, 501), (501, vec![]));
}

/// Random number generator with a case number as seed, so that a failing case can be repeated.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

// RFC 9293 §3.4, RFC 2018 §4: segments arrive in any order, duplicated and overlapping. Delivered data and
// SACK blocks agree with a bitmap of the arrivals.
#[test]
fn any_arrival_order_delivers_every_byte_once() {
    const BYTES: u64 = 400;
    for case in 0..2000 {
        let mut rng = Lcg(case);
        let config = Config { dsack: case % 2 == 1, sack_blocks: 4, ..plain() };
        let mut b = Bench::new(config);
        let mut came = vec![false; BYTES as usize + 2];
        let mut last_ack = 1;
        while last_ack <= BYTES {
            // Most segments start near the left edge, so gaps open and close often.
            let seq = (1 + rng.below(BYTES)).min(last_ack + rng.below(80));
            let end = (seq + 1 + rng.below(40)).min(BYTES + 1);
            let had = came.clone();
            came[seq as usize..end as usize].fill(true);
            let first_missing = (1..=BYTES).find(|&i| !came[i as usize]).unwrap_or(BYTES + 1);

            let (ack, mut blocks) = b.data(seq, end);
            assert_eq!(ack, first_missing, "case {case}");
            assert!(ack >= last_ack);
            assert_eq!(b.receiver.delivered_bytes(), ack - 1);
            last_ack = ack;
            let duplicate = (seq..end).any(|i| had[i as usize]);
            if config.dsack && duplicate {
                let (start, end) = blocks.remove(0);
                assert!(
                    (start..end).all(|i| had[i as usize]),
                    "case {case}: D-SACK of data that had not arrived"
                );
                assert!(start == seq || !had[start as usize - 1], "case {case}: D-SACK is not the whole run");
            }
            for (i, &(start, end)) in blocks.iter().enumerate() {
                assert!(ack < start && start < end, "case {case}: a block below the ACK");
                // Blocks are maximal runs (RFC 2018 §3): the bytes next to a block are missing, so blocks are
                // disjoint.
                assert!(
                    (start..end).all(|i| came[i as usize]),
                    "case {case}: a block of data that never arrived"
                );
                assert!(
                    !came[start as usize - 1] && !came[end as usize],
                    "case {case}: a block that is not a run"
                );
                assert!(!blocks[..i].contains(&(start, end)), "case {case}: a block twice");
            }
            if seq > ack && !(config.dsack && blocks.is_empty()) {
                let (start, end_of_first) = blocks[0];
                assert!(
                    start <= seq && end <= end_of_first,
                    "case {case}: the first block is not the newest"
                );
            }
        }
    }
}
