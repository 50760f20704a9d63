//! Scenario files to worlds: reading, units, checks with did-you-mean, defaults, and runs.
//!
//! A document goes through here from top to bottom:
//!
//! ```text
//! TOML or JSON → tree → sets (overrides) → check (one key at a time, by the table in keys.rs)
//!     → copies (of what has a `*` in its name) → resolve (what keys say of each other) → plan → run → document
//! ```
//!
//! `keys.rs` lists every key once; reading, the effective form, the JSON schema and the reference page come from it.

mod added;
mod arq;
mod between;
mod catalogue;
mod changes;
mod check;
mod copies;
mod document;
mod errors;
mod fades;
mod fields;
mod files;
mod flow;
mod hints;
mod keys;
#[cfg(test)]
mod kinds_tests;
mod largest;
mod layout;
mod pace;
mod phy;
mod places;
mod plan;
mod preset;
mod problem;
mod propagation;
mod quantity;
mod queue;
mod reference;
mod render;
mod resolve;
mod routing;
mod run;
mod scenario;
mod schema;
mod scheme;
mod sets;
mod tcp;
mod topology;
mod tree;

pub use added::{NewParam, NewScheme, Policies};
pub use airhop_net::Schedule;
pub use catalogue::{catalogue, services};
pub use fades::SavedFades;
pub use hints::{Base, Hint};
pub use places::places;
pub use problem::ScenarioError;
pub use reference::reference;
pub use run::{Outcome, Pool, Progress, Recording, Run, RunError};
pub use scenario::{Overrides, Scenario, Source};
pub use schema::schema;
