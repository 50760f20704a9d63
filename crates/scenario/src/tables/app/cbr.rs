use super::{App, UDP, check_nothing};
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{Kind, Variant, key};
use airhop_net::apps::Cbr;
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant {
        example: r#"rate = "1 Mbit/s""#,
        ..Variant::new("cbr", "constant bit rate (UDP)", &[key("rate", Kind::Rate, Required, "payload rate")])
    },
    transport: UDP,
    check: check_nothing,
    plan: |app| Some(Arc::new(Cbr { rate: app.rate("rate")? })),
};
