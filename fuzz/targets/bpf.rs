//! The reader of BPF objects and what runs them; the harness is that of the tests of `crates/bpf`.

#![no_main]

#[path = "../../crates/bpf/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| hostile::object(bytes));
