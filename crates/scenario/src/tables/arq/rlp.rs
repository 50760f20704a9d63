use super::LinkRecovery;
use crate::grammar::fields::Fields;
use crate::grammar::key::Without::{Derived, Value};
use crate::grammar::key::{Key, Kind, Variant, key};
use airhop_radio::arq::{ArqPlan, RlpRules};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "rlp",
        "the receiver asks for what is missing, in rounds of NAKs, each of which brings a copy, and gives up after the last; packets are \
         delivered in order (RLP of cdma2000, TIA/EIA IS-707-A; a frame is a whole packet here)",
        &KEYS,
    ),
    window: Some(|_| Some(FRAMES)),
    plan: |arq| Some(ArqPlan::Rlp(rules(arq)?)),
};

/// What a round waits for: the frame that the sender is at, and the copy.
const FRAMES: u32 = 2;

static KEYS: [Key; 5] = [
    key(
        "rounds",
        Kind::Counts { least: 1, most: 16, longest: 8 },
        Value("[1, 2, 3]"),
        "NAKs of each round; in IS-707-A the ends agree on them",
    ),
    key(
        "timeout",
        Kind::Span { least_ns: 1_000 },
        Derived(
            "the frame that the sender is at, the copy, one of the other direction, which a NAK may have to wait for, a NAK, and the way \
             there and back; frames are the largest of the flows that cross the link",
        ),
        "a round that asks for one copy lasts so long from its NAK on",
    ),
    key(
        "copy",
        Kind::Span { least_ns: 0 },
        Derived("the largest frame, and a NAK"),
        "how much longer it lasts for each copy that the sender has to send before, or more in the same round",
    ),
    key(
        "idle",
        Kind::Span { least_ns: 1_000 },
        Value(r#""20 ms""#),
        "a sender with nothing to send tells by an idle frame how far the numbers are, so long after the last frame began: a frame of \
         IS-707-A; it stops when nothing can be asked for any more",
    ),
    key(
        "nak",
        Kind::Bytes { least: 1, most: 1000 },
        Value(r#""6 B""#),
        "length of a NAK, and of an idle frame; as a link ACK of the others",
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
