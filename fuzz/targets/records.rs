//! Readers of recorded channels, recorded links and quantities; the tests of `crates/radio` have the harness.

#![no_main]

#[path = "../../crates/radio/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| hostile::read(text));
