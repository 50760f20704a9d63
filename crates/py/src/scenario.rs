//! `Scenario`: a checked scenario for Python.

use airhop_scenario::{FileLocation, Overrides, ScenarioSource};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

create_exception!(
    airhop._core,
    ScenarioError,
    PyValueError,
    "A scenario is invalid. The message names the place, the expected value, and a similar valid name."
);

/// Scenario that was checked and completed with defaults; it cannot be changed.
#[pyclass(frozen, module = "airhop._core")]
pub struct Scenario {
    pub(crate) inner: Arc<airhop_scenario::Scenario>,
}

impl Scenario {
    fn checked(
        result: Result<airhop_scenario::Scenario, airhop_scenario::ScenarioError>,
    ) -> PyResult<Scenario> {
        match result {
            Ok(scenario) => Ok(Scenario { inner: Arc::new(scenario) }),
            Err(refusal) => Err(ScenarioError::new_err(refusal.to_string())),
        }
    }
}

#[pymethods]
impl Scenario {
    /// Reads a scenario from TOML. `source`: scenario name in messages. `folder`: base of relative file
    /// names. If `folder` is None, the scenario may use only `files`, which are pairs of digest and content.
    /// `sets`: pairs of a path and a TOML literal or bare text. `scheme`: scheme for all TCP flows, in place
    /// of their own.
    #[staticmethod]
    #[pyo3(signature = (text, source, folder, sets, scheme, files = Vec::new()))]
    fn parse(
        text: &str,
        source: PathBuf,
        folder: Option<PathBuf>,
        sets: Vec<(String, String)>,
        scheme: Option<String>,
        files: Vec<(String, String)>,
    ) -> PyResult<Scenario> {
        let files = folder.as_deref().map_or(FileLocation::Given(&files), FileLocation::Folder);
        let name = source.to_string_lossy();
        let source = ScenarioSource { name: &name, files };
        Self::checked(airhop_scenario::Scenario::parse(text, source, &Overrides { settings: sets, scheme }))
    }

    /// Reads a scenario from JSON with the structure of the TOML form.
    #[staticmethod]
    #[pyo3(signature = (text, source, folder, sets, scheme, files = Vec::new()))]
    fn from_json(
        text: &str,
        source: PathBuf,
        folder: Option<PathBuf>,
        sets: Vec<(String, String)>,
        scheme: Option<String>,
        files: Vec<(String, String)>,
    ) -> PyResult<Scenario> {
        let files = folder.as_deref().map_or(FileLocation::Given(&files), FileLocation::Folder);
        let name = source.to_string_lossy();
        let source = ScenarioSource { name: &name, files };
        Self::checked(airhop_scenario::Scenario::from_json(
            text,
            source,
            &Overrides { settings: sets, scheme },
        ))
    }

    /// Return the name of the scenario.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// Return the simulated time in seconds.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.inner.duration().secs_f64()
    }

    /// Returns the effective scenario as TOML, with all defaults.
    fn toml(&self) -> String {
        self.inner.to_toml()
    }

    /// Returns the scenario as canonical JSON.
    fn json(&self) -> String {
        self.inner.to_json()
    }

    /// Return the text that determines the results: the JSON with digests in place of files.
    fn identity(&self) -> String {
        self.inner.identity()
    }

    /// Returns the fades of each link in one replication, as pairs of link name and CSV text. The CSV text is
    /// a recorded channel. `until`: duration to cover; None for the whole run. Raises ScenarioError.
    fn fades(&self, seed: u64, rep: u64, until: Option<&str>) -> PyResult<Vec<(String, String)>> {
        let saved = self.inner.fades(seed, rep, until).map_err(ScenarioError::new_err)?;
        Ok(saved.into_iter().map(|fades| (fades.link, fades.csv)).collect())
    }

    /// Returns the class of each flow in one replication, as pairs of flow and class in file order. Raises
    /// ScenarioError.
    fn classes(&self, seed: u64, rep: u64) -> PyResult<Vec<(String, String)>> {
        self.inner.flow_classes(seed, rep).map_err(ScenarioError::new_err)
    }

    /// Returns hints about common mistakes in the scenario. A hint has a name, the affected links or schemes,
    /// a sentence, and a setting that avoids the mistake or None.
    fn hints(&self) -> Vec<(&'static str, Vec<String>, String, Option<String>)> {
        self.inner.hints().into_iter().map(|h| (h.trap, h.subjects, h.text, h.setting)).collect()
    }

    /// Return the base stacks of the TCP senders, as pairs of base stack and flows.
    fn bases(&self) -> Vec<(String, Vec<String>)> {
        self.inner.base_stacks().into_iter().map(|base| (base.name, base.flows)).collect()
    }

    /// Return the names of the nodes in the order of their addresses, of which the first is 10.0.0.1.
    fn nodes(&self) -> Vec<&str> {
        self.inner.plan().nodes.iter().map(String::as_str).collect()
    }

    /// Return the names of the TCP flows.
    fn tcp_flows(&self) -> Vec<&str> {
        self.inner.tcp_flows().collect()
    }

    fn __repr__(&self) -> String {
        format!("<Scenario {:?}>", self.inner.name())
    }
}
