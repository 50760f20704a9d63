use super::state_rates::{self, BER_BAD, BER_GOOD, FER_BAD, FER_GOOD, bit_error_rates};
use super::{DIRECTION_KEY, LinkProperties, Model, REFERENCE_KEY};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Required, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use crate::grammar::words::value_of_word;
use airhop_base::Span;
use airhop_radio::errors::{ErrorPlan, FadePlan, InitialState, Sojourn};

pub(super) static KIND: Model = Model {
    variant: Variant {
        example: r#"good = "1 s", bad = "100 ms", ber_good = 0, ber_bad = 0.01"#,
        ..Variant::new(
            "two-state",
            "fades: a good and a bad state in continuous time, equal in both directions and for every scheme (Bakshi et al. 1997)",
            &KEYS,
        )
    },
    fill: None,
    contradiction: state_rates::contradiction,
    check: check_fades,
    plan,
};

/// Maximum number of fades of a channel in a run. Each fade needs memory in a trace.
const MAX_FADES: u64 = 1_000_000;

static KEYS: [Key; 10] = [
    key("good", ValueKind::Span { least_ns: 1_000 }, Required, "mean sojourn time in the good state"),
    key("bad", ValueKind::Span { least_ns: 1_000 }, Required, "mean sojourn time in the bad state"),
    key(
        "sojourn",
        ValueKind::Word(|| Sojourn::ALL.map(|(name, _)| name).to_vec()),
        Value(r#""exponential""#),
        "distribution of the sojourn times: exponential; uniform = from 0 to twice the mean (the \"uniformal\" distribution of Kounavis \
         1996); uniform-half = uniform from 0.5 to 1.5 times the mean; constant",
    ),
    key(
        "start",
        ValueKind::Word(|| InitialState::ALL.map(|(name, _)| name).to_vec()),
        Value(r#""stationary""#),
        "initial state: stationary = the stationary distribution of states and residual sojourn times; good = the beginning of a period in \
         the good state, as in ns-2 and Bakshi et al.",
    ),
    BER_GOOD,
    BER_BAD,
    FER_GOOD,
    FER_BAD,
    REFERENCE_KEY,
    DIRECTION_KEY,
];

fn check_fades(model: &Fields, duration: Span, problems: &mut Problems) {
    if let (Some(good), Some(bad)) = (model.span("good"), model.span("bad"))
        && duration.whole_multiples(good + bad) > MAX_FADES
    {
        let what = format!(
            "expected at most {MAX_FADES} fades in the run, got mean good times of \"{good}\" and mean bad times of \"{bad}\" \
             in duration = \"{duration}\""
        );
        problems.add(model.position_of("good"), model.path_of("good"), what);
    }
}

fn plan(model: &Fields, channel: &LinkProperties) -> Option<ErrorPlan> {
    let fades = FadePlan::Drawn {
        means: [model.span("good")?, model.span("bad")?],
        sojourn: value_of_word(&Sojourn::ALL, model.word("sojourn")?)?,
        start: value_of_word(&InitialState::ALL, model.word("start")?)?,
    };
    Some(ErrorPlan::TwoState { fades, errors_per_bit: bit_error_rates(model, channel)? })
}
