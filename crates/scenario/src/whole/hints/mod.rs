//! Traps: valid settings that easily lead to a wrong conclusion. Most are defaults that suit another link or
//! another sender.
//!
//! A function for each trap searches the whole scenario. The function returns the occurrences of the trap,
//! each with a sentence and a setting that avoids the trap. A trap neither rejects a scenario nor changes a
//! run.

mod links;
mod path;
mod queues;
mod senders;
mod unused;

pub use senders::BaseStack;

#[cfg(test)]
mod tests;

use crate::grammar::fields::Fields;
use crate::whole::largest::MaxPacketBytes;
use crate::whole::scenario::Scenario;
use crate::whole::topology::Topology;
use airhop_net::plan::Plan;

/// Hint about a trap in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Name of the trap.
    pub trap: &'static str,
    /// Links (`wlan.cell`) or schemes that the hint concerns.
    pub subjects: Vec<String>,
    /// Text of the hint. The text continues a sentence that begins with the names in `about`.
    pub text: String,
    /// Setting that avoids the trap, in the form of `--set`; `None` if a single setting is not enough.
    pub setting: Option<String>,
}

/// Scenario, in the forms that the functions of traps use.
struct ScenarioView<'a> {
    root: &'a Fields,
    plan: &'a Plan,
    topology: Topology,
    largest: MaxPacketBytes,
}

/// Occurrence of a trap in a scenario.
struct Occurrence {
    about: String,
    text: String,
    /// Path of a table and a setting that avoids the trap, as in `("wlan.cell", "attempts=7")`.
    set: Option<(String, String)>,
}

type TrapFinder = fn(&ScenarioView<'_>) -> Vec<Occurrence>;

const TRAPS: [(&str, TrapFinder); 8] = [
    ("linux-sender", senders::mismatched_presets),
    ("no-arq", links::links_without_recovery),
    ("short-arq-window", links::short_arq_windows),
    ("single-attempt", links::single_attempt_wlans),
    ("short-queue", queues::short_queues),
    ("short-receive-window", senders::short_receive_windows),
    ("unused-link", unused::unused_links),
    ("idle-service", unused::idle_services),
];

impl Scenario {
    /// Returns hints about the traps in a scenario. Links and schemes with the same hint are listed in one
    /// hint.
    pub fn hints(&self) -> Vec<Hint> {
        let topology = Topology::new(self.fields());
        let largest = MaxPacketBytes::new(self.fields(), &topology);
        let look = ScenarioView { root: self.fields(), plan: self.plan(), topology, largest };
        TRAPS.iter().flat_map(|(name, trap)| merge_occurrences(name, trap(&look))).collect()
    }

    /// Returns the base stacks of the TCP senders ([`BaseStack`]), each with its flows.
    pub fn base_stacks(&self) -> Vec<BaseStack> {
        senders::base_stacks(self.fields())
    }
}

/// Combines occurrences with the same text into one hint.
fn merge_occurrences(trap: &'static str, caught: Vec<Occurrence>) -> Vec<Hint> {
    let mut groups: Vec<Vec<Occurrence>> = Vec::new();
    let change = |c: &Occurrence| c.set.as_ref().map(|(_, change)| change.clone());
    for one in caught {
        match groups.iter_mut().find(|g| g[0].text == one.text && change(&g[0]) == change(&one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.into_iter().map(|group| hint(trap, &group)).collect()
}

fn hint(trap: &'static str, group: &[Occurrence]) -> Hint {
    let mut about: Vec<String> = Vec::new();
    for one in group.iter().filter(|one| !one.about.is_empty()) {
        if !about.contains(&one.about) {
            about.push(one.about.clone());
        }
    }
    let set = group[0].set.as_ref().map(|(path, change)| {
        let same = group.iter().all(|one| one.set.as_ref().is_some_and(|(other, _)| other == path));
        let list = path.split('.').next().unwrap_or_default();
        if same { format!("{path}.{change}") } else { format!("{list}.all.{change}") }
    });
    Hint { trap, subjects: about, text: group[0].text.clone(), setting: set }
}

/// Formats a rate with three significant digits.
fn format_rate(bps: f64) -> String {
    let (value, unit) = if bps >= 1e6 { (bps / 1e6, "Mbit/s") } else { (bps / 1e3, "kbit/s") };
    let digits = if value >= 100.0 { 0 } else { 1 + usize::from(value < 10.0) };
    format!("{value:.digits$} {unit}")
}
