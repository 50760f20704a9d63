//! `Schedule`: recorded operations of a run on its event queue, for Python.

use crate::runs::{POLL, python_error};
use crate::scenario::Scenario;
use airhop_scenario::Run;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Recorded operations of a run on its event queue, to be replayed on another event queue.
#[pyclass(frozen, module = "airhop._core")]
pub struct Schedule {
    inner: airhop_scenario::WorldSchedule,
}

#[pymethods]
impl Schedule {
    /// Returns the schedule of a run from the middle of its simulated time on. It has `events` events, or
    /// fewer if the run ends before. Ctrl-C stops the recording.
    #[staticmethod]
    fn of(py: Python<'_>, scenario: &Scenario, seed: u64, rep: u64, events: usize) -> PyResult<Schedule> {
        let run = Run { scenario: scenario.inner.clone(), seed, rep };
        let stop = AtomicBool::new(false);
        let taken_down = thread::scope(|scope| {
            let work = scope.spawn(|| run.schedule(events, &stop));
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
        self.inner.events()
    }

    /// Return the mean number of pending events, averaged over all events.
    #[getter]
    fn mean_waiting(&self) -> f64 {
        self.inner.mean_pending()
    }

    /// Pushes the recorded events into a new queue of the same kind, and pops them without handling them.
    fn replay(&self, py: Python<'_>) {
        py.detach(|| self.inner.replay());
    }
}
