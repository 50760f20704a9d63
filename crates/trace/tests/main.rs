//! Tests of captures and tables.
//!
//! All tests form one program, because linking dominates the build time of tests.

mod fuzzed;
mod hostile;
mod pcap;
mod tables;
