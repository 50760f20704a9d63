//! Loss marks of segments, set by recoveries and timeouts.

use super::{OutstandingSegment, Scoreboard};
use airhop_base::Time;

/// Counters of the segments marked lost.
#[derive(Clone, Debug, Default)]
pub(super) struct LossMarks {
    /// Byte below which no segment is marked lost.
    pub search_start: u64,
    /// Bytes marked lost.
    pub lost_bytes: u64,
    /// Retransmitted bytes in flight, i.e. neither SACKed nor marked lost since the retransmission.
    pub retransmitted_bytes: u64,
    /// First bytes of the segments marked lost since the last ACK or timer.
    pub newly_lost: Vec<u64>,
    /// Bytes of the segments in `newly_lost`.
    pub newly_lost_bytes: u64,
    /// Shortfall of the segments in flight, i.e. neither SACKed nor marked lost.
    pub shortfall: Shortfall,
}

/// Shortfall: sum of the bytes by which segments in flight are shorter than full segments. If the window
/// counts segments, a partial segment uses as much of the window as a full segment (Linux,
/// tcp_packets_in_flight()).
#[derive(Clone, Debug, Default)]
pub(super) struct Shortfall {
    /// Payload of a full segment; zero if the window counts bytes.
    pub full_segment_bytes: u64,
    /// Shortfall of the segments in flight, in bytes.
    pub bytes: u64,
}

impl Shortfall {
    /// Returns the number of bytes by which a segment of `bytes` bytes is shorter than a full segment.
    pub fn segment_shortfall(&self, bytes: u64) -> u64 {
        self.full_segment_bytes.saturating_sub(bytes)
    }

    /// Returns the increase of the shortfall in bytes when `acknowledged` bytes of a segment are
    /// acknowledged. The segment counts as a whole until it is completely acknowledged.
    pub fn partial_ack_shortfall(&self, acknowledged: u64) -> u64 {
        if self.full_segment_bytes > 0 { acknowledged } else { 0 }
    }

    /// Adds a segment that was sent, or that is no longer marked lost.
    pub fn add_segment(&mut self, e: &OutstandingSegment) {
        self.bytes += self.segment_shortfall(e.bytes());
    }

    /// Subtracts a segment that arrived, or that is marked lost.
    pub fn remove_segment(&mut self, e: &OutstandingSegment) {
        self.bytes -= self.segment_shortfall(e.bytes());
    }

    /// Recomputes the sum from the segments in flight.
    pub fn recount<'a>(&mut self, segments: impl Iterator<Item = &'a OutstandingSegment>) {
        let in_network = segments.filter(|e| !e.sacked && !e.lost);
        self.bytes = if self.full_segment_bytes == 0 {
            0
        } else {
            in_network.map(|e| self.segment_shortfall(e.bytes())).sum()
        };
    }
}

impl LossMarks {
    /// Adds a segment that is newly marked lost.
    pub fn mark_segment(&mut self, e: &mut OutstandingSegment) {
        self.retransmitted_bytes -= e.retransmitted_bytes();
        (e.lost, e.was_lost) = (true, true);
        self.shortfall.remove_segment(e);
        self.lost_bytes += e.bytes();
        self.search_start = self.search_start.min(e.start);
        self.newly_lost.push(e.start);
        self.newly_lost_bytes += e.bytes();
    }

    /// Clears the record of the segments marked lost by the last ACK.
    pub fn clear_newly_lost(&mut self) {
        self.newly_lost.clear();
        self.newly_lost_bytes = 0;
    }

    /// Removes the loss mark of a segment, if any.
    pub fn unmark_segment(&mut self, e: &mut OutstandingSegment) {
        if std::mem::take(&mut e.lost) {
            self.lost_bytes -= e.bytes();
            self.shortfall.add_segment(e);
        }
    }
}

impl Scoreboard {
    /// Marks the segment at `start` as lost, unless it has arrived.
    pub fn mark_lost(&mut self, start: u64) {
        if let Some((e, losses)) = self.get_mut(start)
            && !e.sacked
            && !e.lost
        {
            losses.mark_segment(e);
        }
    }

