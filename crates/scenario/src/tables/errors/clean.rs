use super::{DIRECTION_KEY, Model, accept_any_duration, no_contradiction};
use crate::grammar::key::Variant;
use airhop_radio::errors::ErrorPlan;

pub(super) static KIND: Model = Model {
    variant: Variant::new("clean", "no errors", &[DIRECTION_KEY]),
    fill: None,
    contradiction: no_contradiction,
    check: accept_any_duration,
    plan: |_, _| Some(ErrorPlan::Clean),
};
