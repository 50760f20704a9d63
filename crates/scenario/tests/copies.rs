//! Copies: a file with `*` in its names is equivalent to a file with all copies written out.

use airhop_net::World;
use airhop_scenario::{Overrides, Scenario};
use std::sync::atomic::AtomicBool;

const COPIES: &str = include_str!("data/copies.toml");
/// Scenario equivalent to [`COPIES`], with all copies written out.
const BY_HAND: &str = include_str!("data/copies-by-hand.toml");

fn parse(text: &str, sets: &[(&str, &str)]) -> Result<Scenario, Vec<String>> {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    let read = Scenario::parse(text, "copies.toml", &Overrides { settings: sets, scheme: None });
    read.map_err(|refusal| refusal.problems().to_vec())
}

fn good(sets: &[(&str, &str)]) -> Scenario {
    parse(COPIES, sets).expect("a good scenario")
}

/// Checks that two plans are equal. It compares their debug output, which contains all fields.
fn same(a: &Scenario, b: &Scenario) {
    assert_eq!(a.to_json(), b.to_json());
    assert_eq!(format!("{:?}", a.plan()), format!("{:?}", b.plan()));
}

fn flows(scenario: &Scenario) -> Vec<&str> {
    scenario.plan().flows.iter().map(|flow| flow.name.as_str()).collect()
}

fn fingerprint(scenario: &Scenario) -> u64 {
    let mut world = World::new(scenario.plan(), 1, 0, None).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("nobody stops it");
    assert_eq!(world.check_packet_counts(), Ok(()));
    world.report().fingerprint
}

#[test]
fn copies_equal_separately_written_tables() {
    same(&good(&[]), &parse(BY_HAND, &[]).expect("a good scenario"));
}

#[test]
fn the_effective_scenario_lists_copies_and_reads_back() {
    let scenario = good(&[]);
    assert!(!scenario.to_json().contains("copies\":") && !scenario.to_json().contains("ftp*"));
    same(&scenario, &parse(&scenario.to_toml(), &[]).expect("TOML"));
    let json = Scenario::from_json(&scenario.to_json(), "effective", &Overrides::default()).expect("JSON");
    same(&scenario, &json);
}

#[test]
fn without_the_copies_key_a_table_has_one_copy() {
    let one = parse(&COPIES.replace("copies = 3\n", ""), &[]).expect("good");
    assert_eq!(flows(&one), ["ftp1", "back1"]);
    same(&one, &good(&[("copies", "1")]));
}

/// Copy i of a flow starts (i - 1) × `stagger` after the start that the file gives.
#[test]
fn copies_of_a_flow_start_a_stagger_apart() {
    let scenario = good(&[("flow.ftp*.start", "1 s"), ("flow.ftp*.stagger", "250 ms")]);
    let starts = |scenario: &Scenario| -> Vec<(String, u64)> {
        let flows = scenario.plan().flows.iter().filter(|flow| flow.name.starts_with("ftp"));
        flows.map(|flow| (flow.name.clone(), flow.start.nanos() / 1_000_000)).collect()
    };
    let expected = [("ftp1", 1000), ("ftp2", 1250), ("ftp3", 1500)].map(|(name, ms)| (name.to_string(), ms));
    assert_eq!(starts(&scenario), expected);
    same(&scenario, &parse(&scenario.to_toml(), &[]).expect("TOML"));
    let late = parse(COPIES, &[("flow.ftp*.stagger", "1000 s")]).expect_err("the second is too late");
    assert!(late.iter().all(|problem| problem.contains("flow.ftp*.start")), "{late:?}");
}

/// `--set` changes a table of the file with all its copies; `all` changes all tables, with and without
/// copies.
#[test]
fn overrides_reach_every_copy() {
    let sets = [("copies", "2"), ("flow.ftp*.segment", "500 B"), ("wired.access*.delay", "3 ms")];
    let written = BY_HAND.replace("scheme = \"reno\"", "scheme = \"reno\"\nsegment = \"500 B\"");
    let written = written.replace("delay = \"10 ms\"\nerrors", "delay = \"3 ms\"\nerrors");
    same(&good(&[sets[1], sets[2]]), &parse(&written, &[]).expect("good"));
    assert_eq!(flows(&good(&sets)), ["ftp1", "ftp2", "back1", "back2"]);
    let all = good(&[("flow.all.start", "1 s"), ("copies", "7")]);
    assert!(all.plan().flows.iter().all(|flow| flow.start.secs_f64() == 1.0) && all.plan().flows.len() == 14);
    let refusal = parse(COPIES, &[("flow.ftp1.segment", "500 B")]).expect_err("the file has no ftp1");
    assert!(refusal[0].contains("did you mean \"ftp*\"?"), "{refusal:?}");
}

/// Random streams have names, so idle stations and links in addition to copy 1 do not change the run of copy
/// 1.
#[test]
fn additional_copies_do_not_change_the_first_copy() {
    let one_flow = COPIES
        .replace("name = \"ftp*\"\nfrom = \"s*\"\nto = \"d*\"", "name = \"ftp\"\nfrom = \"s1\"\nto = \"d1\"");
    let one_flow = one_flow.replace("back*", "back");
    let with = |copies| parse(&one_flow, &[("copies", copies)]).expect("good");
    assert_eq!(fingerprint(&with("1")), fingerprint(&with("12")));
}