    /// Marks every hole below `edge` as lost: segments sent once that have not arrived. Skips segments that a
    /// link layer is retransmitting.
    pub fn mark_holes_lost(&mut self, edge: u64, now: Time) {
        if edge <= self.judged_to {
            return;
        }
        let first = self.segment_index(self.judged_to);
        self.judged_to = edge.min(self.segments.back().map_or(0, |last| last.end));
        for e in self.segments.range_mut(first..).take_while(|e| e.start < edge) {
            if e.sacked || e.lost || e.retransmitted {
                continue;
            }
            if e.held_until > now {
                self.judged_to = self.judged_to.min(e.start); // loss detection checks the segment again
                continue;
            }
            self.losses.mark_segment(e);
        }
    }

    /// Marks every segment as lost that has not arrived and satisfies `is_lost`.
    pub fn mark_lost_where(&mut self, mut is_lost: impl FnMut(&OutstandingSegment) -> bool) {
        for e in self.segments.iter_mut().filter(|e| !e.sacked && !e.lost) {
            if is_lost(e) {
                self.losses.mark_segment(e);
            }
        }
    }

    /// Marks every segment as lost that has not arrived, after a timeout. The segment at the left edge is
    /// marked even if it was SACKed.
    pub fn mark_all_lost(&mut self) {
        self.mark_first_lost();
        (self.losses.lost_bytes, self.losses.retransmitted_bytes) = (0, 0);
        for e in &mut self.segments {
            e.lost = !e.sacked;
            e.was_lost |= e.lost;
            e.retransmitted = false;
            self.losses.lost_bytes += if e.lost { e.bytes() } else { 0 };
        }
        self.losses.shortfall.bytes = 0;
    }

    /// Marks the segment at the left edge as lost. After a timeout this segment is retransmitted even if it
    /// is SACKed, because the receiver may have discarded the data (RFC 2018 §8).
    pub fn mark_first_lost(&mut self) {
        let Some(e) = self.segments.front_mut() else { return };
        let end = e.end;
        self.losses.retransmitted_bytes -= e.retransmitted_bytes();
        if std::mem::take(&mut e.sacked) {
            self.sacked_bytes -= e.bytes();
            self.losses.shortfall.add_segment(e);
        }
        self.losses.retransmitted_bytes += e.retransmitted_bytes();
        if !e.lost {
            self.losses.mark_segment(e);
        }
        self.runs.remove_below(end);
        self.restart_searches();
    }

    /// Clears every loss mark. The segments then count as in flight.
    pub fn clear_loss_marks(&mut self) {
        self.segments.iter_mut().for_each(|e| (e.lost, e.was_lost) = (false, false));
        self.losses.lost_bytes = 0;
        self.losses.retransmitted_bytes =
            self.segments.iter().map(OutstandingSegment::retransmitted_bytes).sum();
        self.losses.shortfall.recount(self.segments.iter());
        self.restart_searches();
    }

    /// Clears all SACK information and all retransmission marks, because the receiver may renege (RFC 2018
    /// §8). The sender then retransmits all segments in order.
    pub fn clear_sack_state(&mut self) {
        for e in &mut self.segments {
            (e.sacked, e.lost, e.was_lost, e.retransmitted) = (false, false, false, false);
        }
        self.runs.clear();
        self.high_sack = 0;
        self.sacked_bytes = 0;
        (self.losses.lost_bytes, self.losses.retransmitted_bytes) = (0, 0);
        self.losses.shortfall.recount(self.segments.iter());
        self.restart_searches();
    }

    /// Restarts all searches from the left edge. Earlier results are no longer valid.
    pub(super) fn restart_searches(&mut self) {
        (self.losses.search_start, self.hole_from, self.judged_to) = (0, 0, 0);
    }

    /// Returns the lowest segment that is marked lost.
    pub fn first_lost(&mut self) -> Option<&OutstandingSegment> {
        if self.losses.lost_bytes == 0 {
            self.losses.search_start = u64::MAX;
            return None;
        }
        let first = self.segment_index(self.losses.search_start);
        let found = self.segments.range(first..).find(|e| e.lost)?;
        self.losses.search_start = found.start;
        Some(found)
    }

    /// Returns the lowest segment that was ever marked lost and has not arrived, even if it was
    /// retransmitted.
    pub fn first_marked_lost(&self) -> Option<&OutstandingSegment> {
        if self.losses.lost_bytes + self.losses.retransmitted_bytes == 0 {
            return None;
        }
        self.segments.iter().find(|e| e.was_lost && !e.sacked)
    }
}
