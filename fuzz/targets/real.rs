//! The reader of real hosts' datagrams and what writes them back; the harness is that of the tests of `crates/wire`.

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
