use super::LinkRecovery;
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Derived, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_radio::arq::{ArqPlan, RlpRules};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "rlp",
        "RLP of cdma2000 (TIA/EIA IS-707-A): the receiver requests missing frames in rounds of NAKs (negative \
         acknowledgements), each NAK causes one retransmission, and the receiver abandons a frame after the last round; packets \
         are delivered in order (in Airhop a \
         frame contains a whole packet)",
        &KEYS,
    ),
    window: Some(|_| Some(ROUND_FRAMES)),
    plan: |arq| Some(ArqPlan::Rlp(rules(arq)?)),
};

/// Number of frames in the duration of a round: the frame that is on the air, and the requested
/// copy.
const ROUND_FRAMES: u32 = 2;

static KEYS: [Key; 5] = [
    key(
        "rounds",
        ValueKind::Counts { least: 1, most: 16, longest: 8 },
        Value("[1, 2, 3]"),
        "number of NAKs in each round; in IS-707-A the two ends negotiate the numbers",
    ),
    key(
        "timeout",
        ValueKind::Span { least_ns: 1_000 },
        Derived(
            "sum of the durations of the frame in transmission, of the retransmission, of one frame in the other direction that the NAK \
             may have to wait for, and of the NAK, plus the round-trip propagation delay; each frame has the length of the largest frame of \
             all flows that cross the link",
        ),
        "duration of a round with one NAK, measured from the start of the NAK",
    ),
    key(
        "copy",
        ValueKind::Span { least_ns: 0 },
        Derived("sum of the durations of the largest frame and of a NAK"),
        "additional duration of a round for each retransmission that the receiver requested earlier and still expects, and for each \
         further retransmission that the round requests (one per NAK and missing frame)",
    ),
    key(
        "idle",
        ValueKind::Span { least_ns: 1_000 },
        Value(r#""20 ms""#),
        "interval from the start of the last frame to the next idle frame. A sender without data sends idle frames, which carry the \
         highest sequence number, until the receiver cannot request any further frame. The default is the duration of a frame of \
         IS-707-A",
    ),
    key(
        "nak",
        ValueKind::Bytes { least: 1, most: 1000 },
        Value(r#""6 B""#),
        "length of a NAK and of an idle frame; the default is the length of the link ACKs of the other ARQs",
    ),
];

fn rules(arq: &Fields) -> Option<RlpRules> {
    Some(RlpRules {
        naks_per_round: arq
            .counts("rounds")?
            .iter()
            .map(|&naks| u32::try_from(naks).ok())
            .collect::<Option<_>>()?,
        timeout: arq.span("timeout")?,
        copy_time: arq.span("copy")?,
        idle_interval: arq.span("idle")?,
        nak_bytes: u32::try_from(arq.bytes("nak")?).ok()?,
    })
}
