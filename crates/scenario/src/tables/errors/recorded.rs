use super::state_rates::{self, BER_BAD, BER_GOOD, FER_BAD, FER_GOOD, bit_error_rates};
use super::{DIRECTION_KEY, LinkProperties, Model, REFERENCE_KEY, accept_any_duration};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Derived, Required};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_radio::errors::{ErrorPlan, FadePlan, FadeRecord, LineError};
use std::sync::Arc;

pub(super) static KIND: Model = Model {
    variant: Variant {
        example: r#"file = "fades.csv", ber_good = 0, ber_bad = 0.01"#,
        ..Variant::new(
            "recorded",
            "fades from a file, equal in both directions and in every run; the file repeats after its end",
            &KEYS,
        )
    },
    fill: None,
    contradiction: |model| state_rates::contradiction(model).or_else(|| read_record(model)?.err()),
    check: accept_any_duration,
    plan,
};

static KEYS: [Key; 8] = [
    key(
        "file",
        ValueKind::File { digest: "digest" },
        Required,
        "CSV file with the header `begin_s,end_s` and a row for each period in the bad state (`airhop fades` writes such files)",
    ),
    key(
        "digest",
        ValueKind::Digest,
        Derived("the digest of the file"),
        "digest of the file; a file with another digest is an error",
    ),
    BER_GOOD,
    BER_BAD,
    FER_GOOD,
    FER_BAD,
    REFERENCE_KEY,
    DIRECTION_KEY,
];

/// Reads the record of fades in the model's file.
fn read_record(model: &Fields) -> Option<Result<FadeRecord, String>> {
    let file = model.file("file")?;
    let refused = |LineError { line, message: what }| format!("{}:{line}: {what}", file.path);
    Some(FadeRecord::parse(&file.text).map_err(refused))
}

fn plan(model: &Fields, channel: &LinkProperties) -> Option<ErrorPlan> {
    let fades = FadePlan::Recorded(Arc::new(read_record(model)?.ok()?));
    Some(ErrorPlan::TwoState { fades, errors_per_bit: bit_error_rates(model, channel)? })
}
