//! Error models: what their keys say together, and what they become.

use crate::fields::Fields;
use crate::problem::Problems;
use airhop_base::Span;
use airhop_radio::errors::{BadLine, ErrorPlan, FadePlan, FadeRecord, Sojourn, Start, errors_per_bit};
use std::sync::Arc;

/// So many fades of a channel in a run at most; each takes memory in a trace.
const MAX_FADES: u64 = 1_000_000;

/// Refuses an error model whose keys contradict each other, or are too few; or that has more fades in a run of this duration than
/// anybody can look at.
pub(crate) fn check(model: &Fields, duration: Option<Span>, problems: &mut Problems) {
    if !model.refused().is_empty() {
        return;
    }
    if model.kind == Some("two-state") {
        check_fades(model, duration, problems);
    }
    let contradiction = match model.kind {
        Some("bernoulli") => bernoulli(model),
        Some("gilbert-elliott") => gilbert_elliott(model),
        Some("two-state") => rates(model),
        Some("recorded") => rates(model).or_else(|| record(model)?.err()),
        _ => None,
    };
    if let Some(what) = contradiction {
        problems.add(&model.at, &model.path, what);
    }
}

fn check_fades(model: &Fields, duration: Option<Span>, problems: &mut Problems) {
    if let (Some(good), Some(bad), Some(duration)) = (model.span("good"), model.span("bad"), duration)
        && duration.whole(good + bad) > MAX_FADES
    {
        let what = format!(
            "expected at most {MAX_FADES} fades in the run, got good times of \"{good}\" and bad ones of \"{bad}\" by turns in \
             duration = \"{duration}\""
        );
        problems.add(model.at("good"), model.path_of("good"), what);
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
    let has = |key| model.number(key).is_some();
    let chain = ["p_gb", "p_bg", "p_bb"].into_iter().any(has);
    match (chain, has("loss"), has("burst")) {
        (true, false, false) => transitions(has),
        (false, true, true) => averages(model),
        (false, false, false) => Some(
            "expected `p_gb` with `p_bg` or `p_bb`, or `loss` with `burst`, got none of them".to_string(),
        ),
        (true, ..) => Some(
            "expected either `p_gb` with `p_bg` or `p_bb`, or `loss` with `burst`, got some of both"
                .to_string(),
        ),
        (false, loss, _) => {
            let (given, missing) = if loss { ("loss", "burst") } else { ("burst", "loss") };
            Some(format!("expected `{missing}` too, got `{given}` alone"))
        }
    }
}

fn transitions(has: impl Fn(&'static str) -> bool) -> Option<String> {
    let got = match (has("p_bg"), has("p_bb")) {
        (true, true) => "both",
        (false, false) => "neither",
        _ if has("p_gb") => return None,
        _ => return Some("expected `p_gb` (from good to bad) too".to_string()),
    };
    Some(format!("expected either `p_bg` (the bad state ends) or `p_bb` (it stays, 1 - p_bg), got {got}"))
}

fn averages(model: &Fields) -> Option<String> {
    let [loss, burst, good, bad] = ["loss", "burst", "loss_good", "loss_bad"].map(|key| model.number(key));
    let (loss, burst, good, bad) = (loss?, burst?, good?, bad?);
    if !(good <= loss && loss < bad) {
        return Some(format!(
            "expected `loss` from loss_good = {good} to less than loss_bad = {bad}, which it is an average of, got {loss}"
        ));
    }
    let bad_share = (loss - good) / (bad - good);
    let least = bad_share / (1.0 - bad_share);
    (burst < least * (1.0 - 1e-9)).then(|| {
        format!(
            "expected a `burst` of at least {least:.3}, as good states are a frame long at least, got {burst}"
        )
    })
}

/// The probabilities to leave the good and the bad state: those given, or those of a chain with that loss rate and those bad states.
/// The share of bad frames is p_gb / (p_gb + p_bg), the mean length of a bad state 1 / p_bg.
fn leave(model: &Fields) -> Option<[f64; 2]> {
    let Some(loss) = model.number("loss") else {
        let p_bg = model.number("p_bg").or_else(|| Some(1.0 - model.number("p_bb")?))?;
        return Some([model.number("p_gb")?, p_bg]);
    };
    let (good, bad) = (model.number("loss_good")?, model.number("loss_bad")?);
    let p_bg = 1.0 / model.number("burst")?;
    // A rounding error may bring p_gb above 1.
    Some([(p_bg * (loss - good) / (bad - loss)).min(1.0), p_bg])
}

fn rates(model: &Fields) -> Option<String> {
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

/// The record in a model's file.
fn record(model: &Fields) -> Option<Result<FadeRecord, String>> {
    let file = model.file("file")?;
    let refused = |BadLine { line, what }| format!("{}:{line}: {what}", file.path);
    Some(FadeRecord::parse(&file.text).map_err(refused))
}

/// The plan of an error model on a link whose largest data frame has `largest` bytes.
pub(crate) fn plan(model: &Fields, largest: u32) -> Option<ErrorPlan> {
    match model.kind? {
        "gilbert-elliott" => {
            let (loss, leave) = ([model.number("loss_good")?, model.number("loss_bad")?], leave(model)?);
            Some(match model.span("step") {
                Some(step) => ErrorPlan::Stepped { loss, leave, step },
                None => ErrorPlan::GilbertElliott { loss, leave },
            })
        }
        "two-state" => {
            let fades = FadePlan::Drawn {
                means: [model.span("good")?, model.span("bad")?],
                sojourn: named(&Sojourn::ALL, model.word("sojourn")?)?,
                start: named(&Start::ALL, model.word("start")?)?,
            };
            Some(ErrorPlan::TwoState { fades, errors_per_bit: per_bit(model, largest)? })
        }
        "recorded" => {
            let fades = FadePlan::Recorded(Arc::new(record(model)?.ok()?));
            Some(ErrorPlan::TwoState { fades, errors_per_bit: per_bit(model, largest)? })
        }
        "bernoulli" => match model.number("loss") {
            Some(loss) => Some(ErrorPlan::Loss(loss)),
            None => {
                let reference_bits = reference_bits(model, largest);
                Some(ErrorPlan::FrameErrorRate { fer: model.number("fer")?, reference_bits })
            }
        },
        "clean" => Some(ErrorPlan::Clean),
        _ => None,
    }
}

fn named<T: Copy>(all: &[(&str, T)], name: &str) -> Option<T> {
    all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Errors per bit in good and in bad times.
fn per_bit(model: &Fields, largest: u32) -> Option<[f64; 2]> {
    let in_state = |ber, fer| match model.number(ber) {
        Some(ber) => Some(ber),
        None => Some(errors_per_bit(model.number(fer)?, reference_bits(model, largest))),
    };
    Some([in_state("ber_good", "fer_good")?, in_state("ber_bad", "fer_bad")?])
}

/// Bits of the frame that an error rate is about.
fn reference_bits(model: &Fields, largest: u32) -> u64 {
    model.bytes("reference").unwrap_or(largest.into()) * 8
}
