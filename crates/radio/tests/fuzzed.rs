//! Recorded channels, recorded links and quantities, read from hostile text: random text, and text found by
//! the fuzzer (docs/fuzzing.md).

use crate::hostile;
use proptest::prelude::*;
use std::fs;

/// Folder of the fuzzer's inputs; together they reach all code that the fuzzer has reached.
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/records");

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Text composed of parts of valid files is either read or refused with an error.
    #[test]
    fn any_record_or_quantity_text_is_read_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "begin_s,end_s", "# period_s =", "\n", "\n", ",", " ", "0", "1", "2.5", "7", "1000000", "1e9", "-1", "nan", "10",
            "s", "ms", "µs", "Mbit/s", "B", "kB", "m", "GHz", "dBm", "dB", "e", ".", "+",
        ]), 0..24),
    ) {
        hostile::read(&words.concat());
    }
}

#[test]
fn fuzzer_seeds_are_read_or_refused() {
    for seed in fs::read_dir(SEEDS).expect("the seeds of the fuzzer") {
        let path = seed.expect("a file").path();
        println!("{}", path.display()); // shown if the test fails
        hostile::read(&fs::read_to_string(&path).expect("a text"));
    }
}
