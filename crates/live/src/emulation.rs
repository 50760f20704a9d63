//! Emulations: the ends of a simulated network on this machine, and the programs that run at these ends.

use crate::drive::{LoopError, LoopResult, MeasuredDelays, Progress, Stall, TrafficCount};
use crate::lateness::LatenessSummary;
use crate::log::LogError;
use crate::outside::SimulatedNetwork;
use crate::sockets::{ConnectionSample, MAX_WINDOW_SEGMENTS};
use crate::turnaround::TurnaroundSummary;
use airhop_base::{NodeId, Span, Time};
use airhop_bpf::loading::LoadableObject;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;

/// Specification of an emulation.
#[derive(Clone, Debug)]
pub struct Emulation {
    /// Ends of the network, where packets enter and leave. One for each node with hosts.
    pub endpoints: Vec<Endpoint>,
    /// Commands to run at the ends, started in the order of the list. A server must precede its client. See
    /// [`Command`].
    pub commands: Vec<Command>,
    /// Conditions that must hold at a node before the commands of other nodes start.
    pub readiness: Vec<NodeReadiness>,
    /// Maximum duration. The emulation ends earlier if all commands have ended.
    pub duration: Span,
    /// Congestion controls of senders, at most one for each node. Other nodes use the default of the host.
    pub congestion_controls: Vec<NodeCongestionControl>,
    /// Destination of the log of entering datagrams; `None` without a log.
    pub log: Option<LogDestination>,
    /// Busy-waiting time before each event. Busy-waiting reduces lateness, but occupies a processor.
    pub busy_wait: Option<Span>,
    /// Time by which each sleep is extended, as on a busy machine. Used to test the effect of lateness.
    pub oversleep: Span,
    /// Channel for the node and a thread id of each namespace. nsenter(1) can enter the namespace with this
    /// id.
    pub namespace_threads: Option<Sender<(NodeId, i32)>>,
}

/// End of the network on this machine.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Number of the node.
    pub node: NodeId,
    /// Name of the node, for messages.
    pub node_name: String,
    /// Kind of the end.
    pub kind: EndpointKind,
}

/// Kind of an end of the network.
#[derive(Clone, Debug)]
pub enum EndpointKind {
    /// Network namespace with a TUN device, `airhop0`. The programs of the node run in the namespace. The
    /// functions `airhop_wire::addressing::address` and `address6` determine the node's addresses.
    Namespace {
        /// Maximum length of a datagram (MTU) in bytes. Below 1280 bytes the device has no IPv6 (RFC 8200
        /// §5).
        mtu: u16,
    },
    /// Existing interface with this name. Datagrams that arrive at the interface for other hosts enter the
    /// network, and departures leave through the interface.
    Device(String),
}

/// Program at a node, in its own process namespace. When the program ends, its descendants end, too.
///
/// The next command starts when this command has ended, when a new socket listens at this command's node, or
/// after 300 ms.
#[derive(Clone, Debug)]
pub struct Command {
    /// Node of the command. The node's end must be a namespace.
    pub node: NodeId,
    /// Command line for `sh -c`.
    pub command_line: String,
    /// True if standard error is captured. Otherwise the command writes to the emulator's standard error.
    pub capture_stderr: bool,
}

/// Congestion control of the connections that a node opens. A program can still select another congestion
/// control.
#[derive(Clone, Debug)]
pub struct NodeCongestionControl {
    /// Node of the senders. The node's end must be a namespace.
    pub node: NodeId,
    /// Name of the congestion control in the kernel.
    pub name: String,
    /// BPF object with the congestion control; `None` for a congestion control of the kernel itself.
    pub object: Option<LoadableObject>,
}

/// Readiness condition of a node. The commands of other nodes wait until the condition holds.
///
/// The condition must hold after a command of this node has started. The emulator waits at most 30 s, and
/// only while commands of this node run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeReadiness {
    /// Node that must be ready.
    pub node: NodeId,
    /// Condition under which the node is ready.
    pub condition: ReadyCondition,
}

/// Condition under which a node is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadyCondition {
    /// A TCP socket listens at this port, or a UDP socket is bound to this port.
    Port(u16),
    /// The exit code of `sh -c` with this line is 0. The line is run repeatedly at the node.
    Command(String),
}

impl fmt::Display for ReadyCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadyCondition::Port(port) => write!(f, "port {port}"),
            ReadyCondition::Command(line) => write!(f, "`{line}`"),
        }
    }
}

