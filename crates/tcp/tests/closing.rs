//! Closing of connections: RFC 9293 §3.4, §3.6 and §3.10.4.

use crate::common::path::{Fate, Path, Transfer};
use crate::common::script::Script;
use crate::common::{MSS, at, byte, ns2, rfc, segment, sender};
use airhop_base::{Body, Ecn, Flags, FlowId, NodeId, Packet, Segment, Span, TCP_IP_HEADER_BYTES};
use airhop_tcp::{Config, ConnectionState, DelayedAck, Preset, Receiver, ReceiverFeatures, Sender};

/// Returns a sender whose application has written `bytes`, and then closed.
fn closed(config: Config, bytes: u64) -> Script {
    let mut s = Script::by(sender("newreno", &[], &config), &config, bytes);
    s.sender.close();
    s
}

// RFC 9293 §3.4: the FIN occupies the sequence number after the last byte, and is not payload. After a full
// segment the FIN is sent as a separate segment; a partial segment carries it. A side that has closed stays
// closed.
#[test]
fn a_fin_has_a_sequence_number_and_no_payload() {
    let mut s = closed(ns2(10.0, 5.0), 2 * u64::from(MSS));
    s.sender.close();
    let sent = s.segments();
    assert_eq!(
        sent.iter().map(|s| (s.len, s.flags.fin)).collect::<Vec<_>>(),
        [(MSS, false), (MSS, false), (0, true)]
    );
    assert_eq!((sent[2].seq, sent[2].end()), (byte(3), byte(3) + 1));
    assert_eq!(s.sender.counters().sent_segments, 2, "data segments");
    assert_eq!(s.at(100).ack(3), "");
    assert!(s.sender.is_closed() && !s.sender.is_fin_acknowledged());
    assert_eq!(s.sack_bytes(byte(3) + 1, &[]), "");
    assert!(s.sender.is_fin_acknowledged() && s.sender.poll_timeout().is_none());
    assert_eq!(closed(ns2(10.0, 5.0), u64::from(MSS) + 1).sent(), "1 2F");
}

// RFC 9293 §3.6: "CLOSE … implies the PUSH": a partial segment that Nagle's algorithm holds back is sent with
// the FIN.
#[test]
fn a_close_sends_data_that_nagle_delays() {
    let config = Config { nagle: true, ..rfc(10.0, 5.0) };
    let mut s = Script::by(sender("newreno", &[], &config), &config, u64::from(MSS) + 10);
    assert_eq!(s.sent(), "1");
    s.sender.close();
    assert_eq!(s.sent(), "2F");
}

// A lost FIN is retransmitted by the timer (RFC 6298 §5), and is counted neither as a data segment nor as a
// retransmission.
#[test]
fn a_lost_fin_is_retransmitted() {
    let path = Path { data: [((3, 1), Fate::Lost)].into(), ..Path::of(50) };
    let mut t = Transfer::new("newreno", &Config { handshake: false, ..ns2(10.0, 5.0) }, path, 2);
    t.close(at(0));
    t.run_until(at(10_000));
    assert!(t.trace().contains("FINt"), "{}", t.trace());
    assert!(t.receiver.has_ended() && t.sender.is_fin_acknowledged());
    let counters = t.sender.counters();
    assert_eq!((counters.sent_segments, counters.retransmissions, counters.timeouts), (2, 0, 1));
}

// RFC 3168 §6.1.4 (pure ACKs) for a FIN without data: no ECT, and no CWR, which accompanies new data (§6.1.2).
#[test]
fn a_fin_without_data_is_not_ecn_capable() {
    let mut s = closed(Config { ecn: true, handshake: false, ..Preset::Rfc.config(MSS) }, MSS.into());
    let sent = s.packets();
    assert_eq!(sent.iter().map(|p| p.ecn).collect::<Vec<_>>(), [Ecn::Ect0, Ecn::NotEct]);
}

fn arrive(receiver: &mut Receiver, ms: u64, seq: u64, len: u32, fin: bool) -> Vec<u64> {
    let flags = Flags { ack: true, fin, ..Flags::default() };
    let s = Segment { seq, len, ack: 1, window: 1 << 30, flags, ..Segment::default() };
    receiver.on_segment(
        at(ms),
        &Packet::new(FlowId(0), NodeId(0), NodeId(1), TCP_IP_HEADER_BYTES + len, Body::Tcp(s)),
    );
    std::iter::from_fn(|| receiver.poll_transmit(at(ms))).map(|p| segment(&p).ack).collect()
}

