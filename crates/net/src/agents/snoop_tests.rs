//! Tests of the Snoop agent by scripts: packets at given times, the agent's retransmissions, and the
//! forwarded ACKs.
//!
//! Segments are numbered from 0 and carry 1000 bytes; ACK n requests segment n.

use super::*;
use airhop_base::{Body, Flags, FlowId, TCP_IP_HEADER_BYTES};

const SENDER: NodeId = NodeId(0);
const RECEIVER: NodeId = NodeId(9);

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn seq(n: u64) -> u64 {
    1 + 1000 * n
}

fn tcp(src: NodeId, dst: NodeId, seq: u64, len: u32, ack: u64, syn: bool) -> Packet {
    let flags = Flags { ack: true, syn, ..Flags::default() };
    let body = Body::Tcp(Segment { seq, len, ack, window: 1 << 20, flags, ..Segment::default() });
    Packet::new(FlowId(0), src, dst, TCP_IP_HEADER_BYTES + len, body)
}

#[derive(Default)]
struct Script {
    snoop: SnoopAgent,
    actions: AgentActions,
}

/// Action on an ACK, and the retransmitted segments.
type Outcome = (PacketAction, Vec<u64>);

const FORWARDED: (PacketAction, Vec<u64>) = (PacketAction::Forward, Vec::new());
const SUPPRESSED: (PacketAction, Vec<u64>) = (PacketAction::Consume, Vec::new());

impl Script {
    /// Returns a script in which segments `from..to` arrive, one per millisecond from `at` on.
    fn pass(at: u64, from: u64, to: u64) -> Script {
        let mut s = Script::default();
        for n in from..to {
            s.data(at + n - from, n);
        }
        s
    }

    fn data(&mut self, at: u64, n: u64) {
        self.data_queued(at, n, 0.5);
    }

    fn data_queued(&mut self, at: u64, n: u64, queued: f64) {
        let p = tcp(SENDER, RECEIVER, seq(n), 1000, 1, false);
        assert_eq!(
            self.snoop.on_packet(ms(at), &mut p.clone(), queued, &mut self.actions),
            PacketAction::Forward
        );
        assert!(self.actions.packets.is_empty());
    }

    fn ack(&mut self, at: u64, n: u64) -> Outcome {
        let p = tcp(RECEIVER, SENDER, 1, 0, seq(n), false);
        let verdict = self.snoop.on_packet(ms(at), &mut p.clone(), 0.0, &mut self.actions);
        (verdict, self.sent_again())
    }

    fn timer(&mut self, at: u64) -> Vec<u64> {
        self.snoop.on_timeout(ms(at), &mut self.actions);
        self.sent_again()
    }

    fn sent_again(&mut self) -> Vec<u64> {
        assert!(self.actions.notices.is_empty());
        let copies = self.actions.packets.drain(..);
        copies
            .map(|p| {
                assert_eq!((p.src, p.dst, p.bytes), (SENDER, RECEIVER, 1040));
                (p.segment().unwrap().seq - 1) / 1000
            })
            .collect()
    }
}

// Balakrishnan et al. 1995, ns-2.35: the second duplicate ACK causes a retransmission. The agent then drops
// as many duplicate ACKs as segments were sent before the retransmission.
#[test]
fn snoop_retransmits_a_segment_at_its_second_duplicate_ack() {
    let mut s = Script::pass(0, 0, 8);
    assert_eq!(s.ack(10, 1), FORWARDED);
    assert_eq!(s.ack(11, 2), FORWARDED);
    // Segment 2 was lost; each of the segments 3 to 7 causes a duplicate ACK.
    assert_eq!(s.ack(12, 2), FORWARDED);
    assert_eq!(s.ack(13, 2), (PacketAction::Consume, vec![2]));
    for at in 14..17 {
        assert_eq!(s.ack(at, 2), SUPPRESSED);
    }
    s.data(17, 8);
    assert_eq!(s.ack(17, 2), FORWARDED, "new data causes that duplicate");
    assert_eq!(s.ack(18, 9), FORWARDED);
    assert_eq!(s.snoop.poll_timeout(), None);
}

