//! Scenario files, and messages for invalid ones.
//!
//! One program for all of them: linking dominates the build of tests.

mod changes;
mod copies;
mod each_way;
mod files;
mod hostile;
mod layouts;
mod messages;
mod packaged;
mod parallel;
mod radio;
mod random;
mod scenarios;
mod schema;
mod twin;
mod wifi;
