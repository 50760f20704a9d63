//! Runs of a scenario.

pub(crate) mod document;
pub(crate) mod fades;
pub(crate) mod open;
pub(crate) mod run;
