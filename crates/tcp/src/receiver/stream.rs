//! The received ranges of a connection, without their contents.

use airhop_base::{Sack, SackBlock};
use std::collections::VecDeque;

/// Receive buffer: the received ranges without their contents.
#[derive(Debug)]
pub(super) struct Stream {
    /// All before it came.
    pub expected: u64,
    /// Runs above `expected`, in order, no two of them touching each other or `expected`.
    runs: VecDeque<Run>,
    /// The runs in the order in which they were touched, each by that number and its first byte, among others that are no more.
    recent: VecDeque<(u64, u64)>,
    /// Counts arrivals.
    arrivals: u64,
}

/// A run of bytes beyond a gap.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: u64,
    end: u64,
    /// The number of the last arrival that touched it: the order in which RFC 2018 §4 wants runs reported.
    touched: u64,
}

/// Changes that the arrival of a segment caused.
#[derive(Debug)]
pub(super) struct Change {
    /// By how much `expected` advanced.
    pub advance: u64,
    /// The first of its bytes that had come before, as one contiguous run (RFC 2883 §4).
    pub duplicate: Option<SackBlock>,
}

impl Stream {
    pub fn new(expected: u64) -> Self {
        Stream { expected, runs: VecDeque::new(), recent: VecDeque::new(), arrivals: 0 }
    }

    /// True if the byte at `seq` has arrived.
    pub fn has_byte(&self, seq: u64) -> bool {
        seq < self.expected || self.runs.iter().any(|r| (r.start..r.end).contains(&seq))
    }

    pub fn has_gap(&self) -> bool {
        !self.runs.is_empty()
    }

    pub fn insert(&mut self, s: SackBlock) -> Change {
        let before = self.expected;
        let duplicate = self.first_duplicate(s);
        self.arrivals += 1;
        if s.start <= self.expected {
            self.expected = self.expected.max(s.end);
            self.absorb();
        } else {
            self.hold(s);
        }
        Change { advance: self.expected - before, duplicate }
    }

    fn first_duplicate(&self, s: SackBlock) -> Option<SackBlock> {
        if s.start < self.expected {
            return Some(SackBlock { start: s.start, end: s.end.min(self.expected) });
        }
        if self.runs.back().is_none_or(|last| last.end <= s.start) {
            return None;
        }
        let run = self.runs.get(self.runs.partition_point(|r| r.end <= s.start))?;
        (run.start < s.end).then(|| SackBlock { start: s.start.max(run.start), end: s.end.min(run.end) })
    }

    /// Removes the runs that `expected` has reached.
    fn absorb(&mut self) {
        if !self.has_gap() {
            return;
        }
        let mut reached = 0;
        while let Some(r) = self.runs.get(reached).filter(|r| r.start <= self.expected) {
            self.expected = self.expected.max(r.end);
            reached += 1;
        }
        self.runs.drain(..reached);
        if self.runs.is_empty() {
            self.recent.clear();
        }
    }

    /// Keeps a segment beyond a gap, joined with all runs that it overlaps or touches.
    fn hold(&mut self, s: SackBlock) {
        let mut run = Run { start: s.start, end: s.end, touched: self.arrivals };
        match self.runs.back_mut() {
            Some(last) if last.end == s.start => {
                run.start = last.start;
                *last = run;
            }
            Some(last) if s.start < last.end => run = self.join(run),
            _ => self.runs.push_back(run),
        }
        if self.recent.back().is_some_and(|&(_, start)| start == run.start) {
            self.recent.pop_back();
        }
        self.recent.push_back((run.touched, run.start));
    }

    /// Adds a run that begins below the end of the last one, joined with all runs that it overlaps or touches. Returns
    /// the joined run.
    fn join(&mut self, mut run: Run) -> Run {
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

    /// At most `room` SACK blocks: the duplicate (RFC 2883 §4), then the runs, the most recently touched first. The
    /// first run therefore contains the segment that caused this ACK, and the others repeat earlier ACKs (RFC 2018 §4).
    pub fn report(&mut self, room: usize, duplicate: Option<SackBlock>) -> Sack {
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
                None => drop(self.recent.remove(place)), // touched again since, joined, or taken
            }
        }
        sack
    }
}
