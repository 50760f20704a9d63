//! `Scenario`.

use airhop_scenario::{Files, Overrides, Source};
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

/// A scenario: checked, complete and immutable.
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
    /// Reads TOML. `source`: name of the scenario in messages; `folder`: base of relative file names (None:
    /// the scenario may name only `files`, by digest and content); `sets`: paths with TOML literals (or bare
    /// text); `scheme`: replaces the scheme of every TCP flow.
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
        let files = folder.as_deref().map_or(Files::Given(&files), Files::Folder);
        let name = source.to_string_lossy();
        let source = Source { name: &name, files };
        Self::checked(airhop_scenario::Scenario::parse(text, source, &Overrides { sets, scheme }))
    }

    /// Reads the same model from JSON.
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
        let files = folder.as_deref().map_or(Files::Given(&files), Files::Folder);
        let name = source.to_string_lossy();
        let source = Source { name: &name, files };
        Self::checked(airhop_scenario::Scenario::from_json(text, source, &Overrides { sets, scheme }))
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

    /// Returns the effective scenario as TOML, with every default.
    fn toml(&self) -> String {
        self.inner.toml()
    }

    /// Returns the scenario as canonical JSON.
    fn json(&self) -> String {
        self.inner.json()
    }

    /// Return the text on which results depend: the JSON, with files as digests.
    fn identity(&self) -> String {
        self.inner.identity()
    }

    /// Returns for each link its name and its fades in one replication, as CSV text for a recorded channel.
    /// `until`: duration covered; `None`: the whole run. Raises ScenarioError.
    fn fades(&self, seed: u64, rep: u64, until: Option<&str>) -> PyResult<Vec<(String, String)>> {
        let saved = self.inner.fades(seed, rep, until).map_err(ScenarioError::new_err)?;
        Ok(saved.into_iter().map(|fades| (fades.link, fades.csv)).collect())
    }

    /// Returns the classes of the flows in one replication, by flow, in file order. Raises ScenarioError.
    fn classes(&self, seed: u64, rep: u64) -> PyResult<Vec<(String, String)>> {
        self.inner.classes(seed, rep).map_err(ScenarioError::new_err)
    }

    /// Returns hints about pitfalls in the scenario: the name of the hint, the links or schemes concerned, a
    /// sentence, and the setting that avoids it.
    fn hints(&self) -> Vec<(&'static str, Vec<String>, String, Option<String>)> {
        self.inner.hints().into_iter().map(|h| (h.trap, h.about, h.text, h.set)).collect()
    }

    /// Return the stacks of the TCP senders: each base with its flows.
    fn bases(&self) -> Vec<(String, Vec<String>)> {
        self.inner.bases().into_iter().map(|base| (base.name, base.flows)).collect()
    }

    /// Return the names of the nodes, in the order of their addresses: the first is 10.0.0.1.
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
