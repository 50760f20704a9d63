//! A schedule is what a run asks of its event queue, so that the queue can be timed alone.

use crate::world::{Event, Interrupted, World};
use airhop_base::Time;
use airhop_engine::EventQueue;
use std::mem;
use std::sync::atomic::AtomicBool;

/// What a run asked of its event queue for a while, to be asked again of a queue alone.
#[derive(Clone, Debug)]
pub struct Schedule(airhop_engine::Schedule<Event>);

impl Schedule {
    /// How many events there were.
    pub fn events(&self) -> usize {
        self.0.len()
    }

    /// How many waited, on average over them.
    pub fn mean_waiting(&self) -> f64 {
        self.0.mean_waiting()
    }

    /// Puts the same events into a queue of the same kind and takes them out of it; nothing is done with them.
    pub fn replay(&self) {
        std::hint::black_box(self.0.replay());
    }
}

impl World {
    /// Runs up to `from`, but at least through the warm-up, and on for so many events or to the end of the scenario: the schedule of these
    /// events. The run can then go on as if nobody had looked.
    ///
    /// # Errors
    /// [`Interrupted`] if `stop` became true before `from`.
    pub fn schedule(
        &mut self,
        from: Time,
        events: usize,
        stop: &AtomicBool,
    ) -> Result<Schedule, Interrupted> {
        let end = Time::ZERO + self.duration;
        self.warm_up(stop)?;
        self.run_until(from.min(end), stop)?;
        let mut schedule = airhop_engine::Schedule::beginning(&self.events);
        while schedule.len() < events
            && let Some((now, event)) = self.events.pop_until(end)
        {
            // What an event schedules is seen in a queue that is otherwise empty.
            let waiting = mem::replace(&mut self.events, EventQueue::starting_at(now));
            self.handle(now, event);
            let made = mem::replace(&mut self.events, waiting);
            schedule.take_down(made, &mut self.events);
        }
        Ok(Schedule(schedule))
    }
}
