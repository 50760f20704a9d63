use super::{DIRECTION, Model, check_nothing, no_contradiction};
use crate::grammar::key::Variant;
use airhop_radio::errors::ErrorPlan;

pub(super) static KIND: Model = Model {
    variant: Variant::new("clean", "no errors", &[DIRECTION]),
    fill: None,
    contradiction: no_contradiction,
    check: check_nothing,
    plan: |_, _| Some(ErrorPlan::Clean),
};
