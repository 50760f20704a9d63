use super::{AT_KEY, DIRECTION_KEY, EVERY_KEY, LinkChange, PlannedChange};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Nothing, Required, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::{Problems, did_you_mean};
use airhop_radio::link_schedule::{ChangeKind, Handoff};

pub(super) static KIND: LinkChange = LinkChange {
    variant: Variant {
        example: r#"at = "1 s", gap = "1 s", mobile = "b""#,
        ..Variant::new(
            "handoff",
            "handoff: the mobile leaves its base station and reaches the next one after a gap; from then on the link connects the mobile \
             to the new base station",
            &KEYS,
        )
    },
    check: check_mobile,
    lasting: |change| change.span("gap"),
    plan,
};

const FORWARDED: &str = "forwarded";
const LOST: &str = "lost";

static KEYS: [Key; 8] = [
    AT_KEY,
    key("gap", ValueKind::Span { least_ns: 1 }, Required, "duration of the gap, in which neither end sends"),
    key("mobile", ValueKind::Name, Required, "node of the mobile, which keeps its queued packets"),
    key(
        "fate",
        ValueKind::Word(|| vec![FORWARDED, LOST]),
        Value(r#""forwarded""#),
        "treatment of packets that wait at the old base station or arrive at it in the gap: forwarded to the new base station \
         (3GPP TS 36.300 \
         §10.1.2.3), or lost (Cáceres and Iftode 1995)",
    ),
    key("rate", ValueKind::LinkRate, Nothing("as before"), "rate in the new cell"),
    key(
        "delay",
        ValueKind::Span { least_ns: 0 },
        Nothing("as before"),
        "propagation delay through the new base station",
    ),
    EVERY_KEY,
    DIRECTION_KEY,
];

fn check_mobile(change: &Fields, link: &Fields, problems: &mut Problems) {
    if let (Some(mobile), Some(ends)) = (change.text("mobile"), link.ends("ends"))
        && !ends.iter().any(|end| end == mobile)
    {
        let hint = did_you_mean(mobile, ends.iter().map(String::as_str));
        let what =
            format!("expected an end of this link, \"{}\" or \"{}\", got {mobile:?}{hint}", ends[0], ends[1]);
        problems.add(change.position_of("mobile"), change.path_of("mobile"), what);
    }
}

fn plan(change: &Fields, link: &Fields) -> Option<PlannedChange> {
    Some(PlannedChange::Scheduled(ChangeKind::Handoff(Handoff {
        gap: change.span("gap")?,
        mobile_end: u8::from(link.ends("ends")?[1] == change.text("mobile")?),
        is_forwarded: match change.word("fate")? {
            FORWARDED => true,
            LOST => false,
            _ => return None,
        },
        rate: change.rate("rate"),
        delay: change.span("delay"),
    })))
}
