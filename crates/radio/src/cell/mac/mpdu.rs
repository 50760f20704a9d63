//! MPDUs of an A-MPDU on the air.
use crate::tag::Tag;

/// MPDU of an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mpdu {
    /// Sequence number under the Block Ack agreement; the air has it modulo 4096.
    pub seq: u64,
    /// Number of its packet at the sending station.
    pub number: u64,
    pub tag: Tag,
    /// Length of the MPDU, bytes.
    pub bytes: u32,
    /// Header bytes at the start.
    pub header: u32,
    /// Number of this transmission of it, from 1.
    pub attempt: u32,
}

/// Set of MPDUs by their places in an A-MPDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MpduSet([u64; 4]);

impl MpduSet {
    /// Creates the set of the first `count` MPDUs, 256 at most.
    pub fn of_first(count: usize) -> MpduSet {
        let word = |i: usize| match count.saturating_sub(64 * i) {
            0 => 0,
            here => u64::MAX >> (64 - here.min(64)),
        };
        MpduSet([0, 1, 2, 3].map(word))
    }

    /// Adds the MPDU at `place`, below 256.
    pub fn insert(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// True if the MPDU at `place` is in the set.
    pub fn contains(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    /// True if no MPDU is in the set.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
}
