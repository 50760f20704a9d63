//! Contents of captures and tables.
//!
//! One program for all of them: linking dominates the build of tests.

mod fuzzed;
mod hostile;
mod pcap;
mod tables;
