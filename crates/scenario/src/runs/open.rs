//! Run with real hosts. The caller provides the clock and the datagrams, either live or from a log.

use super::document::document;
use super::run::{Outcome, Recording, Run, RunError};
use crate::whole::opening::RealHostPlan;
use airhop_base::{Departure, DropCause, NodeId, NoticeKind, Time};
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
    pub fn new(run: Run, opening: &RealHostPlan, recording: &Recording) -> Result<OpenRun, RunError> {
        let recorder = run.recorder(&opening.plan, recording).map_err(RunError::Recording)?;
        let world = run.world(&opening.plan, Some(&opening.outside), recorder)?;
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
    pub fn departures(&mut self) -> impl Iterator<Item = Departure> {
        self.world.take_departures()
    }

    /// Returns the number of drops so far, by cause.
    pub fn drops(&self) -> impl Iterator<Item = (&'static str, u64)> {
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
    pub fn finish(mut self, end: Time) -> Result<Outcome, RunError> {
        self.world.end_at(end);
        let end = end.min(Time::ZERO + self.run.scenario.duration());
        self.catch_failures(|world| world.advance(end, &AtomicBool::new(false)))?;
        let OpenRun { run, world, since } = self;
        let wall_s = since.elapsed().as_secs_f64();
        let document = document(run.scenario.name(), run.seed, run.rep, wall_s, &world.report());
        let tables = match world.into_recorder() {
            Some(recorder) => recorder.finish().map_err(RunError::Recording)?,
            None => Vec::new(),
        };
        Ok(Outcome { document, tables })
    }

    fn catch_failures<T>(
        &mut self,
        work: impl FnOnce(&mut World) -> Result<T, airhop_net::Interrupted>,
    ) -> Result<T, RunError> {
        let OpenRun { run, world, .. } = self;
        catch_unwind(AssertUnwindSafe(|| run.catch_faults(world, work)))
            .unwrap_or_else(|panic| Err(run.panicked(panic.as_ref())))
    }
}
