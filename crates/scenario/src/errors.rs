//! Error models: what their keys say together, and what they become.

use crate::fields::Fields;
use crate::problem::Problems;
use airhop_radio::errors::{ErrorPlan, State, errors_per_bit};

/// Refuses an error model whose keys contradict each other, or are too few.
pub(crate) fn check(model: &Fields, problems: &mut Problems) {
    if !model.refused().is_empty() {
        return;
    }
    let contradiction = match model.kind {
        Some("bernoulli") => bernoulli(model),
        Some("gilbert-elliott") => gilbert_elliott(model),
        Some("two-state") => two_state(model),
        _ => None,
    };
    if let Some(what) = contradiction {
        problems.add(&model.at, &model.path, what);
    }
}

fn bernoulli(model: &Fields) -> Option<String> {
    let what = match (model.number("fer"), model.number("loss")) {
        (Some(_), Some(_)) => {
            "expected either `fer` (by the bits of a frame) or `loss` (every frame alike), got both"
        }
        (None, None) => "expected `fer` (by the bits of a frame) or `loss` (every frame alike), got neither",
        (None, Some(_)) if model.bytes("reference").is_some() => {
            "`reference` belongs to `fer`, and here is `loss`"
        }
        _ => return None,
    };
    Some(what.to_string())
}

fn gilbert_elliott(model: &Fields) -> Option<String> {
    let got = match (model.number("p_bg"), model.number("p_bb")) {
        (Some(_), Some(_)) => "both",
        (None, None) => "neither",
        _ => return None,
    };
    Some(format!("expected either `p_bg` (the bad state ends) or `p_bb` (it stays, 1 - p_bg), got {got}"))
}

fn two_state(model: &Fields) -> Option<String> {
    let keys = ["ber_good", "ber_bad", "fer_good", "fer_bad"];
    match keys.map(|key| model.number(key).is_some()) {
        [false, false, true, true] => None,
        [true, true, false, false] => {
            let reference = model.bytes("reference");
            reference.map(|_| {
                "`reference` belongs to `fer_good` and `fer_bad`, and here is `ber_good`".to_string()
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

/// The plan of an error model on a link whose largest data frame has `largest` bytes.
pub(crate) fn plan(model: &Fields, largest: u32) -> Option<ErrorPlan> {
    match model.kind? {
        "gilbert-elliott" => {
            let p_bg = model.number("p_bg").or_else(|| Some(1.0 - model.number("p_bb")?))?;
            Some(ErrorPlan::GilbertElliott {
                loss: [model.number("loss_good")?, model.number("loss_bad")?],
                leave: [model.number("p_gb")?, p_bg],
            })
        }
        "two-state" => {
            let state = |mean, ber, fer| {
                let per_bit = match model.number(ber) {
                    Some(ber) => ber,
                    None => errors_per_bit(model.number(fer)?, reference_bits(model, largest)),
                };
                Some(State { mean: model.span(mean)?, errors_per_bit: per_bit })
            };
            Some(ErrorPlan::TwoState {
                good: state("good", "ber_good", "fer_good")?,
                bad: state("bad", "ber_bad", "fer_bad")?,
            })
        }
        "bernoulli" => match model.number("loss") {
            Some(loss) => Some(ErrorPlan::Loss(loss)),
            None => {
                let reference_bits = reference_bits(model, largest);
                Some(ErrorPlan::FrameErrorRate { fer: model.number("fer")?, reference_bits })
            }
        },
        _ => Some(ErrorPlan::Clean),
    }
}

/// Bits of the frame that an error rate is about.
fn reference_bits(model: &Fields, largest: u32) -> u64 {
    model.bytes("reference").unwrap_or(largest.into()) * 8
}
