//! Runs of a scenario: a single run, or many runs on a pool of threads.

use crate::runs::document::run_document;
use crate::whole::scenario::Scenario;
use airhop_base::Time;
use airhop_net::outside::AttachedHostsPlan;
use airhop_net::plan::Plan;
use airhop_net::{BuildError, RunInterrupted, World, WorldSchedule};
use airhop_tcp::PolicyFault;
use airhop_trace::{Recorder, Table};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// One replication of a scenario.
#[derive(Clone, Debug)]
pub struct Run {
    /// Scenario to run.
    pub scenario: Arc<Scenario>,
    /// Seed of all random streams.
    pub seed: u64,
    /// Replication number. Replications with the same seed have different random streams.
    pub rep: u64,
}

/// Optional outputs of a run beside the results.
#[derive(Clone, Debug, Default)]
pub struct RecordingOptions {
    /// True if trace tables are recorded.
    pub tables: bool,
    /// Directory for packet captures; `None` without captures. Each node has a file `NODE.pcapng`, and each
    /// 802.11 cell a file `CELL.air.pcapng`.
    pub pcap_dir: Option<PathBuf>,
}

/// Results of a run that has reached its end.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// Run document, as JSON.
    pub document: String,
    /// Trace tables; empty if tables are not recorded.
    pub tables: Vec<Table>,
}

/// Error of a run without results.
#[derive(Debug)]
pub enum RunError {
    /// The caller stopped the run.
    Interrupted,
    /// Replication that the scenario does not allow. The text is the reason.
    Refused(String),
    /// A trace or a packet capture could not be written.
    Recording(std::io::Error),
    /// The code of a user-defined scheme raised an error, or requested an invalid action.
    Scheme {
        /// Name of the scenario.
        scenario: String,
        /// Seed of the run.
        seed: u64,
        /// Replication of the run.
        rep: u64,
        /// Simulated time of the fault.
        at: Time,
        /// Fault of the scheme.
        fault: PolicyFault,
    },
    /// Panic, which is a bug in Airhop. The fields are the message and the run that reproduces the panic.
    Panicked {
        /// Name of the scenario.
        scenario: String,
        /// Seed of the run.
        seed: u64,
        /// Replication of the run.
        rep: u64,
        /// Message of the panic.
        message: String,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Interrupted => f.write_str("interrupted"),
            RunError::Refused(why) => f.write_str(why),
            RunError::Recording(error) => write!(f, "cannot write the recording: {error}"),
            RunError::Scheme { scenario, seed, rep, at, fault: PolicyFault { scheme, method, cause } } => {
                write!(
                    f,
                    "scheme \"{scheme}\" failed in {method} at {at} of \"{scenario}\" with seed {seed}, rep {rep}: {cause}"
                )
            }
            RunError::Panicked { scenario, seed, rep, message } => write!(
                f,
                "this is an error in Airhop, not in the scenario: \"{scenario}\" with seed {seed}, rep {rep}: {message}"
            ),
        }
    }
}

impl std::error::Error for RunError {}

impl Run {
    /// Executes the run up to its end, or until `stop` is set.
    ///
    /// # Errors
    ///
    /// Returns a [`RunError`] if the run fails or panics. A sweep of thousands of runs can thus name the run
    /// that failed.
    pub fn execute(&self, recording: &RecordingOptions, stop: &AtomicBool) -> Result<RunOutcome, RunError> {
        catch_unwind(AssertUnwindSafe(|| self.simulate(recording, stop)))
            .unwrap_or_else(|panic| Err(self.panic_error(panic.as_ref())))
    }

