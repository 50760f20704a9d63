//! Error rates of a channel in good and bad periods: bit error rates, or loss rates of full data frames.

use super::{LinkProperties, reference_bits};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Nothing;
use crate::grammar::key::{Key, ValueKind, key};
use airhop_radio::errors::errors_per_bit;

const BER_OR_FER: &str = "none; `ber_good` and `ber_bad`, or `fer_good` and `fer_bad`, are required";

pub(super) const BER_GOOD: Key =
    key("ber_good", ValueKind::Probability, Nothing(BER_OR_FER), "bit error rate in the good state");
pub(super) const BER_BAD: Key =
    key("ber_bad", ValueKind::Probability, Nothing(BER_OR_FER), "bit error rate in the bad state");
pub(super) const FER_GOOD: Key = key(
    "fer_good",
    ValueKind::Probability,
    Nothing(BER_OR_FER),
    "frame error rate of a full data frame in the good state; a shorter frame has an equal bit error rate",
);
pub(super) const FER_BAD: Key = key(
    "fer_bad",
    ValueKind::Probability,
    Nothing(BER_OR_FER),
    "frame error rate of a full data frame in the bad state; a shorter frame has an equal bit error rate",
);

/// Reports a channel that mixes both kinds of rates, or lacks a rate.
pub(super) fn contradiction(model: &Fields) -> Option<String> {
    let keys = ["ber_good", "ber_bad", "fer_good", "fer_bad"];
    match keys.map(|key| model.number(key).is_some()) {
        [false, false, true, true] => None,
        [true, true, false, false] => {
            let reference = model.bytes("reference");
            reference.map(|_| {
                "`reference` belongs to `fer_good` and `fer_bad`, not to `ber_good`; leave it out".to_string()
            })
        }
        given => {
            let given: Vec<_> = keys
                .iter()
                .zip(given)
                .filter(|(_, given)| *given)
                .map(|(key, _)| format!("`{key}`"))
                .collect();
            let got = if given.is_empty() { "none of them".to_string() } else { given.join(", ") };
            Some(format!(
                "expected either `ber_good` and `ber_bad` (per bit) or `fer_good` and `fer_bad` (of a full data frame), got {got}"
            ))
        }
    }
}

/// Returns the rates of bit errors per bit in good and bad periods. Bit errors are a Poisson process.
pub(super) fn bit_error_rates(model: &Fields, channel: &LinkProperties) -> Option<[f64; 2]> {
    let in_state = |ber, fer| match model.number(ber) {
        Some(ber) => Some(ber),
        None => Some(errors_per_bit(model.number(fer)?, reference_bits(model, channel))),
    };
    Some([in_state("ber_good", "fer_good")?, in_state("ber_bad", "fer_bad")?])
}
