//! Emulation and replay: runs with real hosts. Each run has its own thread, while the calling thread checks
//! for Python signals.

use crate::outcome::Outcome;
use crate::runs::{POLL, RunError, Workers, python_error};
use crate::scenario::{Scenario, ScenarioError};
use crate::tcp_info;
use crate::twin::Emulated;
use airhop_base::{DepartedDatagram, NodeId, NoticeKind, Span, Time};
use airhop_bpf::loading::{LoadableObject, ProgramKind};
use airhop_live::drive::Progress;
use airhop_live::log::{LogEnding, LogReader, ReplayError};
use airhop_live::privileges::Privileges;
use airhop_live::{
    Command, Emulation, EmulationError, EmulationResult, Endpoint, EndpointKind, LogDestination,
    NodeCongestionControl, NodeReadiness, ReadyCondition, SimulatedNetwork, WorldStopped,
};
use airhop_scenario::{
    AddressScope, HostAttachment, ObservedFlow, ObservedLoad, OpenRun, RealFlow, RealHostPlan,
    RecordingOptions, Run,
};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Failure of the thread in which a run works.
pub(crate) enum Failure {
    Run(airhop_scenario::RunError),
    Emulation(EmulationError),
    Replay(ReplayError),
}

/// Run with real hosts, as the crate `live` uses it. A failure stops the run; its reason is stored here.
pub(crate) struct Opened {
    run: OpenRun,
    stop: Arc<AtomicBool>,
    failure: Option<airhop_scenario::RunError>,
}

impl Opened {
    pub(crate) fn new(run: OpenRun, stop: Arc<AtomicBool>) -> Self {
        Opened { run, stop, failure: None }
    }
}

