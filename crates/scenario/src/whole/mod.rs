//! Whole scenario: checks across its tables, overrides and copies before the checks, and the plan of its
//! world after them.

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
