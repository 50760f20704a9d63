//! An emulation: the ends of a network on this machine, and the programs that run there.

use crate::drive::{Count, DriveError, Driven, Measured, Progress, Stall};
use crate::lateness::Lateness;
use crate::log::LogError;
use crate::outside::Outside;
use crate::turnaround::Answers;
use airhop_base::{NodeId, Span, Time};
use airhop_bpf::loading::Loadable;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;

/// Specification of an emulation, and its duration.
#[derive(Clone, Debug)]
pub struct Emulation {
    /// Ends at which packets enter and leave, one for each node.
    pub ends: Vec<End>,
    /// Commands to run at the ends, started in the order of the list: list a server before its client. See [`Command`].
    pub commands: Vec<Command>,
    /// Conditions for the start of another node's command.
    pub ready: Vec<Ready>,
    /// Longest duration; the emulation ends before if all commands have ended.
    pub duration: Span,
    /// Congestion controls of senders, at most one for each node; other nodes have that of the host.
    pub controls: Vec<Control>,
    /// Log of entering datagrams.
    pub log: Option<LogTo>,
    /// Time before an event from which the emulator busy-waits: packets are less late, and a processor is busy.
    pub spin: Option<Span>,
    /// Additional time of each sleep, as on a busy machine: for tests of the effect of lateness.
    pub oversleep: Span,
    /// Receives the thread in the namespace of each node, by its number in `/proc`: nsenter(1) of it enters the
    /// namespace.
    pub threads: Option<Sender<(NodeId, i32)>>,
}

/// A node of the network on this machine.
#[derive(Clone, Debug)]
pub struct End {
    /// Number of the node.
    pub node: NodeId,
    /// Name of the node, for messages.
    pub name: String,
    /// Kind of the node on this machine.
    pub kind: EndKind,
}

/// Kind of a node on this machine.
#[derive(Clone, Debug)]
pub enum EndKind {
    /// A network namespace with a TUN device, `airhop0`, and programs in it. The node's addresses are
    /// `airhop_wire::addressing::address` and `address6`.
    Namespace {
        /// The longest datagram of the device, in bytes. Below 1280 there is no IPv6 (RFC 8200 §5).
        mtu: u16,
    },
    /// An existing interface of this name: datagrams that arrive there for other hosts enter the network, and
    /// departures leave there.
    Device(String),
}

/// A program at a node. It has a process namespace of its own: when it ends, all that it started ends.
///
/// The next command starts when this one has ended, a socket of its node listens that did not before, or 300 ms went by.
#[derive(Clone, Debug)]
pub struct Command {
    /// Node, whose end is a namespace.
    pub node: NodeId,
    /// Command line for `sh -c`.
    pub line: String,
    /// True if its standard error is kept; else it is that of the emulator.
    pub capture_stderr: bool,
}

/// The congestion control of the connections that begin at a node; programs can still ask for another one.
#[derive(Clone, Debug)]
pub struct Control {
    /// Node, whose end is a namespace.
    pub node: NodeId,
    /// Name in the kernel.
    pub name: String,
    /// BPF object that contains it; `None` for a congestion control of the kernel.
    pub object: Option<Loadable>,
}

/// Condition for the start of the first command of another node after a command of this node.
///
/// It is waited for 30 s at most, and no longer than the commands of its node run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Node whose commands are waited for.
    pub node: NodeId,
    /// Sign that they are ready.
    pub sign: Sign,
}

/// Sign that a node is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A TCP socket listens, or a UDP socket is bound, at this port.
    Port(u16),
    /// `sh -c` with this line ends with 0 at the node; it is tried again until then.
    Command(String),
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sign::Port(port) => write!(f, "port {port}"),
            Sign::Command(line) => write!(f, "`{line}`"),
        }
    }
}

/// Destination of the log of an emulation.
#[derive(Clone, Debug)]
pub struct LogTo {
    /// The file, which is replaced.
    pub path: PathBuf,
    /// Text that [`Log::header`](crate::log::Log::header) will return.
    pub header: String,
    /// Payload is not written: it is private.
    pub headers_only: bool,
}

/// Reason for the end of an emulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// All commands had ended.
    Commands,
    /// End of its duration.
    Duration,
    /// The stop flag was set.
    Asked,
    /// The world stopped; it knows why.
    World,
}