/// Destination of the log of an emulation.
#[derive(Clone, Debug)]
pub struct LogDestination {
    /// Path of the file. An existing file is replaced.
    pub path: PathBuf,
    /// Header text of the log, as returned by [`Log::header`](crate::log::LogReader::header).
    pub header: String,
    /// True if the payload is omitted for privacy.
    pub headers_only: bool,
}

/// Reason for the end of an emulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// All commands have ended.
    Commands,
    /// The duration is over.
    Duration,
    /// The stop flag was set.
    Asked,
    /// The world stopped. The world records the reason.
    World,
}

/// Result of an emulation.
#[derive(Clone, Debug)]
pub struct EmulationResult {
    /// End time of the emulation.
    pub ended_at: Time,
    /// Reason for the end.
    pub end_reason: EndReason,
    /// Lateness of packets at their hosts.
    pub lateness: LatenessSummary,
    /// Turnaround of each host: time from a data segment to the ACK of the segment.
    pub turnaround: Vec<(NodeId, TurnaroundSummary)>,
    /// Distributions of lateness and turnaround. A simulation can draw from these distributions to show their
    /// effect on the results.
    pub measured_delays: MeasuredDelays,
    /// Reasons, other than lateness, why the run does not represent the network. One sentence each.
    pub invalidity_reasons: Vec<String>,
    /// Periods of more than 5 ms in which the emulator did not run.
    pub stalls: Vec<Stall>,
    /// Results of the commands that were started, in order.
    pub command_results: Vec<CommandResult>,
    /// Congestion control of new sockets at the end of the run, for each node with a namespace.
    pub congestion_control_by_node: Vec<(NodeId, String)>,
    /// Number of notices received by the listeners of BPF objects, and number of window reductions avoided
    /// (variables `notices_heard` and `cuts_spared`). `None` if no object has these two variables.
    pub notice_counters: Option<[u64; 2]>,
    /// Number of packets lost by the emulator or a device, not by the network.
    pub lost_to_emulator: u64,
    /// Number of ignored packets to multicast and broadcast addresses.
    pub ignored_datagrams: u64,
    /// Datagrams that entered the network.
    pub admitted: TrafficCount,
    /// Datagrams that left the network.
    pub departed: TrafficCount,
    /// `Ok` if the loop had real-time priority; otherwise the reason.
    pub real_time_priority: Result<(), String>,
    /// Congestion control of each sender, by flow name.
    pub congestion_control_by_flow: BTreeMap<String, String>,
    /// `Ok` if the kernel's connections were sampled (TCP_INFO); otherwise the reason.
    pub tcp_info_sampling: Result<(), String>,
}

/// Result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandResult {
    /// Node of the command.
    pub node: NodeId,
    /// Command line for `sh -c`.
    pub command_line: String,
    /// Exit code, or 128 plus the signal number if a signal ended the command.
    pub exit_code: i32,
    /// True if the emulator ended the command at the end of the emulation.
    pub killed: bool,
    /// Standard output.
    pub stdout: CommandOutput,
    /// Standard error; `None` if not captured.
    pub stderr: Option<CommandOutput>,
}

/// Output of a command. Only the beginning and end of a long output are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// First bytes, at most 1 MiB.
    pub first_bytes: Vec<u8>,
    /// Number of omitted bytes between `first` and `last_bytes`.
    pub omitted_bytes: u64,
    /// Last bytes, at most 1 MiB.
    pub last_bytes: Vec<u8>,
}

impl CommandOutput {
    /// Returns all stored bytes.
    pub fn bytes(&self) -> Vec<u8> {
        [&self.first_bytes[..], &self.last_bytes].concat()
    }
}

