//! Loader of scenario texts; the tests of `crates/scenario` have the harness.

#![no_main]

#[path = "../../crates/scenario/tests/hostile/mod.rs"]
mod hostile;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use std::path::Path;

/// Folder of the files that scenarios may name.
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/files");

fuzz_target!(|text: &str| hostile::load(text, Path::new(FILES)));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match edited(&data[..size], seed) {
        Some(text) if text.len() <= max_size => {
            data[..text.len()].copy_from_slice(text.as_bytes());
            text.len()
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});

/// In three cases of four, the text with edited lines, since edits of bytes seldom produce a valid scenario.
fn edited(data: &[u8], seed: u32) -> Option<String> {
    let mut dice = u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut roll = |sides: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice >> 11) as usize % sides.max(1)
    };
    let mut lines: Vec<String> = std::str::from_utf8(data).ok()?.lines().map(str::to_string).collect();
    let (kind, a, b) = (roll(8), roll(lines.len()), roll(lines.len()));
    if lines.is_empty() || kind < 2 {
        return None;
    }
    let value = |line: &str| line.split_once('=').map(|(key, value)| (key.to_string(), value.to_string()));
    match kind {
        2 => drop(lines.remove(a)),
        3 => lines.insert(a, lines[b].clone()),
        4 => lines.swap(a, b),
        // The value of another key.
        5 => lines[a] = format!("{}={}", value(&lines[a])?.0, value(&lines[b])?.1),
        // Another digit.
        6 => {
            let digits: Vec<usize> =
                lines[a].match_indices(|c: char| c.is_ascii_digit()).map(|(i, _)| i).collect();
            let i = *digits.get(roll(digits.len()))?;
            lines[a].replace_range(i..=i, ["0", "1", "2", "9", "00", "e5", ".", "-1"][roll(8)]);
        }
        // A table with all its keys once more.
        _ => {
            let end = lines[a..]
                .iter()
                .skip(1)
                .position(|line| line.starts_with('['))
                .map_or(lines.len(), |n| a + 1 + n);
            let table = lines[a..end].to_vec();
            let at = b.min(lines.len());
            lines.splice(at..at, table);
        }
    }
    Some(lines.join("\n"))
}
