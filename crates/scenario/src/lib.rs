//! Scenario files to worlds: reading, units, checks with did-you-mean, defaults, and runs.
//!
//! A document goes through here from top to bottom:
//!
//! ```text
//! TOML or JSON → tree → sets (overrides) → check (one key at a time)
//!     → copies (of what has a `*` in its name) → resolve (what keys say of each other) → plan → run → document
//! ```
//!
//! * `grammar`: what a key is; documents, their checks against keys, and what is made of keys (effective form, schema, reference);
//! * `tables`: a file for each table with its keys, its checks and its plan, and a folder for each choice of kinds;
//! * `whole`: what tables say of each other; overrides and copies before that, traps and the plan of a world after it;
//! * `runs`: a scenario at work, and what comes out.

mod added;
mod catalogue;
mod grammar;
#[cfg(test)]
mod kinds_tests;
mod runs;
mod tables;
mod whole;

pub use added::{NewParam, NewScheme, Policies, service};
pub use airhop_net::outside::{Reach, SeenFlow, SeenLoad};
pub use airhop_net::{EmulatorPlan, Schedule};
pub use catalogue::{catalogue, measures, reference, schema, services};
pub use grammar::problem::ScenarioError;
pub use runs::fades::SavedFades;
pub use runs::open::OpenRun;
pub use runs::run::{Outcome, Pool, Progress, Recording, Run, RunError};
pub use whole::files::Files;
pub use whole::hints::{Base, Hint};
pub use whole::opening::{Door, Opening};
pub use whole::places::places;
pub use whole::scenario::{Overrides, Scenario, Source};
pub use whole::twin::{RealFlow, RealFlowName, Twin, TwinFlow};
