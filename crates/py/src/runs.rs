//! `run` and `run_many`. Both release the GIL during the simulation, and check for Ctrl-C.

use crate::outcome::Outcome;
use crate::scenario::{Scenario, ScenarioError};
use airhop_scenario::{Progress, RecordingOptions, Run, RunPool};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_long;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

create_exception!(
    airhop._core,
    RunError,
    PyRuntimeError,
    "A run failed by a fault in Airhop, or by the fault that a subclass describes.\n\nThe message names scenario, seed and replication."
);

create_exception!(
    airhop._core,
    SchemeError,
    RunError,
    "A scheme in Python raised an exception, the `__cause__` of this one, or returned an invalid value."
);

/// Interval at which the calling thread checks for signals while it waits for a result.
pub(crate) const POLL: Duration = Duration::from_millis(20);
/// Grace period for stopped runs. A run that exceeds it is stuck in a Python scheme, and the Python code is
/// interrupted.
const PATIENCE: Duration = Duration::from_millis(300);
/// Time after which a stopped run is abandoned. Such a run has ignored the interruption, for example in a
/// blocking call outside the interpreter.
const KILL_PERIOD: Duration = Duration::from_millis(600);
/// Number of threads that execute runs, including abandoned runs.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Runs one replication. If `trace`, the outcome has trace tables. If `pcap_dir` is given, packet captures of
/// the nodes and of the 802.11 cells are written there.
#[pyfunction]
#[pyo3(signature = (scenario, seed, rep, trace = false, pcap_dir = None))]
pub fn run(
    py: Python<'_>,
    scenario: &Scenario,
    seed: u64,
    rep: u64,
    trace: bool,
    pcap_dir: Option<PathBuf>,
) -> PyResult<Outcome> {
    let run = Run { scenario: scenario.inner.clone(), seed, rep };
    let mut outcome = None;
    drive(py, vec![run], 1, RecordingOptions { tables: trace, pcap_dir }, |_, inner| {
        outcome = Some(Outcome { inner });
        Ok(())
    })?;
    outcome.ok_or_else(|| RunError::new_err("the run ended without an outcome"))
}

/// Runs the jobs `(scenario, seed, rep)` on `threads` threads. Calls `on_done(index, run_json)` in the
/// calling thread after each run, in any order. Ctrl-C or an exception in `on_done` stops all runs and is
/// raised. Runs that finished earlier have been reported.
#[pyfunction]
#[pyo3(signature = (jobs, threads, on_done))]
pub fn run_many(
    py: Python<'_>,
    jobs: Vec<(Py<Scenario>, u64, u64)>,
    threads: usize,
    on_done: Bound<'_, PyAny>,
) -> PyResult<()> {
    let run = |(scenario, seed, rep): (Py<Scenario>, u64, u64)| {
        let scenario = scenario.get().inner.clone();
        Run { scenario, seed, rep }
    };
    let runs: Vec<Run> = jobs.into_iter().map(run).collect();
    drive(py, runs, threads, RecordingOptions::default(), |index, outcome| {
        on_done.call1((index, outcome.document)).map(drop)
    })
}

/// Runs all jobs, and passes every outcome to `on_done`. The first failure stops all runs: a failed run, an
/// exception in `on_done`, or Ctrl-C. Runs that have already finished are still reported, unless `on_done`
/// itself failed.
fn drive(
    py: Python<'_>,
    runs: Vec<Run>,
    threads: usize,
    recording: RecordingOptions,
    mut on_done: impl FnMut(usize, airhop_scenario::RunOutcome) -> PyResult<()>,
) -> PyResult<()> {
    let workers = Workers::default();
    let at_work = workers.clone();
    let mut pool = RunPool::start(runs, threads, recording, move |work| at_work.attach(work));
    let mut failure: Option<(PyErr, Instant)> = None;
    let mut hears = true;
    let is_lost = loop {
        let new = match py.detach(|| pool.wait_for_progress(POLL)) {
            Progress::Done(index, Ok(outcome)) if hears => {
                let heard = on_done(index, outcome);
                hears = heard.is_ok();
                heard.and_then(|()| py.check_signals()).err()
            }
            Progress::Done(_, Ok(_)) => None,
            Progress::Done(index, Err(error)) => Some(failure_of(py, index, error)),
            Progress::Waiting => py.check_signals().err(),
            Progress::Finished => break false,
        };
        match (&failure, new) {
            (None, Some(first)) => {
                pool.stop();
                failure = Some((first, Instant::now()));
            }
            (Some((_, since)), _) if since.elapsed() > KILL_PERIOD => break true,
            (Some((_, since)), _) if since.elapsed() > PATIENCE => workers.interrupt(py),
            _ => {}
        }
    };
    py.detach(move || if is_lost { pool.abandon() } else { drop(pool) });
    failure.map_or(Ok(()), |(first, _)| Err(first))
}

/// Return the number of threads that execute runs. If no call waits for a run, every counted thread is still
/// inside a Python scheme after a stop. Such a thread may call the interpreter, so do not finalise the
/// interpreter while the count is not zero.
#[pyfunction]
pub fn threads_at_work() -> usize {
    AT_WORK.load(Ordering::Relaxed)
}

/// Threads of a pool, by Python thread identifier.
#[derive(Clone, Default)]
pub(crate) struct Workers(Arc<Mutex<Vec<c_long>>>);

impl Workers {
    /// Attaches this thread to Python for the duration of `work`, so that scheme calls need not attach it
    /// each time.
    pub(crate) fn attach(&self, work: &mut (dyn FnMut() + Send)) {
        AT_WORK.fetch_add(1, Ordering::Relaxed);
        Python::attach(|py| {
            let number =
                py.import("threading").and_then(|t| t.call_method0("get_ident")?.extract::<c_long>());
            self.numbers().extend(&number);
            py.detach(work);
            self.numbers().retain(|other| number.as_ref().ok() != Some(other));
        });
        AT_WORK.fetch_sub(1, Ordering::Relaxed);
    }

    /// Interrupts the Python code in all threads, even in an endless loop.
    fn interrupt(&self, _attached: Python<'_>) {
        for &number in self.numbers().iter() {
            // SAFETY: this thread is attached, and KeyboardInterrupt exists as long as Python does.
            unsafe { ffi::PyThreadState_SetAsyncExc(number, ffi::PyExc_KeyboardInterrupt) };
        }
    }

    fn numbers(&self) -> MutexGuard<'_, Vec<c_long>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the exception for a failed job. The exception's attribute `job` is the index of the job.
fn failure_of(py: Python<'_>, job: usize, error: airhop_scenario::RunError) -> PyErr {
    let raised = python_error(py, error);
    raised.value(py).setattr("job", job).map_or_else(|why| why, |()| raised)
}

pub(crate) fn python_error(py: Python<'_>, error: airhop_scenario::RunError) -> PyErr {
    use airhop_scenario::RunError as Why;
    let text = error.to_string();
    match error {
        Why::Refused(why) => ScenarioError::new_err(why),
        Why::Recording(_) => PyOSError::new_err(text),
        Why::Scheme { fault, .. } => {
            let raised = SchemeError::new_err(text);
            raised.set_cause(py, fault.cause.downcast::<PyErr>().ok().map(|cause| *cause));
            raised
        }
        Why::Interrupted | Why::Panicked { .. } => RunError::new_err(text),
    }
}
