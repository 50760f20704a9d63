//! Captures of hostile packets, read back: random packets, and packets found by the fuzzer (docs/fuzzing.md).

use crate::hostile;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// Inputs that together reach all code that the fuzzer has reached.
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/pcapng");

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// pcapng §3, §4: any packets are read back unchanged.
    #[test]
    fn any_captured_packets_read_back_unchanged(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        hostile::capture(&bytes, &folder("random"));
    }
}

#[test]
fn fuzzer_seeds_read_back_unchanged() {
    for seed in fs::read_dir(SEEDS).expect("the seeds of the fuzzer") {
        let path = seed.expect("a file").path();
        println!("{}", path.display()); // shown if the test fails
        hostile::capture(&fs::read(&path).expect("a readable file"), &folder("seeds"));
    }
}
