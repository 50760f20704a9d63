//! Scenario files, and messages for invalid files.
//!
//! All tests form one program, because linking dominates the build time of tests.

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
