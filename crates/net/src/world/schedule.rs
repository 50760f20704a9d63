//! Schedule of a run: its operations on the event queue, recorded so that the queue can be timed separately.

use crate::world::{Event, Interrupted, World};
use airhop_base::Time;
use airhop_engine::EventQueue;
use std::mem;
use std::sync::atomic::AtomicBool;

/// Recorded operations of a run on its event queue, to be repeated on a separate event queue.
#[derive(Clone, Debug)]
pub struct WorldSchedule(airhop_engine::Schedule<Event>);

impl WorldSchedule {
    /// Returns the number of events.
    pub fn events(&self) -> usize {
        self.0.len()
    }

    /// Returns the mean number of pending events, over all events.
    pub fn mean_pending(&self) -> f64 {
        self.0.mean_pending()
    }

    /// Pushes the recorded events into a queue of the same kind and pops them, without handling them.
    pub fn replay(&self) {
        std::hint::black_box(self.0.replay());
    }
}

impl World {
    /// Runs up to `from`, and at least to the end of the warm-up. Then records the schedule of the next
    /// `events` events, or of all events until the end of the scenario. The run can continue unchanged.
    ///
    /// # Errors
    /// [`Interrupted`] if `stop` became true before `from`.
    pub fn schedule(
        &mut self,
        from: Time,
        events: usize,
        stop: &AtomicBool,
    ) -> Result<WorldSchedule, Interrupted> {
        let end = Time::ZERO + self.duration;
        self.warm_up(stop)?;
        self.run_until(from.min(end), stop)?;
        let mut schedule = airhop_engine::Schedule::beginning(&self.events);
        while schedule.len() < events
            && let Some((now, event)) = self.events.pop_until(end)
        {
            // The queue is empty while an event is handled, so afterwards it contains exactly the events that
            // this event scheduled.
            let waiting = mem::replace(&mut self.events, EventQueue::starting_at(now));
            self.handle(now, event);
            let made = mem::replace(&mut self.events, waiting);
            schedule.record_pop(made, &mut self.events);
        }
        Ok(WorldSchedule(schedule))
    }
}
