//! `errors = { … }`: error models of the channel. Each model has a file in this folder with its keys, the
//! checks across them and its plan, and an entry in the list.

mod bernoulli;
mod clean;
mod directions;
mod gilbert_elliott;
mod recorded;
mod snr;
mod state_rates;
mod two_state;

pub(super) use directions::{between, check};

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::Without::Nothing;
use crate::grammar::key::{Choice, Key, Kind, Variant, key};
use crate::grammar::problem::{Problems, one_of};
use airhop_base::{Rate, Span};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::phy::{Format, TxMode};

/// Declaration of an error model.
struct Model {
    variant: Variant,
    /// Fills in the defaults of a model that only cells of 802.11n, ac and ax have; `None` for a model of any
    /// link.
    fill: Option<fn(&mut Fields, &Cell)>,
    /// Returns a description of a contradiction between keys that are individually valid.
    contradiction: fn(&Fields) -> Option<String>,
    /// Reports parameters that would need too much memory in a run of this duration.
    check: fn(&Fields, Span, &mut Problems),
    /// Returns the plan for a link.
    plan: fn(&Fields, &Channel) -> Option<ErrorPlan>,
}

/// Properties of a cell of 802.11n, ac or ax on which defaults of error models depend.
pub(super) struct Cell {
    /// Transmission mode; `None` if the cell's settings are invalid.
    pub(super) mode: Option<TxMode>,
    /// Transmitted power, dBm, if the cell has a propagation model.
    pub(super) power: Option<f64>,
}

/// Properties of a link on which the plans of error models depend.
pub(super) struct Channel {
    /// Length of the largest data frame, bytes.
    pub(super) largest: u32,
    /// Transmission mode of data, and rate of group-addressed frames, in a cell of 802.11n, ac or ax.
    pub(super) modes: Option<(TxMode, Rate)>,
}

super::kinds! {
    /// List of the error models.
    ERRORS, "error model", Model:
    clean, bernoulli, gilbert_elliott, two_state, recorded, snr
}

const DIRECTION: Key = key(
    "direction",
    Kind::Direction,
    Nothing("both directions"),
    "direction of the link that the table applies to, such as \"a->b\"; on a wlan \"a->*\" is all frames from a",
);

const REFERENCE: Key = key(
    "reference",
    Kind::Bytes { least: 1, most: 70_000 },
    Nothing("the largest data frame of the flows that cross this link"),
    "length of the frame whose error rate is `fer`, link-layer header included",
);

/// Accepts a model in which no key contradicts another.
fn is_consistent(_: &Fields) -> Option<String> {
    None
}

/// Accepts a model that needs little memory in any run.
fn fits(_: &Fields, _: Span, _: &mut Problems) {}

/// Reports an error model whose keys contradict each other or are incomplete, or that has too many fades in a
/// run of this duration.
fn check_one(model: &Fields, duration: Option<Span>, problems: &mut Problems) {
    let Some(declared) = declared(model).filter(|_| model.refused().is_empty()) else { return };
    if let Some(duration) = duration {
        (declared.check)(model, duration, problems);
    }
    if let Some(what) = (declared.contradiction)(model) {
        problems.add(&model.at, &model.path, what);
    }
}

/// Fills in the defaults of the error models of a cell of 802.11n, ac or ax.
pub(super) fn fill(wlan: &mut Fields, cell: &Cell) {
    let Some(Val::Tables(models)) = wlan.get_mut("errors") else { return };
    for model in models {
        if let Some(fill) = declared(model).and_then(|declared| declared.fill) {
            fill(model, cell);
        }
    }
}

/// Reports the error models of a link that only cells of 802.11n, ac and ax have.
pub(super) fn check_any_link(link: &Fields, problems: &mut Problems) {
    for model in link.tables("errors") {
        let Some(declared) = declared(model).filter(|declared| declared.fill.is_some()) else { continue };
        let others = KINDS.iter().filter(|other| other.fill.is_none()).map(|other| other.variant.kind);
        let what = format!(
            "expected {}: only cells of {} have the MCS on which errors of kind \"{}\" depend",
            one_of(others),
            one_of(Format::ALL.map(Format::name)),
            declared.variant.kind,
        );
        problems.add(&model.at, model.path_of("kind"), what);
    }
}

/// Returns the plan of an error model on a link.
pub(super) fn plan(model: &Fields, channel: &Channel) -> Option<ErrorPlan> {
    (declared(model)?.plan)(model, channel)
}

/// Returns the length, bits, of the frame to which an error rate refers.
fn reference_bits(model: &Fields, channel: &Channel) -> u64 {
    model.bytes("reference").unwrap_or(channel.largest.into()) * 8
}
