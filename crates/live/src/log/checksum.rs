//! CRC-32 (IEEE 802.3 §3.2.9) in the variant of zlib and PNG: bits are reflected, the initial value is all
//! ones, and the result is complemented.

/// Number of bytes processed per step.
const AT_ONCE: usize = 8;
/// `TABLES[k][b]` is the remainder of the byte `b` followed by `k` zero bytes.
const TABLES: [[u32; 256]; AT_ONCE] = tables();

const fn tables() -> [[u32; 256]; AT_ONCE] {
    let mut tables = [[0; 256]; AT_ONCE];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut bit) = (byte as u32, 0);
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ 0xEDB8_8320 } else { rest >> 1 };
            bit += 1;
        }
        tables[0][byte] = rest;
        byte += 1;
    }
    let mut zeros = 1;
    while zeros < AT_ONCE {
        byte = 0;
        while byte < 256 {
            let before = tables[zeros - 1][byte];
            tables[zeros][byte] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        zeros += 1;
    }
    tables
}

/// Checksum of all bytes added so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checksum(u32);

impl Checksum {
    pub const INITIAL: Checksum = Checksum(u32::MAX);

    pub fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<AT_ONCE>();
        for word in words {
            let sum = u64::from(self.0) ^ u64::from_le_bytes(*word);
            let places = sum.to_le_bytes().into_iter().zip(TABLES.iter().rev());
            self.0 = places.fold(0, |sum, (byte, table)| sum ^ table[usize::from(byte)]);
        }
        for byte in rest {
            self.0 = self.0 >> 8 ^ TABLES[0][usize::from(self.0 as u8 ^ byte)];
        }
    }

    pub fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> u32 {
        let mut sum = Checksum::INITIAL;
        sum.add(bytes);
        sum.value()
    }

    /// The check value of CRC-32/ISO-HDLC (Williams 1993, §15), and the checksum of a number of bytes that is
    /// not a multiple of the step.
    #[test]
    fn crc32_matches_its_check_value() {
        assert_eq!((of(b"123456789"), of(b""), of(&[0; 4])), (0xCBF4_3926, 0, 0x2144_DF1C));
        assert_eq!(of(&[0xFF; 32]), 0xFF6C_AB0B);
    }

    /// The checksum is the same for any division of the bytes into parts.
    #[test]
    fn crc32_does_not_depend_on_how_the_bytes_are_split() {
        let bytes: Vec<u8> = (0..=255).collect();
        for cut in 0..bytes.len() {
            let mut sum = Checksum::INITIAL;
            sum.add(&bytes[..cut]);
            sum.add(&bytes[cut..]);
            assert_eq!(sum.value(), of(&bytes));
        }
    }
}
