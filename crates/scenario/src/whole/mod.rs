//! The whole scenario: how its tables fit together, overrides and copies before that, and the plan of its world after it.

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
