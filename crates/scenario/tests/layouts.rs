//! Layouts of stations and flows with random ends, from the file to the run.

use airhop_base::NodeId;
use airhop_net::plan::Plan;
use airhop_radio::errors::ErrorPlan;
use airhop_scenario::{Overrides, Progress, RecordingOptions, Run, RunPool, Scenario};
use airhop_trace::{Column, Table};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const FIELD: &str = include_str!("data/field.toml");

fn parse(text: &str, sets: &[(&str, &str)]) -> Result<Scenario, Vec<String>> {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    let read = Scenario::parse(text, "field.toml", &Overrides { settings: sets, scheme: None });
    read.map_err(|refusal| refusal.problems().to_vec())
}

fn field(sets: &[(&str, &str)]) -> Scenario {
    parse(FIELD, sets).expect("a good scenario")
}

/// Returns the scenario with the wlan and a single flow, from n0 to n1.
fn one_flow() -> String {
    let wlan = FIELD.split("[[flow]]").next().expect("a beginning").replace("copies = 3\n", "");
    format!("{wlan}[[flow]]\nname = \"f\"\nfrom = \"n0\"\nto = \"n1\"\nscheme = \"reno\"\n")
}

fn with_layout(layout: &str) -> Scenario {
    parse(&one_flow(), &[("wlan.field.layout", layout)]).expect("a good scenario")
}

fn places(plan: &Plan) -> Vec<(&str, [f64; 2])> {
    plan.links.wlans[0].cell.stations.iter().map(|(name, place)| (name.as_str(), *place)).collect()
}

/// Results of a run: its JSON document, the positions of the stations by name, and the ends of each flow.
struct Ran {
    document: Value,
    places: Vec<(String, [f64; 2])>,
}

impl Ran {
    fn ends(&self) -> Vec<[String; 2]> {
        let flows = self.document["flows"].as_array().expect("flows");
        let end = |flow: &Value, key: &str| flow[key].as_str().expect("a node").to_string();
        flows.iter().map(|flow| [end(flow, "from"), end(flow, "to")]).collect()
    }

    /// Returns the number of hops of the shortest path with hops of at most 40 m, computed from the positions
    /// in the results.
    fn hops(&self, [from, to]: &[String; 2]) -> Option<usize> {
        let index = |name: &str| self.places.iter().position(|(known, _)| known == name).expect("a station");
        let (from, to) = (index(from), index(to));
        let mut distance = vec![None; self.places.len()];
        distance[from] = Some(0);
        let mut queue = VecDeque::from([from]);
        while let Some(here) = queue.pop_front() {
            let [x, y] = self.places[here].1;
            for (there, (_, [u, v])) in self.places.iter().enumerate() {
                if distance[there].is_none() && (x - u).hypot(y - v) <= 40.0 {
                    distance[there] = distance[here].map(|d: usize| d + 1);
                    queue.push_back(there);
                }
            }
        }
        distance[to]
    }
}

fn run(scenario: Scenario, rep: u64) -> Ran {
    let recording = RecordingOptions { tables: true, pcap_dir: None };
    let run = Run { scenario: Arc::new(scenario), seed: 1, rep };
    let outcome = run.execute(&recording, &AtomicBool::new(false)).expect("a good run");
    let stations = outcome.tables.iter().find(|t| t.name == "stations").expect("a table of stations");
    Ran { document: serde_json::from_str(&outcome.document).expect("JSON"), places: recorded(stations) }
}

fn recorded(stations: &Table) -> Vec<(String, [f64; 2])> {
    let Some(Column::Category(codes, names)) = stations.column("station") else { panic!("no names") };
    let (Some(Column::F64(x)), Some(Column::F64(y))) = (stations.column("x_m"), stations.column("y_m"))
    else {
        panic!("no places")
    };
    let row = |(i, code): (usize, &u32)| (names[*code as usize].clone(), [x[i], y[i]]);
    codes.iter().enumerate().map(row).collect()
}

