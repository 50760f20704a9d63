//! `Schedule`.

use crate::runs::{POLL, python_error};
use crate::scenario::Scenario;
use airhop_scenario::Run;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Operations of a run on its event queue for a while, to be replayed on a queue alone.
#[pyclass(frozen, module = "airhop._core")]
pub struct Schedule {
    inner: airhop_scenario::WorldSchedule,
}

#[pymethods]
impl Schedule {
    /// Returns the schedule of `events` events of a run, from the middle of its simulated time on; of fewer if it ends before. Ctrl-C stops
    /// it.
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

    /// Number of events.
    fn __len__(&self) -> usize {
        self.inner.events()
    }

    /// Mean number of events that wait, over all events.
    #[getter]
    fn mean_waiting(&self) -> f64 {
        self.inner.mean_waiting()
    }

    /// Puts the same events into a queue of the same kind and takes them out of it; nothing is done with them.
    fn replay(&self, py: Python<'_>) {
        py.detach(|| self.inner.replay());
    }
}
