use super::{App, TCP, fits};
use crate::grammar::key::Variant;
use airhop_net::apps::Bulk;
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant::new("bulk", "bulk transfer: always has data to send (TCP)", &[]),
    transport: TCP,
    check: fits,
    plan: |_| Some(Arc::new(Bulk)),
};
