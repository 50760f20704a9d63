//! Scenario files, and the messages about invalid files.
//!
//! All tests are one program, because most of the time to build tests is the time to link each
//! program.

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