// ns-2.35: duplicate ACKs retransmit a segment only once. The agent forwards the first duplicate ACK, and the
// first two after the expected duplicate ACKs. At these three the sender may retransmit the segment (RFC 5681
// §3.2). The local timer still runs.
#[test]
fn snoop_retransmits_a_segment_once_on_duplicate_acks() {
    let mut s = Script::pass(0, 0, 4);
    s.ack(10, 1);
    assert_eq!(s.ack(11, 1), FORWARDED);
    assert_eq!(s.ack(12, 1), (PacketAction::Consume, vec![1]));
    // The two duplicate ACKs of segments 2 and 3 have arrived, so further ones are caused by new data.
    for n in 4..9 {
        s.data(9 + n, n);
    }
    assert_eq!(s.ack(20, 1), FORWARDED);
    assert_eq!(s.ack(21, 1), FORWARDED, "the third duplicate ACK at the sender");
    // Segments 2 to 8, sent after the lost segment, cause duplicate ACKs. Two of these duplicate ACKs have
    // arrived before.
    for at in 22..27 {
        assert_eq!(s.ack(at, 1), SUPPRESSED);
    }
    assert_eq!(s.ack(27, 1), FORWARDED);
    let due = s.snoop.poll_timeout().unwrap();
    s.snoop.on_timeout(due, &mut s.actions);
    assert_eq!(s.sent_again(), [1]);
}

// After a retransmission by the timer, duplicate ACKs cause no further retransmission.
#[test]
fn duplicate_acks_after_a_local_timeout_repair_nothing() {
    let mut s = Script::pass(0, 0, 3);
    s.ack(10, 1);
    assert_eq!(s.timer(110), [1]);
    assert_eq!(s.ack(111, 1), FORWARDED);
    assert_eq!(s.ack(112, 1), FORWARDED);
}

// A new ACK resets the state of the first duplicate ACK.
#[test]
fn a_single_duplicate_ack_causes_no_local_retransmission() {
    let mut s = Script::pass(0, 0, 6);
    for n in 1..5 {
        assert_eq!(s.ack(10 + 2 * n, n), FORWARDED);
        assert_eq!(s.ack(11 + 2 * n, n), FORWARDED);
    }
}

// A segment that never reached this node was lost by congestion. Its duplicate ACKs are forwarded.
#[test]
fn duplicate_acks_of_a_congestion_loss_are_forwarded() {
    let mut s = Script::pass(0, 0, 3);
    for n in 4..9 {
        s.data(n, n); // 3 was lost on the wired path
    }
    assert_eq!(s.ack(10, 3), FORWARDED);
    for at in 11..16 {
        assert_eq!(s.ack(at, 3), FORWARDED);
    }
    // The timer does not retransmit 4, which the receiver has.
    assert_eq!(s.timer(1000), []);
    // The agent recognises the sender's retransmission when it arrives: duplicate ACKs in flight are still
    // forwarded.
    s.data(1001, 3);
    for at in 1002..1006 {
        assert_eq!(s.ack(at, 3), FORWARDED);
    }
    // If the wireless link loses this retransmission, the local timer repairs the loss.
    let due = s.snoop.poll_timeout().unwrap();
    assert!(due >= ms(1101));
    s.snoop.on_timeout(due, &mut s.actions);
    assert_eq!(s.sent_again(), [3]);
    assert_eq!(s.ack(1200, 9), FORWARDED);
}

// The sender retransmits a segment that is cached. It is then in recovery, so duplicate ACKs are forwarded.
#[test]
fn duplicate_acks_after_a_retransmission_are_forwarded() {
    let mut s = Script::pass(0, 0, 6);
    s.ack(10, 1);
    s.data(300, 1);
    assert_eq!(s.snoop.poll_timeout().unwrap(), ms(400));
    for at in 301..305 {
        assert_eq!(s.ack(at, 1), FORWARDED);
    }
}

// A segment that finds a nearly full interface queue is forwarded without being cached, so that the sender
// reacts to its loss.
#[test]
fn at_a_nearly_full_queue_segments_are_not_cached() {
    // 97 of 100, 49 of 50
    for full in [0.97, 0.98] {
        let mut s = Script::pass(0, 0, 2);
        s.data_queued(2, 2, full);
        for n in 3..8 {
            s.data_queued(n, n, 0.96); // 48 of 50
        }
        assert_eq!(s.ack(10, 2), FORWARDED);
        for at in 11..16 {
            assert_eq!(s.ack(at, 2), FORWARDED);
        }
        // The segment that is lost next was cached.
        assert_eq!(s.ack(20, 4), FORWARDED);
        assert_eq!(s.ack(21, 4), FORWARDED);
        assert_eq!(s.ack(22, 4), (PacketAction::Consume, vec![4]));
    }
}

