use airhop_base::SackBlock;
use std::collections::VecDeque;

/// Runs of SACKed segments in sequence order, separated by holes. ACKs repeat earlier blocks. The segments of
/// a block that lies within a run are not checked again.
#[derive(Clone, Debug, Default)]
pub(crate) struct SackRanges(VecDeque<SackBlock>);

impl SackRanges {
    /// Adds a run that overlaps no other run. Adjacent runs are merged.
    pub fn insert(&mut self, run: SackBlock) {
        let place = self.0.partition_point(|known| known.end < run.start);
        match self.0.get_mut(place) {
            Some(before) if before.end == run.start => {
                before.end = run.end;
                if self.0.get(place + 1).is_some_and(|after| after.start == run.end) {
                    self.join_next(place);
                }
            }
            _ => self.insert_before(place, run),
        }
    }

    /// Joins a run with the adjacent next run.
    #[inline(never)]
    fn join_next(&mut self, place: usize) {
        let next = self.0.remove(place + 1);
        self.0[place].end = next.map_or(self.0[place].end, |next| next.end);
    }

    /// Adds a run that is not adjacent to an earlier run.
    #[inline(never)]
    fn insert_before(&mut self, place: usize, run: SackBlock) {
        match self.0.get_mut(place).filter(|after| after.start == run.end) {
            Some(after) => after.start = run.start,
            None => self.0.insert(place, run),
        }
    }

    /// Removes the ranges below `una`.
    pub fn remove_below(&mut self, una: u64) {
        while let Some(first) = self.0.front_mut() {
            if first.end > una {
                first.start = first.start.max(una);
                break;
            }
            self.0.pop_front();
        }
    }

    /// Removes the ranges within `[start, end)`.
    pub fn remove(&mut self, start: u64, end: u64) {
        let first = self.0.partition_point(|run| run.end <= start);
        let last = self.0.partition_point(|run| run.start < end);
        let rest: Vec<SackBlock> = self
            .0
            .drain(first..last)
            .flat_map(|run| {
                [SackBlock { end: run.end.min(start), ..run }, SackBlock { start: run.start.max(end), ..run }]
            })
            .filter(|run| run.start < run.end)
            .collect();
        rest.into_iter().rev().for_each(|run| self.0.insert(first, run));
    }

    /// Removes all runs.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the run that contains the byte `seq`.
    pub fn run_at(&self, seq: u64) -> Option<&SackBlock> {
        let place = self.0.partition_point(|run| run.end <= seq);
        self.0.get(place).filter(|run| run.start <= seq)
    }

    /// Returns the first bytes of `[from, end)` that no run covers; `None` if runs cover all bytes.
    pub fn first_gap(&self, from: u64, end: u64) -> Option<SackBlock> {
        let place = self.0.partition_point(|run| run.end <= from);
        let (start, next) = match self.0.get(place) {
            Some(run) if run.start <= from => (run.end, self.0.get(place + 1)),
            next => (from, next),
        };
        (start < end).then(|| SackBlock { start, end: next.map_or(end, |next| end.min(next.start)) })
    }

    /// Returns the runs in sequence order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &SackBlock> {
        self.0.iter()
    }
}
