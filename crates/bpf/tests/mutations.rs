//! Damaged objects: truncated at any byte, and with changed bytes.

use crate::{faults, heeds, hostile};
use airhop_bpf::Object;
use proptest::prelude::*;

// A truncated file has lost its section table, which is at the end.
#[test]
fn an_object_truncated_at_any_length_is_an_error() {
    for length in 0..heeds::OBJECT.len() {
        assert!(Object::read(&heeds::OBJECT[..length], "cut").is_err(), "the first {length} bytes");
    }
}

#[test]
fn a_file_that_is_no_elf_object_is_reported() {
    let refusal = |bytes: &[u8]| Object::read(bytes, "x.o").expect_err("no object").to_string();
    assert!(refusal(b"#!/bin/sh").starts_with("x.o: not a BPF object: "));
    let mut native = faults::OBJECT.to_vec();
    native[18] = 62;
    assert!(refusal(&native).contains("machine 62, expected 247 (eBPF)"), "{}", refusal(&native));
}

// Offset, size and entry size of each section, larger than any valid value: an error, without allocating
// memory.
#[test]
fn a_huge_section_is_an_error_without_allocation() {
    let number = |at: usize, bytes: usize| {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(&heeds::OBJECT[at..at + bytes]);
        u64::from_le_bytes(number) as usize
    };
    let (table, count) = (number(0x28, 8), number(0x3c, 2));
    assert!(count > 10, "System V ABI: e_shoff and e_shnum");
    for field in (0..count).flat_map(|section| [24, 32, 56].map(|offset| table + 64 * section + offset)) {
        for value in [u64::MAX, 1 << 63, 1 << 40, 0xffff_ffff, 1 << 28] {
            let mut bytes = heeds::OBJECT.to_vec();
            bytes[field..field + 8].copy_from_slice(&value.to_le_bytes());
            hostile::object(&bytes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_object_with_changed_bytes_never_panics(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let mut bytes = heeds::OBJECT.to_vec();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        hostile::object(&bytes);
    }

    /// Sections are small, so a change in a section quickly affects the parser of that section.
    #[test]
    fn an_object_with_changed_words_never_panics(place in 0..heeds::OBJECT.len() / 4, word in prop_oneof![Just(0), Just(u32::MAX), Just(1 << 31), any::<u32>()]) {
        let mut bytes = heeds::OBJECT.to_vec();
        bytes[place * 4..place * 4 + 4].copy_from_slice(&word.to_le_bytes());
        hostile::object(&bytes);
    }
}
