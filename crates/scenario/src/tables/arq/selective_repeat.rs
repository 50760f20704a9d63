use super::{ACK, ATTEMPTS, LinkRecovery, TIMEOUT, rules, window, window_key};
use crate::grammar::key::Without::Value;
use crate::grammar::key::{Key, Kind, Variant, key};
use airhop_radio::arq::{ArqPlan, SELECTIVE_WINDOW};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "selective-repeat",
        "up to `window` frames are on their way; the receiver keeps what comes out of order, and only what is missing goes again; packets \
         are delivered in order",
        &KEYS,
    ),
    window: Some(window_key),
    plan: |arq| Some(ArqPlan::SelectiveRepeat { srej: arq.flag("srej")?, rules: rules(arq)? }),
};

static KEYS: [Key; 5] = [
    window(SELECTIVE_WINDOW as u64, "8", "frames without an ACK at most; the default is Airhop's choice"),
    key(
        "srej",
        Kind::Flag,
        Value("true"),
        "the receiver asks for missing frames as soon as it finds a gap (HDLC's SREJ); else they wait for the timeout",
    ),
    TIMEOUT,
    ATTEMPTS,
    ACK,
];
