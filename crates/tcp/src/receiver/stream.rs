//! Received byte ranges of a connection, without their contents.

use airhop_base::{Sack, SackBlock};
use std::collections::VecDeque;

/// Received byte ranges, without their contents.
#[derive(Debug)]
pub(super) struct ReceivedRanges {
    /// RCV.NXT: all bytes below this number have arrived.
    pub rcv_nxt: u64,
    /// Runs of received bytes above `expected`, in sequence order, with a gap before each run.
    runs: VecDeque<ReceivedRun>,
    /// Pairs of `touched` and first byte for each change of a run, the most recent last. Pairs of joined and
    /// removed runs remain until [`ReceivedRanges::report_sack`] removes them.
    recent: VecDeque<(u64, u64)>,
    /// Number of arrivals so far.
    arrivals: u64,
}

/// Run of received bytes above a gap.
#[derive(Clone, Copy, Debug)]
struct ReceivedRun {
    start: u64,
    end: u64,
    /// Number of the last arrival that extended the run, used for the order of reported runs (RFC 2018 §4).
    touched: u64,
}

/// Changes that the arrival of a segment caused.
#[derive(Debug)]
pub(super) struct InsertOutcome {
    /// Number of bytes by which `expected` advanced.
    pub advanced_bytes: u64,
    /// First contiguous run of the segment's bytes that had arrived before (RFC 2883 §4).
    pub duplicate: Option<SackBlock>,
}

impl ReceivedRanges {
    pub fn new(expected: u64) -> Self {
        ReceivedRanges { rcv_nxt: expected, runs: VecDeque::new(), recent: VecDeque::new(), arrivals: 0 }
    }

    /// True if the byte at `seq` has arrived.
    pub fn has_byte(&self, seq: u64) -> bool {
        seq < self.rcv_nxt || self.runs.iter().any(|r| (r.start..r.end).contains(&seq))
    }

    pub fn has_gap(&self) -> bool {
        !self.runs.is_empty()
    }

    pub fn insert(&mut self, s: SackBlock) -> InsertOutcome {
        let before = self.rcv_nxt;
        let duplicate = self.first_duplicate(s);
        self.arrivals += 1;
        if s.start <= self.rcv_nxt {
            self.rcv_nxt = self.rcv_nxt.max(s.end);
            self.remove_reached_runs();
        } else {
            self.insert_above_gap(s);
        }
        InsertOutcome { advanced_bytes: self.rcv_nxt - before, duplicate }
    }

    fn first_duplicate(&self, s: SackBlock) -> Option<SackBlock> {
        if s.start < self.rcv_nxt {
            return Some(SackBlock { start: s.start, end: s.end.min(self.rcv_nxt) });
        }
        if self.runs.back().is_none_or(|last| last.end <= s.start) {
            return None;
        }
        let run = self.runs.get(self.runs.partition_point(|r| r.end <= s.start))?;
        (run.start < s.end).then(|| SackBlock { start: s.start.max(run.start), end: s.end.min(run.end) })
    }

    /// Removes the runs that `expected` has reached.
    #[inline]
    fn remove_reached_runs(&mut self) {
        if self.runs.front().is_some_and(|first| first.start <= self.rcv_nxt) {
            self.absorb_reached();
        }
    }

    #[inline(never)]
    fn absorb_reached(&mut self) {
        let mut reached = 0;
        while let Some(r) = self.runs.get(reached).filter(|r| r.start <= self.rcv_nxt) {
            self.rcv_nxt = self.rcv_nxt.max(r.end);
            reached += 1;
        }
        self.runs.drain(..reached);
        if self.runs.is_empty() {
            self.recent.clear();
        }
    }

    /// Stores a segment above a gap and joins it with all runs that overlap or touch it.
    fn insert_above_gap(&mut self, s: SackBlock) {
        let mut run = ReceivedRun { start: s.start, end: s.end, touched: self.arrivals };
        match self.runs.back_mut() {
            Some(last) if last.end == s.start => {
                run.start = last.start;
                *last = run;
            }
            Some(last) if s.start < last.end => run = self.join_overlapping(run),
            _ => self.runs.push_back(run),
        }
        if self.recent.back().is_some_and(|&(_, start)| start == run.start) {
            self.recent.pop_back();
        }
        self.recent.push_back((run.touched, run.start));
    }

    /// Adds a run that begins below the end of the last run. Joins the run with all runs that overlap or
    /// touch it, and returns the joined run.
    #[inline(never)]
    fn join_overlapping(&mut self, mut run: ReceivedRun) -> ReceivedRun {
        let from = self.runs.partition_point(|r| r.end < run.start);
        let to = self.runs.partition_point(|r| r.start <= run.end);
        if from == to {
            self.runs.insert(from, run);
            return run;
        }
        run.start = run.start.min(self.runs[from].start);
        run.end = run.end.max(self.runs[to - 1].end);
        self.runs[from] = run;
        self.runs.drain(from + 1..to);
        run
    }

    /// Returns at most `room` SACK blocks: the duplicate (RFC 2883 §4), then the runs, the most recently
    /// extended first. The first run therefore contains the segment that caused this ACK, and the other runs
    /// repeat earlier ACKs (RFC 2018 §4).
    pub fn report_sack(&mut self, room: usize, duplicate: Option<SackBlock>) -> Sack {
        let mut sack = Sack::EMPTY;
        if room == 0 {
            return sack;
        }
        if let Some(block) = duplicate {
            sack.push(block);
        }
        let mut place = self.recent.len();
        while place > 0 && sack.len() < room {
            place -= 1;
            let (touched, start) = self.recent[place];
            let run = self.runs.get(self.runs.partition_point(|r| r.start < start));
            match run.filter(|r| (r.touched, r.start) == (touched, start)) {
                Some(run) => sack.push(SackBlock { start, end: run.end }),
                // the run was extended again, joined, or acknowledged cumulatively
                None => drop(self.recent.remove(place)),
            }
        }
        sack
    }
}