/// Result of an emulation.
#[derive(Clone, Debug)]
pub struct Live {
    /// Time of its end.
    pub ended: Time,
    /// Reason for its end.
    pub finished: Finished,
    /// Lateness of packets at their hosts.
    pub lateness: Lateness,
    /// Turnaround of each host, from data to their ACK.
    pub turnaround: Vec<(NodeId, Answers)>,
    /// The distributions of both: a simulation that draws from them shows how much they moved the results.
    pub measured: Measured,
    /// Reasons for which the run is no evidence about its network, however little its packets were late: sentences.
    pub why: Vec<String>,
    /// Each time that the emulator stood still for more than 5 ms.
    pub stalls: Vec<Stall>,
    /// Results of the commands that were started, in their order.
    pub commands: Vec<Ended>,
    /// By node that is a namespace: the congestion control that a new socket there had at the end.
    pub congestion_control: Vec<(NodeId, String)>,
    /// Notices received by listeners of BPF objects, and window reductions that they avoided: the variables
    /// `notices_heard` and `cuts_spared`. `None` without such an object.
    pub heard: Option<[u64; 2]>,
    /// Packets that the emulator or a device lost, not the network.
    pub lost_to_emulator: u64,
    /// Packets to groups and broadcasts: they did not enter.
    pub ignored: u64,
    /// Datagrams that entered the network.
    pub admitted: Count,
    /// Datagrams that left it.
    pub departed: Count,
    /// Real-time priority of the loop; an error has the reason for its lack.
    pub real_time: Result<(), String>,
    /// The congestion control of each sender, by the name of its flow.
    pub controls: BTreeMap<String, String>,
    /// Samples of connections by the kernel (TCP_INFO); an error has the reason for their lack.
    pub tcp_info: Result<(), String>,
}

/// Result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Node on which it ran.
    pub node: NodeId,
    /// Command line for `sh -c`.
    pub line: String,
    /// Exit code; 128 and the signal, if a signal ended it.
    pub exit: i32,
    /// True if the emulator ended it, since the time was up.
    pub killed: bool,
    /// Standard output.
    pub stdout: Output,
    /// Standard error, if that was to be kept.
    pub stderr: Option<Output>,
}

/// Output of a command: complete, or its beginning and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The first bytes, at most 1 MiB.
    pub first: Vec<u8>,
    /// Number of bytes between them that were not kept.
    pub left_out: u64,
    /// The last bytes behind that, at most 1 MiB.
    pub last: Vec<u8>,
}

impl Output {
    /// Returns all bytes that were kept.
    pub fn bytes(&self) -> Vec<u8> {
        [&self.first[..], &self.last].concat()
    }
}

/// Reason for which there was no emulation, or for which it ended at once.
#[derive(Debug, thiserror::Error)]
pub enum EmulationError {
    /// Namespaces and TUN devices are Linux's.
    #[error("real packets need Linux: only its kernel has network namespaces with TUN devices")]
    Unsupported,
    /// Two ends are the same node, or a command has no namespace.
    #[error("{0}")]
    Plan(String),
    /// A step of setting up a node failed.
    #[error("node {name}: {step}: {error}")]
    SetUp {
        /// The node's name.
        name: String,
        /// Step that failed.
        step: String,
        /// Error of the kernel.
        error: io::Error,
    },
    /// A command could not be started.
    #[error("node {name}: starting `{line}`: {error}")]
    Start {
        /// The node's name.
        name: String,
        /// Command line for `sh -c`.
        line: String,
        /// Error of the kernel.
        error: io::Error,
    },
    /// The kernel does not have or not take the congestion control of a node.
    #[error("node {name}: congestion control {control}: {why}")]
    Control {
        /// The node's name.
        name: String,
        /// Name of the congestion control.
        control: String,
        /// Missing part, or the kernel's error.
        why: String,
    },
    /// A node did not become ready.
    #[error("node {name} is not ready, {sign}: {why}")]
    NotReady {
        /// The node's name.
        name: String,
        /// Sign that was waited for.
        sign: Sign,
        /// Reason for which the wait ended.
        why: String,
    },
    /// The device of a node can no longer be read.
    #[error("node {name}: its device is gone or down: {error}")]
    Device {
        /// The node's name.
        name: String,
        /// Error of the kernel.
        error: io::Error,
    },
    /// Packets could no longer be waited for, or the log not written.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The log could not be begun.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl Emulation {
    /// Runs it, on this thread: `world` begins at time zero when all ends are there, just before the first command starts.
    ///
    /// `stop` ends it within a tenth of a second. `on_progress` is called about ten times a second; packets wait until
    /// it returns. On return no process, namespace, device or changed setting is left.
    ///
    /// # Errors
    /// This machine or this user cannot ([`privileges`](crate::privileges) checks it beforehand), a command cannot be started, or the log
    /// not written.
    pub fn run<W: Outside>(
        &self,
        world: &mut W,
        stop: &AtomicBool,
        on_progress: &mut dyn FnMut(&Progress, &W),
    ) -> Result<Live, EmulationError> {
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
        for (i, end) in self.ends.iter().enumerate() {
            if self.ends[..i].iter().any(|other| other.node == end.node) {
                return Err(EmulationError::Plan(format!(
                    "node {} is declared twice: once is enough",
                    end.name
                )));
            }
        }
        for command in &self.commands {
            let end = self.ends.iter().find(|end| end.node == command.node);
            if !end.is_some_and(|end| matches!(end.kind, EndKind::Namespace { .. })) {
                let line = &command.line;
                return Err(EmulationError::Plan(format!(
                    "`{line}`: its node has no namespace; declare it as one"
                )));
            }
        }
        Ok(())
    }

