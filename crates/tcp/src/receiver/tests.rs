//! Packet scripts: segments with their arrival times, and the expected ACKs.

mod agreement;
mod delays;
mod echoes;
mod reports;

use super::*;
use crate::EchoMode;
use crate::config::{LossDetection, Preset};

/// Receiver of a test; its methods return ACKs in short form.
struct Bench {
    receiver: Receiver,
}

/// Acknowledgement number and SACK blocks of an ACK.
type Answer = (u64, Vec<(u64, u64)>);

/// Flags of a SYN that offers ECN (RFC 3168 §6.1.1).
const SETUP: Flags = Flags { syn: true, ack: false, fin: false, psh: false, ece: true, cwr: true };

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
    let bytes = TCP_IP_HEADER_BYTES + s.len;
    Packet { ecn, ..Packet::new(FlowId(7), NodeId(1), NodeId(2), bytes, Body::Tcp(s)) }
}

/// Returns the configuration of the RFCs' examples: segments of 500 bytes, an ACK for each, no timestamps, no
/// handshake.
fn plain() -> Config {
    Preset::Ns2.config(500)
}

impl Bench {
    fn new(config: Config) -> Self {
        Bench { receiver: Receiver::new(FlowId(7), NodeId(2), NodeId(1), &config, ReceiverFeatures::SACK) }
    }

    /// Creates a receiver that already has all data below `seq`.
    fn expecting(seq: u64, config: Config) -> Self {
        let mut b = Bench::new(config);
        b.receiver.stream.rcv_nxt = seq;
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

    /// Delivers data `[seq, end)` and returns its single ACK.
    fn data(&mut self, seq: u64, end: u64) -> Answer {
        let answers = self.give(Time::ZERO, segment(seq, (end - seq) as u32));
        assert_eq!(answers.len(), 1);
        (answers[0].ack, answers[0].options.sack.blocks().iter().map(|b| (b.start, b.end)).collect())
    }
}

/// Creates a receiver that delays ACKs until the second segment, for at most 200 ms.
fn delayed() -> Bench {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(200) };
    Bench::expecting(1, Config { delayed_ack: Some(delay), ..plain() })
}

// RFC 9293 §3.5: a SYN and each of its retransmissions is answered by a SYN-ACK. Data before the SYN is not
// accepted.
#[test]
fn every_syn_is_answered_by_a_syn_ack() {
    let mut b = Bench::new(Config { handshake: true, ..plain() });
    let syn = Segment { seq: 0, flags: Flags { syn: true, ..Flags::default() }, ..segment(0, 0) };
    assert!(b.give(ms(0), segment(1, 500)).is_empty());
    for _ in 0..2 {
        let reply = b.give(ms(1), syn.clone());
        assert_eq!((reply.len(), reply[0].seq, reply[0].ack, reply[0].end()), (1, 0, 1, 1));
        assert_eq!(reply[0].flags, Flags { syn: true, ack: true, ..Flags::default() });
    }
    assert_eq!(b.receiver.delivered_bytes(), 0);
    assert!(b.give(ms(2), segment(1, 0)).is_empty()); // the ACK that completes the handshake
    assert_eq!(b.data(1, 501), (501, vec![]));
    assert_eq!(b.receiver.delivered_bytes(), 500);
    let late = b.give(ms(3), syn);
    assert_eq!((late[0].seq, late[0].ack, late[0].flags.syn), (1, 501, false));
}

// RFC 5681 §4.2, without delayed ACKs: every segment has its own ACK, even if several ACKs are pending.
#[test]
fn every_in_order_segment_has_its_own_ack() {
    let mut b = Bench::new(plain());
    for i in 0..40 {
        b.receiver.on_segment(ms(i), &packet(segment(1 + 500 * i, 500), Ecn::NotEct));
    }
    let acks: Vec<u64> = b.answers(ms(50)).iter().map(|s| s.ack).collect();
    assert_eq!(acks, (1..=40).map(|i| 1 + 500 * i).collect::<Vec<_>>());
}

