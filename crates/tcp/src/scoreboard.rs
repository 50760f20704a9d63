//! What was sent and not yet acknowledged, segment by segment, with what SACK told of it.

use crate::space::Space;
use airhop_base::{Sack, SackBlock, Time};
use std::collections::VecDeque;

/// A segment that was sent and not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// First byte.
    pub start: u64,
    /// First byte after it.
    pub end: u64,
    /// Number of its last transmission, counted over the connection: the sending order.
    pub order: u64,
    /// When that was.
    pub at: Time,
    /// The receiver has it.
    pub sacked: bool,
    /// It was sent more than once since the scoreboard was last cleared.
    pub retransmitted: bool,
    /// It is taken to be lost and not yet repaired.
    pub lost: bool,
    /// The link layer works on it until then (ERSN).
    pub held_until: Time,
}

impl Sent {
    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }
}

/// The outstanding segments in sequence order, without gaps.
#[derive(Debug, Default)]
pub struct Scoreboard {
    segments: VecDeque<Sent>,
    /// Transmissions so far.
    transmissions: u64,
    /// End of the highest SACKed segment; zero if nothing is SACKed.
    high_sack: u64,
    /// Bytes SACKed and not cumulatively acknowledged.
    sacked_bytes: u64,
    /// Bytes marked lost.
    lost_bytes: u64,
    /// Bytes ever marked lost.
    all_lost: u64,
}

impl Scoreboard {
    /// Notes a transmission of `[start, end)` at `at`.
    pub fn on_sent(&mut self, at: Time, start: u64, end: u64) {
        self.transmissions += 1;
        let order = self.transmissions;
        if self.segments.back().is_none_or(|b| start >= b.end) {
            self.segments.push_back(Sent {
                start,
                end,
                order,
                at,
                sacked: false,
                retransmitted: false,
                lost: false,
                held_until: Time::ZERO,
            });
        } else if let Some(e) = self.get_mut(start) {
            (e.order, e.at) = (order, at);
            e.retransmitted = true;
            let len = e.len();
            if std::mem::take(&mut e.lost) {
                self.lost_bytes -= len;
            }
        }
    }

    /// Removes what is acknowledged up to `una`.
    pub fn on_cumulative(&mut self, una: u64) {
        self.remove_below(una, |_| {});
    }

    /// Takes in an ACK up to `una` with these SACK blocks. Shows each segment that is newly known to have arrived.
    pub fn on_ack(&mut self, una: u64, sack: &Sack, mut arrived: impl FnMut(&Sent)) {
        self.remove_below(una, &mut arrived);
        for b in sack.blocks() {
            self.mark(b, &mut arrived);
        }
    }

    fn remove_below(&mut self, una: u64, mut arrived: impl FnMut(&Sent)) {
        while let Some(e) = self.segments.front_mut() {
            if e.end > una {
                // A partly acknowledged segment keeps its tail.
                if e.start < una {
                    let cut = una - e.start;
                    e.start = una;
                    self.sacked_bytes -= if e.sacked { cut } else { 0 };
                    self.lost_bytes -= if e.lost { cut } else { 0 };
                }
                break;
            }
            self.sacked_bytes -= if e.sacked { e.len() } else { 0 };
            self.lost_bytes -= if e.lost { e.len() } else { 0 };
            if !e.sacked {
                arrived(e);
            }
            self.segments.pop_front();
        }
        if self.high_sack <= una {
            self.high_sack = 0;
        }
    }

    /// Marks what `sack` covers. Returns the bytes that are newly known to have arrived.
    pub fn on_sack(&mut self, sack: &Sack) -> u64 {
        sack.blocks().iter().map(|b| self.mark(b, |_| {})).sum()
    }

    fn mark(&mut self, b: &SackBlock, mut arrived: impl FnMut(&Sent)) -> u64 {
        let first = self.segments.partition_point(|e| e.start < b.start);
        let mut fresh = 0;
        for e in self.segments.range_mut(first..) {
            if e.end > b.end {
                break;
            }
            if !e.sacked {
                e.sacked = true;
                fresh += e.len();
                self.lost_bytes -= if std::mem::take(&mut e.lost) { e.len() } else { 0 };
                self.high_sack = self.high_sack.max(e.end);
                arrived(e);
            }
        }
        self.sacked_bytes += fresh;
        fresh
    }

    /// Marks the segment at `start` lost, unless it arrived.
    pub fn mark_lost(&mut self, start: u64) {
        if let Some(e) = self.get_mut(start)
            && !e.sacked
            && !e.lost
        {
            e.lost = true;
            let len = e.len();
            self.lost_bytes += len;
            self.all_lost += len;
        }
    }

