//! Loop that runs a simulated network in real time.
//!
//! In each pass the loop advances the world to the current time, and writes the datagrams that have left the
//! network. Then the loop reads a limited number of datagrams at each port. A datagram enters the network
//! when it is read. Finally the loop sleeps until the next event or datagram.

mod tally;
mod vigil;

pub use tally::{LoopResult, MeasuredDelays, Progress, Stall, TrafficCount};

use crate::clock::Clock;
use crate::emulation::EndReason;
use crate::log::{LogError, LogWriter};
use crate::port::{MAX_DATAGRAM_BYTES, Port};
use crate::sockets::ConnectionSample;
use crate::{DepartedDatagram, SimulatedNetwork, WorldStopped};
use airhop_base::{NodeId, Span, Time};
use airhop_wire::addressing::is_unicast;
use airhop_wire::real;
use std::io;
use std::sync::mpsc::Receiver;
use tally::LoopCounters;
use vigil::SleepMonitor;

/// Maximum number of datagrams read at one port before the loop writes departures and reads other ports. At
/// 10 µs per datagram, one port delays the others by less than the kernel's timer resolution.
const MAX_READ_BATCH: usize = 16;
/// Interval of progress reports and log flushes. A sleep is at most this long, so the loop soon detects the
/// stop flag.
const PROGRESS_INTERVAL: Span = Span::from_millis(100);

/// Waits for a timer or a port.
pub trait Sleeper {
    /// Sleeps for `span`, or until a port is readable. Marks the readable ports in `ready`, and leaves all
    /// other marks unchanged.
    ///
    /// # Errors
    ///
    /// Returns the error of the kernel.
    fn sleep(&mut self, span: Span, ready: &mut [bool]) -> io::Result<()>;
}

/// Reason why the loop cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum LoopError {
    /// The device of a node can no longer be read.
    #[error("reading the packets of node {}: {error}", .node.0)]
    Read {
        /// Node of the device.
        node: NodeId,
        /// Error of the kernel.
        error: io::Error,
    },
    /// The wait for packets failed.
    #[error("waiting for packets: {0}")]
    Sleep(io::Error),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Loop that runs a simulated network in real time, with the ports at which datagrams enter and leave.
#[derive(Debug)]
pub struct RealTimeLoop<C, S, P> {
    /// Clock of the run.
    pub clock: C,
    /// Sleeper that watches the ports, in the order of `ports`.
    pub sleeper: S,
    /// Ports at which datagrams enter and leave the network, one for each node with hosts.
    pub ports: Vec<(NodeId, P)>,
    /// Duration of the run.
    pub duration: Span,
    /// Busy-waiting time before each event. The processor is then awake when the event is due.
    pub busy_wait: Span,
    /// TCP_INFO samples of the hosts' connections, sent by another thread.
    pub socket_samples: Receiver<ConnectionSample>,
}

impl<C: Clock, S: Sleeper, P: Port> RealTimeLoop<C, S, P> {
    /// Runs `world` until `duration` is over, `over` returns a reason, or the world stops.
    ///
    /// # Errors
    ///
    /// Returns an error if a port cannot be read, or if the log cannot be written. World and ports must not
    /// be used after an error.
    pub fn run<W: SimulatedNetwork>(
        &mut self,
        world: &mut W,
        log: Option<&mut LogWriter>,
        over: &dyn Fn() -> Option<EndReason>,
        on_progress: &mut dyn FnMut(&Progress, &W),
    ) -> Result<LoopResult, LoopError> {
        let tally = LoopCounters::new(&self.ports);
        let ready = vec![true; self.ports.len()];
        let buffer = vec![0; MAX_DATAGRAM_BYTES];
        let end = Time::ZERO + self.duration;
        let vigil = SleepMonitor::default();
        LoopRun { of: self, world, log, tally, vigil, ready, buffer, left: Vec::new(), end }
            .run_passes(over, on_progress)
    }
}

/// State of the loop during a run.
struct LoopRun<'a, C, S, P, W> {
    of: &'a mut RealTimeLoop<C, S, P>,
    world: &'a mut W,
    log: Option<&'a mut LogWriter>,
    tally: LoopCounters,
    vigil: SleepMonitor,
    ready: Vec<bool>,
    buffer: Vec<u8>,
    left: Vec<DepartedDatagram>,
    end: Time,
}

/// Reason why a pass of the loop was not completed.
enum Halt {
    World,
    Failed(LoopError),
}

impl From<WorldStopped> for Halt {
    fn from(_: WorldStopped) -> Self {
        Halt::World
    }
}

impl From<LoopError> for Halt {
    fn from(error: LoopError) -> Self {
        Halt::Failed(error)
    }
}