// TCP Contention Control: the initial limit is two segments, and doubles after two intervals. RFC 5681 §2: a
// duplicate ACK leaves the window unchanged, so the right edge does not change. RFC 9293 §3.8.6.2.1: the edge
// does not decrease when the limit decreases.
#[test]
fn tcp_cc_contention_limits_the_receive_window() {
    let config = Config { receive_window: 20_000, delayed_ack: None, ..Preset::Ns2.config(1000) };
    let features = ReceiverFeatures { contention_time: true, ..ReceiverFeatures::NONE };
    let mut receiver = Receiver::new(FlowId(0), NodeId(1), NodeId(0), &config, features);
    let mut ack = |ms: u64, n: u64, contention: u64| {
        let contention = Some(Span::from_micros(contention));
        let segment = segment(1 + 1000 * n, 1000)
            .with_rare_options(RareOptions { contention_time: contention, ..RareOptions::NONE });
        let bytes = TCP_IP_HEADER_BYTES + 1000 + segment.option_bytes();
        let now = Time::ZERO + Span::from_millis(ms);
        receiver.on_segment(now, &Packet::new(FlowId(0), NodeId(0), NodeId(1), bytes, Body::Tcp(segment)));
        let ack = receiver.poll_transmit(now).expect("an ACK");
        let ack = ack.segment().expect("a segment");
        (ack.ack / 1000, (ack.ack + ack.window) / 1000)
    };
    assert_eq!([ack(0, 0, 100), ack(50, 1, 100), ack(100, 2, 100)], [(1, 3), (2, 4), (3, 5)]);
    // The second interval ends like the first interval, so the limit is 4.
    assert_eq!([ack(150, 3, 100), ack(200, 4, 100)], [(4, 6), (5, 9)]);
    // The next interval ends with segment 8, which arrives out of order. The edge advances when a segment
    // fills the hole.
    assert_eq!([ack(220, 5, 100), ack(240, 6, 100), ack(260, 7, 100)], [(6, 10), (7, 11), (8, 12)]);
    assert_eq!(ack(280, 8, 100), (9, 13));
    assert_eq!([ack(300, 10, 100), ack(310, 9, 100)], [(9, 13), (11, 19)]);
    // Less data arrives in twice the time, with ten times the contention time, so the limit is halved.
    assert_eq!([ack(410, 11, 1000), ack(450, 12, 1000), ack(490, 13, 1000)], [(12, 20), (13, 21), (14, 22)]);
    let later = [14, 15, 16, 17].map(|n| ack(500 + 100 * (n - 14), n, 1000));
    assert!(later.is_sorted() && later.windows(2).any(|pair| pair[0].1 == pair[1].1), "{later:?}");
}

// RFC 9293 §3.10.7.4: "If an incoming segment is not acceptable, an acknowledgment should be sent in reply …,
// drop the segment". A zero-window probe is an octet above the window, or a segment without data at an
// acknowledged sequence number. A pure ACK at the next sequence number is not answered.
#[test]
fn probes_of_a_closed_window_are_answered() {
    let mut b = Bench::new(plain());
    b.receiver.set_window_right_edge(501);
    assert_eq!(
        b.give(ms(0), segment(1, 500)).iter().map(|s| (s.ack, s.window)).collect::<Vec<_>>(),
        [(501, 0)]
    );
    let mut answer = |seq, len| {
        let answers = b.give(ms(10), segment(seq, len));
        (answers.iter().map(|s| (s.ack, s.window)).collect::<Vec<_>>(), b.receiver.delivered_bytes())
    };
    assert_eq!(answer(501, 1), (vec![(501, 0)], 500));
    assert_eq!(answer(500, 0), (vec![(501, 0)], 500));
    assert_eq!(answer(501, 0), (vec![], 500));
    b.receiver.set_window_right_edge(1501);
    let answers = b.give(ms(20), segment(501, 1));
    assert_eq!((answers[0].ack, answers[0].window, b.receiver.delivered_bytes()), (502, 999, 501));
}
