//! Negotiation of options: options offered in the SYN, and options that the connection uses.

use super::*;

/// Creates a receiver that supports all options, and returns it with its SYN-ACK.
fn opened(syn: Segment) -> (Bench, Segment) {
    let config = Config { handshake: true, timestamps: true, ecn: true, ..plain() };
    let mut b = Bench::new(config);
    let mut reply = b.give(ms(0), Segment { seq: 0, ..syn });
    assert_eq!(reply.len(), 1);
    (b, reply.remove(0))
}

/// Returns a SYN that offers all options.
fn offer() -> Segment {
    let timestamps = Some(Timestamps { tsval: 1, tsecr: 0 });
    Segment { flags: SETUP, sack_permitted: true, timestamps, ..segment(0, 0) }
}

/// Returns whether a connection uses ECN, SACK and timestamps, according to its ACKs of a marked segment and
/// of a segment above a gap.
fn used(mut b: Bench) -> [bool; 3] {
    b.give_marked(ms(1), segment(1, 500), Ecn::Ce);
    let ack = b.give_marked(ms(2), segment(1001, 500), Ecn::Ect0).remove(0);
    [ack.flags.ece, !ack.options.sack.is_empty(), ack.timestamps.is_some()]
}

fn answered(reply: &Segment) -> [bool; 3] {
    [reply.flags.ece, reply.sack_permitted, reply.timestamps.is_some()]
}

// RFC 3168 §6.1.1: an ECN-setup SYN has ECE and CWR; a SYN-ACK that accepts ECN has ECE alone. RFC 2018 §2,
// RFC 7323 §3.2: SACK and timestamps are used only if the SYN offers them. The first SYN decides, even if a
// repeated SYN differs.
#[test]
fn the_first_syn_decides_ecn_sack_and_timestamps() {
    let flags = |ece, cwr| Flags { ece, cwr, ..SETUP };
    for (syn, agreed) in [
        (offer(), [true; 3]),
        (Segment { flags: flags(false, false), ..offer() }, [false, true, true]),
        (Segment { flags: flags(true, false), ..offer() }, [false, true, true]),
        (Segment { flags: flags(false, true), ..offer() }, [false, true, true]),
        (Segment { sack_permitted: false, ..offer() }, [true, false, true]),
        (Segment { timestamps: None, ..offer() }, [true, true, false]),
    ] {
        let (mut b, reply) = opened(syn.clone());
        assert_eq!((answered(&reply), reply.flags.cwr), (agreed, false), "{syn:?}");
        assert_eq!(b.give(ms(0), syn.clone()), [reply], "a repeated SYN");
        assert_eq!(used(b), agreed, "{syn:?}");
    }
}

// RFC 3168 §6.1.1: the SYN-ACK of a host without ECN has neither ECE nor CWR.
#[test]
fn a_receiver_without_ecn_declines_ecn() {
    let config = Config { handshake: true, loss_detection: LossDetection::Duplicates, ..plain() };
    let features = ReceiverFeatures::NONE;
    let mut b = Bench { receiver: Receiver::new(FlowId(7), NodeId(2), NodeId(1), &config, features) };
    let reply = b.give(ms(0), offer()).remove(0);
    assert_eq!((answered(&reply), reply.flags.cwr), ([false; 3], false));
    assert_eq!(used(b), [false; 3]);
}

// RFC 6298 §3: the round trip of a SYN-ACK is an RTT sample. Karn's rule forbids the sample of a SYN-ACK that
// was sent twice, unless timestamps make it unambiguous (RFC 7323 §4.1). The receiver returns the sample
// once.
#[test]
fn the_ack_of_a_syn_ack_yields_an_rtt_sample() {
    let syn = |value| Segment {
        seq: 0,
        flags: Flags { syn: true, ..Flags::default() },
        timestamps: Some(Timestamps { tsval: value, tsecr: 0 }),
        ..segment(0, 0)
    };
    let ack = |echo| Segment { timestamps: Some(Timestamps { tsval: 90, tsecr: echo }), ..segment(1, 0) };
    for (timestamps, syns, expected) in [
        (false, &[10][..], Some((ms(10), ms(90)))),
        (false, &[10, 40], None),
        (true, &[10], Some((ms(10), ms(90)))),
        (true, &[10, 40], Some((ms(40), ms(90)))),
    ] {
        let mut receiver = Bench::new(Config { handshake: true, timestamps, ..plain() }).receiver;
        for &at in syns {
            receiver.on_segment(ms(at), &packet(syn(at as u32), Ecn::NotEct));
            assert_eq!(receiver.take_syn_ack_times(), None, "before the ACK");
        }
        receiver.on_segment(ms(90), &packet(ack(syns[syns.len() - 1] as u32), Ecn::NotEct));
        assert_eq!(receiver.take_syn_ack_times(), expected, "{timestamps} {syns:?}");
        assert_eq!(receiver.take_syn_ack_times(), None, "a second time");
    }
}
