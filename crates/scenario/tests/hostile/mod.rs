//! Properties of any text that is loaded as a scenario. Random tests and the fuzzer use them.

use airhop_net::World;
use airhop_net::plan::{Plan, Transport};
use airhop_scenario::{FileLocation, Overrides, Scenario, ScenarioError, ScenarioSource};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// File name of the text in messages.
const NAME: &str = "hostile.toml";
/// Line between a scenario and its overrides, each of which is a line `path=value`.
const OVERRIDES: &str = "\n%%\n";
/// Maximum number of calls of [`World::run`]. Each call ends when it checks `stop`, after 4096 events.
const LAPS: usize = 1;
/// Maximum number of nodes, and of flows, of a scenario that is run.
const SMALL: usize = 64;
/// Maximum number of segments that all flows together may send at the start.
const AT_ONCE: f64 = 2000.0;

/// Reads `text`, whose files are in `folder`. If it is refused, there is a message. If it is accepted, both
/// of its effective forms read back to the same plan, and the start of a small scenario is run.
pub fn load(text: &str, folder: &Path) {
    if let Some(scenario) = parse(text, folder) {
        run_a_little(scenario.plan());
    }
}

/// Returns the scenario, if the text is valid.
pub fn parse(text: &str, folder: &Path) -> Option<Scenario> {
    let (text, overrides) = text.split_once(OVERRIDES).unwrap_or((text, ""));
    match Scenario::parse(
        text,
        ScenarioSource { name: NAME, files: FileLocation::Folder(folder) },
        &changes(overrides),
    ) {
        Ok(scenario) => {
            reads_back(&scenario);
            Some(scenario)
        }
        Err(refusal) => {
            says_where(&refusal);
            None
        }
    }
}

fn changes(lines: &str) -> Overrides {
    let mut changes = Overrides::default();
    for (path, value) in lines.lines().filter_map(|line| line.split_once('=')) {
        match path {
            "scheme" => changes.scheme = Some(value.to_string()),
            _ => changes.settings.push((path.to_string(), value.to_string())),
        }
    }
    changes
}

/// Checks that every paragraph of a message starts with the place of the problem (file and line, file and
/// key, or a command-line option), and that quotations of the text are short.
fn says_where(refusal: &ScenarioError) {
    assert!(!refusal.problems().is_empty());
    for problem in refusal.problems() {
        let place = problem.split_once(": ").map(|(place, _)| place);
        let in_file = problem.strip_prefix(NAME).and_then(|rest| match rest.as_bytes().first()? {
            b':' => rest.split(": ").next(),
            _ => None,
        });
        let is_option = place.is_some_and(|place| place.starts_with("--"));
        assert!(in_file.is_some() || is_option, "nowhere: {problem}");
        assert!(problem.len() > NAME.len() + 20, "nothing: {problem}");
    }
}

/// Checks that the effective form of a scenario reads back to the same scenario.
fn reads_back(scenario: &Scenario) {
    let json = scenario.to_json();
    let (toml, none) = (scenario.to_toml(), Overrides::default());
    for again in [Scenario::parse(&toml, "effective", &none), Scenario::from_json(&json, "effective", &none)]
    {
        match again {
            Ok(again) => assert_eq!(again.to_json(), json),
            Err(refusal) => panic!("{refusal}\n{toml}"),
        }
    }
}

/// Runs the first events of a small network, and checks that every packet has exactly one outcome.
fn run_a_little(plan: &Plan) {
    if !is_small(plan) {
        return;
    }
    let Ok(mut world) = World::new(plan, 1, 0, None) else {
        // World creation fails only if random positions were requested and no valid draw exists.
        assert!(plan.links.wlans.iter().any(|wlan| wlan.draws.area.is_some()));
        return;
    };
    // The flag is set before the run, so the run stops at its next check.
    let stop = AtomicBool::new(true);
    let _is_over = (0..LAPS).any(|_| world.run(&stop).is_ok());
    assert_eq!(world.check_packet_counts(), Ok(()));
}

fn is_small(plan: &Plan) -> bool {
    let window = |transport: &Transport| match transport {
        Transport::Tcp { config, .. } => config.initial_window,
        Transport::Udp { .. } => 0.0,
    };
    let at_once: f64 = plan.flows.iter().map(|flow| window(&flow.transport)).sum();
    plan.nodes.len() <= SMALL && plan.flows.len() <= SMALL && at_once <= AT_ONCE
}
