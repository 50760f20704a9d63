//! Scoreboard: the sender's record of sent and unacknowledged segments, with their SACK state.
//!
//! The sender updates its scoreboard at each transmission and each ACK, before any policy runs.
//!
//! No query iterates over the whole window. SACKed segments are stored as runs, because ACKs repeat earlier
//! blocks. A search for lost or missing segments continues where the last search ended.

mod losses;
mod news;
#[cfg(test)]
mod tests;

use crate::estimators::min_with_sample;
use crate::sack_ranges::SackRanges;
use crate::seams::{NextSegment, TransmissionCause};
use airhop_base::{Sack, SackBlock, Span, Time};
use losses::{LossMarks, Shortfall};
use news::AckChanges;
use std::collections::VecDeque;

/// Segment that was sent and is not cumulatively acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutstandingSegment {
    /// First byte of the segment.
    pub start: u64,
    /// First byte after the segment.
    pub end: u64,
    /// Number of the segment's last transmission, counted over all transmissions of the connection. Defines
    /// the sending order.
    pub transmission_number: u64,
    /// Time of the segment's last transmission.
    pub sent_at: Time,
    /// True if the receiver has the segment. SACK information is not relied on beyond a timeout (RFC 2018
    /// §8).
    pub sacked: bool,
    /// True if any ACK has reported the arrival. Never cleared, so that the segment counts as delivered only
    /// once.
    pub arrived: bool,
    /// True if the segment was sent more than once. The ACK then yields no RTT sample (Karn's rule).
    pub ever_retransmitted: bool,
    /// True if the segment was retransmitted since the last timeout that marked all segments lost.
    pub retransmitted: bool,
    /// True if the segment is marked lost and not yet retransmitted.
    pub lost: bool,
    /// True if the segment was ever marked lost, even if it was retransmitted afterwards.
    pub was_lost: bool,
    /// Deadline of link-layer retransmission that an ERSN announced for this segment.
    pub held_until: Time,
}

impl OutstandingSegment {
    /// Returns the length of the segment in bytes.
    pub fn bytes(&self) -> u64 {
        self.end - self.start
    }

    /// Returns the length of the segment in bytes if a retransmission is in flight, i.e. neither delivered
    /// nor marked lost; 0 otherwise.
    fn retransmitted_bytes(&self) -> u64 {
        if self.is_retransmission_in_flight() { self.bytes() } else { 0 }
    }

    /// True if a retransmission of the segment is in flight, i.e. neither delivered nor marked lost.
    pub fn is_retransmission_in_flight(&self) -> bool {
        self.retransmitted && !self.sacked && !self.lost
    }

    /// Returns the retransmission of the segment.
    pub fn to_retransmission(&self, cause: TransmissionCause) -> NextSegment {
        NextSegment { start: self.start, end: self.end, cause }
    }
}

/// Contiguous bytes, and the time of their first transmission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTransmission {
    /// First byte.
    pub start: u64,
    /// First byte after the range.
    pub end: u64,
    /// Time of the first transmission.
    pub at: Time,
}

/// Outstanding segments in sequence order, without gaps.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    segments: VecDeque<OutstandingSegment>,
    /// Runs of consecutive SACKed segments.
    runs: SackRanges,
    /// Byte below which every segment is SACKed or retransmitted. The search for holes starts here.
    hole_from: u64,
    /// Byte below which every segment is SACKed, marked lost or retransmitted. Loss detection continues here.
    judged_to: u64,
    /// Number of transmissions so far.
    transmissions: u64,
    /// End of the highest SACKed segment; zero if nothing is SACKed.
    high_sack: u64,
    /// Bytes SACKed and not cumulatively acknowledged.
    sacked_bytes: u64,
    losses: LossMarks,
    news: AckChanges,
    /// Minimum RTT so far, including the handshake's sample.
    least_rtt: Option<Span>,
    /// Bytes of the last retransmission that had been sent only once before.
    sent_before: Vec<FirstTransmission>,
}

