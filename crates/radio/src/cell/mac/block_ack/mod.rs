//! Block Ack between two stations for one access category (IEEE 802.11-2020 §10.25). Originator and recipient
//! are state machines without I/O. MPDUs are identified by sequence number.
//!
//! Sequence numbers increase without wrapping. On the air they are modulo 4096, which is equivalent because
//! no window exceeds 256 MPDUs.
//!
//! Every agreement exists from the start of the run. The ADDBA handshake, once per peer and category, is not
//! simulated.

pub(crate) mod originator;
pub(crate) mod recipient;

#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod originator_tests;
#[cfg(test)]
mod pair;
#[cfg(test)]
mod pair_tests;

/// Largest Block Ack window in MPDUs, as in 802.11ax (802.11ax-2021). The window of 802.11n and ac is 64
/// MPDUs (IEEE 802.11-2020 §9.4.1.13).
pub(crate) const MAX_WINDOW: u32 = 256;

/// Fields of a BlockAck frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockAck {
    /// Starting sequence number: number of the MPDU that the bitmap's first bit represents.
    pub start: u64,
    /// Received MPDUs, from `start` on.
    pub bitmap: Bitmap,
}

impl BlockAck {
    /// True if the bitmap marks the MPDU with this number as received; false for numbers outside the bitmap.
    pub fn acknowledges(&self, number: u64) -> bool {
        number
            .checked_sub(self.start)
            .is_some_and(|i| i < u64::from(MAX_WINDOW) && self.bitmap.contains(i as u32))
    }
}

/// Bitmap with one bit per MPDU of the largest window. A bit's index is a sequence number relative to a
/// start, or a position in an A-MPDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bitmap([u64; Bitmap::WORDS]);

impl Bitmap {
    const WORDS: usize = MAX_WINDOW as usize / 64;

    /// Creates a bitmap with the first `count` bits set.
    pub fn with_first_bits(count: usize) -> Bitmap {
        let word = |i: usize| match count.saturating_sub(64 * i) {
            0 => 0,
            here => u64::MAX >> (64 - here.min(64)),
        };
        Bitmap(std::array::from_fn(word))
    }

    /// Returns the bits: bit i of word j is bit 64 j + i.
    pub fn words(&self) -> [u64; Bitmap::WORDS] {
        self.0
    }

    /// True if no bit is set.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; Self::WORDS]
    }

    /// True if this bit is set.
    pub fn contains(&self, bit: u32) -> bool {
        self.0[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    /// Sets the bit of this index.
    pub fn insert(&mut self, bit: u32) {
        self.0[bit as usize / 64] |= 1 << (bit % 64);
    }

    /// Removes the first `count` bits, so that bit `count` becomes bit 0.
    pub fn shift(&mut self, count: u64) {
        let (words, bits) = ((count / 64).min(Self::WORDS as u64) as usize, count % 64);
        self.0.copy_within(words.., 0);
        self.0[Self::WORDS - words..].fill(0);
        if bits == 0 {
            return;
        }
        for i in 0..Self::WORDS {
            let above = self.0.get(i + 1).map_or(0, |next| next << (64 - bits));
            self.0[i] = self.0[i] >> bits | above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(bitmap: &Bitmap) -> Vec<u32> {
        (0..MAX_WINDOW).filter(|bit| bitmap.contains(*bit)).collect()
    }

    #[test]
    fn shifting_a_bitmap_moves_every_bit_down() {
        let all = [0, 1, 63, 64, 65, 127, 128, 200, 254, 255];
        for count in (0..300).chain([u64::MAX]) {
            let mut bitmap = Bitmap::default();
            all.iter().for_each(|bit| bitmap.insert(*bit));
            assert_eq!(bits(&bitmap), all);
            bitmap.shift(count);
            let left = all.iter().filter_map(|bit| u64::from(*bit).checked_sub(count)).map(|bit| bit as u32);
            assert_eq!(bits(&bitmap), left.collect::<Vec<_>>(), "{count}");
        }
    }

    #[test]
    fn a_bitmap_of_first_n_has_the_lowest_n_bits_set() {
        for count in [0, 1, 63, 64, 65, 200, 256] {
            let bitmap = Bitmap::with_first_bits(count);
            assert_eq!(bits(&bitmap), (0..count as u32).collect::<Vec<_>>());
            assert_eq!(bitmap.is_empty(), count == 0);
        }
    }

    #[test]
    fn a_block_ack_acknowledges_no_number_outside_its_bitmap() {
        let mut bitmap = Bitmap::default();
        [0, 255].iter().for_each(|bit| bitmap.insert(*bit));
        let ack = BlockAck { start: 1000, bitmap };
        let there = [0, 999, 1000, 1001, 1255, 1256, u64::MAX].map(|number| ack.acknowledges(number));
        assert_eq!(there, [false, false, true, false, true, false, false]);
    }
}
