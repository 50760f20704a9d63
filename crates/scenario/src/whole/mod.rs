//! Scenario as a whole: overrides and copies, the checks across tables, and the plan of the world.

mod between;
mod copies;
mod ends;
pub(crate) mod files;
pub(crate) mod hints;
mod largest;
pub(crate) mod opening;
mod parallel;
pub(crate) mod places;
mod plan;
mod resolve;
pub(crate) mod scenario;
mod services;
mod sets;
mod topology;
pub(crate) mod twin;
