//! What was sent and not yet acknowledged, segment by segment, with what SACK told of it.
//!
//! No question costs a walk over the window: an ACK repeats what earlier ones said, so SACKed segments are known as runs, and
//! searches for what is lost or missing go on where the last one ended.

#[cfg(test)]
mod tests;

use crate::runs::Runs;
use crate::seams::{Cause, Next};
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

    /// It goes out again.
    pub fn again(&self, cause: Cause) -> Next {
        Next { start: self.start, end: self.end, cause }
    }
}

/// The outstanding segments in sequence order, without gaps.
#[derive(Debug, Default)]
pub struct Scoreboard {
    segments: VecDeque<Sent>,
    /// Those of them that are SACKed.
    runs: Runs,
    /// Every segment that begins below this is SACKed or was sent again.
    hole_from: u64,
    /// Every segment that begins below this is SACKed, marked lost or was sent again.
    judged_to: u64,
    /// Transmissions so far.
    transmissions: u64,
    /// End of the highest SACKed segment; zero if nothing is SACKed.
    high_sack: u64,
    /// Bytes SACKed and not cumulatively acknowledged.
    sacked_bytes: u64,
    losses: Losses,
}

/// What is marked lost.
#[derive(Debug, Default)]
struct Losses {
    /// No segment that begins below this is.
    from: u64,
    /// Bytes.
    bytes: u64,
    /// Bytes that ever were, but for what a timeout marks.
    ever: u64,
}

impl Losses {
    /// A segment that was not marked is.
    fn add(&mut self, e: &mut Sent) {
        e.lost = true;
        self.bytes += e.len();
        self.ever += e.len();
        self.from = self.from.min(e.start);
    }

    /// A segment is not marked any more, if it was.
    fn remove(&mut self, e: &mut Sent) {
        self.bytes -= if std::mem::take(&mut e.lost) { e.len() } else { 0 };
    }
}

