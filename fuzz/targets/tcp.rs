//! Sender and receiver with hostile input; the tests of `crates/tcp` have the harness.

#![no_main]

#[path = "../../crates/tcp/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (setup, events) = hostile::script::read(bytes);
    hostile::run(&setup, &events);
});
