use super::{App, UDP, accept_any_values};
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{ValueKind, Variant, key};
use airhop_net::apps::CbrPlan;
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant {
        example: r#"rate = "1 Mbit/s""#,
        ..Variant::new(
            "cbr",
            "constant bit rate (UDP)",
            &[key("rate", ValueKind::Rate, Required, "payload rate")],
        )
    },
    transport: UDP,
    check: accept_any_values,
    plan: |app| Some(Arc::new(CbrPlan { rate: app.rate("rate")? })),
};
