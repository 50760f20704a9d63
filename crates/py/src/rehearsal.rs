//! Emulations without real hosts, which can write thousands of logs.

use crate::emulation::{Code, Failure, Opened, RequestedDoor, header, in_a_thread, opened};
use crate::scenario::Scenario;
use crate::twin::Emulated;
use airhop_base::{Span, Time};
use airhop_live::log::{LogError, LogWriter, ReplayError};
use airhop_rehearsal::{DataConnection, Rehearsal};
use airhop_scenario::{ObservedFlow, ObservedLoad, OpenRun, RealFlow, RecordingOptions, Run};
use pyo3::prelude::*;
use std::fs::File;
use std::path::PathBuf;

/// Connection: flow index, start in ms, and number of bytes. The index counts TCP flows, modulo their number.
type Connection = (usize, u64, u64);

/// Emulates a scenario on a virtual clock, and writes a log. The traffic is `connections` of Airhop's own TCP
/// and `noise` other datagrams. `oversleep_us`: extra duration of each emulator sleep, in microseconds.
/// Returns the run document as JSON, and the data for the twin. Raises ScenarioError, OSError, RunError.
#[pyfunction]
#[pyo3(signature = (scenario, doors, seed, rep, log, headers_only, code, connections, noise, oversleep_us = 0))]
#[allow(clippy::too_many_arguments, reason = "as of emulate")]
pub fn rehearse(
    py: Python<'_>,
    scenario: &Scenario,
    doors: Vec<RequestedDoor>,
    seed: u64,
    rep: u64,
    log: PathBuf,
    headers_only: bool,
    code: Vec<Code>,
    connections: Vec<Connection>,
    noise: usize,
    oversleep_us: u64,
) -> PyResult<(String, Emulated)> {
    let opening = opened(scenario, &doors)?;
    let run = Run { scenario: scenario.inner.clone(), seed, rep };
    let header = header(&run, &doors, headers_only, &code);
    let duration = scenario.inner.duration();
    let kept = opening.clone();
    let (outcome, flows, measured) = in_a_thread(
        py,
        move |stop| {
            let flows: Vec<_> = opening.tcp_flows().collect();
            let connections =
                connections.into_iter().filter(|_| !flows.is_empty()).map(|(flow, start, bytes)| {
                    let (from, to, scheme, params, config) = flows[flow % flows.len()];
                    let start = Time::ZERO + Span::from_millis(start);
                    DataConnection { from, to, start, bytes, scheme, params, config }
                });
            let ends = opening.outside.host_nodes.iter().map(|end| end.node).collect();
            let oversleep = Span::from_micros(oversleep_us);
            let rehearsal = Rehearsal {
                host_nodes: ends,
                connections: connections.collect(),
                noise_datagrams: noise,
                duration,
                oversleep,
                seed,
            };
            let file =
                File::create(&log).map_err(|error| failed(LogError::Io { path: log.clone(), error }))?;
            let mut writer = LogWriter::with_sink(&log, file, &header, headers_only).map_err(failed)?;
            let open = OpenRun::new(run, &opening, &RecordingOptions::default()).map_err(Failure::Run)?;
            let mut world = Opened::new(open, stop);
            let driven =
                rehearsal.run(&mut world, &mut writer).map_err(|error| Failure::Emulation(error.into()))?;
            let flows =
                world.observed_flows().into_iter().map(|seen| real(seen, &rehearsal.connections)).collect();
            Ok((world.finish(driven.ended_at)?, flows, driven.measured_delays))
        },
        |_| Ok(()),
    )?;
    Ok((outcome.document, Emulated { scenario: scenario.inner.clone(), opening: kept, flows, measured }))
}

/// Returns an observed flow together with the congestion control of its simulated sender.
fn real(seen: ObservedFlow, connections: &[DataConnection<'_>]) -> RealFlow {
    let is_tcp = matches!(seen.load, ObservedLoad::Tcp { .. });
    let sent = connections.iter().find(|one| is_tcp && (one.from, one.to) == (seen.from, seen.to));
    RealFlow { congestion_control: sent.map(|one| one.scheme.name.to_owned()), observed: seen }
}

fn failed(error: LogError) -> Failure {
    Failure::Replay(ReplayError::Log(error))
}
