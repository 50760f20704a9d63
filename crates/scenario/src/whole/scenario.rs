//! Checked scenario, ready for any number of runs.

use super::files::{self, FileLocation};
use super::{copies, plan, resolve, sets};
use crate::grammar::fields::Fields;
use crate::grammar::problem::{Problems, ScenarioError, SourcePosition};
use crate::grammar::tree::Item;
use crate::grammar::{check, render, tree};
use crate::tables::SCENARIO_KEYS;
use airhop_base::Span;
use airhop_net::EmulatorPlan;
use airhop_net::plan::{Plan, Transport};
use std::path::Path;

/// Checked scenario. A scenario is immutable, so threads share it in an `Arc`.
#[derive(Clone, Debug)]
pub struct Scenario {
    fields: Fields,
    plan: Plan,
    emulator: Option<EmulatorPlan>,
}

/// Changes to a scenario before the check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Paths with their new values, as in `("wlan.cell.errors.fer", "0.02")`. A value is a TOML literal. Text
    /// that is not a literal becomes a string.
    pub settings: Vec<(String, String)>,
    /// Scheme of every TCP flow: a name, or a TOML literal as in a file (`{ name = "ll-elsn", n = 3 }`).
    /// `None` keeps the schemes of the file.
    pub scheme: Option<String>,
}

/// Source of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioSource<'a> {
    /// Name for messages, such as the file name.
    pub name: &'a str,
    /// Place of the files that the scenario names.
    pub files: FileLocation<'a>,
}

impl<'a> From<&'a str> for ScenarioSource<'a> {
    /// Creates a source with files relative to the working directory.
    fn from(name: &'a str) -> Self {
        ScenarioSource { name, files: FileLocation::Folder(Path::new("")) }
    }
}

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    ///
    /// Returns a [`ScenarioError`] with all problems of the file.
    pub fn parse<'a>(
        text: &str,
        source: impl Into<ScenarioSource<'a>>,
        overrides: &Overrides,
    ) -> Result<Scenario, ScenarioError> {
        let mut problems = Problems::default();
        let document = tree::from_toml(text, &mut problems);
        Self::from_document(document, source.into(), overrides, problems)
    }

    /// Reads a scenario from JSON.
    ///
    /// # Errors
    ///
    /// Returns a [`ScenarioError`] with all problems of the document.
    pub fn from_json<'a>(
        text: &str,
        source: impl Into<ScenarioSource<'a>>,
        overrides: &Overrides,
    ) -> Result<Scenario, ScenarioError> {
        let mut problems = Problems::default();
        let document = tree::from_json(text, &mut problems);
        Self::from_document(document, source.into(), overrides, problems)
    }

    fn from_document(
        document: Option<Item>,
        source: ScenarioSource<'_>,
        overrides: &Overrides,
        mut problems: Problems,
    ) -> Result<Scenario, ScenarioError> {
        let Some(mut document) = document else { return problems.into_result(source.name, None) };
        if let Some(scheme) = &overrides.scheme {
            sets::set_scheme(&mut document, scheme);
        }
        for (path, value) in &overrides.settings {
            sets::apply_setting(&mut document, path, value, &mut problems);
        }
        let mut fields = check::check(&document, &SCENARIO_KEYS, &mut problems);
        files::load_files(&mut fields, source.files, &mut problems);
        copies::expand_copies(&mut fields, &mut problems);
        resolve::resolve(&mut fields, &mut problems);
        let plan = if problems.len() == 0 { plan::plan(&fields) } else { None };
        if plan.is_none() && problems.len() == 0 {
            // If a kind has keys but no plan, this is an error; otherwise another kind would be simulated in
            // its place.
            problems.add(
                &SourcePosition::Document,
                "",
                "the scenario is valid, but Airhop has no plan for it: an error in Airhop",
            );
        }
        problems.into_result(source.name, plan.map(|plan| Scenario { fields, plan, emulator: None }))
    }

    /// Returns the name of the scenario.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// Returns the simulated duration.
    pub fn duration(&self) -> Span {
        self.plan.duration
    }

    /// Returns the plan of the world.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the timing errors of the emulator if the scenario is the twin of an emulation
    /// ([`crate::Twin`]); `None` otherwise.
    pub fn emulator(&self) -> Option<&EmulatorPlan> {
        self.emulator.as_ref()
    }

    /// Returns a scenario with the same keys and another plan. Only runs use this plan.
    pub(crate) fn with_plan(&self, plan: Plan, emulator: Option<EmulatorPlan>) -> Scenario {
        Scenario { fields: self.fields.clone(), plan, emulator }
    }

    /// Returns the checked tables of the scenario.
    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Returns the names of the TCP flows.
    pub fn tcp_flows(&self) -> impl Iterator<Item = &str> {
        let flows = self.plan.flows.iter().filter(|f| matches!(f.transport, Transport::Tcp { .. }));
        flows.map(|f| f.name.as_str())
    }

    /// Returns the class of each flow in one replication, as pairs of flow and class in the order of the
    /// flows.
    ///
    /// # Errors
    ///
    /// Returns a message for the user if the random placement of the stations fails.
    pub fn flow_classes(&self, seed: u64, rep: u64) -> Result<Vec<(String, String)>, String> {
        let classes = airhop_net::flow_classes(&self.plan, seed, rep)
            .map_err(|why| format!("\"{}\" with seed {seed}, rep {rep}: {why}", self.name()))?;
        let flows = self.plan.flows.iter().map(|flow| flow.name.clone());
        Ok(flows.zip(classes.iter().map(|class| class.to_string())).collect())
    }

    /// Returns the effective scenario as TOML, with all defaults and a comment on each key. The text reads
    /// back to the same scenario.
    pub fn to_toml(&self) -> String {
        render::render_toml(&self.fields)
    }

    /// Returns the effective scenario as JSON, which reads back to the same scenario. Equal scenarios have
    /// equal texts.
    pub fn to_json(&self) -> String {
        render::render_json(&self.fields)
    }

    /// Returns the files that the scenario names, as pairs of digest and content. [`Scenario::to_json`] and
    /// these pairs ([`FileLocation::Given`]) recreate the scenario.
    pub fn named_files(&self) -> Vec<(String, String)> {
        files::contents(&self.fields)
    }

    /// Returns the text on which the results of the scenario depend: [`Scenario::to_json`] with digests instead
    /// of file paths.
    pub fn identity(&self) -> String {
        render::render_json(&files::without_paths(&self.fields))
    }
}