impl Scoreboard {
    /// Creates an empty scoreboard. If the window counts segments of any size, `full` is the payload of a
    /// full segment in bytes. If the window counts bytes, `full` is `None`.
    pub fn with_full_segment(full: Option<u64>) -> Self {
        let shortfall = Shortfall { full_segment_bytes: full.unwrap_or(0), bytes: 0 };
        Scoreboard { losses: LossMarks { shortfall, ..LossMarks::default() }, ..Scoreboard::default() }
    }

    /// Returns the number of the next transmission.
    pub fn next_transmission_number(&self) -> u64 {
        self.transmissions + 1
    }

    /// Records a transmission of `[start, end)` at `at`. Returns the number of the segment's previous
    /// transmission; `None` for new data.
    pub fn on_sent(&mut self, at: Time, start: u64, end: u64) -> Option<u64> {
        self.transmissions += 1;
        let order = self.transmissions;
        if self.segments.back().is_none_or(|last| start >= last.end) {
            let sent = OutstandingSegment {
                start,
                end,
                transmission_number: order,
                sent_at: at,
                sacked: false,
                arrived: false,
                ever_retransmitted: false,
                retransmitted: false,
                lost: false,
                was_lost: false,
                held_until: Time::ZERO,
            };
            self.losses.shortfall.add_segment(&sent);
            self.segments.push_back(sent);
            return None;
        }
        self.sent_before.clear();
        match self.get(start).filter(|e| e.end == end) {
            Some(e) => self.sent_before.extend((!e.ever_retransmitted).then_some(FirstTransmission {
                start,
                end,
                at: e.sent_at,
            })),
            None => self.align_boundaries(start, end),
        }
        let (e, losses) = self.get_mut(start)?;
        let before = std::mem::replace(&mut e.transmission_number, order);
        e.sent_at = at;
        losses.retransmitted_bytes -= e.retransmitted_bytes();
        (e.ever_retransmitted, e.retransmitted) = (true, true);
        losses.unmark_segment(e);
        losses.retransmitted_bytes += e.retransmitted_bytes();
        Some(before)
    }

    /// Aligns the boundaries of the stored segments with the retransmission `[start, end)`.
    #[cold]
    fn align_boundaries(&mut self, start: u64, end: u64) {
        self.note_first_sent(start, end);
        self.split_at(start);
        self.split_at(end);
        self.merge_segments(start, end);
        self.losses.shortfall.recount(self.segments.iter());
    }

    /// Saves the first transmission times of the bytes in `[start, end)` before the retransmission overwrites
    /// them.
    fn note_first_sent(&mut self, start: u64, end: u64) {
        let first = self.segments.partition_point(|e| e.end <= start);
        let repeated =
            self.segments.range(first..).take_while(|e| e.start < end).filter(|e| !e.ever_retransmitted);
        self.sent_before.extend(repeated.map(|e| FirstTransmission {
            start: e.start.max(start),
            end: e.end.min(end),
            at: e.sent_at,
        }));
    }

    /// Returns the bytes of the last retransmission that had been sent only once before, in sequence order.
    pub fn first_transmissions(&self) -> &[FirstTransmission] {
        &self.sent_before
    }

    /// Splits the segment that contains `seq` at `seq`. A retransmission may have other boundaries than the
    /// original transmission, e.g. if the original segment was not full.
    fn split_at(&mut self, seq: u64) {
        let place = self.segments.partition_point(|e| e.end <= seq);
        if let Some(e) = self.segments.get_mut(place).filter(|e| e.start < seq) {
            let rest = OutstandingSegment { start: seq, ..*e };
            e.end = seq;
            self.segments.insert(place + 1, rest);
        }
    }

