use super::{ACK, ATTEMPTS, LinkRecovery, TIMEOUT, rules, window, window_key};
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, Kind, Variant, key};
use airhop_radio::arq::{ArqPlan, SELECTIVE_WINDOW};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "selective-repeat",
        "selective repeat: up to `window` frames are unacknowledged; the receiver stores frames that arrive out of order, the sender \
         retransmits missing frames only, and packets are delivered in order",
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
        "selective reject (HDLC's SREJ): true = the receiver requests missing frames when it detects a gap; false = missing frames are \
         retransmitted after the timeout only",
    ),
    TIMEOUT,
    ATTEMPTS,
    ACK,
];