impl<C: Clock, S: Sleeper, P: Port, W: SimulatedNetwork> LoopRun<'_, C, S, P, W> {
    fn run_passes(
        mut self,
        over: &dyn Fn() -> Option<EndReason>,
        on_progress: &mut dyn FnMut(&Progress, &W),
    ) -> Result<LoopResult, LoopError> {
        let mut expected = self.of.clock.now();
        let mut progress_due = Time::ZERO + PROGRESS_INTERVAL;
        loop {
            let now = self.of.clock.now();
            self.tally.record_wakeup(expected, now);
            let now = now.min(self.end);
            let finished = over().or((now == self.end).then_some(EndReason::Duration));
            match self.run_pass(now, finished.is_none()) {
                Ok(()) => {}
                Err(Halt::World) => return self.finish(now, EndReason::World),
                Err(Halt::Failed(error)) => return Err(error),
            }
            if let Some(finished) = finished {
                return self.finish(now, finished);
            }
            if now >= progress_due {
                progress_due = now + PROGRESS_INTERVAL;
                on_progress(&self.tally.progress(now), self.world);
                self.record_samples();
                self.log.as_deref_mut().map_or(Ok(()), LogWriter::flush)?;
            }
            let before = self.of.clock.now();
            self.tally.record_wakeup(now, before);
            let span = self.max_sleep(before, progress_due);
            expected = before + span;
            self.of.sleeper.sleep(span, &mut self.ready).map_err(LoopError::Sleep)?;
            if span > Span::ZERO {
                self.vigil.record_sleep(before, self.of.clock.now());
            }
        }
    }

    /// Advances the world to `now` and writes the departures. If `may_enter`, also admits the datagrams that
    /// wait at the ports.
    fn run_pass(&mut self, now: Time, may_enter: bool) -> Result<(), Halt> {
        self.world.advance(now)?;
        self.write_departures();
        if may_enter {
            for port in 0..self.ready.len() {
                self.read_port(port)?;
            }
        }
        Ok(())
    }

    /// Reads and admits at most [`MAX_READ_BATCH`] datagrams that wait at a port.
    fn read_port(&mut self, port: usize) -> Result<(), Halt> {
        for _ in 0..MAX_READ_BATCH {
            if !self.ready[port] {
                break;
            }
            let (node, device) = &mut self.of.ports[port];
            let read = device.read(&mut self.buffer);
            match read.map_err(|error| LoopError::Read { node: *node, error })? {
                Some(length) => self.admit_datagram(port, length)?,
                None => self.ready[port] = false,
            }
        }
        Ok(())
    }

    /// Admits the datagram in the first `length` bytes of the buffer to the network.
    fn admit_datagram(&mut self, port: usize, length: usize) -> Result<(), Halt> {
        let at = self.of.clock.now();
        let datagram = &self.buffer[..length];
        if at >= self.end {
            return Ok(());
        }
        let Some(seen) = real::read_headers(datagram).ok().filter(|seen| is_unicast(seen.destination)) else {
            self.tally.ignored_datagrams += 1;
            return Ok(());
        };
        let node = self.of.ports[port].0;
        if let Some(log) = self.log.as_deref_mut() {
            log.append(at, node, datagram).map_err(LoopError::Log)?;
        }
        self.tally.record_admitted(port, at, &seen);
        self.world.admit(at, node, datagram)?;
        self.write_departures();
        Ok(())
    }

    fn write_departures(&mut self) {
        self.world.take_departures(&mut self.left);
        self.tally.start_batch();
        for departure in self.left.drain(..) {
            let Some(port) = self.of.ports.iter().position(|(node, _)| *node == departure.node) else {
                self.tally.record_loss(departure.node, &io::Error::other("it has no device"));
                continue;
            };
            match self.of.ports[port].1.write(&departure.datagram) {
                Ok(()) => self.tally.record_departed(
                    port,
                    departure.departed_at,
                    self.of.clock.now(),
                    &departure.datagram,
                ),
                Err(error) => self.tally.record_loss(departure.node, &error),
            }
        }
    }

    /// Returns the maximum time for the loop to sleep. Zero if a port may have further datagrams, or if the
    /// loop busy-waits.
    fn max_sleep(&mut self, now: Time, progress_due: Time) -> Span {
        if self.ready.contains(&true) {
            return Span::ZERO;
        }
        let chores = progress_due.min(self.end).since(now);
        let spin = if self.vigil.may_busy_wait(now) { self.of.busy_wait } else { Span::ZERO };
        match self.world.next_event() {
            Some(event) => event.since(now).saturating_sub(spin).min(chores),
            None => chores,
        }
    }

    /// Records the connection samples received since the previous call.
    fn record_samples(&mut self) {
        for sampled in self.of.socket_samples.try_iter() {
            self.tally.record_sample(&sampled);
            if let Some(log) = self.log.as_deref_mut() {
                log.append_sample(&sampled);
            }
        }
    }

    fn finish(mut self, ended: Time, finished: EndReason) -> Result<LoopResult, LoopError> {
        self.record_samples();
        if let Some(log) = self.log {
            log.finish(ended)?;
        }
        Ok(self.tally.into_result(ended, finished))
    }
}
