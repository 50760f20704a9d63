use super::{App, TCP, check_nothing};
use crate::grammar::key::Variant;
use airhop_net::apps::Bulk;
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant::new("bulk", "bulk transfer: the sender always has data (TCP)", &[]),
    transport: TCP,
    check: check_nothing,
    plan: |_| Some(Arc::new(Bulk)),
};
