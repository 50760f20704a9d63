//! Packet scripts: these segments at these times, those ACKs.

use super::*;
use crate::config::Preset;

/// A receiver under test and a shorthand for what it answers.
struct Bench {
    receiver: Receiver,
}

/// One ACK: its number and its SACK blocks.
type Answer = (u64, Vec<(u64, u64)>);

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn segment(seq: u64, len: u32) -> Segment {
    Segment {
        seq,
        len,
        ack: 1,
        window: 1 << 40,
        flags: Flags { ack: true, ..Flags::default() },
        ..Segment::default()
    }
}

fn packet(s: Segment, ecn: Ecn) -> Packet {
    let bytes = HEADER_BYTES + s.len;
    Packet { ecn, ..Packet::new(FlowId(7), NodeId(1), NodeId(2), bytes, Body::Tcp(s)) }
}

/// Segments of 500 bytes as in the RFCs' examples, an ACK for each, no timestamps, no handshake.
fn plain() -> Config {
    Preset::Ns2.config(500)
}

impl Bench {
    fn new(config: Config) -> Self {
        Bench { receiver: Receiver::new(FlowId(7), NodeId(2), NodeId(1), &config, Asks::SACK) }
    }

    /// A bench whose receiver already has everything before `seq`.
    fn expecting(seq: u64, config: Config) -> Self {
        let mut b = Bench::new(config);
        b.receiver.stream.expected = seq;
        b
    }

    fn give(&mut self, now: Time, s: Segment) -> Vec<Segment> {
        self.give_marked(now, s, Ecn::NotEct)
    }

    fn give_marked(&mut self, now: Time, s: Segment, ecn: Ecn) -> Vec<Segment> {
        self.receiver.on_segment(now, &packet(s, ecn));
        self.answers(now)
    }

    fn answers(&mut self, now: Time) -> Vec<Segment> {
        std::iter::from_fn(|| self.receiver.poll_transmit(now))
            .map(|p| {
                assert_eq!((p.flow, p.src, p.dst, p.ecn), (FlowId(7), NodeId(2), NodeId(1), Ecn::NotEct));
                let s = p.segment().unwrap().clone();
                assert_eq!(p.bytes, 40 + s.option_bytes());
                s
            })
            .collect()
    }

    /// Data `[seq, end)`; exactly one ACK must come back.
    fn data(&mut self, seq: u64, end: u64) -> Answer {
        let answers = self.give(Time::ZERO, segment(seq, (end - seq) as u32));
        assert_eq!(answers.len(), 1);
        (answers[0].ack, answers[0].sack.blocks().iter().map(|b| (b.start, b.end)).collect())
    }
}

// RFC 2018 §4, cases 2 and 3: a burst of 8 segments from 5000.
#[test]
fn rfc2018_first_segment_lost() {
    let mut b = Bench::expecting(5000, plain());
    for last in 1..8 {
        let (seq, end) = (5000 + 500 * last, 5500 + 500 * last);
        assert_eq!(b.data(seq, end), (5000, vec![(5500, end)]));
    }
}

#[test]
fn rfc2018_every_second_segment_lost() {
    let mut b = Bench::expecting(5000, plain());
    assert_eq!(b.data(5000, 5500), (5500, vec![]));
    assert_eq!(b.data(6000, 6500), (5500, vec![(6000, 6500)]));
    assert_eq!(b.data(7000, 7500), (5500, vec![(7000, 7500), (6000, 6500)]));
    assert_eq!(b.data(8000, 8500), (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)]));
    // "… the 4th packet is received out of order": it joins two runs, and the joint run is first.
    assert_eq!(b.data(6500, 7000), (5500, vec![(6000, 7500), (8000, 8500)]));
    assert_eq!(b.data(5500, 6000), (7500, vec![(8000, 8500)]));
}

// RFC 2018 §4: no more blocks than there is room for, the most recent are kept.
#[test]
fn rfc2018_room_for_blocks() {
    let gaps = |config| {
        let mut b = Bench::expecting(1, config);
        (1..=5).map(|i| b.data(1000 * i, 1000 * i + 500).1.len()).collect::<Vec<_>>()
    };
    assert_eq!(gaps(Config { sack_blocks: 4, ..plain() }), [1, 2, 3, 4, 4]);
    assert_eq!(gaps(Config { sack_blocks: 4, timestamps: true, ..plain() }), [1, 2, 3, 3, 3]);
    assert_eq!(gaps(Config { sack_blocks: 1, ..plain() }), [1, 1, 1, 1, 1]);
}