    /// Returns `events` operations on the event queue, from half of the simulated time on. See
    /// [`World::record_schedule`].
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Run::execute`].
    pub fn queue_operations(&self, events: usize, stop: &AtomicBool) -> Result<WorldSchedule, RunError> {
        let middle = Time::from_nanos(self.scenario.duration().nanos() / 2);
        let schedule = || {
            let mut world = self.build_world(self.scenario.plan(), None, None)?;
            self.catch_faults(&mut world, |world| world.record_schedule(middle, events, stop))
        };
        catch_unwind(AssertUnwindSafe(schedule)).unwrap_or_else(|panic| Err(self.panic_error(panic.as_ref())))
    }

    fn simulate(&self, recording: &RecordingOptions, stop: &AtomicBool) -> Result<RunOutcome, RunError> {
        let recorder = self.build_recorder(self.scenario.plan(), recording).map_err(RunError::Recording)?;
        let begin = Instant::now();
        let mut world = self.build_world(self.scenario.plan(), None, recorder)?;
        self.catch_faults(&mut world, |world| world.run(stop))?;
        let wall_s = begin.elapsed().as_secs_f64();
        let document = run_document(self.scenario.name(), self.seed, self.rep, wall_s, &world.report());
        let tables = match world.into_recorder() {
            Some(recorder) => recorder.finish().map_err(RunError::Recording)?,
            None => Vec::new(),
        };
        Ok(RunOutcome { document, tables })
    }

    pub(super) fn build_world(
        &self,
        plan: &Plan,
        outside: Option<&AttachedHostsPlan>,
        recorder: Option<Recorder>,
    ) -> Result<World, RunError> {
        let world =
            PolicyFault::catch(|| World::with_real_hosts(plan, outside, self.seed, self.rep, recorder))
                .map_err(|fault| self.scheme_error(Time::ZERO, fault))?
                .map_err(|why| self.refused_error(&why))?;
        Ok(match self.scenario.emulator() {
            Some(emulator) => world.with_emulator_delays(emulator, self.seed, self.rep),
            None => world,
        })
    }

    pub(super) fn catch_faults<T>(
        &self,
        world: &mut World,
        work: impl FnOnce(&mut World) -> Result<T, RunInterrupted>,
    ) -> Result<T, RunError> {
        PolicyFault::catch(|| work(world))
            .map_err(|fault| self.scheme_error(world.now(), fault))?
            .map_err(|_| RunError::Interrupted)
    }

    pub(super) fn build_recorder(
        &self,
        plan: &Plan,
        recording: &RecordingOptions,
    ) -> std::io::Result<Option<Recorder>> {
        if !recording.tables && recording.pcap_dir.is_none() {
            return Ok(None);
        }
        let flows: Vec<String> = plan.flows.iter().map(|f| f.name.clone()).collect();
        let dir = recording.pcap_dir.as_deref();
        Recorder::new(&flows, &plan.nodes, plan.duration, recording.tables, dir).map(Some)
    }

    /// Converts a build error to the error of this run. Only random draws can fail here. Another replication
    /// may draw other values, so the message names the replication.
    fn refused_error(&self, why: &BuildError) -> RunError {
        RunError::Refused(format!(
            "\"{}\" with seed {}, rep {}: {why}",
            self.scenario.name(),
            self.seed,
            self.rep
        ))
    }

    fn scheme_error(&self, at: Time, fault: PolicyFault) -> RunError {
        RunError::Scheme {
            scenario: self.scenario.name().to_string(),
            seed: self.seed,
            rep: self.rep,
            at,
            fault,
        }
    }

    pub(super) fn panic_error(&self, panic: &(dyn Any + Send)) -> RunError {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let message =
            text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words");
        RunError::Panicked {
            scenario: self.scenario.name().to_string(),
            seed: self.seed,
            rep: self.rep,
            message: message.to_string(),
        }
    }
}

/// Runs in progress on a pool of threads. Dropping the pool stops and joins the threads. [`RunPool::abandon`]
/// stops the threads without joining.
#[derive(Debug)]
pub struct RunPool {
    stop: Arc<AtomicBool>,
    results: Receiver<(usize, Result<RunOutcome, RunError>)>,
    threads: Vec<JoinHandle<()>>,
}

/// Progress reported by a pool.
#[derive(Debug)]
pub enum Progress {
    /// The run with this index has ended. Runs that were stopped early are not reported.
    Done(usize, Result<RunOutcome, RunError>),
    /// No run has ended within the waiting time.
    Waiting,
    /// Every run was reported, or all threads have stopped.
    Finished,
}

impl RunPool {
    /// Starts `runs` on `threads` threads (at least one). The runs start in the given order and may end in
    /// any order. All runs record the same outputs. Each thread works inside a call of `enter`, which can set
    /// up the thread and clean up afterwards.
    pub fn start(
        runs: Vec<Run>,
        threads: usize,
        recording: RecordingOptions,
        enter: impl Fn(&mut (dyn FnMut() + Send)) + Clone + Send + 'static,
    ) -> RunPool {
        let stop = Arc::new(AtomicBool::new(false));
        let threads = threads.clamp(1, runs.len().max(1));
        let work = Arc::new(PoolState { runs, recording, next: AtomicUsize::new(0), stop: stop.clone() });
        let (sender, results) = channel();
        let threads = (0..threads)
            .map(|_| {
                let (work, sender, enter) = (work.clone(), sender.clone(), enter.clone());
                std::thread::spawn(move || enter(&mut || work.run_until_done(&sender)))
            })
            .collect();
        RunPool { stop, results, threads }
    }

    /// Waits at most `wait` for the end of a run.
    pub fn wait_for_progress(&mut self, wait: Duration) -> Progress {
        match self.results.recv_timeout(wait) {
            Ok((index, result)) => Progress::Done(index, result),
            Err(RecvTimeoutError::Timeout) => Progress::Waiting,
            Err(RecvTimeoutError::Disconnected) => Progress::Finished,
        }
    }

    /// Stops all runs. [`RunPool::wait_for_progress`] still returns the results of runs that ended before.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Stops all runs without waiting for the threads, which may be in user code that does not return.
    pub fn abandon(mut self) {
        self.threads.clear();
    }
}

impl Drop for RunPool {
    fn drop(&mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            // A thread does not panic itself, because the panic of a run becomes the error of the run.
            let _ = thread.join();
        }
    }
}

/// State that the threads of a pool share.
struct PoolState {
    runs: Vec<Run>,
    recording: RecordingOptions,
    next: AtomicUsize,
    stop: Arc<AtomicBool>,
}

impl PoolState {
    fn run_until_done(&self, sender: &Sender<(usize, Result<RunOutcome, RunError>)>) {
        while !self.stop.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = self.runs.get(index) else { return };
            let result = run.execute(&self.recording, &self.stop);
            if matches!(result, Err(RunError::Interrupted)) || sender.send((index, result)).is_err() {
                return;
            }
        }
    }
}
