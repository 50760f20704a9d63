use super::{DIRECTION_KEY, LinkProperties, Model, REFERENCE_KEY, accept_any_duration, reference_bits};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Nothing;
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_radio::errors::ErrorPlan;

pub(super) static KIND: Model = Model {
    variant: Variant { example: "fer = 0.01", ..Variant::new("bernoulli", "independent errors", &KEYS) },
    fill: None,
    contradiction,
    check: accept_any_duration,
    plan,
};

static KEYS: [Key; 4] = [
    key(
        "fer",
        ValueKind::Probability,
        Nothing("none; `fer` or `loss` is required"),
        "frame error rate of a full data frame; a shorter frame has an equal bit error rate (Yun 2009 §5.1)",
    ),
    key(
        "loss",
        ValueKind::Probability,
        Nothing("none; `fer` or `loss` is required"),
        "frame error rate of every frame, independent of its length",
    ),
    REFERENCE_KEY,
    DIRECTION_KEY,
];

fn contradiction(model: &Fields) -> Option<String> {
    let what = match (model.number("fer"), model.number("loss")) {
        (Some(_), Some(_)) => {
            "expected either `fer` (depends on the length of the frame) or `loss` (equal for every frame), got both"
        }
        (None, None) => {
            "expected `fer` (depends on the length of the frame) or `loss` (equal for every frame), got neither"
        }
        (None, Some(_)) if model.bytes("reference").is_some() => {
            "`reference` belongs to `fer`, not to `loss`; leave it out"
        }
        _ => return None,
    };
    Some(what.to_string())
}

fn plan(model: &Fields, channel: &LinkProperties) -> Option<ErrorPlan> {
    Some(match model.number("loss") {
        Some(loss) => ErrorPlan::Loss(loss),
        None => {
            let reference_bits = reference_bits(model, channel);
            ErrorPlan::FrameErrorRate { fer: model.number("fer")?, reference_bits }
        }
    })
}