// RFC 9293 §3.1: 40 bytes of options. What an ACK says of arrivals and ELNs is worth more than blocks that are repeated anyway.
#[test]
fn blocks_take_the_room_that_is_left() {
    let asks = Asks { arrival: true, eln_repeated: true, ..Asks::SACK };
    for (timestamps, blocks) in [(false, [3, 3, 2]), (true, [1, 2, 0])] {
        let config = Config { sack_blocks: 4, timestamps, ..plain() };
        let mut receiver = Receiver::new(FlowId(7), NodeId(2), NodeId(1), &config, asks);
        let mut acks = Vec::new();
        // Five runs; then the first hole comes damaged, and one more run whose ACK repeats the ELN.
        for (start, damaged) in [1, 2, 3, 4, 5, 0, 6].map(|k| (1 + 1000 * k, k == 0)) {
            let segment = Segment { seq: start, len: 500, ..Segment::default() };
            let packet = Packet::new(FlowId(7), NodeId(1), NodeId(2), 540, Body::Tcp(segment));
            receiver.on_segment(Time::ZERO, &Packet { damaged, ..packet });
            acks.extend(receiver.poll_transmit(Time::ZERO));
        }
        let acks: Vec<&Segment> = acks.iter().filter_map(|p| p.segment()).collect();
        assert!(acks.iter().all(|a| a.option_bytes() <= 40));
        assert_eq!([4, 5, 6].map(|i| acks[i].sack.len()), blocks);
        assert_eq!(acks[5].eln, Some(Eln::Segment(1)));
        assert_eq!(acks[6].eln, Some(Eln::Segment(1)));
    }
}

#[test]
fn without_sack_there_are_no_blocks() {
    let mut b = Bench {
        receiver: Receiver::new(
            FlowId(7),
            NodeId(2),
            NodeId(1),
            &Config { dsack: true, ..plain() },
            Asks::NOTHING,
        ),
    };
    assert_eq!(b.data(501, 1001), (1, vec![]));
    assert_eq!(b.data(501, 1001), (1, vec![]));
}

fn dsack(expected: u64) -> Bench {
    Bench::expecting(expected, Config { dsack: true, sack_blocks: 4, ..plain() })
}

// RFC 2883 §4.1.1: a duplicate below the cumulative ACK.
#[test]
fn rfc2883_duplicate_segment() {
    let mut b = dsack(3000);
    assert_eq!(b.data(3000, 3500), (3500, vec![]));
    assert_eq!(b.data(3500, 4000), (4000, vec![]));
    assert_eq!(b.data(3000, 3500), (4000, vec![(3000, 3500)]));
}

// RFC 2883 §4.1.2: a duplicate while there is a gap.
#[test]
fn rfc2883_out_of_order_and_duplicate() {
    let mut b = dsack(3000);
    b.data(3000, 3500);
    b.data(3500, 4000);
    assert_eq!(b.data(4500, 5000), (4000, vec![(4500, 5000)]));
    assert_eq!(b.data(3000, 3500), (4000, vec![(3000, 3500), (4500, 5000)]));
}

// RFC 2883 §4.1.3: a duplicate of a segment beyond the gap: second comes the run that holds it.
#[test]
fn rfc2883_duplicate_of_an_out_of_order_segment() {
    let mut b = dsack(3500);
    b.data(3500, 4000);
    assert_eq!(b.data(4500, 5000), (4000, vec![(4500, 5000)]));
    assert_eq!(b.data(5000, 5500), (4000, vec![(4500, 5500)]));
    assert_eq!(b.data(5000, 5500), (4000, vec![(5000, 5500), (4500, 5500)]));
}

// A segment counts as a duplicate if nothing in it is new, below the cumulative ACK or beyond a gap.
#[test]
fn duplicates_are_counted_whole() {
    let mut b = Bench::expecting(1000, plain());
    let counts =
        [(1000, 1500), (2000, 2500), (1000, 1500), (2000, 2500), (2250, 2750), (1250, 2250), (500, 3000)]
            .map(|(seq, end)| {
                b.data(seq, end);
                b.receiver.duplicates()
            });
    assert_eq!(counts, [0, 0, 1, 2, 2, 2, 2]);
}

