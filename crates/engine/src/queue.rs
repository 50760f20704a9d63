use airhop_base::{Span, Time};

/// Number of bits in a time, equal to the number of buckets.
const TIME_BITS: usize = u64::BITS as usize;
/// Maximum number of events sorted at once.
const MAX_SORT_BATCH: usize = 12;
/// Maximum length of the sorted run. A longer run is moved back into the buckets.
const MAX_SORTED_EVENTS: usize = 2 * MAX_SORT_BATCH;

/// Pending events of a world, earliest first. Simultaneous events are popped in the order of scheduling.
///
/// `E` should be a small `Copy` enum, not a boxed closure.
///
/// The next few events are kept sorted. Later events are in a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan
/// 1990, J. ACM 37:213). Time never decreases, so distant events, such as most timers, stay in one coarse
/// bucket. As its time approaches, a bucket is divided until it has few enough events to sort. Simultaneous
/// events are always in the same bucket, in their order.
///
/// # Panics
/// If an event is scheduled in the past.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// Sorted events, earlier than all others. The next event to be popped is last. At most [`MAX_SORTED_EVENTS`] events.
    next: Vec<Entry<E>>,
    /// End of the sorted run. Events before this time are in `next`.
    until: Time,
    /// Lower bound of `until`, and of every time in `crowd` and `buckets`.
    base: Time,
    /// Events at the time `base`, in the order of scheduling; empty if `until` is after `base`.
    crowd: Vec<Entry<E>>,
    /// Events in the order of scheduling. Bucket `b` has the events with bit `b` as the highest bit in which
    /// the time differs from `base`.
    buckets: [Vec<Entry<E>>; TIME_BITS],
    /// Bit set of the non-empty buckets.
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
    /// Creates an empty queue at time zero.
    pub fn new() -> Self {
        Self::with_start_time(Time::ZERO)
    }

    /// Creates an empty queue that accepts no event before `now`.
    pub fn with_start_time(now: Time) -> Self {
        EventQueue {
            next: Vec::with_capacity(MAX_SORTED_EVENTS),
            until: now,
            base: now,
            crowd: Vec::new(),
            buckets: std::array::from_fn(|_| Vec::new()),
            filled: 0,
            now,
            popped: 0,
        }
    }

    /// Returns the time of the last popped event.
    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the number of events popped so far.
    #[inline]
    pub fn popped_count(&self) -> u64 {
        self.popped
    }

    /// True if more events are due at this instant.
    #[inline]
    pub fn has_event_now(&self) -> bool {
        match self.next.last() {
            Some(next) => next.at == self.now,
            None => self.base == self.now && !self.crowd.is_empty(),
        }
    }

    /// Returns the number of pending events.
    pub fn len(&self) -> usize {
        self.next.len() + self.crowd.len() + self.buckets.iter().map(Vec::len).sum::<usize>()
    }

    /// True if no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Schedules `event` at `at`. Not inlined, so that the event loop fits the instruction cache.
    ///
    /// # Panics
    ///
    /// If `at` has passed.
    #[inline(never)]
    pub fn push(&mut self, at: Time, event: E) {
        if at < self.now {
            panic_past_event(at, self.now);
        }
        let entry = Entry { at, event };
        if at >= self.until {
            return self.move_to_buckets(entry);
        }
        if self.next.len() == self.next.capacity() {
            return self.insert_into_full(at, event);
        }
        insert_sorted(&mut self.next, entry);
    }

    /// Inserts an event after moving [`MAX_SORTED_EVENTS`] sorted events back to the buckets. A separate function for this
    /// rare case saves registers in the frequent case.
    #[cold]
    #[inline(never)]
    fn insert_into_full(&mut self, at: Time, event: E) {
        self.return_to_buckets();
        let entry = Entry { at, event };
        if at >= self.until { self.move_to_buckets(entry) } else { insert_sorted(&mut self.next, entry) }
    }

    /// Returns the time of the next event.
    #[inline]
    pub fn next_time(&mut self) -> Option<Time> {
        if self.next.is_empty() {
            self.sort_nearest();
        }
        self.next.last().map(|next| next.at)
    }

    /// Pops the next event not later than `end`.
    #[inline]
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, E)> {
        self.is_due_by(end).then(|| self.pop())
    }

    /// True if the next event is not later than `end`.
    #[inline]
    pub fn is_due_by(&mut self, end: Time) -> bool {
        self.next_time().is_some_and(|at| at <= end)
    }

    /// Pops the next event, after [`EventQueue::is_due_by`] returned true. The loop calls these two functions: it
    /// would have to test the result of [`EventQueue::pop_until`] for an event.
    ///
    /// # Panics
    ///
    /// If no event is due.
    #[inline]
    pub fn pop(&mut self) -> (Time, E) {
        let last = self.next.len() - 1;
        let Entry { at, event } = self.next[last];
        self.next.truncate(last);
        self.popped += 1;
        self.now = at;
        (at, event)
    }

    /// Stores an event in `crowd` or in a bucket.
    #[inline]
    fn move_to_buckets(&mut self, entry: Entry<E>) {
        match highest_differing_bit(self.base, entry.at) {
            None => append(&mut self.crowd, entry),
            Some(bucket) => {
                self.filled |= 1 << bucket;
                append(&mut self.buckets[bucket], entry);
            }
        }
    }

    /// Sorts the events of the nearest buckets, up to a limit. Called when no sorted event is left.
    #[inline(never)]
    fn sort_nearest(&mut self) {
        if !self.crowd.is_empty() {
            // Later events at this instant are popped after these.
            std::mem::swap(&mut self.next, &mut self.crowd);
            return self.next.reverse();
        }
        self.restore_capacity();
        while self.filled != 0 {
            let nearest = self.filled.trailing_zeros() as usize;
            if self.next.len() + self.buckets[nearest].len() <= MAX_SORT_BATCH {
                self.sort_bucket(nearest);
            } else if self.next.is_empty() {
                self.divide_bucket(nearest);
                return self.sort_nearest();
            } else {
                return;
            }
        }
    }

    /// Restores the capacity for [`MAX_SORTED_EVENTS`] sorted events after a swap with `crowd`.
    #[inline]
    fn restore_capacity(&mut self) {
        if self.next.capacity() == MAX_SORTED_EVENTS {
            return;
        }
        std::mem::swap(&mut self.next, &mut self.crowd);
        if self.next.capacity() != MAX_SORTED_EVENTS {
            self.next = Vec::with_capacity(MAX_SORTED_EVENTS); // of a copy, or after a look ahead
        }
    }

    /// Adds the events of the nearest bucket to the sorted events.
    fn sort_bucket(&mut self, bucket: usize) {
        let Some(&Entry { at, .. }) = self.buckets[bucket].first() else { return };
        for entry in self.buckets[bucket].drain(..) {
            insert_sorted(&mut self.next, entry);
        }
        self.filled ^= 1 << bucket;
        let span = 1 << bucket;
        self.until = Time::from_nanos(at.nanos() & !(span - 1)) + Span::from_nanos(span);
    }

    /// Distributes the events of the nearest bucket over lower buckets, relative to the earliest event.
    fn divide_bucket(&mut self, bucket: usize) {
        let mut entries = std::mem::take(&mut self.buckets[bucket]);
        self.filled ^= 1 << bucket;
        self.base = entries.iter().map(|entry| entry.at).min().unwrap_or(self.base);
        self.until = self.base;
        for entry in entries.drain(..) {
            self.move_to_buckets(entry);
        }
        self.buckets[bucket] = entries;
    }

    /// Moves the sorted events from `base` on back to the buckets. All events in the buckets are later, and
    /// stay in their buckets.
    #[inline(never)]
    fn return_to_buckets(&mut self) {
        self.base = self.base.max(self.now);
        self.until = self.base;
        let later = self.next.partition_point(|entry| entry.at >= self.base);
        for place in (0..later).rev() {
            self.move_to_buckets(self.next[place]);
        }
        self.next.drain(..later);
    }
}

