//! `run` and `run_many`: the GIL is released while the simulator works, and Ctrl-C is looked for.

use crate::outcome::Outcome;
use crate::scenario::{Scenario, ScenarioError};
use airhop_scenario::{Pool, Progress, Recording, Run};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::time::Duration;

create_exception!(
    airhop._core,
    RunError,
    PyRuntimeError,
    "A run failed: a mistake in Airhop. Its text names scenario, seed and replication, which show it again."
);

/// How long Python waits for a result before it looks for signals.
const POLL: Duration = Duration::from_millis(20);

/// Runs one replication. With `trace` the outcome has tables; `pcap_dir` gets one `NODE.pcapng` per node.
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
    let pool = Pool::start(vec![run], 1, Recording { tables: trace, pcap_dir });
    let mut outcome = None;
    drive(py, pool, |_, inner| {
        outcome = Some(Outcome { inner });
        Ok(())
    })?;
    outcome.ok_or_else(|| RunError::new_err("the run ended without an outcome"))
}

/// Runs `(scenario, seed, rep)` jobs on so many threads and calls `on_done(index, run_json)` in this thread as they finish,
/// in any order. Ctrl-C, or an exception of `on_done`, stops all of them and goes on; finished runs have been reported.
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
    let pool = Pool::start(runs, threads, Recording::default());
    drive(py, pool, |index, outcome| on_done.call1((index, outcome.document)).map(drop))
}

/// Hands every outcome to `on_done`, until all runs are over or something stops them.
fn drive(
    py: Python<'_>,
    mut pool: Pool,
    mut on_done: impl FnMut(usize, airhop_scenario::Outcome) -> PyResult<()>,
) -> PyResult<()> {
    let result = loop {
        let failure = match py.detach(|| pool.next(POLL)) {
            Progress::Done(index, Ok(outcome)) => match on_done(index, outcome) {
                Ok(()) => py.check_signals().err(),
                Err(raised) => break Err(raised),
            },
            Progress::Done(_, Err(error)) => Some(python_error(error)),
            Progress::Waiting => py.check_signals().err(),
            Progress::Finished => break Ok(()),
        };
        if let Some(failure) = failure {
            report_rest(py, &mut pool, &mut on_done);
            break Err(failure);
        }
    };
    py.detach(move || drop(pool));
    result
}

/// Stops the runs, and reports those that were over by then. What `on_done` raises now would hide why they were stopped.
fn report_rest(
    py: Python<'_>,
    pool: &mut Pool,
    on_done: &mut impl FnMut(usize, airhop_scenario::Outcome) -> PyResult<()>,
) {
    pool.stop();
    loop {
        match py.detach(|| pool.next(POLL)) {
            Progress::Done(index, Ok(outcome)) => {
                if on_done(index, outcome).is_err() {
                    return;
                }
            }
            Progress::Done(_, Err(_)) | Progress::Waiting => {}
            Progress::Finished => return,
        }
    }
}

fn python_error(error: airhop_scenario::RunError) -> PyErr {
    use airhop_scenario::RunError as Why;
    match error {
        Why::Refused(why) => ScenarioError::new_err(why),
        Why::Recording(error) => PyOSError::new_err(error.to_string()),
        Why::Interrupted | Why::Panicked { .. } => RunError::new_err(error.to_string()),
    }
}
