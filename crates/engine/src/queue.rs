use airhop_base::Time;

/// Bits of an instant, and with one more for the events that are due, buckets.
const BITS: usize = u64::BITS as usize;

/// The pending events of a world, earliest first; events of the same instant leave in the order in which they came.
///
/// `E` is meant to be a small `Copy` enum: nothing is boxed and nothing is called.
///
/// A radix heap (Ahuja, Mehlhorn, Orlin and Tarjan 1990, J. ACM 37:213): since time never goes back, the events are sorted only as finely
/// as their distance asks for. What is far away, such as most timers, lies in one coarse bucket, and is sorted as it comes near; events of
/// the same instant are always in the same bucket, behind each other. Pushing is a few instructions whatever waits, and an event moves
/// about half as often as the number of those that wait has bits, through memory that is read in sequence.
///
/// # Panics
/// Scheduling into the past panics: an effect before its cause is a bug that must not become a number.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// What is due now; the first `taken` of them have left.
    due: Vec<Entry<E>>,
    taken: usize,
    /// In the bucket `b`: the events whose time differs from now in bit `b`, and in no higher one.
    buckets: [Vec<Entry<E>>; BITS],
    /// Which buckets are not empty, a bit for each.
    filled: u64,
    now: Time,
    popped: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry<E> {
    at: Time,
    event: E,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> EventQueue<E> {
    /// An empty queue at time zero.
    pub fn new() -> Self {
        Self::starting_at(Time::ZERO)
    }

    /// An empty queue that takes nothing before `now`.
    pub fn starting_at(now: Time) -> Self {
        let buckets = std::array::from_fn(|_| Vec::new());
        EventQueue { due: Vec::new(), taken: 0, buckets, filled: 0, now, popped: 0 }
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

    /// True if more is due at this very instant.
    #[inline]
    pub fn more_is_due(&self) -> bool {
        self.taken < self.due.len()
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.due.len() - self.taken + self.buckets.iter().map(Vec::len).sum::<usize>()
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Schedules `event` at `at`. A call, not a copy in each of the many places that schedule something: the loop has to fit the
    /// instruction cache.
    ///
    /// # Panics
    /// If `at` has passed.
    #[inline(never)]
    pub fn push(&mut self, at: Time, event: E) {
        assert!(at >= self.now, "an event at {at} was scheduled at {}, after it", self.now);
        let entry = Entry { at, event };
        match distance(self.now, at) {
            None => append(&mut self.due, entry),
            Some(bit) => {
                self.filled |= 1 << bit;
                append(&mut self.buckets[bit], entry);
            }
        }
    }

    /// Takes out the next event not later than `end`.
    #[inline]
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, E)> {
        let Entry { at, event } = match self.due.get(self.taken) {
            Some(_) if self.now > end => return None,
            Some(&entry) => {
                self.taken += 1;
                entry
            }
            None => self.advance(end)?,
        };
        self.popped += 1;
        Some((at, event))
    }

    /// Goes on to the next instant at which something is due, if that is not later than `end`, and takes out the first of it.
    #[inline]
    fn advance(&mut self, end: Time) -> Option<Entry<E>> {
        if self.filled == 0 {
            return None;
        }
        let nearest = self.filled.trailing_zeros() as usize;
        let bucket = &mut self.buckets[nearest];
        let first = match bucket[..] {
            [only] => only,
            _ => *bucket.iter().min_by_key(|entry| entry.at)?,
        };
        if first.at > end {
            return None;
        }
        self.now = first.at;
        self.due.clear();
        self.taken = 0;
        self.filled ^= 1 << nearest;
        if bucket.len() > 1 {
            self.sort_out(nearest);
            self.taken = 1;
        } else {
            bucket.clear();
        }
        Some(first)
    }

    /// Seen from now, the events of this bucket belong into lower ones, and those of the buckets above stay where they are.
    fn sort_out(&mut self, bucket: usize) {
        let (lower, rest) = self.buckets.split_at_mut(bucket);
        for entry in rest[0].drain(..) {
            match distance(self.now, entry.at) {
                None => append(&mut self.due, entry),
                Some(bit) => {
                    self.filled |= 1 << bit;
                    append(&mut lower[bit], entry);
                }
            }
        }
    }
}

/// Appends an event. That memory may have to grow, which it does rarely, is no burden to where it need not.
#[inline]
fn append<E>(bucket: &mut Vec<Entry<E>>, entry: Entry<E>) {
    #[cold]
    #[inline(never)]
    fn grow<E>(bucket: &mut Vec<Entry<E>>, entry: Entry<E>) {
        bucket.push(entry);
    }
    if bucket.len() == bucket.capacity() {
        return grow(bucket, entry);
    }
    bucket.push(entry);
}

/// The highest bit in which two instants differ.
#[inline]
fn distance(a: Time, b: Time) -> Option<usize> {
    (a.nanos() ^ b.nanos()).checked_ilog2().map(|bit| bit as usize)
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
            assert!(i == 0 || q.more_is_due());
            assert_eq!(q.pop_until(Time::MAX), Some((at(7), i)));
        }
        assert!(!q.more_is_due());
        assert_eq!(q.popped(), 101);
    }

    #[test]
    fn a_random_mix_leaves_in_order() {
        // Against a sorted list: ten thousand events with many ties, near and far, some taken out in between.
        let mut draw = crate::Streams::new(1, 0).stream("times");
        let (mut q, mut reference, mut out) = (EventQueue::new(), Vec::new(), Vec::new());
        for i in 0..10_000_u32 {
            let t = q.now().nanos() + (u64::from(draw.below(50)) << (20 * draw.below(3)));
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
        q.push(at(9), ()); // what was looked at in vain does not move the present
        assert_eq!(q.pop_until(at(9)), Some((at(9), ())));
        assert_eq!((q.pop_until(at(9)), q.len()), (None, 1));
        q.push(at(10), ());
        assert_eq!(q.pop_until(at(10)), Some((at(10), ())));
        assert_eq!(q.pop_until(at(9)), None, "what is due now is after that, too");
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