#[test]
fn a_hundred_copies_run() {
    let scenario = good(&[("copies", "100"), ("duration", "2 s")]);
    let plan = scenario.plan();
    assert_eq!((plan.links.wired.len(), plan.links.wlans[0].nodes.len(), plan.flows.len()), (101, 102, 200));
    fingerprint(&scenario);
}

/// One mistake in a table with fifty copies causes one message.
#[test]
fn a_mistake_in_copies_is_reported_once() {
    let text = COPIES.replace("to = \"d*\"", "to = \"x*\"").replace("bs->d*", "bs->x*");
    let problems = parse(&text, &[("copies", "50")]).expect_err("node x does not exist");
    assert_eq!(problems.len(), 2, "{problems:#?}");
    assert!(problems[0].starts_with("copies.toml:24: wlan.cell.errors.0.direction: \"x1\""), "{problems:#?}");
    assert!(
        problems[1].starts_with("copies.toml:31: flow.ftp*.to: no link has a node \"x1\""),
        "{problems:#?}"
    );
}

/// Names that are equal only after the numbers of the copies are inserted are an error.
#[test]
fn copies_with_the_name_of_another_table_are_refused() {
    let named = |name: &str, copies| {
        parse(&COPIES.replace("name = \"back*\"", &format!("name = \"{name}\"")), &[("copies", copies)])
    };
    assert!(named("ftp2", "1").is_ok());
    let problems = named("ftp2", "2").expect_err("ftp2 twice");
    assert!(
        problems[0].contains("expected a unique name") && problems[0].contains("\"ftp2\""),
        "{problems:?}"
    );
    // The first copy of ftp1* and the eleventh copy of ftp* would both be ftp11.
    assert!(named("ftp1*", "10").is_ok());
    assert!(named("ftp1*", "11").is_err());
    let ends =
        parse(&COPIES.replace("\"r\"", "\"s2\""), &[]).expect_err("the second link would go from s2 to s2");
    assert!(ends[0].contains("wired.access*.ends") && ends[0].contains("\"s2\""), "{ends:?}");
}

/// Each copy of a wlan is a channel of its own, with its own stations.
#[test]
fn whole_wlans_are_copied_with_their_stations() {
    let text = COPIES
        .replace("name = \"cell\"", "name = \"cell*\"")
        .replace("bs = [0, 0]", "\"bs*\" = [0, 0]")
        .replace("bs->d*", "bs*->d*")
        .replace("\"trunk\"", "\"trunk*\"")
        .replace("[\"r\", \"bs\"]", "[\"r\", \"bs*\"]")
        .replace("to = \"bs\"", "to = \"bs*\"");
    let scenario = parse(&text, &[]).expect("good");
    let cells: Vec<_> = scenario.plan().links.wlans.iter().map(|wlan| &wlan.cell).collect();
    assert_eq!(cells.len(), 3);
    for (i, cell) in cells.iter().enumerate() {
        let stations: Vec<_> = cell.stations.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(stations, [format!("bs{}", i + 1), format!("d{}", i + 1), "e".to_string()]);
        assert_eq!(cell.errors[0].to, Some(1));
    }
    fingerprint(&scenario);
}

/// A dozen lines can describe ten million stations. In an earlier version they were refused only after all
/// stations had been created, which took 2 GB of memory.
#[test]
fn too_many_copies_are_refused_before_their_creation() {
    let layout = r#"layout = { kind = "chain", nodes = 1000, spacing = "30 m", prefix = "m*_" }"#;
    let cells = format!(
        "name = \"x\"\nduration = \"1 s\"\ncopies = 66\n\n[[wlan]]\nname = \"cell*\"\nstandard = \"802.11g\"\n\
         rate = \"54 Mbit/s\"\n{layout}\n\n[[flow]]\nname = \"ftp*\"\nfrom = \"m*_0\"\nto = \"m*_9\"\nscheme = \"reno\"\n"
    );
    assert!(parse(&cells, &[("copies", "65")]).is_ok());
    let problems = parse(&cells, &[]).expect_err("66,000 nodes");
    assert_eq!(
        problems,
        [
            "copies.toml:3: copies: expected at most 65535 nodes with all copies, got 66000 stations with 66 copies"
        ]
    );
    let problems = parse(COPIES, &[("copies", "2007")]).expect_err("2009 stations");
    assert!(
        problems[0].contains("copies=2007: expected at most 2008 stations in a wlan, got 2009"),
        "{problems:?}"
    );
    let mut many = COPIES.to_string();
    for i in 0..5 {
        many += &format!("\n[[flow]]\nname = \"more{i}_*\"\nfrom = \"s*\"\nto = \"d*\"\nscheme = \"reno\"\n");
    }
    let problems = parse(&many, &[("copies", "10000")]).expect_err("70,000 flows");
    assert!(problems[0].contains("at most 65535 [[flow]] with all copies, got 70000"), "{problems:?}");
}
