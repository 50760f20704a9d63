use airhop_base::Time;

/// Children of a heap node. With four, the heap is half as deep as a binary one and the children of a node share a cache
/// line or two: a quarter faster for the few dozen events that usually wait.
const ARITY: usize = 4;

/// The pending events of a world, earliest first; events of the same instant leave in the order in which they came.
///
/// `E` is meant to be a small `Copy` enum: nothing is boxed and nothing is called.
///
/// # Panics
/// Scheduling into the past panics: an effect before its cause is a bug that must not become a number.
#[derive(Debug)]
pub struct EventQueue<E> {
    heap: Vec<Entry<E>>,
    /// The place at the top is free: its event was taken out. What happens at an event most often schedules another, which then
    /// takes that place and goes down once, where filling it from the end and putting the other there would take two ways.
    vacant: bool,
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
    #[inline]
    fn key(&self) -> u128 {
        (u128::from(self.at.nanos()) << 64) | u128::from(self.seq)
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
        EventQueue { heap: Vec::with_capacity(256), vacant: false, now: Time::ZERO, seq: 0, popped: 0 }
    }

    /// The time of the last event taken out.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many events were taken out so far.
    #[inline]
    pub fn popped(&self) -> u64 {
        self.popped
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.heap.len() - usize::from(self.vacant)
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Schedules `event` at `at`.
    ///
    /// # Panics
    /// If `at` has passed.
    #[inline]
    pub fn push(&mut self, at: Time, event: E) {
        assert!(at >= self.now, "an event at {at} was scheduled at {}, after it", self.now);
        self.seq += 1;
        let entry = Entry { at, seq: self.seq, event };
        if std::mem::take(&mut self.vacant) {
            return self.sink(entry);
        }
        self.heap.push(entry);
        self.rise(self.heap.len() - 1, entry);
    }

    /// Takes out the next event not later than `end`.
    #[inline]
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, E)> {
        if std::mem::take(&mut self.vacant) {
            let last = self.heap.pop()?;
            if !self.heap.is_empty() {
                self.sink(last);
            }
        }
        let first = *self.heap.first()?;
        if first.at > end {
            return None;
        }
        self.vacant = true;
        self.now = first.at;
        self.popped += 1;
        Some((first.at, first.event))
    }

    /// Moves `entry` up from the free place `hole` until its parent is not later.
    fn rise(&mut self, mut hole: usize, entry: Entry<E>) {
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.heap[parent].key() <= entry.key() {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
    }

    /// Moves `entry` down from the free place at the top until no child is earlier.
    fn sink(&mut self, entry: Entry<E>) {
        let (heap, key) = (self.heap.as_mut_slice(), entry.key());
        let mut hole = 0;
        loop {
            let first = hole * ARITY + 1;
            let (least, least_key) = match heap.get(first..) {
                // Two pairs, which do not wait for each other, and then the earlier of both.
                Some([a, b, c, d, ..]) => {
                    earlier(earlier((0, a.key()), (1, b.key())), earlier((2, c.key()), (3, d.key())))
                }
                Some([a, rest @ ..]) => rest
                    .iter()
                    .zip(1..)
                    .fold((0, a.key()), |least, (child, i)| earlier(least, (i, child.key()))),
                _ => break,
            };
            if key <= least_key {
                break;
            }
            heap[hole] = heap[first + least];
            hole = first + least;
        }
        heap[hole] = entry;
    }
}

/// Of two children with their keys, the earlier.
#[inline]
fn earlier(a: (usize, u128), b: (usize, u128)) -> (usize, u128) {
    if b.1 < a.1 { b } else { a }
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
    fn a_random_mix_leaves_in_order() {
        // The heap property, against a sorted list: ten thousand events with many ties, some taken out in between.
        let mut draw = crate::Streams::new(1, 0).stream("times");
        let (mut q, mut reference, mut out) = (EventQueue::new(), Vec::new(), Vec::new());
        for i in 0..10_000_u32 {
            let t = q.now().nanos() + u64::from(draw.below(50));
            q.push(at(t), i);
            reference.push((t, i));
            if draw.chance(0.4) {
                out.extend(q.pop_until(Time::MAX));
            }
        }
        out.extend(std::iter::from_fn(|| q.pop_until(Time::MAX)));
        reference.sort();
        assert_eq!(out.iter().map(|&(t, i)| (t.nanos(), i)).collect::<Vec<_>>(), reference);
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
