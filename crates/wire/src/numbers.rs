//! Sequence numbers on the wire: stream offsets modulo 2³² (RFC 9293 §3.4).

/// Converts a stream offset to a sequence number on the wire (RFC 9293 §3.4: all arithmetic is modulo 2³²).
pub(crate) fn offset_to_seq(offset: u64, isn: u32) -> u32 {
    isn.wrapping_add(offset as u32)
}

/// Converts a sequence number on the wire to the stream offset modulo 2³².
pub(crate) fn seq_to_offset(number: u32, isn: u32) -> u64 {
    number.wrapping_sub(isn).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9293 §3.4: offsets wrap at 2³² from any initial sequence number.
    #[test]
    fn sequence_offsets_wrap_modulo_2_to_the_32() {
        assert_eq!(offset_to_seq(0x1_0000_0003, 0xFFFF_FFFF), 2);
        assert_eq!(seq_to_offset(2, 0xFFFF_FFFF), 3);
    }
}