    /// Marks every segment lost that has not arrived and for which `is_lost` holds.
    pub fn mark_lost_where(&mut self, mut is_lost: impl FnMut(&Sent) -> bool) {
        for e in self.segments.iter_mut().filter(|e| !e.sacked && !e.lost) {
            if is_lost(e) {
                e.lost = true;
                self.lost_bytes += e.len();
                self.all_lost += e.len();
            }
        }
    }

    /// Marks everything that has not arrived lost (a timeout). RFC 2018 §8: the segment at the left edge goes out again even
    /// if it is SACKed, as the receiver may have dropped it.
    pub fn mark_all_lost(&mut self) {
        if let Some(e) = self.segments.front_mut().filter(|e| e.sacked) {
            e.sacked = false;
            self.sacked_bytes -= e.end - e.start;
        }
        self.lost_bytes = 0;
        for e in &mut self.segments {
            e.lost = !e.sacked;
            e.retransmitted = false;
            self.lost_bytes += if e.lost { e.len() } else { 0 };
        }
    }

    /// RFC 2018 §8: after a timeout the segment at the left edge goes out again even if it is SACKed, as the receiver may have
    /// dropped it.
    pub fn mark_first_lost(&mut self) {
        let Some(e) = self.segments.front_mut() else { return };
        let len = e.end - e.start;
        self.sacked_bytes -= if std::mem::take(&mut e.sacked) { len } else { 0 };
        self.lost_bytes += if std::mem::replace(&mut e.lost, true) { 0 } else { len };
    }

    /// What is marked lost is under way after all.
    pub fn forgive(&mut self) {
        self.segments.iter_mut().for_each(|e| e.lost = false);
        self.lost_bytes = 0;
    }

    /// Forgets all SACK information (RFC 2018 §8: the receiver may renege).
    pub fn forget(&mut self) {
        self.segments.clear();
        self.high_sack = 0;
        self.sacked_bytes = 0;
        self.lost_bytes = 0;
    }

    /// The segment that begins at `start`.
    pub fn get(&self, start: u64) -> Option<&Sent> {
        let i = self.segments.partition_point(|e| e.start < start);
        self.segments.get(i).filter(|e| e.start == start)
    }

    /// The end of the segment that begins at `start`.
    pub fn end_of(&self, start: u64, s: &Space) -> u64 {
        self.get(start).map_or_else(|| s.segment_end(start), |e| e.end)
    }

    fn get_mut(&mut self, start: u64) -> Option<&mut Sent> {
        let i = self.segments.partition_point(|e| e.start < start);
        self.segments.get_mut(i).filter(|e| e.start == start)
    }

    /// Sets the hold of the segment at `start`.
    pub fn hold(&mut self, start: u64, until: Time) {
        if let Some(e) = self.get_mut(start) {
            e.held_until = until;
        }
    }

    /// The segments in sequence order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Sent> {
        self.segments.iter()
    }

    /// The newest segment.
    pub fn last(&self) -> Option<&Sent> {
        self.segments.back()
    }

    /// How many segments there are.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// RFC 6675 §4 SetPipe(): bytes neither SACKed nor lost, plus those sent again.
    pub fn in_flight(&self, s: &Space) -> u64 {
        (s.nxt - s.una) - self.sacked_bytes - self.lost_bytes
    }

    /// True if the segment at `seq` is outstanding and not SACKed.
    pub fn is_missing(&self, s: &Space, seq: u64) -> bool {
        s.una <= seq && self.get(seq).is_some_and(|e| !e.sacked)
    }

    /// End of the highest SACKed segment; zero if nothing is SACKed.
    pub fn high_sack(&self) -> u64 {
        self.high_sack
    }

    /// Bytes SACKed.
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Bytes marked lost while ACKs and timers told what had arrived; what a timeout marks wholesale does not count.
    pub fn all_lost(&self) -> u64 {
        self.all_lost
    }

    /// Bytes marked lost and not yet repaired.
    pub fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }
}

/// The run of bytes that the receiver says came twice (D-SACK, RFC 2883 §4): the first block, if it is below the cumulative ACK or
/// within the second block.
pub fn duplicate(una: u64, sack: &Sack) -> Option<SackBlock> {
    let first = *sack.blocks().first()?;
    let is_within = |second: &SackBlock| second.start <= first.start && first.end <= second.end;
    (first.end <= una || sack.blocks().get(1).is_some_and(is_within)).then_some(first)
}
