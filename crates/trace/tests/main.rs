//! What captures and tables hold.
//!
//! One program for all of them: linking dominates the build of tests.

mod fuzzed;
mod hostile;
mod pcap;
mod tables;
