use super::{App, TCP, accept_any_values};
use crate::grammar::key::Variant;
use airhop_net::apps::BulkPlan;
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant::new("bulk", "bulk transfer: the sender always has data (TCP)", &[]),
    transport: TCP,
    check: accept_any_values,
    plan: |_| Some(Arc::new(BulkPlan)),
};
