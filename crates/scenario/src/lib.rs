//! From scenario files to runs: reading, units, checks with suggestions, defaults, and the plan of a world.
//!
//! A document passes through these steps from top to bottom:
//!
//! ```text
//! TOML or JSON → tree → sets (overrides) → check (one key at a time)
//!     → copies (of tables with a `*` in their name) → resolve (checks across keys) → plan → run → document
//! ```
//!
//! * `grammar`: keys; documents, their checks against keys, and the outputs derived from the keys (effective
//!   form, schema, reference);
//! * `tables`: one file per table with its keys, checks and plan, and one folder per choice of kinds;
//! * `whole`: overrides and copies, then checks across tables, then traps and the plan of a world;
//! * `runs`: runs of a scenario, and their results.

mod added;
mod catalogue;
mod grammar;
#[cfg(test)]
mod kinds_tests;
mod runs;
mod tables;
mod whole;

pub use added::{NewParam, NewScheme, Policies, service};
pub use airhop_net::outside::{ObservedFlow, ObservedLoad, Reach};
pub use airhop_net::{EmulatorPlan, WorldSchedule};
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
