//! Packet list of LHP, with a count of duplicate ACKs for each segment in sending order (Gao, Diggavi,
//! Muthukrishnan 2003, as described in Yun 2009 §4.1).
//!
//! A segment retransmitted after an ELN moves to the end of the list. ACKs caused by earlier transmissions
//! then do not count against the segment. If a window has several losses, each loss reaches the threshold
//! separately and halves the window. ESACK was designed to avoid these repeated reductions.

use std::collections::VecDeque;

/// Segments in the network in sending order, with a count of duplicate ACKs for each segment.
#[derive(Debug)]
pub struct SendOrderList {
    entries: VecDeque<SendOrderEntry>,
    bytes: u64,
    dupthresh: u32,
    /// Highest end of an entry: no segment at or above this byte is on the list.
    top: u64,
    /// Byte below which all entries were removed.
    acknowledged: u64,
}

/// Segment that was sent and is not known to have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendOrderEntry {
    /// First byte of the segment.
    pub seq: u64,
    /// First byte after the segment.
    pub end: u64,
    /// Number of ACKs caused by later transmissions.
    pub duplicate_acks: u32,
}

impl SendOrderList {
    /// Creates an empty list. A segment counts as lost after `dupthresh` duplicate ACKs.
    pub fn new(dupthresh: u32) -> Self {
        SendOrderList { entries: VecDeque::new(), bytes: 0, dupthresh, top: 0, acknowledged: 0 }
    }

    /// Appends the segment `[seq, end)` after its transmission or retransmission, with a count of zero.
    pub fn on_sent(&mut self, seq: u64, end: u64) {
        if seq < self.top {
            self.remove(seq);
        }
        self.top = self.top.max(end);
        self.acknowledged = self.acknowledged.min(seq);
        self.bytes += end - seq;
        self.entries.push_back(SendOrderEntry { seq, end, duplicate_acks: 0 });
    }

    /// Removes all data below `cumulative`. A partly acknowledged segment keeps the unacknowledged bytes.
    pub fn remove_below(&mut self, cumulative: u64) {
        if cumulative <= self.acknowledged {
            return;
        }
        self.acknowledged = cumulative;
        self.entries.retain_mut(|e| {
            self.bytes -= cumulative.clamp(e.seq, e.end) - e.seq;
            e.seq = e.seq.max(cumulative);
            e.seq < e.end
        });
    }

    /// Removes the segment at `seq` after its arrival. Unlike [`SendOrderList::on_ack`], does not count
    /// duplicate ACKs for other segments. Returns true if the segment was on the list.
    pub fn remove(&mut self, seq: u64) -> bool {
        let entry = self.index_of(seq).and_then(|place| self.entries.remove(place));
        self.bytes -= entry.map_or(0, |e| e.end - e.seq);
        entry.is_some()
    }

    /// Processes an ACK of all data below `cumulative`, caused by the segment at `trigger`. Returns the newly
    /// lost segments in sending order. The caller retransmits each lost segment at once and treats each loss
    /// as congestion.
    ///
    /// If an ACK is lost, the segment that caused the ACK stays on the list and may count as lost although it
    /// arrived (Yun 2009 §2.1).
    pub fn on_ack(&mut self, cumulative: u64, trigger: u64) -> Vec<u64> {
        self.remove_below(cumulative);
        // If the segment that caused the ACK is no longer on the list, as for every ACK of new data, the ACK
        // is not a duplicate ACK.
        let Some(place) = self.index_of(trigger) else { return Vec::new() };
        self.remove(trigger);
        let mut lost = Vec::new();
        for e in self.entries.range_mut(..place) {
            e.duplicate_acks += 1;
            if e.duplicate_acks == self.dupthresh {
                lost.push(*e);
            }
        }
        lost.iter().for_each(|e| self.on_sent(e.seq, e.end));
        lost.iter().map(|e| e.seq).collect()
    }

    /// Empties the list at a timeout. As in Reno, all data is sent again.
    pub fn on_timeout(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }

    /// Returns the segments, in sending order.
    pub fn entries(&self) -> impl Iterator<Item = &SendOrderEntry> {
        self.entries.iter()
    }

    /// Returns the entry of the segment at `seq`; `None` if the segment is not on the list.
    pub fn get(&self, seq: u64) -> Option<&SendOrderEntry> {
        self.entries.iter().find(|e| e.seq == seq)
    }

    /// Returns the flight in bytes: the sum of all entries.
    pub fn flight_bytes(&self) -> u64 {
        self.bytes
    }

