//! Captures of random packets, read back; the tests of `crates/trace` have the harness.

#![no_main]

#[path = "../../crates/trace/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Folder of the captures.
static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("airhop-pcapng-{}", std::process::id())));

fuzz_target!(|bytes: &[u8]| hostile::capture(bytes, &FOLDER));
