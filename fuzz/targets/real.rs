//! Reader and writer of real hosts' datagrams; the tests of `crates/wire` have the harness.

#![no_main]

#[path = "../../crates/wire/tests/real/hostile.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    hostile::datagram(bytes);
    hostile::repaired_datagram(bytes);
    hostile::begun_checksum(bytes);
    hostile::connection(bytes);
});
