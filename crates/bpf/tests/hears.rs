//! Objects with a listener, a program at the interface: it receives notices as real bytes and passes them to
//! the sender. `python/airhop/bpf/eln.bpf.o` is the shipped object; the program of
//! `objects/shares.bpf.c` consumes no packet.

use airhop_base::{
    Body, Eln, Flags, FlowId, NodeId, Notice, NoticeKind, Packet, RareOptions, Sack, SackBlock, Segment,
    Span, TCP_IP_HEADER_BYTES, Time,
};
use airhop_bpf::{LoadedCongestionControl, Object};
use airhop_tcp::kernel_ops::kernel_scheme;
use airhop_tcp::seams::RunState;
use airhop_tcp::{Config, Params, Preset, Sender};
use std::sync::Arc;

const ELN: &[u8] = include_bytes!("../../../python/airhop/bpf/eln.bpf.o");
const PASSES: &[u8] = include_bytes!("objects/shares.bpf.o");
const MSS: u64 = 1000;

/// A connection with ten segments of flow 3 in flight.
struct Connection {
    sender: Sender,
    ms: u64,
}

impl Connection {
    fn new(object: &[u8]) -> Connection {
        let object = Arc::new(Object::read(object, "x.bpf.o").unwrap());
        let loaded = LoadedCongestionControl::new(&object, &object.congestion_controls()[0]).unwrap();
        let scheme = kernel_scheme(
            "hears",
            "",
            loaded.callbacks(),
            false,
            &[],
            Box::new(move || loaded.create_connection()),
        );
        let config = Config {
            handshake: false,
            timestamps: false,
            pacing: false,
            initial_window: 10.0,
            initial_ssthresh: 5.0,
            ..Preset::Linux.config(MSS as u32)
        };
        let parts = (scheme.build)(&Params::defaults(&scheme), &config);
        let mut sender = Sender::new(FlowId(3), NodeId(4), NodeId(5), &config, scheme.features, parts);
        sender.join_run(&mut RunState::default());
        sender.supply_data(1_000_000);
        while sender.poll_transmit(Time::ZERO).is_some() {}
        Connection { sender, ms: 100 }
    }

    fn now(&self) -> Time {
        Time::ZERO + Span::from_millis(self.ms)
    }

    fn first(segment: u64) -> u64 {
        1 + (segment - 1) * MSS
    }

    fn notice(&mut self, kind: NoticeKind, segment: u64) {
        let [seq, end] = [segment, segment + 1].map(Self::first);
        let notice = Notice { origin: NodeId(5), ..Notice::with_segment(kind, seq, end) };
        self.sender.on_notice(self.now(), notice);
    }

    /// Delivers an ACK up to `next` with a SACK block of the segments from `from` to `to`.
    fn ack(&mut self, next: u64, sacked: Option<(u64, u64)>, eln: Option<Eln>) {
        let mut sack = Sack::EMPTY;
        if let Some((from, to)) = sacked {
            sack.push(SackBlock { start: Self::first(from), end: Self::first(to + 1) });
        }
        let flags = Flags { ack: true, ..Flags::default() };
        let ack = Segment { seq: 1, ack: Self::first(next), window: 1 << 30, flags, ..Segment::default() };
        let ack = ack.with_rare_options(RareOptions { sack, eln, ..RareOptions::NONE });
        let bytes = TCP_IP_HEADER_BYTES + ack.option_bytes();
        let packet = Packet::new(FlowId(3), NodeId(5), NodeId(4), bytes, Body::Tcp(ack));
        self.ms += 1;
        self.sender.on_segment(self.now(), &packet);
        while self.sender.poll_transmit(self.now()).is_some() {}
    }

    /// Returns the slow-start threshold after the loss of the second segment is detected; segment 1 has
    /// arrived.
    fn after_a_loss(mut self) -> f64 {
        (3..=8).for_each(|last| self.ack(2, Some((3, last)), None));
        assert_eq!(self.sender.counters().fast_recoveries, 1);
        self.sender.window().ssthresh
    }
}

// Yun 2009 §3.1 through the listener: a loss named by an ELN or an ERSN does not reduce the window. A loss
// without a notice, or the loss of another segment, halves the window. TCP never receives notices.
#[test]
fn a_loss_named_by_a_notice_does_not_reduce_the_window() {
    let heard = |named: &[(NoticeKind, u64)]| {
        let mut connection = Connection::new(ELN);
        connection.ack(2, None, None);
        for &(kind, segment) in named {
            connection.notice(kind, segment);
        }
        assert_eq!(connection.sender.state().una, 1001, "no notice acknowledges anything");
        let count = connection.sender.counters().notices.iter().sum::<u64>();
        assert_eq!(count, named.len() as u64);
        connection.after_a_loss()
    };
    let whole = heard(&[(NoticeKind::Eln, 2)]);
    assert!(whole >= 10.0, "{whole}");
    assert_eq!(heard(&[(NoticeKind::Ersn, 2)]), whole);
    assert_eq!(heard(&[(NoticeKind::Eln, 5), (NoticeKind::Eln, 2)]), whole);
    let half = (whole / 2.0).floor();
    assert_eq!([heard(&[]), heard(&[(NoticeKind::Eln, 5)])], [half, half]);
}

// Balakrishnan and Katz 1998: the ELN bit in a duplicate ACK refers to the next expected segment; TCP still
// receives the ACK.
#[test]
fn the_eln_bit_in_an_ack_names_the_next_expected_segment() {
    let ends = |eln: Option<Eln>| {
        let mut connection = Connection::new(ELN);
        connection.ack(2, None, None);
        connection.ack(2, Some((3, 3)), eln);
        connection.after_a_loss()
    };
    assert_eq!(ends(None), (ends(Some(Eln::Next)) / 2.0).floor());
}

// Effect of a notice on a kernel without a listener: the notice has the form of an ACK, and acknowledges all
// data before the named segment.
#[test]
fn without_a_listener_a_notice_acknowledges_as_an_ack() {
    let mut connection = Connection::new(PASSES);
    connection.notice(NoticeKind::Eln, 4);
    assert_eq!(connection.sender.state().una, 3001);
    connection.notice(NoticeKind::Ebsn, 6);
    assert_eq!(connection.sender.state().una, 3001, "an ICMP message is not a notice in the form of an ACK");
}

// The object declares the notices that it supports; services for an object without a listener are an error.
#[test]
fn an_object_declares_its_notification_services() {
    let services = |bytes: &[u8]| Object::read(bytes, "x.bpf.o").unwrap().services().to_vec();
    assert_eq!(services(ELN), ["elsn", "eln"]);
    assert!(services(PASSES).is_empty());
}