    /// Merges the segments of `[start, end)` into one segment. The merged segment has arrived if all parts
    /// have. `end` may exceed the sent data.
    fn merge_segments(&mut self, start: u64, end: u64) {
        let first = self.segments.partition_point(|e| e.start < start);
        let last = self.segments.partition_point(|e| e.start < end);
        let parts = || self.segments.range(first..last);
        let Some(&head) = self.segments.get(first) else { return };
        let is_known = parts().next_back().is_some_and(|e| e.end == end);
        let sacked = is_known && parts().all(|e| e.sacked);
        let arrived = is_known && parts().all(|e| e.arrived);
        if !sacked {
            self.sacked_bytes -= parts().filter(|e| e.sacked).map(OutstandingSegment::bytes).sum::<u64>();
            self.runs.remove(head.start, end);
            self.high_sack = self.runs.iter().next_back().map_or(0, |run| run.end);
        }
        self.losses.lost_bytes -= parts().filter(|e| e.lost).map(OutstandingSegment::bytes).sum::<u64>();
        self.losses.retransmitted_bytes -= parts().map(OutstandingSegment::retransmitted_bytes).sum::<u64>();
        self.segments.drain(first + 1..last);
        self.segments[first] = OutstandingSegment { end, sacked, arrived, lost: false, ..head };
        self.losses.retransmitted_bytes += self.segments[first].retransmitted_bytes();
        self.restart_searches();
    }

    /// Clears the record of the last ACK, before a timer or notice is handled.
    pub fn clear_ack_changes(&mut self) {
        self.news.clear();
        self.losses.clear_newly_lost();
    }

    /// Processes an ACK of all data below `una` with these SACK blocks. Blocks are truncated at `nxt`,
    /// because go-back-N will send the data above `nxt` again.
    pub fn on_ack(&mut self, now: Time, una: u64, nxt: u64, sack: &Sack) {
        self.clear_ack_changes();
        (self.news.at, self.news.una) = (now, una);
        self.remove_below(una);
        for b in sack.blocks() {
            self.mark_sacked(b.start, b.end.min(nxt));
        }
        if let Some(rtt) = self.news.newest_rtt() {
            self.least_rtt = min_with_sample(self.least_rtt, rtt);
        }
    }

    /// Adds the RTT sample of a handshake that the peer began.
    pub fn on_handshake(&mut self, rtt: Span) {
        self.least_rtt = min_with_sample(self.least_rtt, rtt);
    }

    fn remove_below(&mut self, una: u64) {
        while let Some(e) = self.segments.front_mut() {
            if e.end > una {
                // Of a partly acknowledged segment, the unacknowledged bytes remain.
                if e.start < una {
                    self.trim_first(una);
                }
                break;
            }
            self.sacked_bytes -= if e.sacked { e.bytes() } else { 0 };
            self.losses.lost_bytes -= if e.lost { e.bytes() } else { 0 };
            self.losses.retransmitted_bytes -= e.retransmitted_bytes();
            self.news.acknowledges_retransmitted |= e.ever_retransmitted;
            if !e.sacked {
                self.news.add_arrival(e, &self.losses.shortfall);
                if !e.lost {
                    self.losses.shortfall.remove_segment(e);
                }
            }
            self.segments.pop_front();
        }
        self.runs.remove_below(una);
        if self.high_sack <= una {
            self.high_sack = 0;
        }
    }

    /// Removes the acknowledged bytes of the first segment, up to `una`. The remaining bytes stay in the
    /// scoreboard.
    #[cold]
    #[inline(never)]
    fn trim_first(&mut self, una: u64) {
        let Some(e) = self.segments.front_mut() else { return };
        let cut = una - e.start;
        self.losses.retransmitted_bytes -= if e.retransmitted_bytes() > 0 { cut } else { 0 };
        e.start = una;
        let shortfall = &mut self.losses.shortfall;
        shortfall.bytes += if e.sacked || e.lost { 0 } else { shortfall.partial_ack_shortfall(cut) };
        self.news.growth_bytes += if e.arrived { 0 } else { cut - shortfall.partial_ack_shortfall(cut) };
        self.sacked_bytes -= if e.sacked { cut } else { 0 };
        self.losses.lost_bytes -= if e.lost { cut } else { 0 };
        self.news.delivered_bytes += if e.arrived { 0 } else { cut };
    }

