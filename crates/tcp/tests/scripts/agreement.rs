//! ECN at the sender: the handshake decides which packets are ECN-capable, and whether the sender reacts to
//! echoes.

use crate::common::script::Script;
use airhop_base::{Ecn, Flags, Packet, Segment};
use airhop_tcp::{Config, Preset};

const ACK: Flags = Flags { syn: false, ack: true, fin: false, psh: false, ece: false, cwr: false };

/// Returns a sender whose SYN was answered with the given bits, the packets of the handshake, and all data
/// packets that it sends at once.
fn opened(scheme: &str, ecn: bool, ece: bool, cwr: bool) -> (Script, [Packet; 2], Vec<Packet>) {
    let mut s = Script::new(scheme, Config { ecn, ..Preset::Rfc.config(1000) });
    let syn = s.packets().remove(0);
    let flags = Flags { syn: true, ece, cwr, ..ACK };
    s.at(100).arrives(Segment { seq: 0, ack: 1, window: 1 << 40, flags, ..Segment::default() });
    let mut sent = s.packets();
    let ack = sent.remove(0);
    (s, [syn, ack], sent)
}

fn bits(packet: &Packet) -> (bool, bool) {
    let flags = packet.segment().expect("TCP").flags;
    (flags.ece, flags.cwr)
}

// RFC 3168 §6.1.1: the SYN offers ECN with both bits, and a SYN-ACK with ECE alone accepts; a SYN-ACK with
// both bits only reflects the SYN's bits. Without agreement no packet is ECN-capable, and echoes are ignored
// (§6.1.2). Pure ACKs are never ECN-capable (§6.1.4).
#[test]
fn only_connections_that_negotiated_ecn_use_marks() {
    for scheme in ["newreno", "dctcp"] {
        for (ece, cwr) in [(true, false), (false, false), (true, true), (false, true)] {
            let (mut s, [syn, ack], data) = opened(scheme, true, ece, cwr);
            assert_eq!((bits(&syn), bits(&ack)), ((true, true), (false, false)));
            let is_agreed = ece && !cwr;
            let expected = if is_agreed { Ecn::Ect0 } else { Ecn::NotEct };
            assert!(data.len() == 10 && data.iter().all(|p| p.ecn == expected), "{scheme} {ece} {cwr}");
            assert_eq!(syn.ecn, if scheme == "dctcp" { Ecn::Ect0 } else { Ecn::NotEct });
            let echo = Segment {
                seq: 1,
                ack: 1001,
                window: 1 << 40,
                flags: Flags { ece: true, ..ACK },
                ..Segment::default()
            };
            s.at(200).arrives(echo);
            assert_eq!(s.sender.counters().window_reductions, u64::from(is_agreed), "{scheme} {ece} {cwr}");
        }
    }
}

// RFC 3168 §6.1.1: a sender without ECN does not offer it, and after any answer none of its packets is
// ECN-capable.
#[test]
fn a_sender_without_ecn_does_not_offer_ecn() {
    let (s, [syn, ack], data) = opened("newreno", false, true, false);
    assert_eq!((bits(&syn), bits(&ack)), ((false, false), (false, false)));
    assert!(data.iter().chain([&syn, &ack]).all(|p| p.ecn == Ecn::NotEct));
    assert_eq!(s.sender.counters().window_reductions, 0);
}

// RFC 8257 does not mention retransmissions, and RFC 3168 §6.1.5 requires that they are not ECN-capable.
// Linux makes all packets of DCTCP ECN-capable, including pure ACKs.
#[test]
fn all_packets_of_linux_dctcp_are_ecn_capable() {
    for (preset, again) in [(Preset::Rfc, Ecn::NotEct), (Preset::Linux, Ecn::Ect0)] {
        let mut s = Script::new("dctcp", preset.config(1000));
        s.packets();
        let flags = Flags { syn: true, ece: true, ..ACK };
        s.at(100).arrives(Segment { seq: 0, ack: 1, window: 1 << 40, flags, ..Segment::default() });
        let sent = s.packets();
        assert_eq!((sent[0].ecn, sent[1].ecn), (again, Ecn::Ect0), "{preset:?}");
        let repeated = loop {
            let due = s.sender.poll_timeout().expect("data is outstanding");
            s.sender.on_timeout(due);
            let sent = s.sender.state().sent_end;
            if let Some(p) = s.sender.poll_transmit(due).filter(|p| p.segment().expect("TCP").seq < sent) {
                break p;
            }
        };
        assert_eq!(repeated.ecn, again, "{preset:?}");
    }
}

// RFC 3168 §6.1.1: the first SYN-ACK decides. A later copy of this SYN-ACK without ECE does not disable ECN.
#[test]
fn a_second_syn_ack_does_not_change_the_negotiated_ecn() {
    let (mut s, _, _) = opened("newreno", true, true, false);
    let flags = Flags { syn: true, ..ACK };
    s.at(150).arrives(Segment { seq: 0, ack: 1, window: 1 << 40, flags, ..Segment::default() });
    s.at(200).arrives(Segment { seq: 1, ack: 10_001, window: 1 << 40, flags: ACK, ..Segment::default() });
    let data = s.packets();
    assert!(!data.is_empty() && data.iter().all(|p| p.ecn == Ecn::Ect0));
}