    /// Returns the name of a node, for messages.
    pub(crate) fn name(&self, node: NodeId) -> &str {
        self.ends.iter().find(|end| end.node == node).map_or("?", |end| &end.name)
    }

    /// Returns the result of a run of the loop, its commands and `lost_in_devices` packets.
    pub(crate) fn live(
        &self,
        driven: Driven,
        commands: Vec<Ended>,
        congestion_control: Vec<(NodeId, String)>,
        lost_in_devices: u64,
        real_time: Result<(), String>,
    ) -> Live {
        Live {
            why: self.doubts(&driven, lost_in_devices),
            ended: driven.ended,
            finished: driven.finished,
            lateness: driven.lateness,
            turnaround: driven.turnaround,
            measured: driven.measured,
            stalls: driven.stalls,
            commands,
            congestion_control,
            heard: None,
            lost_to_emulator: driven.lost_to_emulator + lost_in_devices,
            ignored: driven.ignored,
            admitted: driven.admitted,
            departed: driven.departed,
            real_time,
            controls: driven.controls,
            tcp_info: Ok(()),
        }
    }

    /// Returns the reasons for doubt: packets that the network did not lose and that no host got.
    fn doubts(&self, driven: &Driven, lost_in_devices: u64) -> Vec<String> {
        let mut why = Vec::new();
        if let Some((node, error)) = &driven.first_loss {
            let (lost, name) = (driven.lost_to_emulator, self.name(*node));
            why.push(format!("{lost} packets could not be written, the first at node {name}: {error}"));
        }
        if lost_in_devices > 0 {
            why.push(format!(
                "{lost_in_devices} packets were lost in devices, which the emulator did not read in time"
            ));
        }
        why
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emulation() -> Emulation {
        let end = |node, name: &str| End { node, name: name.into(), kind: EndKind::Namespace { mtu: 1500 } };
        Emulation {
            ends: vec![end(NodeId(0), "s"), end(NodeId(1), "d")],
            commands: Vec::new(),
            ready: Vec::new(),
            controls: Vec::new(),
            duration: Span::from_secs(1),
            log: None,
            spin: None,
            oversleep: Span::ZERO,
            threads: None,
        }
    }

    fn driven() -> Driven {
        Driven {
            ended: Time::ZERO,
            finished: Finished::Duration,
            admitted: Count::default(),
            departed: Count::default(),
            ignored: 0,
            lost_to_emulator: 0,
            first_loss: None,
            lateness: Lateness::default(),
            turnaround: Vec::new(),
            stalls: Vec::new(),
            measured: Measured::default(),
            controls: BTreeMap::new(),
        }
    }

    /// A packet that the emulator itself loses is no loss of the network.
    #[test]
    fn packets_that_the_emulator_lost_are_a_reason_to_refuse_a_run() {
        assert!(emulation().live(driven(), Vec::new(), Vec::new(), 0, Ok(())).why.is_empty());
        let first_loss = Some((NodeId(1), "full".into()));
        let lossy = Driven { lost_to_emulator: 2, first_loss, ..driven() };
        let live = emulation().live(lossy, Vec::new(), Vec::new(), 3, Ok(()));
        assert_eq!(live.lost_to_emulator, 5);
        let expected = ["2 packets could not be written, the first at node d: full", "3 packets"];
        assert_eq!(live.why.len(), expected.len());
        assert!(live.why.iter().zip(expected).all(|(is, part)| is.contains(part)), "{:?}", live.why);
    }

    #[test]
    fn a_command_without_a_namespace_is_refused() {
        let command = Command { node: NodeId(2), line: "true".into(), capture_stderr: false };
        let wrong = Emulation { commands: vec![command], ..emulation() };
        assert!(wrong.check().unwrap_err().to_string().contains("`true`: its node has no namespace"));
        let mut twice = emulation();
        twice.ends[1].node = NodeId(0);
        assert!(twice.check().unwrap_err().to_string().contains("node d is declared twice"));
    }
}
