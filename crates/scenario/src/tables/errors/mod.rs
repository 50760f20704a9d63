//! `errors = { … }`: error models of the channel. Each model has a file in this folder with its keys, the
//! checks across them and its plan, and an entry in the list.

mod bernoulli;
mod clean;
mod directions;
mod gilbert_elliott;
mod recorded;
mod state_rates;
mod two_state;

pub(super) use directions::{between, check};

use crate::grammar::fields::Fields;
use crate::grammar::key::Without::Nothing;
use crate::grammar::key::{Choice, Key, Kind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_base::Span;
use airhop_radio::errors::ErrorPlan;

/// Declaration of an error model.
struct Model {
    variant: Variant,
    /// Returns a description of a contradiction between keys that are individually valid.
    contradiction: fn(&Fields) -> Option<String>,
    /// Reports parameters that would need too much memory in a run of this duration.
    check: fn(&Fields, Span, &mut Problems),
    /// Returns the plan for a link whose largest data frame has this many bytes.
    plan: fn(&Fields, u32) -> Option<ErrorPlan>,
}

super::kinds! {
    /// List of the error models.
    ERRORS, "error model", Model:
    clean, bernoulli, gilbert_elliott, two_state, recorded
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

/// Returns the plan of an error model on a link whose largest data frame has `largest` bytes.
pub(super) fn plan(model: &Fields, largest: u32) -> Option<ErrorPlan> {
    (declared(model)?.plan)(model, largest)
}

/// Returns the length, bits, of the frame to which an error rate refers.
fn reference_bits(model: &Fields, largest: u32) -> u64 {
    model.bytes("reference").unwrap_or(largest.into()) * 8
}
