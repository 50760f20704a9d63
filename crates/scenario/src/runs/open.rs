//! Run with real hosts. The caller provides the clock and the datagrams, either live or from a log.

use super::document::run_document;
use super::run::{RecordingOptions, Run, RunError, RunOutcome};
use crate::whole::opening::RealHostPlan;
use airhop_base::{DepartedDatagram, DropCause, NodeId, NoticeKind, Time};
use airhop_net::World;
use airhop_net::outside::ObservedFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Run with real hosts, in progress. The result depends only on the scenario, the seed, the replication, and
/// the datagrams with their times of entry. It does not depend on how often [`OpenRun::advance`] is called.
pub struct OpenRun {
    run: Run,
    world: World,
    since: Instant,
}

impl OpenRun {
    /// Builds the world of `run`, with the real hosts in `opening`.
    ///
    /// # Errors
    /// Returns the same errors as [`Run::execute`].
    pub fn new(run: Run, opening: &RealHostPlan, recording: &RecordingOptions) -> Result<OpenRun, RunError> {
        let recorder = run.build_recorder(&opening.plan, recording).map_err(RunError::Recording)?;
        let world = run.build_world(&opening.plan, Some(&opening.outside), recorder)?;
        Ok(OpenRun { run, world, since: Instant::now() })
    }

    /// Returns the time of the next event; `None` if no event is scheduled.
    pub fn next_event(&mut self) -> Option<Time> {
        self.world.next_event()
    }

    /// Handles all events up to and including time `t`.
    ///
    /// # Errors
    /// Returns a [`RunError`] if the run was stopped, or if the scheme of a simulated flow failed.
    pub fn advance(&mut self, t: Time, stop: &AtomicBool) -> Result<(), RunError> {
        self.catch_failures(|world| world.advance(t, stop))
    }

    /// Admits a datagram of a real host at `node`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`OpenRun::advance`].
    pub fn admit(
        &mut self,
        t: Time,
        node: NodeId,
        datagram: &[u8],
        stop: &AtomicBool,
    ) -> Result<(), RunError> {
        self.catch_failures(|world| world.admit(t, node, datagram, stop))
    }

    /// Removes and returns the departures since the previous call, in chronological order.
    pub fn take_departures(&mut self) -> impl Iterator<Item = DepartedDatagram> {
        self.world.take_departures()
    }

    /// Returns the number of drops so far, by cause.
    pub fn drop_counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let drops = self.world.drops();
        DropCause::ALL.into_iter().map(move |cause| (cause.name(), drops[cause as usize]))
    }

    /// Returns the flows of real hosts that have opened so far.
    pub fn observed_flows(&self) -> Vec<ObservedFlow> {
        self.world.observed_flows()
    }

    /// Returns the number of datagrams that entered but had no destination: broadcasts, unknown addresses,
    /// and protocols other than IP.
    pub fn ignored_datagrams(&self) -> u64 {
        self.world.ignored_datagrams()
    }

    /// Returns the number of notices sent to real senders so far, for each kind in [`NoticeKind::ALL`]. An
    /// ACK with the ELN bit counts as one notice.
    pub fn notices_to_real_senders(&self) -> [u64; NoticeKind::ALL.len()] {
        self.world.notices_to_real_senders()
    }

    /// Ends the run at `end`, or at the end of its scenario if that is earlier.
    ///
    /// # Errors
    /// Returns a [`RunError`] if the recording cannot be written, and the same errors as
    /// [`OpenRun::advance`].
    pub fn finish(mut self, end: Time) -> Result<RunOutcome, RunError> {
        self.world.end_at(end);
        let end = end.min(Time::ZERO + self.run.scenario.duration());
        self.catch_failures(|world| world.advance(end, &AtomicBool::new(false)))?;
        let OpenRun { run, world, since } = self;
        let wall_s = since.elapsed().as_secs_f64();
        let document = run_document(run.scenario.name(), run.seed, run.rep, wall_s, &world.report());
        let tables = match world.into_recorder() {
            Some(recorder) => recorder.finish().map_err(RunError::Recording)?,
            None => Vec::new(),
        };
        Ok(RunOutcome { document, tables })
    }

    fn catch_failures<T>(
        &mut self,
        work: impl FnOnce(&mut World) -> Result<T, airhop_net::RunInterrupted>,
    ) -> Result<T, RunError> {
        let OpenRun { run, world, .. } = self;
        catch_unwind(AssertUnwindSafe(|| run.catch_faults(world, work)))
            .unwrap_or_else(|panic| Err(run.panic_error(panic.as_ref())))
    }
}
