use airhop_base::Time;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The pending events of a world, earliest first; events of the same instant leave in the order in which they came.
///
/// `E` is meant to be a small `Copy` enum: nothing is boxed and nothing is called.
///
/// # Panics
/// Scheduling into the past panics: an effect before its cause is a bug that must not become a number.
#[derive(Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    now: Time,
    seq: u64,
    popped: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    at: Time,
    seq: u64,
    event: E,
}

impl<E> Entry<E> {
    /// Time and sequence as one number: one comparison instead of two in the heap's inner loop.
    fn key(&self) -> u128 {
        (u128::from(self.at.nanos()) << 64) | u128::from(self.seq)
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    /// Reversed: `BinaryHeap` gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> EventQueue<E> {
    /// An empty queue at time zero.
    pub fn new() -> Self {
        EventQueue { heap: BinaryHeap::with_capacity(256), now: Time::ZERO, seq: 0, popped: 0 }
    }

    /// The time of the last event taken out.
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many events were taken out so far.
    pub fn popped(&self) -> u64 {
        self.popped
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Schedules `event` at `at`.
    ///
    /// # Panics
    /// If `at` has passed.
    pub fn push(&mut self, at: Time, event: E) {
        assert!(at >= self.now, "an event at {at} was scheduled at {}, after it", self.now);
        self.seq += 1;
        self.heap.push(Entry { at, seq: self.seq, event });
    }

    /// Takes out the next event not later than `end`.
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, E)> {
        if self.heap.peek()?.at > end {
            return None;
        }
        let entry = self.heap.pop()?;
        self.now = entry.at;
        self.popped += 1;
        Some((entry.at, entry.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn ties_leave_in_the_order_they_came() {
        let mut q = EventQueue::new();
        for i in 0..100 {
            q.push(at(7), i);
        }
        q.push(at(3), 1000);
        assert_eq!(q.pop_until(Time::MAX), Some((at(3), 1000)));
        for i in 0..100 {
            assert_eq!(q.pop_until(Time::MAX), Some((at(7), i)));
        }
        assert_eq!(q.popped(), 101);
    }

    #[test]
    fn nothing_after_the_end_is_taken() {
        let mut q = EventQueue::new();
        q.push(at(10), ());
        assert_eq!(q.pop_until(at(9)), None);
        assert_eq!(q.pop_until(at(10)), Some((at(10), ())));
    }

    #[test]
    #[should_panic(expected = "after it")]
    fn the_past_is_refused() {
        let mut q = EventQueue::new();
        q.push(at(10), ());
        q.pop_until(Time::MAX);
        q.push(at(9), ());
    }
}
