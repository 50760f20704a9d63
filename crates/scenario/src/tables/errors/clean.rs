use super::{DIRECTION, Model, fits, is_consistent};
use crate::grammar::key::Variant;
use airhop_radio::errors::ErrorPlan;

pub(super) static KIND: Model = Model {
    variant: Variant::new("clean", "no errors", &[DIRECTION]),
    fill: None,
    contradiction: is_consistent,
    check: fits,
    plan: |_, _| Some(ErrorPlan::Clean),
};
