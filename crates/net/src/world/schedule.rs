//! Schedule of a run: its operations on the event queue. With a recorded schedule, the event queue can be
//! timed alone.

use crate::world::{Event, RunInterrupted, World};
use airhop_base::Time;
use airhop_engine::EventQueue;
use std::mem;
use std::sync::atomic::AtomicBool;

/// Recorded operations of a run on its event queue. The operations can be repeated on another queue.
#[derive(Clone, Debug)]
pub struct WorldSchedule(airhop_engine::QueueRecording<Event>);

impl WorldSchedule {
    /// Returns the number of recorded events.
    pub fn event_count(&self) -> usize {
        self.0.len()
    }

    /// Returns the mean number of pending events.
    pub fn mean_pending_events(&self) -> f64 {
        self.0.mean_pending_events()
    }

    /// Pushes the recorded events into a new event queue and pops them. Events are not handled.
    pub fn replay(&self) {
        std::hint::black_box(self.0.replay());
    }
}

impl World {
    /// Runs the world up to `from`, and at least to the end of the warm-up. Then records the schedule of the
    /// next `events` events, or fewer if the scenario ends. Recording does not affect the rest of the run.
    ///
    /// # Errors
    /// [`RunInterrupted`] if `stop` has become true before `from`.
    pub fn record_schedule(
        &mut self,
        from: Time,
        events: usize,
        stop: &AtomicBool,
    ) -> Result<WorldSchedule, RunInterrupted> {
        let end = Time::ZERO + self.duration;
        self.warm_up(stop)?;
        self.run_until(from.min(end), stop)?;
        let mut schedule = airhop_engine::QueueRecording::from_queue(&self.events);
        while schedule.len() < events
            && let Some((now, event)) = self.events.pop_until(end)
        {
            // An empty queue takes the place of the event queue while an event is handled, and then contains
            // exactly the events that the handled event scheduled.
            let waiting = mem::replace(&mut self.events, EventQueue::with_start_time(now));
            self.handle_event(now, event);
            let made = mem::replace(&mut self.events, waiting);
            schedule.record_pop(made, &mut self.events);
        }
        Ok(WorldSchedule(schedule))
    }
}
