//! `airhop._core`: scenarios and runs for Python. The other parts of the package are Python code that uses
//! this module.

mod deployment;
mod emulation;
mod link_events;
mod objects;
mod outcome;
mod packetdrill;
mod rehearsal;
mod runs;
mod scenario;
mod schedule;
mod schemes;
mod tcp_info;
mod twin;
mod views;
mod worked;

use pyo3::prelude::*;
use std::collections::BTreeMap;

/// Scenarios, runs and the catalogue of schemes: the Rust side of Airhop.
#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use super::deployment::{KernelObject, default_control, deployed_device, deployed_map, map_references};
    #[pymodule_export]
    use super::emulation::{emulate, log_header, needs_user_namespace, privileges, replay};
    #[pymodule_export]
    use super::link_events::LinkEvents;
    #[pymodule_export]
    use super::objects::{BpfObject, simulated_kernel};
    #[pymodule_export]
    use super::outcome::Outcome;
    #[pymodule_export]
    use super::packetdrill::packetdrill;
    #[pymodule_export]
    use super::rehearsal::rehearse;
    #[pymodule_export]
    use super::runs::{RunError, SchemeError, run, run_many, threads_at_work};
    #[pymodule_export]
    use super::scenario::{Scenario, ScenarioError};
    #[pymodule_export]
    use super::schedule::Schedule;
    #[pymodule_export]
    use super::schemes::add_scheme;
    #[pymodule_export]
    use super::twin::Emulated;
    #[pymodule_export]
    use super::views::{Ack, Delivery, Flow, Loss, Notice, Window};
    #[pymodule_export]
    use super::worked::{answers, packet_list};
    #[pymodule_export]
    use super::{build_info, catalogue, measures, places, reference, schema, services};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.getattr("RunError")?.setattr("job", module.py().None())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Return properties of the build: version, profile ("release" or "debug"), target, model, commit and
/// compiler. The commit is empty if the build is not from git. The model is a hash of 16 hexadecimal digits
/// over all sources that can change a result.
#[pyfunction]
fn build_info() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([
        ("version", env!("CARGO_PKG_VERSION")),
        ("profile", if cfg!(debug_assertions) { "debug" } else { "release" }),
        ("target", env!("AIRHOP_TARGET")),
        ("model", env!("AIRHOP_MODEL")),
        ("commit", env!("AIRHOP_COMMIT")),
        ("rustc", env!("AIRHOP_RUSTC")),
    ])
}

/// Returns all schemes as a JSON list.
#[pyfunction]
fn catalogue() -> String {
    airhop_scenario::schemes_json()
}

/// Return the services that the network can provide for a flow, as a JSON list.
#[pyfunction]
fn services() -> String {
    airhop_scenario::services_json()
}

/// Returns all measures of flows and runs as a JSON list of columns.
#[pyfunction]
fn measures() -> String {
    airhop_scenario::measures_json()
}

/// Returns the JSON schema of scenario files.
#[pyfunction]
fn schema() -> String {
    airhop_scenario::schema_json()
}

/// Return the names and positions of a layout's stations. Positions are x and y in metres. `text` is the
/// layout as JSON; see `airhop_scenario::places`. Raises ScenarioError.
#[pyfunction]
fn places(text: &str, source: &str, seed: u64, rep: u64) -> PyResult<Vec<(String, [f64; 2])>> {
    airhop_scenario::station_positions(text, source, seed, rep)
        .map_err(|refusal| scenario::ScenarioError::new_err(refusal.to_string()))
}

/// Returns a page of Markdown with all keys of a scenario file.
#[pyfunction]
fn reference() -> String {
    airhop_scenario::reference_markdown()
}