/// Inserts an event into the sorted events. Events already present at the same time are popped first.
#[inline]
fn insert_sorted<E: Copy>(entries: &mut Vec<Entry<E>>, entry: Entry<E>) {
    let at = entry.at;
    append(entries, entry);
    let Some((mut place, before)) = entries.split_last_mut() else { return };
    for other in before.iter_mut().rev() {
        if other.at > at {
            break;
        }
        *place = *other;
        place = other;
    }
    *place = entry;
}

#[cold]
#[inline(never)]
fn panic_past_event(at: Time, now: Time) -> ! {
    panic!("an event at {at} was scheduled at {now}, after it");
}

/// Appends an event. Growth of the vector is a separate function, so that the event stays in registers.
#[inline]
fn append<E>(bucket: &mut Vec<Entry<E>>, entry: Entry<E>) {
    #[cold]
    #[inline(never)]
    fn grow<E>(bucket: &mut Vec<Entry<E>>, at: Time, event: E) {
        bucket.push(Entry { at, event });
    }
    if bucket.len() == bucket.capacity() {
        return grow(bucket, entry.at, entry.event);
    }
    bucket.push(entry);
}

/// Returns the highest bit in which two times differ.
#[inline]
fn highest_differing_bit(a: Time, b: Time) -> Option<usize> {
    (a.nanos() ^ b.nanos()).checked_ilog2().map(|bit| bit as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn simultaneous_events_are_popped_in_insertion_order() {
        let mut q = EventQueue::new();
        for i in 0..100 {
            q.push(at(7), i);
        }
        q.push(at(3), 1000);
        assert_eq!(q.pop_until(Time::MAX), Some((at(3), 1000)));
        for i in 0..100 {
            assert!(i == 0 || q.has_event_now());
            assert_eq!(q.pop_until(Time::MAX), Some((at(7), i)));
        }
        assert!(!q.has_event_now());
        assert_eq!(q.popped_count(), 101);
    }

    #[test]
    fn random_events_are_popped_in_time_order() {
        // Comparison with a sorted list: many simultaneous events, near and distant events, pops between
        // pushes, and an end time that leaves some events. Between a few and hundreds of events are pending,
        // so sorted events return to the buckets, and buckets are divided.
        let mut draw = crate::RandomStreams::new(1, 0).stream("times");
        for taken in [0.4, 0.9, 0.98] {
            let (mut q, mut reference, mut out) = (EventQueue::new(), Vec::new(), Vec::new());
            for i in 0..10_000_u32 {
                let t = q.now().nanos() + (u64::from(draw.uniform_below(50)) << (20 * draw.uniform_below(3)));
                q.push(at(t), i);
                reference.push((t, i));
                if draw.random_bool(taken) {
                    let end = q.now().nanos() + (1 << draw.uniform_below(60));
                    out.extend(q.pop_until(at(end)));
                    assert!(q.now() <= at(end));
                }
            }
            assert_eq!(q.len() + out.len(), reference.len());
            out.extend(std::iter::from_fn(|| q.pop_until(Time::MAX)));
            reference.sort();
            assert_eq!(out.iter().map(|&(t, i)| (t.nanos(), i)).collect::<Vec<_>>(), reference);
        }
    }

    // Thousands of simultaneous events, as of many flows that start together, are pushed and popped without
    // comparisons with all others.
    #[test]
    fn thousands_of_simultaneous_events_need_no_sorting() {
        let mut q = EventQueue::new();
        q.push(at(1), 0);
        q.push(at(2), 0);
        assert_eq!(q.pop_until(Time::MAX), Some((at(1), 0)));
        for i in 0..300_000 {
            q.push(at(1 + i / 100_000), i);
        }
        assert!(q.has_event_now());
        let mut out = Vec::new();
        while let Some((now, i)) = q.pop_until(Time::MAX) {
            out.push(i);
            let last = [(1, 99_999), (2, 199_999), (3, 299_999)].contains(&(now.nanos(), i));
            assert_eq!(q.has_event_now(), !last, "{i} at {now}");
        }
        assert_eq!(out, (0..100_000).chain([0]).chain(100_000..300_000).collect::<Vec<_>>());
    }

    // A search for a future event divides the buckets relative to a future time; then many earlier events are
    // scheduled, as when a paused run continues.
    #[test]
    fn an_event_pushed_after_a_look_ahead_may_precede_it() {
        let mut q = EventQueue::new();
        q.push(at(7), 0);
        assert_eq!(q.pop_until(at(7)), Some((at(7), 0)));
        (16..116).for_each(|ns| q.push(at(ns), ns));
        assert_eq!(q.pop_until(at(8)), None);
        (0..2 * MAX_SORTED_EVENTS).for_each(|_| q.push(at(8), 8));
        let out: Vec<u64> = std::iter::from_fn(|| q.pop_until(Time::MAX)).map(|(_, ns)| ns).collect();
        assert_eq!(out, [8].repeat(2 * MAX_SORTED_EVENTS).into_iter().chain(16..116).collect::<Vec<_>>());
    }

    #[test]
    fn no_event_after_the_end_time_is_popped() {
        let mut q = EventQueue::new();
        q.push(at(10), ());
        assert_eq!(q.pop_until(at(9)), None);
        assert_eq!(q.next_time(), Some(at(10)));
        q.push(at(9), ()); // a look ahead does not move the present
        assert_eq!(q.pop_until(at(9)), Some((at(9), ())));
        assert_eq!((q.pop_until(at(9)), q.len()), (None, 1));
        q.push(at(10), ());
        assert_eq!(q.next_time(), Some(at(10)));
        assert_eq!(q.pop_until(at(10)), Some((at(10), ())));
        assert_eq!(q.pop_until(at(9)), None, "an event due now is also in the past");
        assert_eq!(q.pop_until(at(10)), Some((at(10), ())));
    }

    #[test]
    #[should_panic(expected = "after it")]
    fn an_event_in_the_past_is_refused() {
        let mut q = EventQueue::new();
        q.push(at(10), ());
        q.pop_until(Time::MAX);
        q.push(at(9), ());
    }
}
