use super::{App, TCP, accept_any_values};
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{ValueKind, Variant, key};
use airhop_net::apps::TransferPlan;
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant {
        example: r#"size = "10 kB""#,
        ..Variant::new(
            "transfer",
            "finite transfer: the sender has `size` bytes of data (TCP)",
            &[key(
                "size",
                ValueKind::Bytes { least: 1, most: u32::MAX as u64 },
                Required,
                "size of the transfer",
            )],
        )
    },
    transport: TCP,
    check: accept_any_values,
    plan: |app| Some(Arc::new(TransferPlan { bytes: app.bytes("size")? })),
};
