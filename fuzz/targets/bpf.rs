//! Reader and interpreter of BPF objects; the tests of `crates/bpf` have the harness.

#![no_main]

#[path = "../../crates/bpf/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| hostile::object(bytes));