    /// Marks the segments in `[start, end)` as SACKed.
    fn mark_sacked(&mut self, start: u64, end: u64) {
        let mut from = start;
        while let Some(gap) = self.runs.first_gap(from, end) {
            from = gap.end;
            let first = self.segment_index(gap.start);
            let mut marked: Option<SackBlock> = None;
            for e in self.segments.range_mut(first..).take_while(|e| e.end <= gap.end) {
                self.losses.retransmitted_bytes -= e.retransmitted_bytes();
                self.losses.unmark_segment(e);
                self.losses.shortfall.remove_segment(e);
                self.news.add_arrival(e, &self.losses.shortfall);
                (e.sacked, e.arrived) = (true, true);
                marked = Some(SackBlock { start: marked.map_or(e.start, |run| run.start), end: e.end });
            }
            if let Some(run) = marked {
                self.runs.insert(run);
                self.high_sack = self.high_sack.max(run.end);
                self.sacked_bytes += run.end - run.start;
                self.news.sacked_bytes += run.end - run.start;
            }
        }
    }

    /// Returns the lowest hole: the first segment below the highest SACKed byte that has not arrived and was
    /// not retransmitted.
    pub fn first_hole(&mut self) -> Option<&OutstandingSegment> {
        let first = self.segment_index(self.hole_from);
        let mut below = self.segments.range(first..).take_while(|e| e.start < self.high_sack);
        let hole = below.find(|e| !e.sacked && !e.retransmitted);
        self.hole_from = hole.map_or(self.hole_from.max(self.high_sack), |e| e.start);
        hole
    }

    /// Returns the lowest segment that is not SACKed.
    pub fn first_missing(&self) -> Option<&OutstandingSegment> {
        let first = self.segments.front()?;
        match self.runs.run_at(first.start) {
            Some(run) => self.segments.get(self.segment_index(run.end)),
            None => Some(first),
        }
    }

    /// Returns the highest segment that is not SACKed.
    pub fn last_missing(&self) -> Option<&OutstandingSegment> {
        let last = self.segments.back()?;
        match self.runs.run_at(last.start) {
            Some(run) => self.segments.get(self.segment_index(run.start).checked_sub(1)?),
            None => Some(last),
        }
    }

    /// Returns the runs of SACKed segments in sequence order, separated by holes.
    pub fn sacked_runs(&self) -> impl DoubleEndedIterator<Item = &SackBlock> {
        self.runs.iter()
    }

    /// Returns the segment that begins at `start`.
    pub fn get(&self, start: u64) -> Option<&OutstandingSegment> {
        self.segments.get(self.segment_index(start)).filter(|e| e.start == start)
    }

    /// Returns the transmission time of the segment that starts at `start`; `None` if the segment was sent
    /// more than once. Also finds segments that the last ACK acknowledged.
    pub fn single_transmission_time(&self, start: u64) -> Option<Time> {
        let known = self.news.arrived.iter().find(|e| e.start == start).or_else(|| self.get(start));
        known.filter(|e| !e.ever_retransmitted).map(|e| e.sent_at)
    }

    /// Returns mutable access to the segment that begins at `start` and to the loss counters.
    fn get_mut(&mut self, start: u64) -> Option<(&mut OutstandingSegment, &mut LossMarks)> {
        let place = self.segment_index(start);
        let e = self.segments.get_mut(place).filter(|e| e.start == start)?;
        Some((e, &mut self.losses))
    }

    /// Returns the index of the first segment that begins at `start` or later.
    fn segment_index(&self, start: u64) -> usize {
        let Some(first) = self.segments.front() else { return 0 };
        // Nearly all segments have the same length, so the index computed from this length is tried first.
        let guess = (start.saturating_sub(first.start) / first.bytes()) as usize;
        match self.segments.get(guess) {
            Some(e) if e.start == start => guess,
            _ => self.segments.partition_point(|e| e.start < start),
        }
    }

    /// Sets the deadline of link-layer retransmission of the segment at `start`.
    pub fn hold_segment(&mut self, start: u64, until: Time) {
        if let Some((e, _)) = self.get_mut(start) {
            e.held_until = until;
        }
    }