// The order of the stations must not change, because files refer to them by number.
#[test]
fn a_layout_numbers_its_stations_in_a_fixed_order() {
    let chain = with_layout(r#"{ kind = "chain", nodes = 3, spacing = "30 m" }"#);
    assert_eq!(places(chain.plan()), [("n0", [0.0, 0.0]), ("n1", [30.0, 0.0]), ("n2", [60.0, 0.0])]);
    let grid = with_layout(r#"{ kind = "grid", columns = 3, rows = 2, spacing = "10 m" }"#);
    assert_eq!(
        places(grid.plan()),
        [
            ("n0", [0.0, 0.0]),
            ("n1", [10.0, 0.0]),
            ("n2", [20.0, 0.0]),
            ("n3", [0.0, 10.0]),
            ("n4", [10.0, 10.0]),
            ("n5", [20.0, 10.0]),
        ]
    );
    let cross = with_layout(r#"{ kind = "cross", arm = 2, spacing = "20 m" }"#);
    assert_eq!(
        places(cross.plan()),
        [
            ("n0", [0.0, 0.0]),
            ("n1", [20.0, 0.0]),
            ("n2", [40.0, 0.0]),
            ("n3", [60.0, 0.0]),
            ("n4", [80.0, 0.0]),
            ("n5", [40.0, -40.0]),
            ("n6", [40.0, -20.0]),
            ("n7", [40.0, 20.0]),
            ("n8", [40.0, 40.0]),
        ]
    );
}

/// A layout and a table with the same stations lead to equal plans and equal runs.
#[test]
fn a_layout_equals_its_explicit_station_table() {
    let chain = with_layout(r#"{ kind = "chain", nodes = 3, spacing = "30 m" }"#);
    let text = one_flow().replace(
        r#"layout = { kind = "random", nodes = 20, width = "150 m", height = "100 m" }"#,
        "stations = { n0 = [0, 0], n1 = [30, 0], n2 = [60, 0] }",
    );
    let written = parse(&text, &[]).expect("good");
    assert_eq!(format!("{:?}", written.plan()), format!("{:?}", chain.plan()));
    assert!(chain.to_toml().contains("# makes: n0 = [0.0, 0.0], n1 = [30.0, 0.0], n2 = [60.0, 0.0]\n"));
    assert_eq!(run(chain, 0).places[2], ("n2".to_string(), [60.0, 0.0]), "static places are recorded too");
}

#[test]
fn the_effective_scenario_contains_layouts_and_reads_back() {
    let layouts = [
        r#"{ kind = "grid", columns = 5, rows = 6, spacing = "30 m", prefix = "m" }"#,
        r#"{ kind = "random", nodes = 30, width = "1 km", height = "5 m", connected = false, prefix = "m" }"#,
    ];
    for layout in layouts {
        let sets = [("wlan.field.layout", layout), ("flow.named.from", "m0"), ("flow.named.to", "m1")];
        let scenario = field(&sets);
        let again = parse(&scenario.to_toml(), &[]).expect("TOML");
        assert_eq!(again.to_json(), scenario.to_json());
        assert_eq!(format!("{:?}", again.plan()), format!("{:?}", scenario.plan()));
        let json =
            Scenario::from_json(&scenario.to_json(), "effective", &Overrides::default()).expect("JSON");
        assert_eq!(json.to_json(), scenario.to_json());
        assert!(
            scenario.to_json().contains(r#""between":{"wlan":"field","hops":2}"#),
            "{}",
            scenario.to_json()
        );
    }
    let toml = field(&[]).to_toml();
    assert!(
        toml.contains("# makes: n0, n1, ")
            && toml.contains(", n19, at new positions for each seed and replication\n")
    );
}

/// In the drawn positions, the random ends of a flow are the requested number of hops apart. No pair occurs
/// twice; the two directions count as different pairs.
#[test]
fn drawn_flows_have_configured_hops_and_distinct_pairs() {
    for rep in 0..20 {
        let ran = run(field(&[("copies", "9"), ("duration", "1 ms")]), rep);
        let ends = ran.ends();
        assert_eq!(ends.len(), 11);
        assert!(ends[..9].iter().all(|ends| ran.hops(ends) == Some(2)), "{ends:?}");
        assert!(ends[9][0] != ends[9][1], "any");
        assert_eq!(ends[10], ["n0", "n19"], "named");
        assert_eq!(ends[..10].iter().collect::<HashSet<_>>().len(), 10, "{ends:?}");
        assert!(
            ran.places.iter().all(|(name, _)| ran.hops(&["n0".into(), name.clone()]).is_some()),
            "connected"
        );
        assert!(ran.places.iter().all(|(_, [x, y])| (0.0..150.0).contains(x) && (0.0..100.0).contains(y)));
    }
}

/// In a chain of three stations only two pairs are two hops apart, and two flows use both.
#[test]
fn drawn_flows_use_every_available_pair() {
    let chain = r#"{ kind = "chain", nodes = 3, spacing = "30 m" }"#;
    let sets = [("wlan.field.layout", chain), ("flow.named.to", "n1"), ("copies", "2"), ("duration", "1 ms")];
    let mut orders = HashSet::new();
    for rep in 0..20 {
        let ends = run(field(&sets), rep).ends();
        let pairs: HashSet<_> = ends[..2].iter().map(|[a, b]| format!("{a}-{b}")).collect();
        assert_eq!(pairs, ["n0-n2", "n2-n0"].map(String::from).into());
        // A flow with any number of hops has a pair of its own. A mistake would remain undetected with
        // probability (2/3)^20.
        assert!(!ends[..2].contains(&ends[2]), "{ends:?}");
        orders.insert(ends[0].clone());
    }
    assert_eq!(orders.len(), 2, "source and destination are random: missed with probability 2^-19");
}

/// A chain of three stations has four pairs of neighbours, which are equally likely: chi-square test over 600
/// replications, 3 degrees of freedom, 99.99 % quantile 21.1.
#[test]
fn drawn_pairs_are_uniform() {
    let chain = r#"{ kind = "chain", nodes = 3, spacing = "30 m" }"#;
    let scenario = field(&[
        ("wlan.field.layout", chain),
        ("flow.named.to", "n1"),
        ("flow.ftp*.between.hops", "1"),
        ("copies", "1"),
        ("duration", "1 ns"),
    ]);
    let mut counts = std::collections::HashMap::new();
    for rep in 0..600 {
        let run = Run { scenario: Arc::new(scenario.clone()), seed: 1, rep };
        let outcome = run.execute(&RecordingOptions::default(), &AtomicBool::new(false)).expect("a good run");
        let document: Value = serde_json::from_str(&outcome.document).expect("JSON");
        let ends = ["from", "to"].map(|key| document["flows"][0][key].to_string());
        *counts.entry(ends).or_insert(0_f64) += 1.0;
    }
    // Pairs: n0-n1, n1-n0, n1-n2 and n2-n1.
    assert_eq!(counts.len(), 4, "{counts:?}");
    let chi2: f64 = counts.values().map(|n| (n - 150.0).powi(2) / 150.0).sum();
    assert!(chi2 < 21.1, "{chi2}: {counts:?}");
}

/// The drawn positions depend on the replication, but not on the congestion control or on additional flows.
#[test]
fn the_drawn_network_does_not_depend_on_the_scheme() {
    let reference = run(field(&[]), 3);
    for scheme in ["newreno", "sack", "ll-elsn"] {
        let other = run(field(&[("flow.ftp*.scheme", scheme), ("flow.ftp*.segment", "500 B")]), 3);
        assert_eq!((other.ends(), other.places), (reference.ends(), reference.places.clone()));
        assert_ne!(other.document["fingerprint"], reference.document["fingerprint"], "{scheme}");
    }
    let more = run(field(&[("copies", "5")]), 3);
    assert_eq!((&more.places, &more.ends()[..3]), (&reference.places, &reference.ends()[..3]));
    let next = run(field(&[]), 4);
    assert!(next.places != reference.places && next.ends()[..3] != reference.ends()[..3]);
}

#[test]
fn parallel_threads_do_not_change_drawn_layouts() {
    let scenario = Arc::new(field(&[]));
    let all = |threads| {
        let runs = (0..8).map(|rep| Run { scenario: scenario.clone(), seed: 1, rep }).collect();
        let mut pool = RunPool::start(runs, threads, RecordingOptions::default(), |work| work());
        let mut documents = vec![Value::Null; 8];
        loop {
            match pool.wait_for_progress(Duration::from_secs(60)) {
                Progress::Done(i, outcome) => {
                    let text = outcome.expect("a good run").document;
                    documents[i] = serde_json::from_str(&text).expect("JSON");
                    documents[i]["wall_s"] = Value::Null;
                }
                Progress::Waiting => panic!("no run takes a minute"),
                Progress::Finished => return documents,
            }
        }
    };
    assert_eq!(all(1), all(4));
}

#[test]
fn overrides_apply_to_layouts_and_drawn_ends() {
    let scenario = field(&[
        ("wlan.field.layout.nodes", "30"),
        ("wlan.all.layout.connected", "false"),
        ("flow.ftp*.between.hops", "3"),
        ("copies", "5"),
    ]);
    let wlan = &scenario.plan().links.wlans[0];
    assert_eq!(wlan.cell.stations.len(), 30);
    assert_eq!(wlan.draws.area.map(|area| area.must_be_connected), Some(false));
    let hops: Vec<_> = wlan.draws.drawn_flows.iter().map(|pair| pair.hops).collect();
    assert_eq!(hops, [Some(3), Some(3), Some(3), Some(3), Some(3), None]);
}

/// `fer` refers to the largest frame in the wlan, also of flows with random ends: 1200 + 28 bytes with UDP,
/// and a header of 36.
#[test]
fn drawn_flows_count_towards_the_largest_frame_of_fer() {
    let bits = |scenario: &Scenario| match scenario.plan().links.wlans[0].cell.errors[0].model {
        ErrorPlan::FrameErrorRate { reference_bits, .. } => reference_bits,
        ref other => panic!("{other:?}"),
    };
    assert_eq!(bits(&field(&[])), (1200 + 28 + 36) * 8);
    assert_eq!(bits(&field(&[("flow.ftp*.segment", "1400 B")])), (1400 + 40 + 12 + 36) * 8);
}

/// Each copy of a wlan with a layout has stations of its own.
#[test]
fn layouts_are_copied_with_their_wlan() {
    let text = FIELD
        .replace("name = \"field\"\nstandard", "name = \"field*\"\nstandard")
        .replace("height = \"100 m\"", "height = \"100 m\", prefix = \"a*n\"")
        .replace("between = { wlan = \"field\", hops = 2 }", "between = { wlan = \"field*\", hops = 2 }")
        .replace("between = { wlan = \"field\" }", "between = { wlan = \"field2\" }")
        .replace("\"n0\"", "\"a3n0\"")
        .replace("\"n19\"", "\"a3n19\"");
    let scenario = parse(&text, &[("duration", "1 ms")]).expect("good");
    let plan = scenario.plan();
    assert_eq!((plan.links.wlans.len(), plan.nodes.len()), (3, 60));
    assert_eq!(plan.links.wlans.map_flows(), [vec![0], vec![1, 3], vec![2]]);
    assert_eq!(plan.flows[4].from, NodeId(40));
    let ends = run(scenario, 0).ends();
    for (flow, copy) in [(0, "a1n"), (1, "a2n"), (2, "a3n"), (3, "a2n")] {
        assert!(ends[flow].iter().all(|name| name.starts_with(copy)), "{ends:?}");
    }
}

/// Access to the flows whose ends each wlan draws.
trait MapFlows {
    fn map_flows(&self) -> Vec<Vec<u16>>;
}

impl MapFlows for Vec<airhop_net::links::WlanPlan> {
    fn map_flows(&self) -> Vec<Vec<u16>> {
        self.iter().map(|wlan| wlan.draws.drawn_flows.iter().map(|pair| pair.flow.0).collect()).collect()
    }
}

/// If no valid draw exists, the run fails with an error that names the key, the seed and the replication.
#[test]
fn an_impossible_draw_is_refused_with_a_reason() {
    let refusal = |sets: &[(&str, &str)]| {
        let run = Run { scenario: Arc::new(field(sets)), seed: 7, rep: 2 };
        run.execute(&RecordingOptions::default(), &AtomicBool::new(false))
            .expect_err("no such draw")
            .to_string()
    };
    let messages = [
        refusal(&[("wlan.field.layout.width", "10 km")]),
        refusal(&[("wlan.field.layout.width", "10 m"), ("wlan.field.layout.height", "10 m")]),
        refusal(&[("flow.ftp*.between.hops", "7"), ("copies", "150")]),
        refusal(&[("wlan.field.layout.width", "10 km"), ("wlan.field.layout.connected", "false")]),
    ];
    insta::assert_snapshot!(messages.join("\n\n"));
}

// Routers have routes only to the stations of their own wlan, whatever its layout.
#[test]
fn a_flow_from_outside_over_on_demand_routes_is_refused() {
    let wire =
        "[[wired]]\nname = \"w\"\nends = [\"s\", \"n0\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\n[[flow]]";
    let text = one_flow().replace("[[flow]]", wire).replace("from = \"n0\"", "from = \"s\"");
    let chain = ("wlan.field.layout", r#"{ kind = "chain", nodes = 3, spacing = "30 m" }"#);
    assert!(parse(&text, &[chain]).is_ok());
    let problems = parse(&text, &[chain, ("wlan.field.routing", r#"{ kind = "aodv" }"#)]).err();
    assert_eq!(
        problems.unwrap_or_default(),
        [
            "field.toml:20: flow.f.from: expected a station of wlan \"field\", which the flow crosses and whose routing is on \
             demand, got \"s\""
        ]
    );
}
