//! A scenario: read, checked, and ready to be run any number of times.

use crate::fields::Fields;
use crate::keys::SCENARIO;
use crate::problem::{Problems, ScenarioError};
use crate::tree::Item;
use crate::{check, copies, plan, render, resolve, sets, tree};
use airhop_base::Span;
use airhop_net::plan::{Plan, Transport};

/// A checked scenario. Immutable; share it between threads behind an `Arc`.
#[derive(Clone, Debug)]
pub struct Scenario {
    fields: Fields,
    plan: Plan,
}

/// What to change in a scenario before it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Paths and values: `("wlan.cell.errors.fer", "0.02")`. A value is a TOML literal, or else the text as it stands.
    pub sets: Vec<(String, String)>,
    /// A scheme for every TCP flow: a name, or a TOML literal as in a file (`{ name = "ll-elsn", n = 3 }`).
    pub scheme: Option<String>,
}

impl Scenario {
    /// Reads a scenario file. `source` is what messages call it.
    ///
    /// # Errors
    /// [`ScenarioError`] with everything that is wrong with it.
    pub fn parse(text: &str, source: &str, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
        let mut problems = Problems::default();
        let document = tree::from_toml(text, &mut problems);
        Self::read(document, source, overrides, problems)
    }

    /// Reads the same model given as JSON.
    ///
    /// # Errors
    /// [`ScenarioError`] with everything that is wrong with it.
    pub fn from_json(text: &str, source: &str, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
        let mut problems = Problems::default();
        let document = tree::from_json(text, &mut problems);
        Self::read(document, source, overrides, problems)
    }

    fn read(
        document: Option<Item>,
        source: &str,
        overrides: &Overrides,
        mut problems: Problems,
    ) -> Result<Scenario, ScenarioError> {
        let Some(mut document) = document else { return problems.or(source, None) };
        if let Some(scheme) = &overrides.scheme {
            sets::set_scheme(&mut document, scheme);
        }
        for (path, value) in &overrides.sets {
            sets::set(&mut document, path, value, &mut problems);
        }
        let mut fields = check::check(&document, &SCENARIO, &mut problems);
        copies::repeat(&mut fields, &mut problems);
        resolve::resolve(&mut fields, &mut problems);
        let plan = if problems.len() == 0 { plan::plan(&fields) } else { None };
        problems.or(source, plan.map(|plan| Scenario { fields, plan }))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// Simulated time.
    pub fn duration(&self) -> Span {
        self.plan.duration
    }

    /// What a world is built from.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Names of the TCP flows.
    pub fn tcp_flows(&self) -> impl Iterator<Item = &str> {
        let flows = self.plan.flows.iter().filter(|f| matches!(f.transport, Transport::Tcp { .. }));
        flows.map(|f| f.name.as_str())
    }

    /// The effective scenario as TOML: every default written out, with a comment for each key. Reads back to the same.
    pub fn toml(&self) -> String {
        render::toml(&self.fields)
    }

    /// The effective scenario as JSON, the same text for the same scenario. Reads back to the same.
    pub fn json(&self) -> String {
        render::json(&self.fields)
    }
}
