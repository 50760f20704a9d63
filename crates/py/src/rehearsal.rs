//! Emulations without real hosts, for thousands of logs.

use crate::emulation::{Code, Failure, Opened, RequestedDoor, header, in_a_thread, opened};
use crate::scenario::Scenario;
use airhop_base::{Span, Time};
use airhop_live::log::{LogError, ReplayError, Writer};
use airhop_rehearsal::{Rehearsal, Talk};
use airhop_scenario::{OpenRun, Recording, Run};
use pyo3::prelude::*;
use std::fs::File;
use std::path::PathBuf;

/// Connection: index of the TCP flow that it replaces, modulo their number; its start in ms, and its bytes.
type Connection = (usize, u64, u64);

/// Emulates `connections` of Airhop's own TCP and `noise` other datagrams on a virtual clock, and writes a
/// log. Returns the run's document, JSON. Raises ScenarioError, OSError, RunError.
#[pyfunction]
#[pyo3(signature = (scenario, doors, seed, rep, log, headers_only, code, connections, noise))]
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
) -> PyResult<String> {
    let opening = opened(scenario, &doors)?;
    let run = Run { scenario: scenario.inner.clone(), seed, rep };
    let header = header(&run, &doors, headers_only, &code);
    let duration = scenario.inner.duration();
    let outcome = in_a_thread(
        py,
        move |stop| {
            let flows: Vec<_> = opening.tcp_flows().collect();
            let talks = connections.into_iter().filter(|_| !flows.is_empty()).map(|(flow, start, bytes)| {
                let (from, to, scheme, params, config) = flows[flow % flows.len()];
                let start = Time::ZERO + Span::from_millis(start);
                Talk { from, to, start, bytes, scheme, params, config }
            });
            let ends = opening.outside.ends.iter().map(|end| end.node).collect();
            let rehearsal = Rehearsal { ends, talks: talks.collect(), noise, duration, seed };
            let file =
                File::create(&log).map_err(|error| failed(LogError::Io { path: log.clone(), error }))?;
            let mut writer = Writer::to(&log, file, &header, headers_only).map_err(failed)?;
            let open = OpenRun::new(run, &opening, &Recording::default()).map_err(Failure::Run)?;
            let mut world = Opened::new(open, stop);
            let driven =
                rehearsal.run(&mut world, &mut writer).map_err(|error| Failure::Emulation(error.into()))?;
            world.finish(driven.ended)
        },
        |_| Ok(()),
    )?;
    Ok(outcome.document)
}

fn failed(error: LogError) -> Failure {
    Failure::Replay(ReplayError::Log(error))
}
