//! Hand-written types, including types that no compiler writes.

use super::*;

/// Builds the section with these type words; each name is an offset into `strings`.
fn section(words: &[u32], strings: &str) -> Vec<u8> {
    let length = words.len() as u32 * 4;
    let header = [0x1_eb9f, 24, 0, length, length, strings.len() as u32];
    let bytes = header.iter().chain(words).flat_map(|word| word.to_le_bytes());
    bytes.chain(strings.bytes()).collect()
}

const INT: u32 = 1 << 24;
const ARRAY: u32 = 3 << 24;
const STRUCT: u32 = 4 << 24;
const TYPEDEF: u32 = 8 << 24;

// The kernel's documentation, bpf/btf §2.2.4: offset and width of a bitfield share a word. Members of
// anonymous structures are found too.
#[test]
fn members_are_found_through_anonymous_structures() {
    let strings = "\0outer\0a\0flag\0";
    let words = [
        [0, INT, 4, 32].as_slice(),                                 // 1: u32
        &[0, STRUCT | 1 << 31 | 2, 8, 7, 1, 0, 9, 1, 3 << 24 | 33], // 2: { u32 a; u32 : 1, flag : 3; }
        &[1, STRUCT | 2, 24, 7, 4, 0, 0, 2, 128],                   // 3: struct outer { u32 a[4]; <2>; }
        &[0, ARRAY, 0, 1, 1, 4],                                    // 4: u32[4]
    ]
    .concat();
    let btf = Btf::read(&section(&words, strings)).unwrap();
    let outer = btf.find_composite("outer").unwrap();
    let at = |path| btf.locate_member(outer, path).unwrap().map(|at| (at.bit_offset, at.bitfield_bits));
    assert_eq!((at("a"), at("a[3]"), at("a[4]")), (Some((0, 0)), Some((96, 0)), None));
    assert_eq!((at("flag"), at("none")), (Some((128 + 33, 3)), None));
    assert_eq!((btf.type_bytes(TypeId(4)), btf.type_bytes(outer)), (Ok(16), Ok(24)));
    assert_eq!(btf.member_name_at(outer, 5).as_deref(), Some("a"));
}

#[test]
fn circular_btf_types_are_reported() {
    let refusal = |words: &[u32]| {
        let btf = Btf::read(&section(words, "\0loop\0")).unwrap();
        let size = btf.type_bytes(TypeId(1)).map(|_| ());
        let member = btf.locate_member(TypeId(1), "x").map(|_| ());
        size.and(member).expect_err("a loop").to_string()
    };
    assert!(refusal(&[1, TYPEDEF, 1]).contains("a cycle of names"));
    assert!(refusal(&[0, ARRAY, 0, 1, 1, 2]).contains("a cycle of arrays"));
    assert!(refusal(&[1, STRUCT | 1, 8, 0, 1, 0]).contains("contains itself"));
    // Two members per structure, nested in 32 levels, form four thousand million paths to the same member.
    assert!(refusal(&[1, STRUCT | 2, 8, 0, 1, 0, 0, 1, 0]).contains("contains itself"));
}

#[test]
fn truncated_and_unknown_btf_types_are_reported() {
    let words = [1, STRUCT | 1, 8, 0, 1, 0];
    let whole = section(&words, "\0loop\0");
    for length in 0..whole.len() {
        assert!(Btf::read(&whole[..length]).is_err(), "the first {length} bytes");
    }
    let refusal = |words: &[u32]| Btf::read(&section(words, "\0")).expect_err("no types").to_string();
    assert!(refusal(&[0, 25 << 24, 0]).contains("type 1: kind 25"));
    assert!(refusal(&[0, STRUCT | 9, 0]).contains("type 1: cut off"));
    let btf = Btf::read(&section(&[0, TYPEDEF, 77], "\0")).unwrap();
    assert!(
        btf.type_bytes(TypeId(1))
            .expect_err("no such type")
            .to_string()
            .contains("type 77 is used, but only 2 types exist")
    );
}
