//! Internet checksum (RFC 1071), and incremental updates after header changes.

use etherparse::checksum::Sum16BitWords;

/// Returns the sum of `bytes`. An odd last byte is padded with a zero (RFC 1071 §1).
pub(super) fn sum_words(bytes: &[u8]) -> Sum16BitWords {
    Sum16BitWords::new().add_slice(bytes)
}

/// Incremental update of a checksum (RFC 1624 §3, equation 3): HC' = ~(~HC + ~m + m'). Does not read the rest
/// of the datagram. A wrong checksum remains wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChecksumUpdate(u32);

impl ChecksumUpdate {
    pub fn from_checksum(checksum: u16) -> ChecksumUpdate {
        ChecksumUpdate((!checksum).into())
    }

    /// Replaces a word by another.
    pub fn replace_word(self, old: u16, new: u16) -> ChecksumUpdate {
        self.add_word(!old).add_word(new)
    }

    /// Adds a word.
    pub fn add_word(self, word: u16) -> ChecksumUpdate {
        ChecksumUpdate(self.0 + u32::from(word))
    }

    /// Adds a few words. The sum must stay below 2³².
    pub fn add_words(self, words: &[u8]) -> ChecksumUpdate {
        words.as_chunks::<2>().0.iter().fold(self, |sum, word| sum.add_word(u16::from_be_bytes(*word)))
    }

    pub fn checksum(self) -> u16 {
        let folded = (self.0 & 0xFFFF) + (self.0 >> 16);
        !((folded & 0xFFFF) + (folded >> 16)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1624 §4: the equation of RFC 1141 yields 0xFFFF here, equation 3 yields 0x0000.
    #[test]
    fn an_update_matches_the_worked_example_of_rfc_1624() {
        assert_eq!(ChecksumUpdate::from_checksum(0xDD2F).replace_word(0x5555, 0x3285).checksum(), 0x0000);
    }

    /// RFC 1624 §3: equation 3 yields the complete sum, for every checksum and a word of each kind. Words
    /// that are not all zero never have the checksum 0xFFFF, so no update may yield it.
    #[test]
    fn an_incremental_update_equals_the_complete_checksum() {
        for other in 1..=u16::MAX {
            let checksum = |word: u16| {
                sum_words(&[other, word].map(u16::to_be_bytes).concat()).ones_complement().to_be()
            };
            for (old, new) in
                [(0, 1), (0x5555, 0x3285), (1, 0), (0xFFFF, 0), (0, 0xFFFF), (!other, 0), (7, !other)]
            {
                let updated = ChecksumUpdate::from_checksum(checksum(old)).replace_word(old, new).checksum();
                assert_eq!(updated, checksum(new), "{other:#06x}: {old:#06x} becomes {new:#06x}");
                assert_ne!(updated, 0xFFFF);
            }
        }
    }

    /// A segment grows by at most 40 bytes of options, and all words of its header may change, so the sum
    /// must be folded completely.
    #[test]
    fn all_carries_of_a_checksum_are_folded() {
        let most = (0..64).fold(ChecksumUpdate::from_checksum(0), |update, _| update.replace_word(0, 0xFFFF));
        assert_eq!(most.checksum(), 0);
        assert_eq!(ChecksumUpdate(0x1_FFFF).checksum(), !1);
    }
}
