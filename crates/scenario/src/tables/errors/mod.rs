//! `errors = { … }`: error models of the channel. Each model has an entry in the list, and a file in this
//! folder with its keys, the checks across its keys, and its plan.

mod bernoulli;
mod clean;
mod directions;
mod gilbert_elliott;
mod recorded;
mod snr;
mod state_rates;
mod two_state;

pub(super) use directions::{check, plan_both_directions};

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::Nothing;
use crate::grammar::key::{Choice, Key, ValueKind, Variant, key};
use crate::grammar::problem::{Problems, format_alternatives};
use airhop_base::{Rate, Span};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::phy::{PpduFormat, TxMode};

/// Declaration of an error model.
struct Model {
    variant: Variant,
    /// Function that sets the defaults of a model that exists only in cells of 802.11n, ac and ax; `None` for
    /// a model of any link.
    fill: Option<fn(&mut Fields, &CellProperties)>,
    /// Function that describes a contradiction between keys with valid values; `None` if there is none.
    contradiction: fn(&Fields) -> Option<String>,
    /// Function that reports an error if a run of this duration would need too much memory.
    check: fn(&Fields, Span, &mut Problems),
    /// Function that returns the plan for a link.
    plan: fn(&Fields, &LinkProperties) -> Option<ErrorPlan>,
}

/// Properties of an 802.11n, ac or ax cell that determine defaults of error models.
pub(super) struct CellProperties {
    /// Transmission mode of the cell; `None` if its settings are invalid.
    pub(super) mode: Option<TxMode>,
    /// Transmitted power in dBm; `None` if the cell has no propagation model.
    pub(super) power_dbm: Option<f64>,
}

/// Properties of a link that the plans of error models need.
pub(super) struct LinkProperties {
    /// Length of the longest data frame in bytes.
    pub(super) max_frame_bytes: u32,
    /// Transmission mode of data, and rate of group-addressed frames; `None` except in cells of 802.11n, ac
    /// and ax.
    pub(super) modes: Option<(TxMode, Rate)>,
}

super::kinds! {
    /// List of the error models.
    ERRORS, "error model", Model:
    clean, bernoulli, gilbert_elliott, two_state, recorded, snr
}

const DIRECTION_KEY: Key = key(
    "direction",
    ValueKind::Direction,
    Nothing("both directions"),
    "direction of the link that the table applies to, such as \"a->b\"; on a wlan \"a->*\" is all frames from a",
);

const REFERENCE_KEY: Key = key(
    "reference",
    ValueKind::Bytes { least: 1, most: 70_000 },
    Nothing("the largest data frame of the flows that cross this link"),
    "length of the frame whose error rate is `fer`, link-layer header included",
);

/// Accepts any values: no key of the model can contradict another.
fn no_contradiction(_: &Fields) -> Option<String> {
    None
}

/// Accepts any duration: the model needs little memory.
fn accept_any_duration(_: &Fields, _: Span, _: &mut Problems) {}

/// Reports an error model with contradictory or missing keys, or with too many fades for a run of this
/// duration.
fn check_model(model: &Fields, duration: Option<Span>, problems: &mut Problems) {
    let Some(declared) = declared(model).filter(|_| model.refused_keys().is_empty()) else { return };
    if let Some(duration) = duration {
        (declared.check)(model, duration, problems);
    }
    if let Some(what) = (declared.contradiction)(model) {
        problems.add(&model.at, &model.path, what);
    }
}

/// Sets the defaults of the error models of a cell of 802.11n, ac or ax.
pub(super) fn set_defaults(wlan: &mut Fields, cell: &CellProperties) {
    let Some(Val::Tables(models)) = wlan.get_mut("errors") else { return };
    for model in models {
        if let Some(fill) = declared(model).and_then(|declared| declared.fill) {
            fill(model, cell);
        }
    }
}

/// Reports error models on this link that exist only in cells of 802.11n, ac and ax.
pub(super) fn reject_cell_models(link: &Fields, problems: &mut Problems) {
    for model in link.tables("errors") {
        let Some(declared) = declared(model).filter(|declared| declared.fill.is_some()) else { continue };
        let others = KINDS.iter().filter(|other| other.fill.is_none()).map(|other| other.variant.kind);
        let what = format!(
            "expected {}: only cells of {} have the MCS on which errors of kind \"{}\" depend",
            format_alternatives(others),
            format_alternatives(PpduFormat::ALL.map(PpduFormat::name)),
            declared.variant.kind,
        );
        problems.add(&model.at, model.path_of("kind"), what);
    }
}

/// Returns the plan of an error model on a link.
pub(super) fn plan(model: &Fields, channel: &LinkProperties) -> Option<ErrorPlan> {
    (declared(model)?.plan)(model, channel)
}

/// Returns the length in bits of the frame to which an error rate refers.
fn reference_bits(model: &Fields, channel: &LinkProperties) -> u64 {
    model.bytes("reference").unwrap_or(channel.max_frame_bytes.into()) * 8
}