// RFC 9293 §3.10.7.4: a FIN ends the stream once all data before it has arrived, and is acknowledged at once.
// A repeated FIN is acknowledged again (TIME-WAIT: "acknowledge it").
#[test]
fn a_receiver_acknowledges_each_fin_at_once() {
    let config = Config {
        delayed_ack: Some(DelayedAck { segments: 2, timeout: Span::from_millis(200) }),
        ..ns2(10.0, 5.0)
    };
    let mut r = Receiver::new(FlowId(0), NodeId(1), NodeId(0), &config, ReceiverFeatures::SACK);
    assert_eq!(arrive(&mut r, 0, 1001, 0, true), [1]);
    assert_eq!((r.has_ended(), r.delivered_bytes()), (false, 0));
    assert_eq!(arrive(&mut r, 1, 1, 1000, false), [1002]);
    assert_eq!((r.has_ended(), r.delivered_bytes(), r.rcv_nxt()), (true, 1000, 1002));
    assert_eq!(arrive(&mut r, 2, 1001, 0, true), [1002]);
    assert_eq!((r.delivered_bytes(), r.duplicate_segments()), (1000, 0));
    let mut alone = Receiver::new(FlowId(0), NodeId(1), NodeId(0), &config, ReceiverFeatures::SACK);
    assert_eq!(arrive(&mut alone, 0, 1, 500, true), [502], "no delay");
}

/// Connection without data: each end has a sender, and a receiver of the other end's stream.
struct Pair {
    senders: [Sender; 2],
    receivers: [Receiver; 2],
    /// True for an end that closed before the FIN of the other end arrived.
    first: [bool; 2],
}

impl Pair {
    fn new() -> Pair {
        let config = ns2(10.0, 5.0);
        let receiver = || Receiver::new(FlowId(0), NodeId(1), NodeId(0), &config, ReceiverFeatures::SACK);
        let open = || sender("newreno", &[], &config);
        Pair { senders: [open(), open()], receivers: [receiver(), receiver()], first: [false; 2] }
    }

    fn state(&self, end: usize) -> ConnectionState {
        ConnectionState::from_endpoint(&self.senders[end], &self.receivers[end], self.first[end])
    }

    /// Closes one side of the connection; returns its FIN.
    fn close(&mut self, end: usize) -> Packet {
        self.first[end] = !self.receivers[end].has_ended();
        self.senders[end].close();
        self.senders[end].poll_transmit(at(0)).expect("a FIN")
    }

    /// Delivers the FIN of an end; returns its ACK.
    fn deliver(&mut self, end: usize, fin: &Packet) -> Packet {
        self.receivers[1 - end].on_segment(at(1), fin);
        self.receivers[1 - end].poll_transmit(at(1)).expect("an ACK")
    }

    fn acknowledge(&mut self, end: usize, ack: &Packet) {
        self.senders[end].on_segment(at(2), ack);
    }
}

// RFC 9293 §3.6, figure 12: the end that closes first passes through FIN-WAIT-1, FIN-WAIT-2 and TIME-WAIT,
// the other end through CLOSE-WAIT, LAST-ACK and CLOSED.
#[test]
fn a_normal_close_passes_the_states_of_rfc_9293() {
    use ConnectionState::*;
    let mut pair = Pair::new();
    let states = |pair: &Pair| [pair.state(0), pair.state(1)];
    assert_eq!(states(&pair), [Established, Established]);
    let fin = pair.close(0);
    assert_eq!(states(&pair), [FinWait1, Established]);
    let ack = pair.deliver(0, &fin);
    assert_eq!(states(&pair), [FinWait1, CloseWait]);
    pair.acknowledge(0, &ack);
    assert_eq!(states(&pair), [FinWait2, CloseWait]);
    let fin = pair.close(1);
    assert_eq!(states(&pair), [FinWait2, LastAck]);
    let ack = pair.deliver(1, &fin);
    assert_eq!(states(&pair), [TimeWait, LastAck]);
    pair.acknowledge(1, &ack);
    assert_eq!(states(&pair), [TimeWait, Closed]);
}

// RFC 9293 §3.6, figure 13: both ends close simultaneously, and go through CLOSING to TIME-WAIT.
#[test]
fn a_simultaneous_close_passes_closing_and_time_wait() {
    use ConnectionState::*;
    let mut pair = Pair::new();
    let fins = [pair.close(0), pair.close(1)];
    let acks = [pair.deliver(0, &fins[0]), pair.deliver(1, &fins[1])];
    assert_eq!([pair.state(0), pair.state(1)], [Closing, Closing]);
    pair.acknowledge(0, &acks[0]);
    assert_eq!([pair.state(0), pair.state(1)], [TimeWait, Closing]);
    pair.acknowledge(1, &acks[1]);
    assert_eq!(pair.state(1), TimeWait);
}