// RFC 2883 §4.2: duplicates of parts of a segment.
#[test]
fn rfc2883_partial_duplicates() {
    // One old part, below the cumulative ACK.
    let mut b = dsack(1000);
    b.data(1000, 1500);
    assert_eq!(b.data(2000, 2500), (1500, vec![(2000, 2500)]));
    assert_eq!(b.data(1000, 2000), (2500, vec![(1000, 1500)]));
    // Two old parts: the first is reported.
    let mut b = dsack(1000);
    b.data(1000, 1500);
    b.data(2000, 2500);
    assert_eq!(b.data(1000, 2500), (2500, vec![(1000, 1500)]));
    // Two old parts, beyond a gap.
    let mut b = dsack(1000);
    assert_eq!(b.data(1500, 2000), (1000, vec![(1500, 2000)]));
    assert_eq!(b.data(2500, 3000), (1000, vec![(2500, 3000), (1500, 2000)]));
    assert_eq!(b.data(1500, 3000), (1000, vec![(1500, 2000), (1500, 3000)]));
}

// RFC 2018 §4 alone: a duplicate is answered, without a block for it.
#[test]
fn without_dsack_a_duplicate_is_only_acknowledged() {
    let mut b = Bench::expecting(1, plain());
    b.data(1, 501);
    assert_eq!(b.data(1, 501), (501, vec![]));
}

fn delayed() -> Bench {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(200) };
    Bench::expecting(1, Config { delayed_ack: Some(delay), ..plain() })
}

// RFC 5681 §4.2, RFC 9293 §3.8.6.3: every second full segment, and no later than the timeout.
#[test]
fn delayed_ack_second_segment_or_timeout() {
    let mut b = delayed();
    assert!(b.give(ms(10), segment(1, 500)).is_empty());
    assert_eq!(b.receiver.poll_timeout(), Some(ms(210)));
    assert_eq!(b.give(ms(20), segment(501, 500)).len(), 1);
    assert_eq!(b.receiver.poll_timeout(), None);
    assert!(b.give(ms(30), segment(1001, 500)).is_empty());
    b.receiver.on_timeout(ms(100)); // too early: nothing happens
    assert!(b.answers(ms(100)).is_empty());
    b.receiver.on_timeout(ms(230));
    assert_eq!(b.answers(ms(230)).iter().map(|s| s.ack).collect::<Vec<_>>(), [1501]);
    assert_eq!(b.receiver.poll_timeout(), None);
}

// The timer runs from the first unacknowledged segment, and bytes count, not segments.
#[test]
fn delayed_ack_counts_bytes_from_the_first() {
    let mut b = delayed();
    for i in 0..9 {
        assert!(b.give(ms(10 + i), segment(1 + 100 * i, 100)).is_empty());
        assert_eq!(b.receiver.poll_timeout(), Some(ms(210)));
    }
    assert_eq!(b.give(ms(30), segment(901, 100)).len(), 1);
}

// RFC 5681 §4.2: at once when out of order, when a gap is filled in part or wholly; and on a duplicate.
#[test]
fn delayed_ack_does_not_delay_news_of_loss() {
    let mut b = delayed();
    assert_eq!(b.data(1001, 1501).0, 1); // out of order
    assert_eq!(b.data(1, 501).0, 501); // part of the gap
    assert_eq!(b.data(501, 1001).0, 1501); // the rest
    assert_eq!(b.data(1, 501).0, 1501); // duplicate
    assert!(b.give(ms(1), segment(1501, 500)).is_empty());
    assert_eq!(b.data(1751, 2251).0, 2251); // a duplicate in part
}

// RFC 3168 §6.1.3: ECE from the first CE until CWR. A change is told at once.
#[test]
fn ecn_echo() {
    let mut b = delayed();
    let echo = |answers: Vec<Segment>| answers.iter().map(|s| s.flags.ece).collect::<Vec<_>>();
    assert_eq!(echo(b.give_marked(ms(1), segment(1, 500), Ecn::Ce)), [true]);
    assert!(b.give_marked(ms(2), segment(501, 500), Ecn::Ect).is_empty());
    assert_eq!(echo(b.give_marked(ms(3), segment(1001, 500), Ecn::Ect)), [true]);
    let mut cwr = segment(1501, 500);
    cwr.flags.cwr = true;
    assert_eq!(echo(b.give_marked(ms(4), cwr.clone(), Ecn::Ect)), [false]);
    // A segment that carries CWR and was itself marked begins anew.
    cwr.seq = 2001;
    assert_eq!(echo(b.give_marked(ms(5), cwr, Ecn::Ce)), [true]);
}

