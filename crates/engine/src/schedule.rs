use crate::EventQueue;
use airhop_base::Time;
use std::hint::black_box;

/// Recorded operations of a world on its event queue: the initial queue, and the events pushed after each
/// pop.
///
/// A replay on another queue measures the maximum speed of an event loop. The same events are pending at the
/// same times, but no handler runs. The replay is the hold model of Jones 1986 (CACM 29:300), with the pushes
/// of a real run in place of one random push per pop.
#[derive(Clone, Debug)]
pub struct QueueRecording<E> {
    begin: EventQueue<E>,
    pushed: Vec<(Time, E)>,
    /// End of the events in `pushed` that belong to each pop.
    ends: Vec<u32>,
}

impl<E: Copy> QueueRecording<E> {
    /// Creates a schedule that begins with this queue.
    pub fn from_queue(queue: &EventQueue<E>) -> Self {
        QueueRecording { begin: queue.clone(), pushed: Vec::new(), ends: Vec::new() }
    }

    /// Records a pop from `queue`, and the events `made` by the popped event. Also pushes these events into
    /// `queue`.
    pub fn record_pop(&mut self, mut made: EventQueue<E>, queue: &mut EventQueue<E>) {
        while let Some((at, event)) = made.pop_until(Time::MAX) {
            queue.push(at, event);
            self.pushed.push((at, event));
        }
        self.ends.push(u32::try_from(self.pushed.len()).expect("fewer than 2^32 events"));
    }

    /// Returns the number of popped events.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if no event was popped.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the mean number of pending events, counted after each pop and its pushes; 0 if no event was
    /// popped.
    pub fn mean_pending_events(&self) -> f64 {
        let waited = |(left, &end): (usize, &u32)| (self.begin.len() + end as usize - left - 1) as f64;
        self.ends.iter().enumerate().map(waited).sum::<f64>() / self.len().max(1) as f64
    }

    /// Repeats the operations on a copy of the initial queue, and returns the copy.
    pub fn replay(&self) -> EventQueue<E> {
        let mut queue = self.begin.clone();
        let mut first = 0;
        for &end in &self.ends {
            black_box(queue.pop_until(Time::MAX));
            for &(at, event) in &self.pushed[first..end as usize] {
                queue.push(at, event);
            }
            first = end as usize;
        }
        queue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// Pops this many events. Each event schedules 0, 1 or 2 further events, soon, late or at the same time.
    /// Returns the popped events in order.
    fn run(
        queue: &mut EventQueue<u32>,
        events: u32,
        mut schedule: Option<&mut QueueRecording<u32>>,
    ) -> Vec<(Time, u32)> {
        let mut draw = crate::RandomStreams::new(1, 0).stream("schedule");
        let mut left = Vec::new();
        for name in 0..events {
            let (now, event) = queue.pop_until(Time::MAX).expect("more events are pending than are popped");
            left.push((now, event));
            let mut made = EventQueue::with_start_time(now);
            for _ in 0..draw.uniform_below(3) {
                made.push(
                    at(now.nanos() + (u64::from(draw.uniform_below(4)) << (10 * draw.uniform_below(4)))),
                    name,
                );
            }
            match &mut schedule {
                Some(schedule) => schedule.record_pop(made, queue),
                None => {
                    std::iter::from_fn(|| made.pop_until(Time::MAX)).for_each(|(at, e)| queue.push(at, e))
                }
            }
        }
        left
    }

    fn filled() -> EventQueue<u32> {
        let mut queue = EventQueue::new();
        (0..500).for_each(|i| queue.push(at(u64::from(i % 7) << (i % 20)), 10_000 + i));
        run(&mut queue, 100, None);
        queue
    }

    fn drained(mut queue: EventQueue<u32>) -> Vec<(Time, u32)> {
        std::iter::from_fn(|| queue.pop_until(Time::MAX)).collect()
    }

    #[test]
    fn a_replay_leaves_the_same_queue_as_the_run() {
        let mut queue = filled();
        let mut schedule = QueueRecording::from_queue(&queue);
        run(&mut queue, 300, Some(&mut schedule));
        let replayed = schedule.replay();
        assert_eq!(
            (schedule.len(), replayed.now(), replayed.popped_count()),
            (300, queue.now(), queue.popped_count())
        );
        assert_eq!(drained(replayed), drained(queue));
    }

    #[test]
    fn recording_a_schedule_does_not_change_the_run() {
        let (mut watched, mut alone) = (filled(), filled());
        let mut schedule = QueueRecording::from_queue(&watched);
        assert_eq!(run(&mut watched, 300, Some(&mut schedule)), run(&mut alone, 300, None));
        assert_eq!(drained(watched), drained(alone));
    }

    #[test]
    fn a_schedule_averages_the_pending_events() {
        let mut queue = EventQueue::new();
        (0..4).for_each(|i| queue.push(at(i), 0));
        let mut schedule = QueueRecording::from_queue(&queue);
        assert_eq!((schedule.mean_pending_events(), schedule.is_empty()), (0.0, true));
        for pushes in [0, 3, 1_u64] {
            let (now, _) = queue.pop_until(Time::MAX).expect("four wait");
            let mut made = EventQueue::with_start_time(now);
            (0..pushes).for_each(|i| made.push(at(100 + i), 1));
            schedule.record_pop(made, &mut queue);
        }
        assert_eq!(schedule.mean_pending_events(), (3.0 + 5.0 + 5.0) / 3.0);
    }
}