// At most 100 segments are cached; all segments are forwarded.
#[test]
fn the_snoop_cache_stores_at_most_100_segments() {
    let mut s = Script::pass(0, 0, 150);
    assert_eq!(s.snoop.cache.len(), 100);
    s.ack(200, 50);
    assert_eq!(s.snoop.cache.len(), 50);
    s.data(201, 150);
    assert_eq!(s.snoop.cache.len(), 51);
}

// Old ACKs and acknowledged data are forwarded and have no other effect.
#[test]
fn old_acks_and_acknowledged_data_are_forwarded() {
    let mut s = Script::pass(0, 0, 6);
    s.ack(10, 4);
    for at in 11..20 {
        assert_eq!(s.ack(at, 3), FORWARDED);
    }
    s.data(20, 2);
    assert_eq!(s.snoop.cache.len(), 2);
}

// The local timer expires at least 100 ms after the last new ACK. It retransmits a segment at most ten times.
#[test]
fn the_local_timer_retransmits_a_segment_at_most_ten_times() {
    let mut s = Script::pass(0, 0, 3);
    assert_eq!(s.snoop.poll_timeout(), Some(ms(100)));
    assert_eq!(s.ack(20, 1), FORWARDED);
    let mut due = ms(120);
    for _ in 0..10 {
        assert_eq!(s.snoop.poll_timeout(), Some(due));
        s.snoop.on_timeout(due, &mut s.actions);
        assert_eq!(s.sent_again(), [1]);
        due += Span::from_millis(100);
    }
    s.snoop.on_timeout(due, &mut s.actions);
    assert_eq!(s.sent_again(), []);
    assert_eq!(s.snoop.poll_timeout(), None);
}

// The agent repairs even the loss of a flow's first segment.
#[test]
fn snoop_repairs_the_first_segment_of_a_flow() {
    let mut s = Script::pass(0, 0, 3);
    assert_eq!(s.ack(10, 0), FORWARDED);
    assert_eq!(s.ack(11, 0), (PacketAction::Consume, vec![0]));
    let mut s = Script::pass(0, 0, 1);
    assert_eq!(s.timer(100), [0]);
}

// ns-2.35: the old mean has a weight of 1/8, and the old deviation a weight of 7/8. Values computed by hand
// for samples of 48 and 96 ms.
#[test]
fn local_rtt_estimate_has_the_weights_of_ns2() {
    let mut s = Script::default();
    s.data(0, 0);
    s.ack(48, 1); // mean 48, deviation 24
    s.data(100, 1);
    assert_eq!(s.snoop.poll_timeout(), Some(ms(244))); // 48 + 4 · 24
    s.ack(196, 2); // mean 48/8 + 96 · 7/8 = 90, deviation 24 · 7/8 + 6/8 = 21.75
    s.data(300, 2);
    assert_eq!(s.snoop.poll_timeout(), Some(ms(477)));
    // Karn's rule: a segment that the agent retransmitted yields no RTT sample.
    assert_eq!(s.timer(477), [2]);
    s.ack(490, 3);
    s.data(500, 3);
    assert_eq!(s.snoop.poll_timeout(), Some(ms(677)));
}

// Yun 2009 §5.2: at a sending station, ACKs arrive from the remote end and data from the station itself. ACKs
// of the handshake that go in the direction of the data are not duplicate ACKs.
#[test]
fn handshake_acks_are_no_duplicate_acks() {
    let mut s = Script::default();
    let see = |s: &mut Script, mut p: Packet| s.snoop.on_packet(ms(0), &mut p, 0.0, &mut s.actions);
    assert_eq!(see(&mut s, tcp(SENDER, RECEIVER, 0, 0, 0, true)), PacketAction::Forward);
    assert_eq!(see(&mut s, tcp(RECEIVER, SENDER, 0, 0, 1, true)), PacketAction::Forward);
    s.data(0, 0);
    for _ in 0..5 {
        assert_eq!(see(&mut s, tcp(SENDER, RECEIVER, 1, 0, 1, false)), PacketAction::Forward);
        assert_eq!(see(&mut s, tcp(RECEIVER, SENDER, 0, 0, 1, true)), PacketAction::Forward);
    }
    assert!(s.actions.packets.is_empty());
}