/// Reason why an emulation did not run, or ended early.
#[derive(Debug, thiserror::Error)]
pub enum EmulationError {
    /// The operating system is not Linux, and lacks network namespaces and TUN devices.
    #[error("real packets need Linux: only its kernel has network namespaces with TUN devices")]
    Unsupported,
    /// The specification is wrong: two ends have the same node, or a command's node is not a namespace.
    #[error("{0}")]
    Plan(String),
    /// A step of setting up a node failed.
    #[error("node {name}: {step}: {error}")]
    SetUp {
        /// Name of the node.
        name: String,
        /// Step that failed.
        step: String,
        /// Error of the kernel.
        error: io::Error,
    },
    /// A command could not be started.
    #[error("node {name}: starting `{line}`: {error}")]
    Start {
        /// Name of the node.
        name: String,
        /// Command line for `sh -c`.
        line: String,
        /// Error of the kernel.
        error: io::Error,
    },
    /// The kernel lacks or rejects the congestion control of a node.
    #[error("node {name}: congestion control {control}: {why}")]
    Control {
        /// Name of the node.
        name: String,
        /// Name of the congestion control.
        control: String,
        /// Missing part, or error of the kernel.
        why: String,
    },
    /// A node did not become ready in time.
    #[error("node {name} is not ready, {sign}: {why}")]
    NotReady {
        /// Name of the node.
        name: String,
        /// Condition for which the emulator waited.
        sign: ReadyCondition,
        /// Reason why the emulator stopped waiting.
        why: String,
    },
    /// The device of a node can no longer be read.
    #[error("node {name}: its device was removed or is down: {error}")]
    Device {
        /// Name of the node.
        name: String,
        /// Error of the kernel.
        error: io::Error,
    },
    /// The wait for packets failed, or the log could not be written.
    #[error(transparent)]
    Drive(#[from] LoopError),
    /// The log could not be created.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl Emulation {
    /// Runs the emulation on this thread. The time of `world` starts at zero when all ends exist, immediately
    /// before the first command starts.
    ///
    /// `stop` ends the emulation within a tenth of a second. `on_progress` is called about ten times a
    /// second, and packets wait during the call. When `run` returns, all processes, namespaces and devices of
    /// the emulation are gone, and all changed settings are restored.
    ///
    /// # Errors
    /// Returns an error if this machine or this user cannot run the emulation. To check beforehand, use
    /// [`privileges`](crate::privileges). Further causes are a command that cannot be started, and a log that
    /// cannot be written.
    pub fn run<W: SimulatedNetwork>(
        &self,
        world: &mut W,
        stop: &AtomicBool,
        on_progress: &mut dyn FnMut(&Progress, &W),
    ) -> Result<EmulationResult, EmulationError> {
        self.check()?;
        #[cfg(target_os = "linux")]
        return crate::host::run(self, world, stop, on_progress);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (world, stop, on_progress);
            Err(EmulationError::Unsupported)
        }
    }

    fn check(&self) -> Result<(), EmulationError> {
        for (i, end) in self.endpoints.iter().enumerate() {
            if self.endpoints[..i].iter().any(|other| other.node == end.node) {
                return Err(EmulationError::Plan(format!(
                    "node {} is declared twice; expected once",
                    end.node_name
                )));
            }
        }
        for command in &self.commands {
            let end = self.endpoints.iter().find(|end| end.node == command.node);
            if !end.is_some_and(|end| matches!(end.kind, EndpointKind::Namespace { .. })) {
                let line = &command.command_line;
                return Err(EmulationError::Plan(format!(
                    "`{line}`: its node has no namespace; expected a node that is declared as a namespace"
                )));
            }
        }
        Ok(())
    }

    /// Returns the name of a node for messages.
    pub(crate) fn node_name(&self, node: NodeId) -> &str {
        self.endpoints.iter().find(|end| end.node == node).map_or("?", |end| &end.node_name)
    }

    /// Returns the result of the emulation. `driven` is the result of the loop, and `lost_in_devices` the
    /// number of packets lost in devices.
    pub(crate) fn emulation_result(
        &self,
        driven: LoopResult,
        commands: Vec<CommandResult>,
        congestion_control: Vec<(NodeId, String)>,
        lost_in_devices: u64,
        real_time: Result<(), String>,
    ) -> EmulationResult {
        EmulationResult {
            invalidity_reasons: self.invalidity_reasons(&driven, lost_in_devices),
            ended_at: driven.ended_at,
            end_reason: driven.end_reason,
            lateness: driven.lateness,
            turnaround: driven.turnaround,
            measured_delays: driven.measured_delays,
            stalls: driven.stalls,
            command_results: commands,
            congestion_control_by_node: congestion_control,
            notice_counters: None,
            lost_to_emulator: driven.lost_to_emulator + lost_in_devices,
            ignored_datagrams: driven.ignored_datagrams,
            admitted: driven.admitted,
            departed: driven.departed,
            real_time_priority: real_time,
            congestion_control_by_flow: driven.congestion_control_by_flow,
            tcp_info_sampling: Ok(()),
        }
    }

    /// Returns reasons why the run may not represent the network: packets lost outside the network, and windows that
    /// no congestion control sets.
    fn invalidity_reasons(&self, driven: &LoopResult, lost_in_devices: u64) -> Vec<String> {
        let mut why = Vec::new();
        if let Some((node, error)) = &driven.first_loss {
            let (lost, name) = (driven.lost_to_emulator, self.node_name(*node));
            why.push(format!("{lost} packets could not be written, the first at node {name}: {error}"));
        }
        if lost_in_devices > 0 {
            why.push(format!(
                "{lost_in_devices} packets were lost in devices, which the emulator did not read in time"
            ));
        }
        why.extend(driven.excessive_window.as_ref().and_then(excessive_window_reason));
        why
    }
}

