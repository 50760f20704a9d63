//! Ends of a network on a Linux machine.
//!
//! An emulation leaves nothing behind. Namespaces and TUN devices disappear with their last process, and
//! every process ends with the emulator.

pub mod at;
pub mod bpf;
pub mod command;
mod controls;
pub mod diag;
mod filters;
pub mod listening;
pub mod namespace;
mod netlink;
mod netlink_socket;
mod ready;
pub mod sleep;
pub mod sys;
pub mod tcp_info;
pub mod tun;
mod watch;

use crate::clock::MonotonicClock;
use crate::drive::{LoopError, Progress, RealTimeLoop};
use crate::emulation::{
    Command, Emulation, EmulationError, EmulationResult, EndReason, Endpoint, EndpointKind,
};
use crate::log::LogWriter;
use crate::outside::SimulatedNetwork;
use crate::port::Port;
use airhop_base::{NodeId, Span};
use at::Interface;
use command::{EndedCount, RunningCommand};
use controls::NodeControls;
use namespace::Namespace;
use ready::ReadinessWait;
use sleep::{Alarm, EpollSleep};
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};
use sys::SchedulingPolicy;

/// Maximum wait for a command to open a listening socket. Then the next command starts.
const LISTEN_TIMEOUT: Duration = Duration::from_millis(300);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// End of the network on this machine, with a file descriptor for poll(2).
pub trait Device: Port + AsFd {
    /// Returns the number of datagrams lost because the emulator did not read in time.
    fn lost_datagrams(&mut self) -> u64;
}

type Devices = Vec<(NodeId, Box<dyn Device>)>;

/// Nodes of the emulation that are namespaces.
#[derive(Default)]
struct Namespaces {
    namespaces: Vec<(NodeId, Namespace)>,
}

impl Namespaces {
    fn build(emulation: &Emulation) -> Result<(Self, Devices), EmulationError> {
        let (mut stage, mut devices) = (Namespaces::default(), Devices::new());
        for end in &emulation.endpoints {
            let failed = |(step, error)| EmulationError::SetUp { name: end.node_name.clone(), step, error };
            devices.push((end.node, stage.add_node(end).map_err(failed)?));
        }
        Ok((stage, devices))
    }

    fn add_node(&mut self, end: &Endpoint) -> Result<Box<dyn Device>, tun::SetupFailure> {
        match &end.kind {
            EndpointKind::Namespace { mtu } => {
                let (namespace, device) = Namespace::open(end.node, *mtu)?;
                self.namespaces.push((end.node, namespace));
                Ok(Box::new(device))
            }
            EndpointKind::Device(name) => Ok(Box::new(Interface::open(name)?)),
        }
    }

    fn namespace(&self, node: NodeId) -> io::Result<&Namespace> {
        let found = self.namespaces.iter().find(|(at, _)| *at == node);
        found.map(|(_, namespace)| namespace).ok_or_else(|| io::Error::other("the node has no namespace"))
    }

    /// Returns the congestion control of each node's new sockets (ip-sysctl, tcp_congestion_control).
    fn congestion_control(&self) -> Vec<(NodeId, String)> {
        let read = || fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").ok();
        let word = |namespace: &Namespace| Some(namespace.run_job(read).ok()??.trim().to_owned());
        self.namespaces.iter().filter_map(|(node, namespace)| Some((*node, word(namespace)?))).collect()
    }
}

/// Signals between the loop and the thread that starts the commands.
struct LoopSignals {
    ends: EndedCount,
    alarm: Alarm,
    over: AtomicBool,
    failed: AtomicBool,
}

/// Runs an emulation: see [`Emulation::run`].
pub(crate) fn run<W: SimulatedNetwork>(
    emulation: &Emulation,
    world: &mut W,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(&Progress, &W),
) -> Result<EmulationResult, EmulationError> {
    let (stage, ports) = Namespaces::build(emulation)?;
    let controls = NodeControls::open(emulation, &stage)?;
    let live = run_on(emulation, &stage, ports, &controls, world, stop, on_progress);
    // Ends the connections of the nodes, because an open connection would keep its object in the kernel after
    // the emulation.
    let heard = controls.close(&stage);
    Ok(EmulationResult { notice_counters: heard, ..live? })
}

