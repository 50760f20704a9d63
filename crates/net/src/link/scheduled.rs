//! Queue with departure times that are known in advance.

use crate::delays::{DelayHistogram, DelaySummary};
use airhop_base::Time;
use std::collections::VecDeque;

/// FIFO queue with a capacity. If a packet arrives at the time of a departure, the departing packet is still
/// in the queue.
#[derive(Debug)]
pub(crate) struct ScheduledFifo {
    /// Queue capacity in packets.
    capacity: u32,
    /// Number of queued packets. Departures since the last `remove_departed` are still counted.
    waiting: u32,
    /// Number of packets that a free serialiser sent at once.
    passed: u64,
    /// Packets that found the serialiser busy. The box keeps the link small, because most packets pass.
    queue: Box<Queue>,
}

/// State of the packets that found the serialiser busy.
#[derive(Debug, Default)]
struct Queue {
    /// Departure times. Only the last `waiting` times belong to queued packets; earlier times are obsolete.
    departures: VecDeque<Time>,
    /// Sojourn times, recorded when a packet enters the queue.
    waits: DelayHistogram,
}

impl ScheduledFifo {
    /// Creates an empty queue with room for `capacity` packets.
    pub fn new(capacity: usize) -> ScheduledFifo {
        ScheduledFifo {
            capacity: u32::try_from(capacity).unwrap_or(u32::MAX),
            waiting: 0,
            passed: 0,
            queue: Box::default(),
        }
    }

    /// Counts a packet that the free serialiser sends at once. All earlier packets have departed.
    #[inline]
    pub fn add_unqueued(&mut self) {
        self.waiting = 0;
        self.passed += 1;
    }

    /// Adds a packet that departs at `departure`.
    #[inline]
    pub fn enqueue(&mut self, now: Time, departure: Time) {
        self.forget_obsolete();
        self.queue.departures.push_back(departure);
        self.queue.waits.add(departure - now, 1);
        self.waiting += 1;
    }

    /// True if the queue has no room.
    #[inline]
    pub fn is_full(&mut self, now: Time) -> bool {
        self.waiting >= self.capacity && self.remove_departed(now, |_, _| {}) >= self.capacity()
    }

    /// Removes packets that have departed before `now`. Calls `show` with each departure time and the number
    /// of packets still queued. Returns the number of queued packets.
    pub fn remove_departed(&mut self, now: Time, mut show: impl FnMut(Time, usize)) -> usize {
        self.forget_obsolete();
        let departures = &mut self.queue.departures;
        while let Some(&departure) = departures.front().filter(|departure| **departure < now) {
            departures.pop_front();
            self.waiting -= 1;
            show(departure, self.waiting as usize);
        }
        self.waiting as usize
    }

    #[inline]
    fn forget_obsolete(&mut self) {
        while self.queue.departures.len() > self.waiting as usize {
            self.queue.departures.pop_front();
        }
    }

    /// Limits the number of queued packets to the number of packets that have not arrived at the far end.
    #[inline]
    pub fn limit_queued(&mut self, not_arrived: usize) {
        self.waiting = self.waiting.min(not_arrived as u32);
    }

    /// Returns the number of queued packets.
    pub fn queued_packets(&self, now: Time) -> usize {
        let departures = &self.queue.departures;
        let obsolete = departures.len() - self.waiting as usize;
        departures.len() - departures.partition_point(|departure| *departure < now).max(obsolete)
    }

    /// Returns the queue capacity in packets.
    pub fn capacity(&self) -> usize {
        self.capacity as usize
    }

    /// Returns the summary of the sojourn times; `None` without packets. The sojourn time of a packet that
    /// passed is zero.
    pub fn sojourn_summary(&self) -> Option<DelaySummary> {
        self.queue.waits.summary_with_zeros(self.passed)
    }

    /// Ends the warm-up. Only packets that enter the queue later count in the sojourn times.
    pub fn end_warm_up(&mut self) {
        self.passed = 0;
        self.queue.waits = DelayHistogram::default();
    }
}
