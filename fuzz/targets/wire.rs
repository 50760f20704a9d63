//! The reader of datagrams, with checksums as they come and with right ones; the harness is that of the tests of `crates/wire`.

#![no_main]

#[path = "../../crates/wire/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    hostile::datagram(bytes);
    hostile::repaired_datagram(bytes);
});