impl Scoreboard {
    /// Notes a transmission of `[start, end)` at `at`. Returns the number of the one before of this segment, if there was one.
    pub fn on_sent(&mut self, at: Time, start: u64, end: u64) -> Option<u64> {
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
            return None;
        }
        let (e, losses) = self.get_mut(start)?;
        let before = std::mem::replace(&mut e.order, order);
        e.at = at;
        e.retransmitted = true;
        losses.remove(e);
        Some(before)
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
                    self.losses.bytes -= if e.lost { cut } else { 0 };
                }
                break;
            }
            self.sacked_bytes -= if e.sacked { e.len() } else { 0 };
            self.losses.bytes -= if e.lost { e.len() } else { 0 };
            if !e.sacked {
                arrived(e);
            }
            self.segments.pop_front();
        }
        self.runs.remove_below(una);
        if self.high_sack <= una {
            self.high_sack = 0;
        }
    }

    /// Marks what `sack` covers. Returns the bytes that are newly known to have arrived.
    pub fn on_sack(&mut self, sack: &Sack) -> u64 {
        sack.blocks().iter().map(|b| self.mark(b, |_| {})).sum()
    }

    fn mark(&mut self, b: &SackBlock, mut arrived: impl FnMut(&Sent)) -> u64 {
        let (mut from, mut fresh) = (b.start, 0);
        while let Some(gap) = self.runs.gap(from, b.end) {
            from = gap.end;
            let first = self.place(gap.start);
            let mut marked: Option<SackBlock> = None;
            for e in self.segments.range_mut(first..).take_while(|e| e.end <= gap.end) {
                e.sacked = true;
                self.losses.remove(e);
                marked = Some(SackBlock { start: marked.map_or(e.start, |run| run.start), end: e.end });
                arrived(e);
            }
            if let Some(run) = marked {
                self.runs.insert(run);
                self.high_sack = self.high_sack.max(run.end);
                fresh += run.end - run.start;
            }
        }
        self.sacked_bytes += fresh;
        fresh
    }

    /// Marks the segment at `start` lost, unless it arrived.
    pub fn mark_lost(&mut self, start: u64) {
        if let Some((e, losses)) = self.get_mut(start)
            && !e.sacked
            && !e.lost
        {
            losses.add(e);
        }
    }

    /// Marks every segment that begins below `edge` lost if it was sent once and has not arrived, and the link layer does not work on
    /// it.
    pub fn mark_holes_lost(&mut self, edge: u64, now: Time) {
        if edge <= self.judged_to {
            return;
        }
        let first = self.place(self.judged_to);
        self.judged_to = edge.min(self.segments.back().map_or(0, |last| last.end));
        for e in self.segments.range_mut(first..).take_while(|e| e.start < edge) {
            if e.sacked || e.lost || e.retransmitted {
                continue;
            }
            if e.held_until > now {
                self.judged_to = self.judged_to.min(e.start); // to be asked about again
                continue;
            }
            self.losses.add(e);
        }
    }

    /// Marks every segment lost that has not arrived and for which `is_lost` holds.
    pub fn mark_lost_where(&mut self, mut is_lost: impl FnMut(&Sent) -> bool) {
        for e in self.segments.iter_mut().filter(|e| !e.sacked && !e.lost) {
            if is_lost(e) {
                self.losses.add(e);
            }
        }
    }

    /// Marks everything that has not arrived lost (a timeout), and the segment at the left edge in any case.
    pub fn mark_all_lost(&mut self) {
        self.mark_first_lost();
        self.losses.bytes = 0;
        for e in &mut self.segments {
            e.lost = !e.sacked;
            e.retransmitted = false;
            self.losses.bytes += if e.lost { e.len() } else { 0 };
        }
    }

    /// RFC 2018 §8: after a timeout the segment at the left edge goes out again even if it is SACKed, as the receiver may have
    /// dropped it.
    pub fn mark_first_lost(&mut self) {
        let Some(e) = self.segments.front_mut() else { return };
        let (end, len) = (e.end, e.len());
        self.sacked_bytes -= if std::mem::take(&mut e.sacked) { len } else { 0 };
        self.losses.bytes += if std::mem::replace(&mut e.lost, true) { 0 } else { len };
        self.runs.remove_below(end);
        self.search_anew();
    }

    /// What is marked lost is under way after all.
    pub fn forgive(&mut self) {
        self.segments.iter_mut().for_each(|e| e.lost = false);
        self.losses.bytes = 0;
        self.search_anew();
    }

    /// Forgets all SACK information (RFC 2018 §8: the receiver may renege).
    pub fn forget(&mut self) {
        self.segments.clear();
        self.runs.clear();
        self.high_sack = 0;
        self.sacked_bytes = 0;
        self.losses.bytes = 0;
        self.search_anew();
    }

    /// What earlier searches found does not hold any more.
    fn search_anew(&mut self) {
        (self.losses.from, self.hole_from, self.judged_to) = (0, 0, 0);
    }

    /// The lowest segment that is marked lost.
    pub fn first_lost(&mut self) -> Option<&Sent> {
        if self.losses.bytes == 0 {
            self.losses.from = u64::MAX;
            return None;
        }
        let first = self.place(self.losses.from);
        let found = self.segments.range(first..).find(|e| e.lost)?;
        self.losses.from = found.start;
        Some(found)
    }

    /// The lowest segment below the highest SACKed byte that has not arrived and was not sent again.
    pub fn first_hole(&mut self) -> Option<&Sent> {
        let first = self.place(self.hole_from);
        let mut below = self.segments.range(first..).take_while(|e| e.start < self.high_sack);
        let hole = below.find(|e| !e.sacked && !e.retransmitted);
        self.hole_from = hole.map_or(self.hole_from.max(self.high_sack), |e| e.start);
        hole
    }

    /// The lowest segment that is not SACKed.
    pub fn first_missing(&self) -> Option<&Sent> {
        let first = self.segments.front()?;
        match self.runs.at(first.start) {
            Some(run) => self.segments.get(self.place(run.end)),
            None => Some(first),
        }
    }

    /// The highest segment that is not SACKed.
    pub fn last_missing(&self) -> Option<&Sent> {
        let last = self.segments.back()?;
        match self.runs.at(last.start) {
            Some(run) => self.segments.get(self.place(run.start).checked_sub(1)?),
            None => Some(last),
        }
    }

    /// The runs of SACKed segments in sequence order; between two of them is a hole.
    pub fn sacked_runs(&self) -> impl DoubleEndedIterator<Item = &SackBlock> {
        self.runs.iter()
    }

    /// The segment that begins at `start`.
    pub fn get(&self, start: u64) -> Option<&Sent> {
        self.segments.get(self.place(start)).filter(|e| e.start == start)
    }

    /// The end of the segment that begins at `start`.
    pub fn end_of(&self, start: u64, s: &Space) -> u64 {
        self.get(start).map_or_else(|| s.segment_end(start), |e| e.end)
    }

    /// The same, to be changed, with the account of what is lost.
    fn get_mut(&mut self, start: u64) -> Option<(&mut Sent, &mut Losses)> {
        let place = self.place(start);
        let e = self.segments.get_mut(place).filter(|e| e.start == start)?;
        Some((e, &mut self.losses))
    }

    /// Where the first segment that does not begin below `start` is.
    fn place(&self, start: u64) -> usize {
        let Some(first) = self.segments.front() else { return 0 };
        // Nearly all segments are of one length, and it is where it would be if all were.
        let guess = (start.saturating_sub(first.start) / first.len()) as usize;
        match self.segments.get(guess) {
            Some(e) if e.start == start => guess,
            _ => self.segments.partition_point(|e| e.start < start),
        }
    }

    /// Sets the hold of the segment at `start`.
    pub fn hold(&mut self, start: u64, until: Time) {
        if let Some((e, _)) = self.get_mut(start) {
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
        (s.nxt - s.una) - self.sacked_bytes - self.losses.bytes
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
        self.losses.ever
    }

    /// Bytes marked lost and not yet repaired.
    pub fn lost_bytes(&self) -> u64 {
        self.losses.bytes
    }
}

/// The run of bytes that the receiver says came twice (D-SACK, RFC 2883 §4): the first block, if it is below the cumulative ACK or
/// within the second block.
pub fn duplicate(una: u64, sack: &Sack) -> Option<SackBlock> {
    let first = *sack.blocks().first()?;
    let is_within = |second: &SackBlock| second.start <= first.start && first.end <= second.end;
    (first.end <= una || sack.blocks().get(1).is_some_and(is_within)).then_some(first)
}
