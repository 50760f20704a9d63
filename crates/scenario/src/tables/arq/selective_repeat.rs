use super::{ACK_KEY, ATTEMPTS_KEY, LinkRecovery, TIMEOUT_KEY, rules, window, window_key};
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_radio::arq::{ArqPlan, MAX_SELECTIVE_REPEAT_WINDOW};

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
        MAX_SELECTIVE_REPEAT_WINDOW as u64,
        "8",
        "maximum number of unacknowledged frames; the default is Airhop's choice",
    ),
    key(
        "srej",
        ValueKind::Flag,
        Value("true"),
        "selective reject (HDLC's SREJ): true = the receiver requests missing frames when it detects a gap; false = missing frames are \
         retransmitted after the timeout only",
    ),
    TIMEOUT_KEY,
    ATTEMPTS_KEY,
    ACK_KEY,
];
