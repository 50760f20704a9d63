use super::{AT_KEY, DIRECTION_KEY, EVERY_KEY, LinkChange, PlannedChange, accept_any_values};
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{ValueKind, Variant, key};
use airhop_radio::link_schedule::ChangeKind;

pub(super) static KIND: LinkChange = LinkChange {
    variant: Variant {
        example: r#"at = "1 s", rate = "1 Mbit/s""#,
        ..Variant::new(
            "rate",
            "new rate, which also applies to the remaining bits of the packet in transmission",
            &[
                AT_KEY,
                key("rate", ValueKind::LinkRate, Required, "new rate from the start time"),
                EVERY_KEY,
                DIRECTION_KEY,
            ],
        )
    },
    check: accept_any_values,
    lasting: |_| None,
    plan: |change, _| Some(PlannedChange::Scheduled(ChangeKind::Rate(change.rate("rate")?))),
};
