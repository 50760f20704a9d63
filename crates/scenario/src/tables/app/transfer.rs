use super::{App, TCP, check_nothing};
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{Kind, Variant, key};
use airhop_net::apps::Transfer;
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant {
        example: r#"size = "10 kB""#,
        ..Variant::new(
            "transfer",
            "finite transfer: the sender has `size` bytes of data (TCP)",
            &[key("size", Kind::Bytes { least: 1, most: u32::MAX as u64 }, Required, "size of the transfer")],
        )
    },
    transport: TCP,
    check: check_nothing,
    plan: |app| Some(Arc::new(Transfer { bytes: app.bytes("size")? })),
};