/// Runs the emulation on nodes that exist. All commands have ended when this function returns.
fn run_on<W: SimulatedNetwork>(
    emulation: &Emulation,
    stage: &Namespaces,
    ports: Devices,
    controls: &NodeControls,
    world: &mut W,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(&Progress, &W),
) -> Result<EmulationResult, EmulationError> {
    let log = emulation.log.as_ref();
    let mut log = log.map(|to| LogWriter::create(&to.path, &to.header, to.headers_only)).transpose()?;
    let alarm = map_setup_error(Alarm::new(), "making an alarm")?;
    let watched = ports.iter().map(|(_, device)| device as &dyn AsFd);
    let sleeper =
        map_setup_error(EpollSleep::new(watched, alarm.clone(), emulation.oversleep), "making an epoll")?;
    let (over, failed) = (AtomicBool::new(false), AtomicBool::new(false));
    let signals = LoopSignals { ends: EndedCount::default(), alarm, over, failed };
    let is_over = || end_reason(emulation, &signals, stop);
    let spin = emulation.busy_wait.unwrap_or(Span::ZERO);
    emulation.send_thread_ids(stage);
    let (to_loop, sockets) = sync_channel(watch::MAX_WAITING_SAMPLES);
    let (watched, names) = (watch::open_diag_sockets(stage), controls.kernel_and_requested_names());
    let clock = MonotonicClock::start();
    // The devices exist until the commands have ended. A command that loses its network first would print
    // other messages than a command that is terminated.
    let mut driver = RealTimeLoop {
        clock,
        sleeper,
        ports,
        duration: emulation.duration,
        busy_wait: spin,
        socket_samples: sockets,
    };
    let ((driven, real_time), started) = thread::scope(|scope| {
        let starter = scope.spawn(|| start_commands(emulation, stage, &signals));
        if let Ok(nodes) = &watched {
            scope.spawn(|| watch::sample_connections(nodes, &names, &clock, &signals.over, &to_loop));
        }
        let driven = with_priority(|| driver.run(world, log.as_mut(), &is_over, on_progress));
        signals.over.store(true, Ordering::Release);
        (driven, starter.join())
    });
    let lost = driver.ports.iter_mut().map(|(_, device)| device.lost_datagrams()).sum();
    let started = started.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let driven = driven.map_err(|error| match error {
        LoopError::Read { node, error } => {
            EmulationError::Device { name: emulation.node_name(node).to_owned(), error }
        }
        other => other.into(),
    })?;
    let commands = match started {
        // The reason is recorded in the world, which has stopped.
        Err(EmulationError::NotReady { .. }) if driven.end_reason == EndReason::World => Vec::new(),
        started => RunningCommand::stop_all(started?),
    };
    let tcp_info = watched.map(drop).map_err(|error| format!("{}: {error}", diag::MISSING_TCP_DIAG));
    let new_sockets = stage.congestion_control().into_iter();
    let new_sockets =
        new_sockets.map(|(node, word)| (node, controls.requested_name(node).cloned().unwrap_or(word)));
    let live = emulation.emulation_result(driven, commands, new_sockets.collect(), lost, real_time);
    Ok(EmulationResult { tcp_info_sampling: tcp_info, ..live })
}

impl Emulation {
    /// Sends the id of the thread in each namespace to the channel of the emulation.
    fn send_thread_ids(&self, stage: &Namespaces) {
        let Some(threads) = &self.namespace_threads else { return };
        for (node, namespace) in &stage.namespaces {
            if let Ok(thread) = namespace.run_job(nix::unistd::gettid) {
                // An error means that the channel has no receiver any more.
                let _ = threads.send((*node, thread.as_raw()));
            }
        }
    }
}

/// Converts the error of a step that does not concern a single node.
fn map_setup_error<T>(result: io::Result<T>, what: &str) -> Result<T, EmulationError> {
    result.map_err(|error| EmulationError::SetUp { name: "all".into(), step: what.into(), error })
}

fn end_reason(emulation: &Emulation, signals: &LoopSignals, stop: &AtomicBool) -> Option<EndReason> {
    let count = emulation.commands.len();
    let ended = count > 0 && signals.ends.load(Ordering::Acquire) == count;
    if stop.load(Ordering::Acquire) {
        Some(EndReason::Asked)
    } else {
        (ended || signals.failed.load(Ordering::Acquire)).then_some(EndReason::Commands)
    }
}

/// Runs `work` with priority over all other programs of the machine, if the user may set this priority.
fn with_priority<T>(work: impl FnOnce() -> T) -> (T, Result<(), String>) {
    let granted = sys::set_scheduling_policy(SchedulingPolicy::RealTime);
    let result = work();
    if granted.is_ok() {
        // A thread may always give up its priority (sched(7)).
        let _ = sys::set_scheduling_policy(SchedulingPolicy::Usual);
    }
    (result, granted.map_err(|error| format!("no real-time priority: {error}")))
}

/// Starts the commands one after the other until the emulation ends. Each command starts when the previous
/// command is ready.
fn start_commands(
    emulation: &Emulation,
    stage: &Namespaces,
    signals: &LoopSignals,
) -> Result<Vec<RunningCommand>, EmulationError> {
    let mut started = Vec::new();
    let mut waiting = ReadinessWait::new(emulation);
    for command in &emulation.commands {
        if signals.over.load(Ordering::Acquire) {
            break;
        }
        let settle = if waiting.has_condition_for(command.node) { Duration::ZERO } else { LISTEN_TIMEOUT };
        let running = waiting.wait_until_ready(command.node, &started, stage, signals).and_then(|()| {
            start_command(stage, command, signals, settle).map_err(|error| {
                let (name, line) =
                    (emulation.node_name(command.node).to_owned(), command.command_line.clone());
                EmulationError::Start { name, line, error }
            })
        });
        match running {
            Ok(running) => started.push(running),
            Err(error) => {
                signals.failed.store(true, Ordering::Release);
                signals.alarm.ring();
                return Err(error);
            }
        }
    }
    Ok(started)
}

/// Starts a command. Then waits until the command has ended, a new socket listens, or `settle` has elapsed.
fn start_command(
    stage: &Namespaces,
    command: &Command,
    signals: &LoopSignals,
    settle: Duration,
) -> io::Result<RunningCommand> {
    let namespace = stage.namespace(command.node)?;
    let before = namespace.run_job(listening::listening_sockets)?;
    let running = RunningCommand::start(namespace, command, &signals.ends, &signals.alarm)?;
    let patience = Instant::now() + settle;
    while Instant::now() < patience && !running.has_ended() && !signals.over.load(Ordering::Acquire) {
        if !namespace.run_job(listening::listening_sockets)?.is_subset(&before) {
            break;
        }
        thread::sleep(POLL_INTERVAL);
    }
    Ok(running)
}
