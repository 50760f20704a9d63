use super::{ACK, ATTEMPTS, LinkRecovery, TIMEOUT, rules, window, window_key};
use crate::grammar::key::Without::Value;
use crate::grammar::key::{Key, Kind, Variant, key};
use airhop_radio::arq::{ArqPlan, SELECTIVE_WINDOW};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "selective-repeat",
        "selective repeat: up to `window` frames are under way; the receiver keeps frames out of order, and only missing ones are sent \
         again; packets are delivered in order",
        &KEYS,
    ),
    window: Some(window_key),
    plan: |arq| Some(ArqPlan::SelectiveRepeat { srej: arq.flag("srej")?, rules: rules(arq)? }),
};

static KEYS: [Key; 5] = [
    window(
        SELECTIVE_WINDOW as u64,
        "8",
        "maximum number of unacknowledged frames; the default is Airhop's choice",
    ),
    key(
        "srej",
        Kind::Flag,
        Value("true"),
        "true: the receiver asks for missing frames as soon as it finds a gap (HDLC's SREJ); false: they wait for the timeout",
    ),
    TIMEOUT,
    ATTEMPTS,
    ACK,
];
