use super::{ACK_KEY, ATTEMPTS_KEY, LinkRecovery, MAX_WINDOW_FRAMES, TIMEOUT_KEY, rules, window, window_key};
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::words::value_of_word;
use airhop_radio::arq::{ArqPlan, RetransmissionGroup};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "go-back-n",
        "go-back-n: up to `window` frames are unacknowledged; the receiver accepts frames in order only, and after a timeout the sender \
         retransmits all unacknowledged frames (as in HDLC; Kounavis 1996)",
        &KEYS,
    ),
    window: Some(window_key),
    plan: |arq| {
        Some(ArqPlan::GoBackN {
            group: value_of_word(&RETRANSMISSION_GROUPS, arq.word("group")?)?,
            rules: rules(arq)?,
        })
    },
};

const RETRANSMISSION_GROUPS: [(&str, RetransmissionGroup); 2] =
    [("sliding", RetransmissionGroup::Sliding), ("blocks", RetransmissionGroup::Blocks)];

static KEYS: [Key; 5] = [
    window(MAX_WINDOW_FRAMES, "3", "maximum number of unacknowledged frames (Kounavis 1996)"),
    key(
        "group",
        ValueKind::Word(|| RETRANSMISSION_GROUPS.map(|(word, _)| word).to_vec()),
        Value(r#""sliding""#),
        "window rule: sliding = each link ACK releases a new frame; blocks = `window` frames are sent, and acknowledged, as one block",
    ),
    TIMEOUT_KEY,
    ATTEMPTS_KEY,
    ACK_KEY,
];
