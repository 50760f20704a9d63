use super::{DIRECTION_KEY, LinkProperties, Model, accept_any_duration};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Nothing, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::words::value_of_word;
use airhop_radio::errors::{ErrorPlan, FrameSelection};

pub(super) static KIND: Model = Model {
    variant: Variant {
        example: "loss = 0.1, burst = 3",
        ..Variant::new(
            "gilbert-elliott",
            "bursts: a Markov chain of a good and a bad state, with a transition after every data frame; link ACKs, RTS and CTS have no \
             errors",
            &KEYS,
        )
    },
    fill: None,
    contradiction,
    check: accept_any_duration,
    plan,
};

const CHAIN: &str = "none; `p_gb` with `p_bg` or `p_bb`, or `loss` with `burst`, are required";

static KEYS: [Key; 10] = [
    key("p_gb", ValueKind::Probability, Nothing(CHAIN), "transition probability from good to bad, per frame"),
    key(
        "p_bg",
        ValueKind::Probability,
        Nothing("1 - p_bb"),
        "transition probability from bad to good, per frame",
    ),
    key(
        "p_bb",
        ValueKind::Probability,
        Nothing("1 - p_bg"),
        "probability of remaining in the bad state, per frame (Yun 2009 §5.4)",
    ),
    key("loss", ValueKind::Probability, Nothing(CHAIN), "average loss rate"),
    key(
        "burst",
        ValueKind::Number { least: 1.0, most: 1e6 },
        Nothing(CHAIN),
        "mean sojourn in the bad state, 1 / p_bg, frames (or steps)",
    ),
    key("loss_good", ValueKind::Probability, Value("0"), "loss rate of frames in the good state"),
    key("loss_bad", ValueKind::Probability, Value("1"), "loss rate of frames in the bad state"),
    key(
        "step",
        ValueKind::Span { least_ns: 1_000 },
        Nothing("none; a transition after every data frame"),
        "interval between transitions in time, independent of transmissions; the state at the start of a frame applies to the frame",
    ),
    key(
        "strikes",
        ValueKind::Word(|| FrameSelection::ALL.map(|(word, _)| word).to_vec()),
        Value(r#""data""#),
        "frames with errors: data = all frames except link ACKs, RTS and CTS; unicast = data frames with one receiver, \
         excluding broadcast route requests; payload = unicast data frames with payload, excluding TCP's ACKs",
    ),
    DIRECTION_KEY,
];

fn contradiction(model: &Fields) -> Option<String> {
    let has = |key| model.number(key).is_some();
    let chain = ["p_gb", "p_bg", "p_bb"].into_iter().any(has);
    match (chain, has("loss"), has("burst")) {
        (true, false, false) => check_transitions(has),
        (false, true, true) => check_averages(model),
        (false, false, false) => Some(
            "expected `p_gb` with `p_bg` or `p_bb`, or `loss` with `burst`, got none of them".to_string(),
        ),
        (true, ..) => Some(
            "expected either `p_gb` with `p_bg` or `p_bb`, or `loss` with `burst`, got some of both"
                .to_string(),
        ),
        (false, loss, _) => {
            let (given, missing) = if loss { ("loss", "burst") } else { ("burst", "loss") };
            Some(format!("expected also `{missing}`, got only `{given}`"))
        }
    }
}

fn check_transitions(has: impl Fn(&'static str) -> bool) -> Option<String> {
    let got = match (has("p_bg"), has("p_bb")) {
        (true, true) => "both",
        (false, false) => "neither",
        _ if has("p_gb") => return None,
        _ => return Some("expected also `p_gb` (transition probability from good to bad)".to_string()),
    };
    Some(format!(
        "expected either `p_bg` (transition from bad to good) or `p_bb` (no transition, 1 - p_bg), got {got}"
    ))
}

fn check_averages(model: &Fields) -> Option<String> {
    let [loss, burst, good, bad] = ["loss", "burst", "loss_good", "loss_bad"].map(|key| model.number(key));
    let (loss, burst, good, bad) = (loss?, burst?, good?, bad?);
    if !(good <= loss && loss < bad) {
        return Some(format!(
            "expected `loss` from loss_good = {good} to less than loss_bad = {bad}, because `loss` is a mean of both, got {loss}"
        ));
    }
    let bad_share = (loss - good) / (bad - good);
    let least = bad_share / (1.0 - bad_share);
    (burst < least * (1.0 - 1e-9)).then(|| {
        format!(
            "expected a `burst` of at least {least:.3}, because a good state lasts at least one frame, got {burst}"
        )
    })
}

/// Returns the probabilities p_gb and p_bg of leaving the good and the bad state. The file contains the two
/// probabilities, or the loss rate and the mean burst length. The fraction of frames in the bad state is p_gb
/// / (p_gb + p_bg), and a bad state lasts 1 / p_bg frames on average.
fn leave_probabilities(model: &Fields) -> Option<[f64; 2]> {
    let Some(loss) = model.number("loss") else {
        let p_bg = model.number("p_bg").or_else(|| Some(1.0 - model.number("p_bb")?))?;
        return Some([model.number("p_gb")?, p_bg]);
    };
    let (good, bad) = (model.number("loss_good")?, model.number("loss_bad")?);
    let p_bg = 1.0 / model.number("burst")?;
    // Without the limit a rounding error could raise p_gb above 1.
    Some([(p_bg * (loss - good) / (bad - loss)).min(1.0), p_bg])
}

fn plan(model: &Fields, _: &LinkProperties) -> Option<ErrorPlan> {
    let (loss, leave) =
        ([model.number("loss_good")?, model.number("loss_bad")?], leave_probabilities(model)?);
    let strikes = value_of_word(&FrameSelection::ALL, model.word("strikes")?)?;
    Some(match model.span("step") {
        Some(step) => ErrorPlan::Stepped { loss, leave, step, strikes },
        None => ErrorPlan::GilbertElliott { loss, leave, strikes },
    })
}
