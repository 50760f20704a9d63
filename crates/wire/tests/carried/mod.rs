//! Fields of a packet that the wire format carries, as documented by the crate. Captures (`crates/trace`) are
//! read back to the same fields.

use airhop_base::{
    AodvMessage, Body, Datagram, Eln, Notice, NoticeKind, Options, Packet, Profile, RareOptions, RouteReply,
    SegmentArrival,
};
use airhop_base::{Sack, SackBlock, Segment, Span, Time};

/// Returns `packet` as a reader decodes it if its sender announced a window scale of `shift`.
pub fn carried(packet: &Packet, shift: u8) -> Packet {
    let body = match packet.body.clone() {
        Body::Tcp(segment) => Body::Tcp(carried_segment(segment, shift)),
        Body::Udp(d) => {
            // The payload has room for only some of the fields.
            let number = if d.len >= 8 { d.sequence_number } else { 0 };
            let sent = if d.len >= 16 { d.sent } else { Time::ZERO };
            Body::Udp(Datagram { sequence_number: number, sent, ..d })
        }
        Body::Notice(n) => Body::Notice(carried_notice(n)),
        Body::Routing(AodvMessage::Reply(r)) => {
            let lifetime = Span::from_millis(low(r.lifetime.nanos() / 1_000_000));
            Body::Routing(AodvMessage::Reply(RouteReply { lifetime, ..r }))
        }
        routing => routing,
    };
    Packet { body, has_payload_errors: false, profile: Profile::In, ..packet.clone() }
}

fn carried_segment(s: Segment, shift: u8) -> Segment {
    let options = &s.options;
    let mut sack = Sack::EMPTY;
    for block in options.sack.blocks() {
        sack.push(SackBlock { start: low(block.start), end: low(block.end) });
    }
    Segment {
        seq: low(s.seq),
        ack: if s.flags.ack { low(s.ack) } else { 0 },
        window: (s.window >> if s.flags.syn { 0 } else { shift }).min(65_535),
        options: Options::from(RareOptions {
            sack,
            eln: options.eln.map(|eln| match eln {
                Eln::Next => Eln::Next,
                Eln::Segment(seq) => Eln::Segment(low(seq)),
            }),
            arrival: options
                .arrival
                .map(|a| SegmentArrival { seq: low(a.seq), at: Time::ZERO + micros(a.at.nanos()) }),
            naks: options.naks.seqs().iter().map(|&seq| low(seq)).collect(),
            contention_time: options.contention_time.map(|c| micros(c.nanos())),
            original: None,
        }),
        sent: Time::ZERO,
        ..s
    }
}

fn carried_notice(n: Notice) -> Notice {
    // A length has 16 bits in notices that also contain a window.
    let most = if matches!(n.kind, NoticeKind::Eln | NoticeKind::Ersn) { 65_535 } else { u32::MAX };
    let delay = match n.kind {
        kind if kind.is_segment_specific() => Span::ZERO,
        _ => Span::from_micros((n.additional_delay.nanos() / 1000).min(u32::MAX.into())),
    };
    Notice { seq: low(n.seq), len: n.len.min(most), additional_delay: delay, created: Time::ZERO, ..n }
}

/// Returns integer microseconds, modulo 2³².
fn micros(nanos: u64) -> Span {
    Span::from_micros(low(nanos / 1000))
}

/// Modulo 2³².
fn low(offset: u64) -> u64 {
    u64::from(offset as u32)
}