/// Returns the reason why a sample does not come from the sender's congestion control; `None` if its windows are possible.
fn excessive_window_reason(sample: &ConnectionSample) -> Option<String> {
    let (name, segments) = sample.info.excessive_window()?;
    Some(format!(
        "at {:.3} s the kernel's {name} of {} was {segments} segments, more than any TCP window ({MAX_WINDOW_SEGMENTS} segments); the \
         kernel did not run a function of {}, or the function is wrong",
        sample.at.secs_f64(),
        sample.info.flow_name(),
        sample.info.congestion_control,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sockets::SocketInfo;

    fn emulation() -> Emulation {
        let end = |node, name: &str| Endpoint {
            node,
            node_name: name.into(),
            kind: EndpointKind::Namespace { mtu: 1500 },
        };
        Emulation {
            endpoints: vec![end(NodeId(0), "s"), end(NodeId(1), "d")],
            commands: Vec::new(),
            readiness: Vec::new(),
            congestion_controls: Vec::new(),
            duration: Span::from_secs(1),
            log: None,
            busy_wait: None,
            oversleep: Span::ZERO,
            namespace_threads: None,
        }
    }

    fn driven() -> LoopResult {
        LoopResult {
            ended_at: Time::ZERO,
            end_reason: EndReason::Duration,
            admitted: TrafficCount::default(),
            departed: TrafficCount::default(),
            ignored_datagrams: 0,
            lost_to_emulator: 0,
            first_loss: None,
            lateness: LatenessSummary::default(),
            turnaround: Vec::new(),
            stalls: Vec::new(),
            measured_delays: MeasuredDelays::default(),
            congestion_control_by_flow: BTreeMap::new(),
            excessive_window: None,
        }
    }

    /// A packet lost by the emulator itself makes the run invalid, because the network did not lose the
    /// packet.
    #[test]
    fn packets_lost_by_the_emulator_invalidate_the_run() {
        assert!(
            emulation()
                .emulation_result(driven(), Vec::new(), Vec::new(), 0, Ok(()))
                .invalidity_reasons
                .is_empty()
        );
        let first_loss = Some((NodeId(1), "full".into()));
        let lossy = LoopResult { lost_to_emulator: 2, first_loss, ..driven() };
        let live = emulation().emulation_result(lossy, Vec::new(), Vec::new(), 3, Ok(()));
        assert_eq!(live.lost_to_emulator, 5);
        let expected = ["2 packets could not be written, the first at node d: full", "3 packets"];
        assert_eq!(live.invalidity_reasons.len(), expected.len());
        assert!(
            live.invalidity_reasons.iter().zip(expected).all(|(is, part)| is.contains(part)),
            "{:?}",
            live.invalidity_reasons
        );
    }

    /// A kernel that skips the `ssthresh` of a BPF object takes garbage for its value, so the run does not show the object.
    #[test]
    fn a_window_that_no_connection_can_have_invalidates_the_run() {
        let info = SocketInfo {
            local: "10.0.0.1:36858".parse().unwrap(),
            peer: "10.0.0.2:5201".parse().unwrap(),
            congestion_control: "bpf_cubic".into(),
            ca_state: 3,
            cwnd: 9,
            ssthresh: Some(2_167_469_424),
            srtt_us: 67_000,
            retransmits: 55,
        };
        let excessive = ConnectionSample { at: Time::from_nanos(2_000_000_000), node: NodeId(0), info };
        let driven = LoopResult { excessive_window: Some(excessive), ..driven() };
        let live = emulation().emulation_result(driven, Vec::new(), Vec::new(), 0, Ok(()));
        let reason = live.invalidity_reasons.join("\n");
        for part in ["2.000 s", "ssthresh of tcp 10.0.0.1:36858", "2167469424", "bpf_cubic"] {
            assert!(reason.contains(part), "{reason}");
        }
    }

    #[test]
    fn a_command_without_a_namespace_is_refused() {
        let command = Command { node: NodeId(2), command_line: "true".into(), capture_stderr: false };
        let wrong = Emulation { commands: vec![command], ..emulation() };
        assert!(wrong.check().unwrap_err().to_string().contains("`true`: its node has no namespace"));
        let mut twice = emulation();
        twice.endpoints[1].node = NodeId(0);
        assert!(twice.check().unwrap_err().to_string().contains("node d is declared twice"));
    }
}
