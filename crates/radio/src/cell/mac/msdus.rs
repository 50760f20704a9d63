//! Packets in the MPDUs of a Block Ack agreement: one packet per MPDU, or several as an A-MSDU (IEEE
//! 802.11-2020 §10.11).
use crate::phy::amsdu::{MpduBody, MpduFraming};
use std::collections::VecDeque;
use std::ops::Range;

/// Assignment of an agreement's packets to MPDUs. Packets are numbered from 0, in the order of their arrival
/// at the MAC.
///
/// The MAC appends packets to the newest MPDU until the MPDU is full or sent. A packet never moves to another
/// MPDU.
#[derive(Debug)]
pub(crate) struct PacketAssignment {
    framing: MpduFraming,
    /// Body of the newest MPDU.
    body: MpduBody,
    /// Number of packets added so far.
    count: u64,
    /// Sequence number of the first MPDU in `starts`.
    oldest: u64,
    /// Number of the first packet of each MPDU. Empty without A-MSDUs, because packets and MPDUs then have
    /// equal numbers.
    starts: VecDeque<u64>,
}

impl PacketAssignment {
    pub fn new(framing: MpduFraming) -> PacketAssignment {
        PacketAssignment { framing, body: MpduBody::default(), count: 0, oldest: 0, starts: VecDeque::new() }
    }

    /// True if an MPDU may carry several packets.
    #[inline]
    pub fn may_aggregate(&self) -> bool {
        self.framing.max_amsdu_bytes > 0
    }

    /// Adds a packet of `bytes` bytes to the newest MPDU. Returns the MPDU's length in bytes before and
    /// after; `None` if the MPDU has no room for the packet.
    pub fn append_packet(&mut self, bytes: u32) -> Option<(u32, u32)> {
        let before = self.framing.mpdu_bytes(&self.body);
        if !self.may_aggregate() || !self.framing.append(&mut self.body, bytes) {
            return None;
        }
        self.count += 1;
        Some((before, self.framing.mpdu_bytes(&self.body)))
    }

    /// Creates an MPDU for a packet of `bytes` bytes. Returns the length of the MPDU in bytes.
    #[inline]
    pub fn open_mpdu(&mut self, bytes: u32) -> u32 {
        if !self.may_aggregate() {
            return bytes + self.framing.mac_header_bytes + self.framing.llc_header_bytes;
        }
        self.starts.push_back(self.count);
        self.count += 1;
        self.body = MpduBody::default();
        self.framing.append(&mut self.body, bytes);
        self.framing.mpdu_bytes(&self.body)
    }

    /// Returns the packet numbers of the MPDU with this sequence number; empty if the MPDU was removed.
    #[inline]
    pub fn packet_numbers(&self, seq: u64) -> Range<u64> {
        if self.may_aggregate() { self.aggregated_packet_numbers(seq) } else { seq..seq + 1 }
    }

    fn aggregated_packet_numbers(&self, seq: u64) -> Range<u64> {
        let start = |place: usize| self.starts.get(place).copied();
        match seq.checked_sub(self.oldest).map(|place| place as usize) {
            Some(place) => start(place).unwrap_or(self.count)..start(place + 1).unwrap_or(self.count),
            None => 0..0,
        }
    }

    /// Removes the MPDUs with packet numbers below `first` only.
    #[inline]
    pub fn forget_below(&mut self, first: u64) {
        while self.starts.get(1).is_some_and(|next| *next <= first) {
            self.starts.pop_front();
            self.oldest += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn msdus(limit: u32) -> PacketAssignment {
        PacketAssignment::new(MpduFraming {
            max_amsdu_bytes: limit,
            mac_header_bytes: 30,
            llc_header_bytes: 8,
        })
    }

    /// IEEE 802.11-2020 §9.3.2.2.2: subframes have 14 + 1508 bytes; the first is padded to 1524.
    #[test]
    fn an_mpdu_grows_by_its_amsdu_subframes() {
        let mut msdus = msdus(3839);
        assert_eq!(msdus.open_mpdu(1500), 1538);
        assert_eq!(msdus.append_packet(1500), Some((1538, 30 + 1524 + 1522)));
        assert_eq!(msdus.append_packet(1500), None);
        assert_eq!(msdus.open_mpdu(1500), 1538);
        assert_eq!(
            (msdus.packet_numbers(0), msdus.packet_numbers(1), msdus.packet_numbers(2)),
            (0..2, 2..3, 3..3)
        );
        assert_eq!(msdus.append_packet(40), Some((1538, 30 + 1524 + 62)));
        assert_eq!(msdus.packet_numbers(1), 2..4);
    }

    #[test]
    fn without_amsdus_packets_have_the_numbers_of_mpdus() {
        let mut msdus = msdus(0);
        for seq in 0..5 {
            assert_eq!(msdus.open_mpdu(100), 138);
            assert_eq!(msdus.append_packet(40), None);
            assert_eq!(msdus.packet_numbers(seq), seq..seq + 1);
        }
        msdus.forget_below(3);
        assert!(msdus.starts.is_empty());
    }

    #[test]
    fn acknowledged_mpdu_numbers_are_removed() {
        let mut msdus = msdus(4000);
        for _ in 0..3 {
            msdus.open_mpdu(1500);
            msdus.append_packet(1500);
        }
        msdus.forget_below(3);
        assert_eq!(
            (msdus.oldest, msdus.packet_numbers(0), msdus.packet_numbers(1), msdus.packet_numbers(2)),
            (1, 0..0, 2..4, 4..6)
        );
        msdus.forget_below(6);
        assert_eq!((msdus.oldest, msdus.packet_numbers(2)), (2, 4..6), "packets may join the newest MPDU");
    }
}
