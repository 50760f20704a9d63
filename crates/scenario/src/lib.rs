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

pub use added::{NewParam, NewScheme, PolicyFactory, find_service};
pub use airhop_net::outside::{AddressScope, ObservedFlow, ObservedLoad};
pub use airhop_net::{EmulatorPlan, WorldSchedule};
pub use catalogue::{measures_json, reference_markdown, schema_json, schemes_json, services_json};
pub use grammar::problem::ScenarioError;
pub use runs::fades::SavedFades;
pub use runs::open::OpenRun;
pub use runs::run::{Progress, RecordingOptions, Run, RunError, RunOutcome, RunPool};
pub use whole::files::FileLocation;
pub use whole::hints::{BaseStack, Hint};
pub use whole::opening::{HostAttachment, RealHostPlan};
pub use whole::places::station_positions;
pub use whole::scenario::{Overrides, Scenario, ScenarioSource};
pub use whole::twin::{RealFlow, RealFlowName, Twin, TwinFlow};
