use super::{AT, DIRECTION, EVERY, LinkChange, PlannedChange, check_nothing};
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{Kind, Variant, key};
use airhop_radio::link_schedule::ChangeKind;

pub(super) static KIND: LinkChange = LinkChange {
    variant: Variant {
        example: r#"at = "1 s", rate = "1 Mbit/s""#,
        ..Variant::new(
            "rate",
            "new rate, which also applies to the remaining bits of the packet in transmission",
            &[AT, key("rate", Kind::LinkRate, Required, "new rate from the start time"), EVERY, DIRECTION],
        )
    },
    check: check_nothing,
    lasting: |_| None,
    plan: |change, _| Some(PlannedChange::Scheduled(ChangeKind::Rate(change.rate("rate")?))),
};