    fn index_of(&self, seq: u64) -> Option<usize> {
        self.entries.iter().position(|e| e.seq == seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(from: u64, to: u64) -> SendOrderList {
        let mut list = SendOrderList::new(3);
        (from..=to).for_each(|seq| list.on_sent(seq, seq + 1));
        list
    }

    fn entries(list: &SendOrderList) -> Vec<(u64, u32)> {
        list.entries().map(|e| (e.seq, e.duplicate_acks)).collect()
    }

    // Yun 2009, Figure 4: segments 14 to 19 are sent, and 14, 16 and 18 are lost. The first two duplicate
    // ACKs release 20 and 21 (RFC 3042). The list after each ACK equals the figure's list, and each of the
    // three losses starts a fast recovery.
    #[test]
    fn the_packet_list_matches_figure_4_of_yun_2009() {
        let mut l = list(14, 19);
        assert_eq!(l.on_ack(14, 15), []);
        l.on_sent(20, 21);
        assert_eq!(entries(&l), [(14, 1), (16, 0), (17, 0), (18, 0), (19, 0), (20, 0)]);
        assert_eq!(l.on_ack(14, 17), []);
        l.on_sent(21, 22);
        assert_eq!(entries(&l), [(14, 2), (16, 1), (18, 0), (19, 0), (20, 0), (21, 0)]);
        assert_eq!(l.on_ack(14, 19), [14]);
        assert_eq!(entries(&l), [(16, 2), (18, 1), (20, 0), (21, 0), (14, 0)]);
        assert_eq!(l.on_ack(14, 20), [16]);
        assert_eq!(entries(&l), [(18, 2), (21, 0), (14, 0), (16, 0)]);
        assert_eq!(l.on_ack(14, 21), [18]);
        assert_eq!(entries(&l), [(14, 0), (16, 0), (18, 0)]);
        // The three retransmissions arrive, and no further loss is detected.
        assert_eq!(l.on_ack(16, 14), []);
        assert_eq!(l.on_ack(18, 16), []);
        assert_eq!(l.on_ack(22, 18), []);
        assert_eq!(entries(&l), []);
    }

    // Gao et al. 2003: after an ELN the retransmitted segment is at the end of the list, and ACKs caused by
    // segments sent earlier are not its duplicate ACKs.
    #[test]
    fn an_eln_moves_its_segment_to_the_end_of_the_list() {
        let mut l = list(14, 19);
        assert_eq!(l.on_ack(14, 15), []);
        l.on_sent(14, 15);
        for trigger in 16..=19 {
            assert_eq!(l.on_ack(14, trigger), []);
        }
        assert_eq!(entries(&l), [(14, 0)]);
        // ACKs of segments sent after a retransmission detect its loss.
        (20..=22).for_each(|seq| l.on_sent(seq, seq + 1));
        assert_eq!(l.on_ack(14, 20), []);
        assert_eq!(l.on_ack(14, 21), []);
        assert_eq!(l.on_ack(14, 22), [14]);
    }

    // Yun 2009 §2.1: if an ACK is lost, the delivered segment stays on the list and is retransmitted
    // needlessly.
    #[test]
    fn a_lost_ack_causes_a_needless_retransmission() {
        let mut l = list(14, 19);
        // Segment 14 and the ACK (14, 15) are lost.
        assert_eq!(l.on_ack(14, 16), []);
        assert_eq!(l.on_ack(14, 17), []);
        assert_eq!(l.on_ack(14, 18), [14, 15]);
    }

    // The cumulative ACK removes all segments below it, even if another segment caused it: the ACKs of 14 and
    // 15 were lost.
    #[test]
    fn a_cumulative_ack_removes_all_lower_segments() {
        let mut l = list(14, 17);
        assert_eq!(l.on_ack(17, 16), []);
        assert_eq!(entries(&l), [(17, 0)]);
    }

    // An ACK caused by a segment that arrives twice, or that was acknowledged already, is not a duplicate ACK
    // for other segments.
    #[test]
    fn an_ack_of_an_unlisted_segment_is_no_duplicate_ack() {
        let mut l = list(14, 17);
        assert_eq!(l.on_ack(14, 15), []);
        for _ in 0..5 {
            assert_eq!(l.on_ack(14, 15), []);
            assert_eq!(l.on_ack(14, 3), []);
        }
        assert_eq!(entries(&l), [(14, 1), (16, 0), (17, 0)]);
        l.on_timeout();
        l.on_sent(14, 15);
        assert_eq!(entries(&l), [(14, 0)]);
    }
}
