use super::{AT, DIRECTION, EVERY, LinkChange, Planned, fits};
use crate::grammar::key::Without::Required;
use crate::grammar::key::{Kind, Variant, key};
use airhop_radio::link_schedule::ChangeKind;

pub(super) static KIND: LinkChange = LinkChange {
    variant: Variant {
        example: r#"at = "1 s", rate = "1 Mbit/s""#,
        ..Variant::new(
            "rate",
            "new rate; a packet that is being sent continues at it",
            &[AT, key("rate", Kind::LinkRate, Required, "new rate from then on"), EVERY, DIRECTION],
        )
    },
    check: fits,
    lasting: |_| None,
    plan: |change, _| Some(Planned::Scheduled(ChangeKind::Rate(change.rate("rate")?))),
};