// Xu, Tian and Ansari 2004: an ACK says whether a mark came since the last one, and the next one begins anew; CWR changes nothing.
#[test]
fn each_mark_is_echoed_once() {
    let asks = Asks { echo: Echo::EachMark, ..Asks::NOTHING };
    let mut b = Bench { receiver: Receiver::new(FlowId(7), NodeId(2), NodeId(1), &plain(), asks) };
    let echoes = [Ecn::Ect, Ecn::Ce, Ecn::Ect, Ecn::Ce, Ecn::Ce].iter().zip(0..).map(|(&ecn, n)| {
        let answers = b.give_marked(ms(n), segment(1 + 500 * n, 500), ecn);
        answers.iter().any(|s| s.flags.ece)
    });
    assert_eq!(echoes.collect::<Vec<_>>(), [false, true, false, true, true]);
}

// Balan et al. 2001 (HACK): an ACK says at once which segment came damaged, unless it had come intact before.
#[test]
fn what_came_intact_is_not_reported_as_damaged() {
    let mut b = Bench::new(plain());
    b.data(1, 501);
    b.data(1001, 1501);
    for (seq, reported) in
        [(1, None), (501, Some(Eln::Segment(501))), (1001, None), (1501, Some(Eln::Segment(1501)))]
    {
        let damaged = Packet { damaged: true, ..packet(segment(seq, 500), Ecn::NotEct) };
        b.receiver.on_segment(ms(9), &damaged);
        assert_eq!(b.answers(ms(9)).first().and_then(|s| s.eln), reported, "segment at {seq}");
    }
}

fn stamped(seq: u64, value: u32) -> Segment {
    Segment { timestamps: Some(Timestamps { value, echo: 0 }), ..segment(seq, 500) }
}

// RFC 7323 §4.3, its three situations.
#[test]
fn timestamps_echo() {
    let echo = |answers: &[Segment]| answers[0].timestamps.unwrap().echo;
    // (A) Delayed ACKs: the echo is of the first segment since the last ACK.
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(200) };
    let mut b = Bench::new(Config { timestamps: true, delayed_ack: Some(delay), ..plain() });
    assert!(b.give(ms(10), stamped(1, 1)).is_empty());
    let acks = b.give(ms(12), stamped(501, 2));
    assert_eq!((echo(&acks), acks[0].timestamps.unwrap().value), (1, 12));
    // (B), (C) A hole and its filling: the last segment that advanced the window, then the one that filled the hole.
    let mut b = Bench::new(Config { timestamps: true, ..plain() });
    assert_eq!(echo(&b.give(ms(1), stamped(1, 1))), 1);
    assert_eq!(echo(&b.give(ms(2), stamped(1001, 3))), 1);
    assert_eq!(echo(&b.give(ms(3), stamped(2001, 5))), 1);
    assert_eq!(echo(&b.give(ms(4), stamped(501, 2))), 2);
    assert_eq!(echo(&b.give(ms(5), stamped(1501, 4))), 4);
    // An older stamp never replaces a newer one.
    assert_eq!(echo(&b.give(ms(6), stamped(1, 1))), 4);
}

// RFC 7323 §4.3 (1): the SYN-ACK is the first segment with an ACK field, so the next one echoes the first data segment and
// not the SYN, which would make the first round trip twice as long.
#[test]
fn the_first_data_is_echoed() {
    let mut b = Bench::new(Config { handshake: true, timestamps: true, ..plain() });
    let syn = Segment { seq: 0, len: 0, flags: Flags { syn: true, ..Flags::default() }, ..stamped(0, 1) };
    let echoed: Vec<u32> = [syn, stamped(1, 60), stamped(501, 61)]
        .into_iter()
        .map(|s| b.give(ms(100), s)[0].timestamps.unwrap().echo)
        .collect();
    assert_eq!(echoed, [1, 60, 61]);
}

// RFC 9293 §3.5: SYN, SYN-ACK; again if the SYN comes again; no data before it.
#[test]
fn handshake() {
    let mut b = Bench::new(Config { handshake: true, ..plain() });
    let syn = Segment { seq: 0, flags: Flags { syn: true, ..Flags::default() }, ..segment(0, 0) };
    assert!(b.give(ms(0), segment(1, 500)).is_empty());
    for _ in 0..2 {
        let reply = b.give(ms(1), syn.clone());
        assert_eq!((reply.len(), reply[0].seq, reply[0].ack, reply[0].end()), (1, 0, 1, 1));
        assert_eq!(reply[0].flags, Flags { syn: true, ack: true, ..Flags::default() });
    }
    assert_eq!(b.receiver.delivered(), 0);
    assert!(b.give(ms(2), segment(1, 0)).is_empty()); // the third ACK
    assert_eq!(b.data(1, 501), (501, vec![]));
    assert_eq!(b.receiver.delivered(), 500);
    let late = b.give(ms(3), syn);
    assert_eq!((late[0].seq, late[0].ack, late[0].flags.syn), (1, 501, false));
}

