//! A sender and a receiver in hostile hands; the harness is that of the tests of `crates/tcp`.

#![no_main]

#[path = "../../crates/tcp/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (setup, events) = hostile::script::read(bytes);
    hostile::run(&setup, &events);
});