    /// Returns the segments in sequence order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &OutstandingSegment> {
        self.segments.iter()
    }

    /// Returns the newest segment.
    pub fn last(&self) -> Option<&OutstandingSegment> {
        self.segments.back()
    }

    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// True if no segment is outstanding.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Returns the segments that the last ACK newly acknowledged or SACKed, in their state before the ACK.
    /// Includes segments that were SACKed before a timeout ([`OutstandingSegment::arrived`] is true).
    pub fn newly_arrived(&self) -> &[OutstandingSegment] {
        &self.news.arrived
    }

    /// Returns the number of bytes that the last ACK newly reported as arrived.
    pub fn delivered(&self) -> u64 {
        self.news.delivered_bytes
    }

    /// True if the last ACK cumulatively acknowledged a segment that was sent more than once.
    pub fn acknowledges_retransmitted(&self) -> bool {
        self.news.acknowledges_retransmitted
    }

    /// Returns the delivered bytes that count for window growth. If the window counts segments, each segment
    /// counts as a full segment (see [`Scoreboard::with_full_segment`]).
    pub fn growth_bytes(&self) -> u64 {
        self.news.growth_bytes
    }

    /// Returns the shortfall of the segments in flight and a further segment of `bytes` bytes. The shortfall
    /// is the number of bytes by which segments are shorter than full segments. Zero if the window counts
    /// bytes.
    pub fn shortfall(&self, bytes: u64) -> u64 {
        self.losses.shortfall.bytes + self.losses.shortfall.segment_shortfall(bytes)
    }

    /// Returns the number of bytes that the last ACK newly SACKed.
    pub fn newly_sacked_bytes(&self) -> u64 {
        self.news.sacked_bytes
    }

    /// Returns the RTT of the newest segment that the last ACK reports. Segments sent more than once do not
    /// count (Karn's rule).
    pub fn newest_rtt(&self) -> Option<Span> {
        self.news.newest_rtt()
    }

    /// Returns the RTT of the oldest segment that the last ACK reports. Includes the delay of a delayed ACK.
    /// Cumulatively acknowledged segments take precedence over SACKed segments. If the ACK acknowledges a
    /// retransmitted segment, only SACKed segments count (Linux, tcp_clean_rtx_queue()).
    pub fn longest_rtt(&self) -> Option<Span> {
        self.news.longest_rtt()
    }

    /// Returns the minimum RTT so far, including the handshake's sample.
    pub fn min_rtt(&self) -> Option<Span> {
        self.least_rtt
    }

    /// Returns the first bytes of the segments marked lost since the last ACK or timer, in order of
    /// detection.
    pub fn newly_lost(&self) -> &[u64] {
        &self.losses.newly_lost
    }

    /// Returns the number of bytes marked lost since the last ACK or timer.
    pub fn newly_lost_bytes(&self) -> u64 {
        self.losses.newly_lost_bytes
    }

    /// Returns the end of the highest SACKed segment; zero if no segment is SACKed.
    pub fn high_sack(&self) -> u64 {
        self.high_sack
    }

    /// Returns the number of SACKed bytes.
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Returns the number of bytes marked lost and not yet retransmitted.
    pub fn lost_bytes(&self) -> u64 {
        self.losses.lost_bytes
    }

    /// Returns the number of retransmitted bytes in flight, i.e. neither SACKed nor marked lost since the
    /// retransmission.
    pub fn retransmitted_bytes(&self) -> u64 {
        self.losses.retransmitted_bytes
    }
}

/// Returns the duplicate bytes that the receiver reports (D-SACK, RFC 2883 §4). A D-SACK is the first block
/// if that block lies below the cumulative ACK or within the second block.
pub fn find_dsack(una: u64, sack: &Sack) -> Option<SackBlock> {
    let first = *sack.blocks().first()?;
    let is_within = |second: &SackBlock| second.start <= first.start && first.end <= second.end;
    (first.end <= una || sack.blocks().get(1).is_some_and(is_within)).then_some(first)
}