// RFC 5681 §4.2 with delayed ACKs off: every segment gets its own ACK, none is lost when several wait.
#[test]
fn one_ack_per_segment_in_order() {
    let mut b = Bench::new(plain());
    for i in 0..40 {
        b.receiver.on_segment(ms(i), &packet(segment(1 + 500 * i, 500), Ecn::NotEct));
    }
    let acks: Vec<u64> = b.answers(ms(50)).iter().map(|s| s.ack).collect();
    assert_eq!(acks, (1..=40).map(|i| 1 + 500 * i).collect::<Vec<_>>());
}

/// A small generator, so that a failing case can be run again by its number.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

// RFC 9293 §3.4, RFC 2018 §4: any order, duplication and overlap. A bitmap of what arrived is the judge.
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
            // Mostly pieces out of the next bytes, so that gaps come and go.
            let seq = (1 + rng.below(BYTES)).min(last_ack + rng.below(80));
            let end = (seq + 1 + rng.below(40)).min(BYTES + 1);
            let had = came.clone();
            came[seq as usize..end as usize].fill(true);
            let first_missing = (1..=BYTES).find(|&i| !came[i as usize]).unwrap_or(BYTES + 1);

            let (ack, mut blocks) = b.data(seq, end);
            assert_eq!(ack, first_missing, "case {case}");
            assert!(ack >= last_ack);
            assert_eq!(b.receiver.delivered(), ack - 1);
            last_ack = ack;
            let duplicate = (seq..end).any(|i| had[i as usize]);
            if config.dsack && duplicate {
                let (start, end) = blocks.remove(0);
                assert!(
                    (start..end).all(|i| had[i as usize]),
                    "case {case}: D-SACK of what never came before"
                );
                assert!(start == seq || !had[start as usize - 1], "case {case}: D-SACK is not the whole run");
            }
            for (i, &(start, end)) in blocks.iter().enumerate() {
                assert!(ack < start && start < end, "case {case}: a block below the ACK");
                // Maximal runs (RFC 2018 §3): what borders on a block is missing; so blocks are disjoint.
                assert!((start..end).all(|i| came[i as usize]), "case {case}: a block of what never came");
                assert!(
                    !came[start as usize - 1] && !came[end as usize],
                    "case {case}: a block that is no run"
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

// schemes.md 2.15: two segments at first, and twice as many after two intervals; RFC 5681 §2: a duplicate ACK leaves the window as it
// was, so that its right edge stays. RFC 9293 §3.8.6.2.1: the edge does not move back when the limit falls.
#[test]
fn contention_limits_the_window() {
    let config = Config { receive_window: 20_000, delayed_ack: None, ..Preset::Ns2.config(1000) };
    let asks = Asks { contention: true, ..Asks::NOTHING };
    let mut receiver = Receiver::new(FlowId(0), NodeId(1), NodeId(0), &config, asks);
    let mut ack = |ms: u64, n: u64, contention: u64| {
        let contention = Some(Span::from_micros(contention));
        let segment = Segment { contention, ..segment(1 + 1000 * n, 1000) };
        let bytes = HEADER_BYTES + 1000 + segment.option_bytes();
        let now = Time::ZERO + Span::from_millis(ms);
        receiver.on_segment(now, &Packet::new(FlowId(0), NodeId(0), NodeId(1), bytes, Body::Tcp(segment)));
        let ack = receiver.poll_transmit(now).expect("an ACK");
        let ack = ack.segment().expect("a segment");
        (ack.ack / 1000, (ack.ack + ack.window) / 1000)
    };
    assert_eq!([ack(0, 0, 100), ack(50, 1, 100), ack(100, 2, 100)], [(1, 3), (2, 4), (3, 5)]);
    // The second interval ends as the first: the limit is 4.
    assert_eq!([ack(150, 3, 100), ack(200, 4, 100)], [(4, 6), (5, 9)]);
    // The next ends, with 8, out of order; what fills the hole moves the edge.
    assert_eq!([ack(220, 5, 100), ack(240, 6, 100), ack(260, 7, 100)], [(6, 10), (7, 11), (8, 12)]);
    assert_eq!(ack(280, 8, 100), (9, 13));
    assert_eq!([ack(300, 10, 100), ack(310, 9, 100)], [(9, 13), (11, 19)]);
    // Less in twice the time, and ten times the contention: half.
    assert_eq!([ack(410, 11, 1000), ack(450, 12, 1000), ack(490, 13, 1000)], [(12, 20), (13, 21), (14, 22)]);
    let later = [14, 15, 16, 17].map(|n| ack(500 + 100 * (n - 14), n, 1000));
    assert!(later.is_sorted() && later.windows(2).any(|pair| pair[0].1 == pair[1].1), "{later:?}");
}

// Linux: the first 16 ACKs are not delayed, nor as many after a pause or a duplicate, as the sender may be in slow start.
#[test]
fn quick_acks() {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(40) };
    let mut b = Bench::new(Config { delayed_ack: Some(delay), quick_acks: 16, ..plain() });
    let mut next = 1;
    // How many of so many segments are acknowledged, if they come a millisecond apart.
    let mut acks = |b: &mut Bench, from: u64, segments: u64| -> usize {
        let answers = (0..segments).map(|k| {
            let n = b.give(ms(from + k), segment(next, 500)).len();
            next += 500;
            n
        });
        answers.sum()
    };
    assert_eq!(acks(&mut b, 0, 16), 16);
    assert_eq!(acks(&mut b, 16, 20), 10);
    assert_eq!(acks(&mut b, 235, 2), 1, "200 ms are no pause");
    assert_eq!(acks(&mut b, 437, 16), 16, "201 ms are one");
    assert_eq!(b.give(ms(460), segment(1, 500)).len(), 1);
    assert_eq!(acks(&mut b, 461, 15), 15, "the ACK of the duplicate counts");
    assert_eq!(acks(&mut b, 476, 20), 10);
}

// RFC 8257 §3.2: two states, an ACK for every second segment in either, and one at once when it changes; what came before the change is
// acknowledged by an ACK of its own in the old state. CWR changes nothing, and the SYN-ACK is capable (§3.6).
#[test]
fn every_byte_is_echoed_as_it_was() {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(200) };
    let config = Config { delayed_ack: Some(delay), handshake: true, ..plain() };
    let asks = Asks { echo: Echo::EachByte, ..Asks::SACK };
    let mut receiver = Receiver::new(FlowId(7), NodeId(2), NodeId(1), &config, asks);
    let syn = Segment { seq: 0, flags: Flags { syn: true, ..Flags::default() }, ..segment(0, 0) };
    receiver.on_segment(ms(0), &packet(syn, Ecn::Ce));
    let reply = receiver.poll_transmit(ms(0)).expect("a SYN-ACK");
    assert_eq!(
        (reply.ecn, reply.segment().expect("TCP").flags.ece),
        (Ecn::Ect, false),
        "a mark on a SYN is ignored"
    );
    let mut give = |n: u64, marked: bool, cwr: bool| -> Vec<(u64, bool)> {
        let flags = Flags { ack: true, cwr, ..Flags::default() };
        let data = Segment { flags, ..segment(1 + 500 * (n - 1), 500) };
        receiver.on_segment(ms(n), &packet(data, if marked { Ecn::Ce } else { Ecn::Ect }));
        let acks = std::iter::from_fn(|| receiver.poll_transmit(ms(n)));
        acks.map(|p| {
            let ack = p.segment().expect("TCP");
            assert_eq!(p.ecn, Ecn::NotEct);
            (ack.ack / 500, ack.flags.ece)
        })
        .collect()
    };
    let answers: [&[(u64, bool)]; 12] = [
        &[],
        &[(2, false)],
        &[],
        &[(3, false), (4, true)],
        &[],
        &[(6, true)],
        &[],
        &[(8, true)],
        &[(9, false)],
        &[(10, true)],
        &[],
        &[(11, true), (12, false)],
    ];
    let marks = [false, false, false, true, true, true, true, true, false, true, true, false];
    for (n, (marked, answer)) in (1..).zip(marks.into_iter().zip(answers)) {
        assert_eq!(give(n, marked, n == 5), answer, "segment {n}");
    }
    // Out of order, at once, with the state of the packet that caused it.
    assert_eq!(give(14, true, false), [(12, true)]);
    assert_eq!(give(13, false, false), [(14, false)]);
}
