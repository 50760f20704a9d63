//! `Schedule`: recorded event queue operations of a run, for Python.

use crate::runs::{POLL, python_error};
use crate::scenario::Scenario;
use airhop_scenario::Run;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Recorded event queue operations of a run, for replay on another event queue.
#[pyclass(frozen, module = "airhop._core")]
pub struct Schedule {
    inner: airhop_scenario::WorldSchedule,
}

#[pymethods]
impl Schedule {
    /// Records `events` events of a run, starting in the middle of the simulated time. If the run ends first,
    /// the schedule has fewer events. Ctrl-C stops the recording.
    #[staticmethod]
    fn of(py: Python<'_>, scenario: &Scenario, seed: u64, rep: u64, events: usize) -> PyResult<Schedule> {
        let run = Run { scenario: scenario.inner.clone(), seed, rep };
        let stop = AtomicBool::new(false);
        let taken_down = thread::scope(|scope| {
            let work = scope.spawn(|| run.queue_operations(events, &stop));
            let mut signals = Ok(());
            while !work.is_finished() && signals.is_ok() {
                py.detach(|| thread::sleep(POLL));
                signals = py.check_signals();
            }
            stop.store(signals.is_err(), Ordering::Relaxed);
            let taken_down = py.detach(|| work.join()).expect("a panic is its result");
            signals.map(|()| taken_down)
        })?;
        taken_down.map(|inner| Schedule { inner }).map_err(|why| python_error(py, why))
    }

    /// Return the number of recorded events.
    fn __len__(&self) -> usize {
        self.inner.event_count()
    }

    /// Return the mean number of pending events.
    #[getter]
    fn mean_waiting(&self) -> f64 {
        self.inner.mean_pending_events()
    }

    /// Replays the recorded pushes and pops on a new queue of the same kind. The events are not handled.
    fn replay(&self, py: Python<'_>) {
        py.detach(|| self.inner.replay());
    }
}
