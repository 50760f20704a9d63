use super::LinkRecovery;
use crate::grammar::fields::Fields;
use crate::grammar::key::Without::{Derived, Value};
use crate::grammar::key::{Key, Kind, Variant, key};
use airhop_radio::arq::{ArqPlan, RlpRules};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "rlp",
        "RLP of cdma2000 (TIA/EIA IS-707-A): the receiver asks for missing frames, in rounds of NAKs, each of which brings a copy, and \
         gives up after the last; packets are delivered in order (a frame is a whole packet here)",
        &KEYS,
    ),
    window: Some(|_| Some(FRAMES)),
    plan: |arq| Some(ArqPlan::Rlp(rules(arq)?)),
};

/// Number of frames that a round waits for: the frame in transmission, and the copy.
const FRAMES: u32 = 2;

static KEYS: [Key; 5] = [
    key(
        "rounds",
        Kind::Counts { least: 1, most: 16, longest: 8 },
        Value("[1, 2, 3]"),
        "number of NAKs of each round; in IS-707-A the ends agree on them",
    ),
    key(
        "timeout",
        Kind::Span { least_ns: 1_000 },
        Derived(
            "the frame that the sender is at, the copy, one of the other direction, which a NAK may have to wait for, a NAK, and the way \
             there and back; frames are the largest of the flows that cross the link",
        ),
        "duration of a round that asks for one copy, from its NAK on",
    ),
    key(
        "copy",
        Kind::Span { least_ns: 0 },
        Derived("the largest frame, and a NAK"),
        "extension of a round for each copy that the sender has to send before, or more in the same round",
    ),
    key(
        "idle",
        Kind::Span { least_ns: 1_000 },
        Value(r#""20 ms""#),
        "delay of an idle frame, with the highest number, after the last frame began, from a sender with nothing to send: a frame of \
         IS-707-A; idle frames stop when nothing can be asked for any more",
    ),
    key(
        "nak",
        Kind::Bytes { least: 1, most: 1000 },
        Value(r#""6 B""#),
        "length of a NAK, and of an idle frame; as that of a link ACK of the other kinds",
    ),
];

fn rules(arq: &Fields) -> Option<RlpRules> {
    Some(RlpRules {
        rounds: arq.counts("rounds")?.iter().map(|&naks| u32::try_from(naks).ok()).collect::<Option<_>>()?,
        timeout: arq.span("timeout")?,
        copy: arq.span("copy")?,
        idle: arq.span("idle")?,
        nak_bytes: u32::try_from(arq.bytes("nak")?).ok()?,
    })
}
