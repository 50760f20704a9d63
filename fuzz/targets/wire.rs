//! Reader of datagrams, with unchanged and with corrected checksums; the tests of `crates/wire` have the harness.

#![no_main]

#[path = "../../crates/wire/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    hostile::datagram(bytes);
    hostile::repaired_datagram(bytes);
});
