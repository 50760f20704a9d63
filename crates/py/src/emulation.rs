//! Emulation and replay: runs with hosts outside. The run works in a separate thread, with the clock or the
//! log, while Python checks for signals.

use crate::outcome::Outcome;
use crate::runs::{POLL, RunError, Workers, python_error};
use crate::scenario::{Scenario, ScenarioError};
use crate::tcp_info;
use crate::twin::Emulated;
use airhop_base::{Departure, NodeId, NoticeKind, Span, Time};
use airhop_bpf::loading::{Loadable, ProgramKind};
use airhop_live::drive::Progress;
use airhop_live::log::{Ending, Log, ReplayError};
use airhop_live::privileges::Privileges;
use airhop_live::{
    Command, Control, Emulation, EmulationError, End, EndKind, Live, LogTo, Outside, Ready, ReadyCondition,
    Stopped,
};
use airhop_scenario::{Door, ObservedFlow, ObservedLoad, OpenRun, Opening, Reach, RealFlow, Recording, Run};
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

/// Result of a thread's work.
pub(crate) enum Failure {
    Run(airhop_scenario::RunError),
    Emulation(EmulationError),
    Replay(ReplayError),
}

/// Opened run for the live crate, which learns only that the run stopped.
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

/// Progress of an emulation, and its drops so far, by cause.
type ProgressAndDrops = (Progress, Vec<(&'static str, u64)>);

impl Opened {
    fn kept(&mut self, result: Result<(), airhop_scenario::RunError>) -> Result<(), Stopped> {
        result.map_err(|error| {
            self.failure = Some(error);
            Stopped
        })
    }

    /// Returns the flows of real hosts so far.
    pub(crate) fn observed_flows(&self) -> Vec<ObservedFlow> {
        self.run.observed_flows()
    }

    /// Ends the run, unless it has failed before.
    pub(crate) fn finish(self, end: Time) -> Result<airhop_scenario::Outcome, Failure> {
        match self.failure {
            Some(error) => Err(Failure::Run(error)),
            None => self.run.finish(end).map_err(Failure::Run),
        }
    }
}

impl Outside for Opened {
    fn next_event(&mut self) -> Option<Time> {
        self.run.next_event()
    }

    fn advance(&mut self, t: Time) -> Result<(), Stopped> {
        let result = self.run.advance(t, &self.stop);
        self.kept(result)
    }

    fn admit(&mut self, t: Time, node: NodeId, datagram: &[u8]) -> Result<(), Stopped> {
        let result = self.run.admit(t, node, datagram, &self.stop);
        self.kept(result)
    }

    fn departures(&mut self, into: &mut Vec<Departure>) {
        into.extend(self.run.departures());
    }
}

/// Endpoint for real hosts: its name in messages, its node, and its device, or `None` for a network
/// namespace.
pub(crate) type RequestedDoor = (String, String, Option<String>);

/// Scheme that the log names without its code: file or module, name of the scheme, and digest of its code.
pub(crate) type Code = (String, String, String);

/// Condition for the start of the next command: its node, and a port or a line for `sh -c`.
type RequestedReady = (String, Option<u16>, String);

/// Congestion control of a node's senders: node, name, and the object's file and bytes; `None` for one of the
/// kernel.
type RequestedControl = (String, String, Option<(PathBuf, Vec<u8>)>);

/// Prepares an object for a kernel. Raises RunError, whose text names the file.
fn loadable((node, name, object): RequestedControl) -> PyResult<(String, String, Option<Loadable>)> {
    let read = |(file, bytes): (PathBuf, Vec<u8>)| Loadable::read(&bytes, &file.to_string_lossy());
    let object = object.map(read).transpose().map_err(|error| RunError::new_err(error.to_string()))?;
    Ok((node, name, object))
}

/// True if an object has a program that listens for notices.
fn listens(object: Option<&Loadable>) -> bool {
    object.is_some_and(|object| object.programs.iter().any(|program| program.kind == ProgramKind::Filter))
}

/// Runs `commands`, pairs of a node and a line for `sh -c`, at nodes of the scenario, in real time, when the
/// conditions in `ready` hold. `doors` are (name in messages, node, device or None for a network namespace);
/// `controls` set the congestion controls of senders in namespaces; senders with a listener, or all
/// (`always_told`), get notices in the form of ACKs. All entering datagrams are written to `log`, with the
/// names and digests of `code`; the emulator busy-waits for the last `spin_us` microseconds before an event;
/// `on_progress` gets a dict ten times per second. Returns the run's document with `live`, JSON, and the data
/// for its twin. Raises ScenarioError, OSError, RunError.
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
        ends: ends(&opening, &doors),
        commands: commands.into_iter().map(|(node, line)| command(&opening, &node, line)).collect(),
        ready: ready.into_iter().map(|asked| sign(&opening, asked)).collect(),
        controls: objects
            .into_iter()
            .map(|(node, name, object)| Control { node: place(&opening, &node), name, object })
            .collect(),
        duration: scenario.inner.duration(),
        log: log.map(|path| LogTo { path, header, headers_only }),
        spin: (spin_us > 0).then_some(Span::from_micros(spin_us)),
        oversleep: oversleep(),
        threads: Some(threads),
    };
    let latest = Arc::new(Mutex::new(None::<ProgressAndDrops>));
    let newest = latest.clone();
    let (names, notes) = (opening.plan.nodes.clone(), opening.notes.clone());
    let kept = opening.clone();
    let work = move |stop: Arc<AtomicBool>| {
        let open = OpenRun::new(run, &opening, &Recording::default()).map_err(Failure::Run)?;
        let mut world = Opened::new(open, stop.clone());
        let mut tell = |progress: &Progress, world: &Opened| {
            let told = (*progress, world.run.drops().collect());
            *newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
        };
        let live = emulation.run(&mut world, &stop, &mut tell).map_err(Failure::Emulation)?;
        let ignored = world.run.ignored() + live.ignored;
        let (seen, notices) = (world.observed_flows(), world.run.notices_left());
        Ok((world.finish(live.ended)?, live, ignored, seen, notices))
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
    document["live"] = live.json(|node| names[usize::from(node.0)].clone());
    document["live"]["ignored"] = json!(ignored);
    let sent: BTreeMap<_, _> =
        NoticeKind::ALL.iter().map(|kind| (kind.name(), notices[kind.index()])).collect();
    let [heard, spared] = live.heard.map_or([None; 2], |counts| counts.map(Some));
    document["live"]["notices"] = json!({ "sent": sent, "heard": heard, "spared": spared });
    document["live"]["notes"] =
        json!(notes.into_iter().chain(live.tcp_info.clone().err()).collect::<Vec<_>>());
    let flows: Vec<RealFlow> =
        seen.into_iter().map(|seen| RealFlow { control: control(&live, &seen), seen }).collect();
    let controls = flows.iter().filter_map(|flow| Some((flow.seen.name.as_str(), flow.control.as_deref()?)));
    document["live"]["congestion_control"] = json!(controls.collect::<BTreeMap<_, _>>());
    let emulated =
        Emulated { scenario: scenario.inner.clone(), opening: kept, flows, measured: live.measured };
    Ok((document.to_string(), emulated))
}

/// Returns the congestion control of a connection: the control that its kernel reported, or that of new
/// sockets of its node.
fn control(live: &Live, flow: &ObservedFlow) -> Option<String> {
    if !matches!(flow.load, ObservedLoad::Tcp { .. }) {
        return None;
    }
    // A connection that reuses the ports of an earlier connection has the earlier name with a number.
    let told = flow.name.split(" #").next().and_then(|ports| live.controls.get(ports));
    let of_node = || live.congestion_control.iter().find(|(node, _)| *node == flow.from);
    told.or_else(|| of_node().map(|(_, word)| word)).cloned()
}

/// Returns the additional duration of each sleep of the emulator: zero, except in tests of the effect of
/// lateness, which set it in microseconds.
fn oversleep() -> Span {
    let told = std::env::var("AIRHOP_OVERSLEEP_US").ok();
    told.and_then(|text| text.parse().ok()).map_or(Span::ZERO, Span::from_micros)
}

/// Replays a log in its scenario, which the caller has read from [`log_header`]. Returns the outcome of the
/// run; whether the log is complete; and the congestion controls of real senders by flow, as far as the log
/// has them. Raises ScenarioError, OSError, RunError.
#[pyfunction]
#[pyo3(signature = (scenario, path, trace = false, pcap_dir = None))]
pub fn replay(
    py: Python<'_>,
    scenario: &Scenario,
    path: PathBuf,
    trace: bool,
    pcap_dir: Option<PathBuf>,
) -> PyResult<(Outcome, bool, BTreeMap<String, String>)> {
    let log = Log::open(&path).map_err(|error| PyOSError::new_err(error.to_string()))?;
    let Some(header) = read_header(log.header()) else {
        let what = "expected a header with seed, rep and doors, as `airhop emulate --log` writes";
        return Err(PyOSError::new_err(format!("{}: {what}", path.display())));
    };
    let opening = opened(scenario, &header.doors)?;
    let ends = opening.outside.ends.iter().map(|end| end.node);
    let mut log = log.bounded(ends, scenario.inner.duration());
    let run = Run { scenario: scenario.inner.clone(), seed: header.seed, rep: header.rep };
    let work = move |stop: Arc<AtomicBool>| {
        let recording = Recording { tables: trace, pcap_dir };
        let open = OpenRun::new(run, &opening, &recording).map_err(Failure::Run)?;
        let mut world = Opened::new(open, stop);
        match airhop_live::replay(&mut world, &mut log) {
            Ok(replayed) => {
                let mut outcome = world.finish(replayed.ended)?;
                if trace && !log.samples().is_empty() {
                    outcome.tables.push(tcp_info::table(log.samples()));
                }
                // The last sample of a flow is its final state.
                let told =
                    log.samples().iter().map(|sample| (sample.info.flow(), sample.info.control.clone()));
                Ok((outcome, matches!(replayed.ending, Ending::Complete(_)), told.collect()))
            }
            Err(error) => Err(world.failure.map_or(Failure::Replay(error), Failure::Run)),
        }
    };
    let (inner, is_whole, controls) = in_a_thread(py, work, |_| Ok(()))?;
    Ok((Outcome { inner }, is_whole, controls))
}

/// Returns the version of a log's format, and the log's description of its run, JSON: `airhop` (version),
/// `scenario`, `files` (content by digest), `with` (schemes not built into Airhop), `seed`, `rep`, `doors`,
/// `headers_only`. Raises OSError.
#[pyfunction]
pub fn log_header(path: PathBuf) -> PyResult<(u16, String)> {
    let log = Log::open(&path).map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok((log.version(), log.header().to_string()))
}

/// Return the privileges of this process: (name, true if the process has it, a sentence) for namespaces, TUN,
/// real-time priority, struct_ops and TCP_INFO.
#[pyfunction]
pub fn privileges() -> Vec<(&'static str, bool, String)> {
    let Privileges { namespaces, tun, real_time, struct_ops, tcp_info } = Privileges::look();
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

/// Return true if this process must restart in a user namespace to create network namespaces.
#[pyfunction]
pub fn needs_user_namespace() -> bool {
    airhop_live::privileges::needs_user_namespace()
}

/// Does the work in a thread registered with Python, since Python schemes may run in that thread. The calling
/// thread checks for signals while it waits.
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
                // The receiver is gone while Python shuts down.
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

/// Returns the scenario, opened for a replay; notices need no listeners, as no datagram leaves.
pub(crate) fn opened(scenario: &Scenario, doors: &[RequestedDoor]) -> PyResult<Opening> {
    opened_to(scenario, doors, &|_| false)
}

/// Returns the scenario, opened; senders at nodes for which `hears` is true get notices in the form of ACKs.
fn opened_to(
    scenario: &Scenario,
    doors: &[RequestedDoor],
    hears: &dyn Fn(&str) -> bool,
) -> PyResult<Opening> {
    let door = |(asked, node, device): &RequestedDoor| Door {
        asked: asked.clone(),
        node: node.clone(),
        reach: if device.is_some() { Reach::Network } else { Reach::Host },
        hears: hears(node),
    };
    let doors: Vec<Door> = doors.iter().map(door).collect();
    scenario.inner.open(&doors).map_err(|refusal| ScenarioError::new_err(refusal.to_string()))
}

fn ends(opening: &Opening, doors: &[RequestedDoor]) -> Vec<End> {
    let ends = opening.outside.ends.iter().zip(&opening.mtus);
    ends.map(|(end, &mtu)| {
        let name = opening.plan.nodes[usize::from(end.node.0)].clone();
        let device = doors.iter().find_map(|(_, node, device)| device.clone().filter(|_| *node == name));
        let mtu = u16::try_from(mtu).unwrap_or(u16::MAX);
        End { node: end.node, kind: device.map_or(EndKind::Namespace { mtu }, EndKind::Device), name }
    })
    .collect()
}

fn command(opening: &Opening, node: &str, line: String) -> Command {
    Command { node: place(opening, node), line, capture_stderr: false }
}

fn sign(opening: &Opening, (node, port, line): RequestedReady) -> Ready {
    Ready {
        node: place(opening, &node),
        sign: port.map_or(ReadyCondition::Command(line), ReadyCondition::Port),
    }
}

fn place(opening: &Opening, node: &str) -> NodeId {
    let place = opening.plan.nodes.iter().position(|name| name == node).unwrap_or(usize::from(u16::MAX));
    NodeId(place as u16)
}

/// Returns the header text of a log, which [`log_header`] returns later.
pub(crate) fn header(run: &Run, doors: &[RequestedDoor], headers_only: bool, code: &[Code]) -> String {
    let scenario: Value = serde_json::from_str(&run.scenario.json()).unwrap_or(Value::Null);
    let doors: Vec<Value> =
        doors.iter().map(|(_, node, device)| json!({"node": node, "device": device})).collect();
    let files: BTreeMap<_, _> = run.scenario.files().into_iter().collect();
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

/// Fields of a log's header needed for a replay.
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