/// Progress of an emulation, and the number of drops so far for each cause.
type ProgressAndDrops = (Progress, Vec<(&'static str, u64)>);

impl Opened {
    fn kept(&mut self, result: Result<(), airhop_scenario::RunError>) -> Result<(), WorldStopped> {
        result.map_err(|error| {
            self.failure = Some(error);
            WorldStopped
        })
    }

    /// Returns the flows of real hosts that have opened so far.
    pub(crate) fn observed_flows(&self) -> Vec<ObservedFlow> {
        self.run.observed_flows()
    }

    /// Ends the run and returns the outcome; an error if the run has failed.
    pub(crate) fn finish(self, end: Time) -> Result<airhop_scenario::RunOutcome, Failure> {
        match self.failure {
            Some(error) => Err(Failure::Run(error)),
            None => self.run.finish(end).map_err(Failure::Run),
        }
    }
}

impl SimulatedNetwork for Opened {
    fn next_event(&mut self) -> Option<Time> {
        self.run.next_event()
    }

    fn advance(&mut self, t: Time) -> Result<(), WorldStopped> {
        let result = self.run.advance(t, &self.stop);
        self.kept(result)
    }

    fn admit(&mut self, t: Time, node: NodeId, datagram: &[u8]) -> Result<(), WorldStopped> {
        let result = self.run.admit(t, node, datagram, &self.stop);
        self.kept(result)
    }

    fn take_departures(&mut self, into: &mut Vec<DepartedDatagram>) {
        into.extend(self.run.take_departures());
    }
}

/// Node to which real hosts are attached: text for messages, node name, and network interface. Without an
/// interface, a network namespace is used.
pub(crate) type RequestedDoor = (String, String, Option<String>);

/// Scheme from outside Airhop, as a log identifies it: file or module, scheme name, and digest of the code.
/// The log does not contain the code.
pub(crate) type Code = (String, String, String);

/// Start condition for further commands: a node, and a port or a line for `sh -c`.
type RequestedReady = (String, Option<u16>, String);

/// Congestion control of a node's senders: node, name, and the file and bytes of a BPF object. Without a BPF
/// object, the kernel's own congestion control is used.
type RequestedControl = (String, String, Option<(PathBuf, Vec<u8>)>);

/// Prepares a BPF object for the kernel. Raises RunError with the file name.
fn loadable((node, name, object): RequestedControl) -> PyResult<(String, String, Option<LoadableObject>)> {
    let read = |(file, bytes): (PathBuf, Vec<u8>)| LoadableObject::read(&bytes, &file.to_string_lossy());
    let object = object.map(read).transpose().map_err(|error| RunError::new_err(error.to_string()))?;
    Ok((node, name, object))
}

/// True if an object has a program that processes packets, and thus listens for notices.
fn listens(object: Option<&LoadableObject>) -> bool {
    object.is_some_and(|object| object.programs.iter().any(|program| program.kind == ProgramKind::Filter))
}

/// Emulates a scenario in real time, with real hosts at the nodes `doors`. A door is (text for messages,
/// node, interface or None for a network namespace). `always_told`: True to send notices in ACK form to all
/// senders, False to send them only to senders with a listener. `controls`: congestion controls of senders in
/// namespaces. `commands`: pairs of a node and a line for `sh -c`. Commands start when the conditions in
/// `ready` hold. `log`: file for all entering datagrams, with the names and digests of `code`. `spin_us`:
/// time to busy-wait before each event, in microseconds. `on_progress` is called ten times per second with a
/// dict. Returns the run document as JSON, with a section `live`, and the data for the twin. Raises
/// ScenarioError, OSError, RunError.
#[pyfunction]
#[pyo3(signature = (scenario, doors, always_told, controls, commands, ready, seed, rep, log, headers_only, code, spin_us, on_progress))]
#[allow(clippy::too_many_arguments, reason = "Python calls it by keyword")]
pub fn emulate(
    py: Python<'_>,
    scenario: &Scenario,
    doors: Vec<RequestedDoor>,
    always_told: bool,
    controls: Vec<RequestedControl>,
    commands: Vec<(String, String)>,
    ready: Vec<RequestedReady>,
    seed: u64,
    rep: u64,
    log: Option<PathBuf>,
    headers_only: bool,
    code: Vec<Code>,
    spin_us: u64,
    on_progress: &Bound<'_, PyAny>,
) -> PyResult<(String, Emulated)> {
    let objects = controls.into_iter().map(loadable).collect::<PyResult<Vec<_>>>()?;
    let listens = |node: &str| objects.iter().any(|(at, _, object)| at == node && listens(object.as_ref()));
    let opening = opened_to(scenario, &doors, &|node| always_told || listens(node))?;
    let run = Run { scenario: scenario.inner.clone(), seed, rep };
    let header = header(&run, &doors, headers_only, &code);
    let (threads, entered) = channel();
    let emulation = Emulation {
        endpoints: ends(&opening, &doors),
        commands: commands.into_iter().map(|(node, line)| command(&opening, &node, line)).collect(),
        readiness: ready.into_iter().map(|asked| sign(&opening, asked)).collect(),
        congestion_controls: objects
            .into_iter()
            .map(|(node, name, object)| NodeCongestionControl { node: place(&opening, &node), name, object })
            .collect(),
        duration: scenario.inner.duration(),
        log: log.map(|path| LogDestination { path, header, headers_only }),
        busy_wait: (spin_us > 0).then_some(Span::from_micros(spin_us)),
        oversleep: oversleep(),
        namespace_threads: Some(threads),
    };
    let latest = Arc::new(Mutex::new(None::<ProgressAndDrops>));
    let newest = latest.clone();
    let (names, notes) = (opening.plan.nodes.clone(), opening.notes.clone());
    let kept = opening.clone();
    let work = move |stop: Arc<AtomicBool>| {
        let open = OpenRun::new(run, &opening, &RecordingOptions::default()).map_err(Failure::Run)?;
        let mut world = Opened::new(open, stop.clone());
        let mut tell = |progress: &Progress, world: &Opened| {
            let told = (*progress, world.run.drop_counts().collect());
            *newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
        };
        let live = emulation.run(&mut world, &stop, &mut tell).map_err(Failure::Emulation)?;
        let ignored = world.run.ignored_datagrams() + live.ignored_datagrams;
        let (seen, notices) = (world.observed_flows(), world.run.notices_to_real_senders());
        Ok((world.finish(live.ended_at)?, live, ignored, seen, notices))
    };
    let (named, mut inside) = (names.clone(), BTreeMap::new());
    let (outcome, live, ignored, seen, notices) = in_a_thread(py, work, |py| {
        let Some((progress, drops)) = latest.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(());
        };
        let told = told(py, &progress)?;
        told.set_item("drops", drops.into_iter().collect::<BTreeMap<_, _>>())?;
        inside.extend(entered.try_iter().map(|(node, thread)| (named[usize::from(node.0)].clone(), thread)));
        told.set_item("threads", &inside)?;
        on_progress.call1((told,)).map(drop)
    })?;
    let mut document: Value =
        serde_json::from_str(&outcome.document).map_err(|e| RunError::new_err(e.to_string()))?;
    document["live"] = live.to_json(|node| names[usize::from(node.0)].clone());
    document["live"]["ignored"] = json!(ignored);
    let sent: BTreeMap<_, _> =
        NoticeKind::ALL.iter().map(|kind| (kind.name(), notices[kind.index()])).collect();
    let [heard, spared] = live.notice_counters.map_or([None; 2], |counts| counts.map(Some));
    document["live"]["notices"] = json!({ "sent": sent, "heard": heard, "spared": spared });
    document["live"]["notes"] =
        json!(notes.into_iter().chain(live.tcp_info_sampling.clone().err()).collect::<Vec<_>>());
    let flows: Vec<RealFlow> = seen
        .into_iter()
        .map(|seen| RealFlow { congestion_control: control(&live, &seen), observed: seen })
        .collect();
    let controls = flows
        .iter()
        .filter_map(|flow| Some((flow.observed.name.as_str(), flow.congestion_control.as_deref()?)));
    document["live"]["congestion_control"] = json!(controls.collect::<BTreeMap<_, _>>());
    let emulated =
        Emulated { scenario: scenario.inner.clone(), opening: kept, flows, measured: live.measured_delays };
    Ok((document.to_string(), emulated))
}

/// Returns the congestion control of a TCP flow as the kernel reported it, or else the default at the node.
/// `None` if both are unknown, or for UDP.
fn control(live: &EmulationResult, flow: &ObservedFlow) -> Option<String> {
    if !matches!(flow.load, ObservedLoad::Tcp { .. }) {
        return None;
    }
    // If a connection reuses the ports of an earlier connection, its name is that of the earlier connection
    // with a number.
    let told = flow.name.split(" #").next().and_then(|ports| live.congestion_control_by_flow.get(ports));
    let of_node = || live.congestion_control_by_node.iter().find(|(node, _)| *node == flow.from);
    told.or_else(|| of_node().map(|(_, word)| word)).cloned()
}

/// Returns the extra duration of each emulator sleep, normally zero. Tests of lateness set
/// AIRHOP_OVERSLEEP_US in microseconds.
fn oversleep() -> Span {
    let told = std::env::var("AIRHOP_OVERSLEEP_US").ok();
    told.and_then(|text| text.parse().ok()).map_or(Span::ZERO, Span::from_micros)
}

/// Replays a log in the scenario from [`log_header`]. Returns the outcome, True if the log is complete, and
/// the congestion control of each real sender by flow. Raises ScenarioError, OSError, RunError.
#[pyfunction]
#[pyo3(signature = (scenario, path, trace = false, pcap_dir = None))]
pub fn replay(
    py: Python<'_>,
    scenario: &Scenario,
    path: PathBuf,
    trace: bool,
    pcap_dir: Option<PathBuf>,
) -> PyResult<(Outcome, bool, BTreeMap<String, String>)> {
    let log = LogReader::open(&path).map_err(|error| PyOSError::new_err(error.to_string()))?;
    let Some(header) = read_header(log.header()) else {
        let what = "expected a header with seed, rep and doors, as `airhop emulate --log` writes";
        return Err(PyOSError::new_err(format!("{}: {what}", path.display())));
    };
    let opening = opened(scenario, &header.doors)?;
    let ends = opening.outside.host_nodes.iter().map(|end| end.node);
    let mut log = log.with_bounds(ends, scenario.inner.duration());
    let run = Run { scenario: scenario.inner.clone(), seed: header.seed, rep: header.rep };
    let work = move |stop: Arc<AtomicBool>| {
        let recording = RecordingOptions { tables: trace, pcap_dir };
        let open = OpenRun::new(run, &opening, &recording).map_err(Failure::Run)?;
        let mut world = Opened::new(open, stop);
        match airhop_live::replay(&mut world, &mut log) {
            Ok(replayed) => {
                let mut outcome = world.finish(replayed.end_time)?;
                if trace && !log.samples().is_empty() {
                    outcome.tables.push(tcp_info::table(log.samples()));
                }
                // Later samples of a flow replace earlier ones, so the last sample counts.
                let told = log
                    .samples()
                    .iter()
                    .map(|sample| (sample.info.flow_name(), sample.info.congestion_control.clone()));
                Ok((outcome, matches!(replayed.ending, LogEnding::Complete(_)), told.collect()))
            }
            Err(error) => Err(world.failure.map_or(Failure::Replay(error), Failure::Run)),
        }
    };
    let (inner, is_whole, controls) = in_a_thread(py, work, |_| Ok(()))?;
    Ok((Outcome { inner }, is_whole, controls))
}

/// Returns the format version of a log, and the header of its run as JSON. The header has `airhop` (version),
/// `scenario`, `files` (content by digest), `with` (schemes from outside Airhop), `seed`, `rep`, `doors`, and
/// `headers_only`. Raises OSError.
#[pyfunction]
pub fn log_header(path: PathBuf) -> PyResult<(u16, String)> {
    let log = LogReader::open(&path).map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok((log.version(), log.header().to_string()))
}

/// Return the privileges of this process: namespaces, TUN, real-time priority, struct_ops and TCP_INFO. Each
/// is a tuple of name, True if granted, and an explanation.
#[pyfunction]
pub fn privileges() -> Vec<(&'static str, bool, String)> {
    let Privileges { namespaces, tun, real_time, struct_ops, tcp_info } = Privileges::detect();
    let told = |name, ability: Result<String, String>| match ability {
        Ok(how) => (name, true, how),
        Err(why) => (name, false, why),
    };
    vec![
        told("namespaces", namespaces),
        told("tun", tun),
        told("real-time", real_time),
        told("struct_ops", struct_ops),
        told("tcp_info", tcp_info),
    ]
}

/// Return True if this process must restart in a user namespace before it can create network namespaces.
#[pyfunction]
pub fn needs_user_namespace() -> bool {
    airhop_live::privileges::needs_user_namespace()
}

/// Runs `work` in a thread that is attached to Python, because Python schemes may run there. The calling
/// thread checks for signals and calls `meanwhile`.
pub(crate) fn in_a_thread<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(Arc<AtomicBool>) -> Result<T, Failure> + Send + 'static,
    mut meanwhile: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (asked, (sender, mut done)) = (stop.clone(), channel());
    let thread = thread::spawn(move || {
        let mut work = Some(work);
        Workers::default().attach(&mut || {
            if let Some(work) = work.take() {
                // When Python shuts down, the receiver may be gone.
                let _ = sender.send(work(asked.clone()));
            }
        });
    });
    let mut interrupted = None;
    let result = loop {
        let results = &mut done; // a receiver belongs to one thread at a time
        match py.detach(move || results.recv_timeout(POLL)) {
            Ok(result) => break Some(result),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) if interrupted.is_none() => {
                interrupted = py.check_signals().and_then(|()| meanwhile(py)).err();
                stop.store(interrupted.is_some(), Ordering::Relaxed);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    let _ = py.detach(|| thread.join());
    if let Some(why) = interrupted {
        return Err(why);
    }
    let result =
        result.ok_or_else(|| RunError::new_err("this is an error in Airhop: the emulator panicked"))?;
    result.map_err(|failure| match failure {
        Failure::Run(error) => python_error(py, error),
        Failure::Emulation(error) => PyOSError::new_err(error.to_string()),
        Failure::Replay(error) => PyOSError::new_err(error.to_string()),
    })
}

/// Returns the scenario with real hosts for a replay. No sender counts as a listener, because no datagram
/// leaves.
pub(crate) fn opened(scenario: &Scenario, doors: &[RequestedDoor]) -> PyResult<RealHostPlan> {
    opened_to(scenario, doors, &|_| false)
}

/// Returns the scenario with real hosts. Senders at nodes with `hears(node)` get notices in ACK form.
fn opened_to(
    scenario: &Scenario,
    doors: &[RequestedDoor],
    hears: &dyn Fn(&str) -> bool,
) -> PyResult<RealHostPlan> {
    let door = |(asked, node, device): &RequestedDoor| HostAttachment {
        requested_as: asked.clone(),
        node: node.clone(),
        reach: if device.is_some() { AddressScope::Network } else { AddressScope::Host },
        has_notice_listener: hears(node),
    };
    let doors: Vec<HostAttachment> = doors.iter().map(door).collect();
    scenario.inner.attach_hosts(&doors).map_err(|refusal| ScenarioError::new_err(refusal.to_string()))
}

fn ends(opening: &RealHostPlan, doors: &[RequestedDoor]) -> Vec<Endpoint> {
    let ends = opening.outside.host_nodes.iter().zip(&opening.mtus);
    ends.map(|(end, &mtu)| {
        let name = opening.plan.nodes[usize::from(end.node.0)].clone();
        let device = doors.iter().find_map(|(_, node, device)| device.clone().filter(|_| *node == name));
        let mtu = u16::try_from(mtu).unwrap_or(u16::MAX);
        Endpoint {
            node: end.node,
            kind: device.map_or(EndpointKind::Namespace { mtu }, EndpointKind::Device),
            node_name: name,
        }
    })
    .collect()
}

fn command(opening: &RealHostPlan, node: &str, line: String) -> Command {
    Command { node: place(opening, node), command_line: line, capture_stderr: false }
}

fn sign(opening: &RealHostPlan, (node, port, line): RequestedReady) -> NodeReadiness {
    NodeReadiness {
        node: place(opening, &node),
        condition: port.map_or(ReadyCondition::Command(line), ReadyCondition::Port),
    }
}

fn place(opening: &RealHostPlan, node: &str) -> NodeId {
    let place = opening.plan.nodes.iter().position(|name| name == node).unwrap_or(usize::from(u16::MAX));
    NodeId(place as u16)
}

/// Returns the header of a log, for [`log_header`].
pub(crate) fn header(run: &Run, doors: &[RequestedDoor], headers_only: bool, code: &[Code]) -> String {
    let scenario: Value = serde_json::from_str(&run.scenario.to_json()).unwrap_or(Value::Null);
    let doors: Vec<Value> =
        doors.iter().map(|(_, node, device)| json!({"node": node, "device": device})).collect();
    let files: BTreeMap<_, _> = run.scenario.named_files().into_iter().collect();
    let with: Vec<Value> = code
        .iter()
        .map(|(file, scheme, digest)| json!({"file": file, "scheme": scheme, "digest": digest}))
        .collect();
    json!({
        "airhop": env!("CARGO_PKG_VERSION"),
        "scenario": scenario,
        "files": files,
        "with": with,
        "seed": run.seed,
        "rep": run.rep,
        "doors": doors,
        "headers_only": headers_only,
    })
    .to_string()
}

/// Header fields of a log that a replay needs.
struct Header {
    seed: u64,
    rep: u64,
    doors: Vec<RequestedDoor>,
}

fn read_header(text: &str) -> Option<Header> {
    let header: Value = serde_json::from_str(text).ok()?;
    let door = |door: &Value| {
        let device = door["device"].as_str().map(String::from);
        Some(("the log".to_string(), door["node"].as_str()?.to_string(), device))
    };
    let doors = header["doors"].as_array()?.iter().map(door).collect::<Option<_>>()?;
    Some(Header { seed: header["seed"].as_u64()?, rep: header["rep"].as_u64()?, doors })
}

fn told<'py>(py: Python<'py>, progress: &Progress) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("t_s", progress.time.secs_f64())?;
    for (name, count) in [("in", progress.admitted), ("out", progress.departed)] {
        let counts = PyDict::new(py);
        counts.set_item("packets", count.packets)?;
        counts.set_item("bytes", count.bytes)?;
        dict.set_item(name, counts)?;
    }
    dict.set_item("lateness_p99_us", progress.lateness_p99_us)?;
    dict.set_item("lost_to_emulator", progress.lost_to_emulator)?;
    Ok(dict)
}
