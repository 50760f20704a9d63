//! The readers of recorded channels, recorded links and quantities; the harness is that of the tests of `crates/radio`.

#![no_main]

#[path = "../../crates/radio/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| hostile::read(text));
