use super::{AT_KEY, DIRECTION_KEY, EVERY_KEY, LinkChange, PlannedChange, accept_any_values};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Required, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_radio::link_schedule::ChangeKind;

pub(super) static KIND: LinkChange = LinkChange {
    variant: Variant {
        example: r#"at = "1 s", lasts = "1 s""#,
        ..Variant::new("outage", "outage: the link delivers no packet", &KEYS)
    },
    check: accept_any_values,
    lasting: |change| change.span("lasts"),
    plan,
};

const WAIT: &str = "wait";
const LOST: &str = "lost";

static KEYS: [Key; 5] = [
    AT_KEY,
    key("lasts", ValueKind::Span { least_ns: 1 }, Required, "duration"),
    key(
        "fate",
        ValueKind::Word(|| vec![WAIT, LOST]),
        Value(r#""wait""#),
        "treatment of packets: wait = both ends detect the outage and keep packets in their queues; lost = both ends continue \
         to send, and these packets are lost",
    ),
    EVERY_KEY,
    DIRECTION_KEY,
];

fn plan(change: &Fields, _: &Fields) -> Option<PlannedChange> {
    let lasts = change.span("lasts")?;
    match change.word("fate")? {
        WAIT => Some(PlannedChange::Scheduled(ChangeKind::Outage(lasts))),
        LOST => Some(PlannedChange::Lost(lasts)),
        _ => None,
    }
}
