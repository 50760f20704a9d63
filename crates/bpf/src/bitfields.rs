//! Bitfield accesses (CO-RE). Clang emits an access to the eight bytes around a bitfield. A kernel relocates
//! the access to the word of the bitfield's type. Airhop relocates loads and shifts in the same way.

use crate::btf::ResolvedMember;

// `enum bpf_core_relo_kind` (linux/bpf.h).
const BPF_CORE_FIELD_BYTE_OFFSET: u32 = 0;
const BPF_CORE_FIELD_BYTE_SIZE: u32 = 1;
const BPF_CORE_FIELD_LSHIFT_U64: u32 = 4;
const BPF_CORE_FIELD_RSHIFT_U64: u32 = 5;

/// Returns the value that a relocation record of this kind requests; `None` if the member is not a bitfield,
/// or if the object already contains the value.
pub(crate) fn relocated_value(kind: u32, member: &ResolvedMember) -> Option<u64> {
    let ResolvedMember { bit_offset, bitfield_bits: bits, type_bytes: bytes, .. } = *member;
    if bits == 0 || !matches!(bytes, 1 | 2 | 4 | 8) {
        return None;
    }
    let end = bit_offset.checked_add(bits)?;
    // A bitfield that crosses the end of its word needs a larger word.
    let around = |bytes: u64| (bytes, bit_offset / 8 / bytes * bytes);
    let words = [1, 2, 4, 8].into_iter().filter(|&word| word >= bytes).map(around);
    let (bytes, at) = words.into_iter().find(|(bytes, at)| end <= (at + bytes).saturating_mul(8))?;
    match kind {
        BPF_CORE_FIELD_BYTE_OFFSET => Some(at),
        BPF_CORE_FIELD_BYTE_SIZE => Some(bytes),
        BPF_CORE_FIELD_LSHIFT_U64 => Some(64 - (end - at.saturating_mul(8))),
        BPF_CORE_FIELD_RSHIFT_U64 => 64_u64.checked_sub(bits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bit_offset: u64, bits: u64, bytes: u64) -> [Option<u64>; 4] {
        let member = ResolvedMember {
            structure: String::new(),
            path: String::new(),
            bit_offset,
            is_scalar: true,
            bitfield_bits: bits,
            type_bytes: bytes,
        };
        [
            BPF_CORE_FIELD_BYTE_OFFSET,
            BPF_CORE_FIELD_BYTE_SIZE,
            BPF_CORE_FIELD_LSHIFT_U64,
            BPF_CORE_FIELD_RSHIFT_U64,
        ]
        .map(|kind| relocated_value(kind, &member))
    }

    // bpf_core_read.h, BPF_CORE_READ_BITFIELD(): the program loads a word, shifts it left as a 64-bit number,
    // and shifts it right.
    #[test]
    fn a_bitfield_is_extracted_from_its_word_by_two_shifts() {
        assert_eq!(values(148 * 8 + 5, 1, 4), [148, 4, 58, 63].map(Some), "the sixth bit of a u32");
        assert_eq!(values(145 * 8, 6, 1), [145, 1, 58, 58].map(Some), "six bits of a u8");
        assert_eq!(
            values(8 * 8 + 6, 4, 1),
            [8, 2, 54, 60].map(Some),
            "a field across the end of a u8 has two bytes"
        );
        assert_eq!(values(8, 0, 4), [None; 4], "no bitfield");
        assert_eq!(values(u64::MAX, 2, 4), [None; 4]);
    }
}
