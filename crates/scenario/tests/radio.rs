//! Radio links: derived defaults, the effective form, overrides, and invalid values.

use airhop_base::{NodeId, Rate, Span};
use airhop_net::links::RadioLinkPlan;
use airhop_net::queues::QueuePlan;
use airhop_radio::arq::{ArqPlan, ArqRules, RetransmissionGroup};
use airhop_radio::errors::{ErrorPlan, FadePlan, InitialState, Sojourn};
use airhop_radio::link::RadioPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_scenario::{Overrides, RecordingOptions, Run, Scenario, schema_json};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Network of Kounavis 1996: a fixed host, a base station and a mobile.
const FIXED_MOBILE: &str = include_str!("data/fixed-mobile.toml");

fn read(sets: &[(&str, &str)]) -> Result<Scenario, String> {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    let read =
        Scenario::parse(FIXED_MOBILE, "fixed-mobile.toml", &Overrides { settings: sets, scheme: None });
    read.map_err(|refusal| refusal.to_string())
}

fn link(sets: &[(&str, &str)]) -> RadioPlan {
    read(sets).expect("a good scenario").plan().links.radios[0].link.clone()
}

fn timeout(arq: &ArqPlan) -> Span {
    match arq {
        ArqPlan::None => panic!("there are no ACKs to wait for"),
        ArqPlan::GoBackN { rules, .. } | ArqPlan::SelectiveRepeat { rules, .. } => rules.timeout,
        ArqPlan::Rlp(rules) => rules.timeout,
    }
}

#[test]
fn a_radio_link_is_planned_as_written() {
    let RadioLinkPlan { link, nodes, queue } =
        read(&[]).expect("a good scenario").plan().links.radios[0].clone();
    assert_eq!(nodes, [NodeId(1), NodeId(2)]);
    assert_eq!((link.index, link.name.as_str(), link.overhead_bytes), (0, "air", 0));
    assert_eq!(link.ends, ["bs", "m"]);
    assert_eq!(
        (link.rates, link.delay),
        (LinkRate::both_ways(Rate::from_bps(19_200)), [Span::from_millis(10); 2])
    );
    assert_eq!(queue, [QueuePlan::DropTail { packets: 50 }; 2]);
    let means = [10, 4].map(Span::from_secs);
    let fades = FadePlan::Drawn { means, sojourn: Sojourn::Exponential, start: InitialState::Stationary };
    let fades = ErrorPlan::TwoState { fades, errors_per_bit: [1e-6, 1e-2] };
    assert_eq!(link.errors, [fades.clone(), fades]);
    let rules = |window, arq| ArqRules { window, timeout: timeout(arq), max_attempts: None, ack_bytes: 6 };
    let [there, back] = &link.arq;
    assert_eq!(*there, ArqPlan::GoBackN { group: RetransmissionGroup::Sliding, rules: rules(3, there) });
    assert_eq!(*back, ArqPlan::SelectiveRepeat { srej: true, rules: rules(8, back) });
}

// T_o = N t_frame + t_ack + 2 tau + t_frame. A frame of 128 B takes 53.33 ms at 19.2 kbit/s, and an ACK of 6
// B takes 2.5 ms.
#[test]
fn the_arq_timeout_follows_from_the_link_and_its_flows() {
    let of = |sets: &[(&str, &str)]| link(sets).arq.map(|arq| timeout(&arq).millis_f64());
    let frame = 128.0 * 8.0 / 19.2;
    let close =
        |a: [f64; 2], b: [f64; 2]| assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} {b:?}");
    close(of(&[]), [4.0 * frame + 22.5, 9.0 * frame + 22.5]);
    close(of(&[("radio.air.arq.window", "5")]), [6.0 * frame + 22.5, 9.0 * frame + 22.5]);
    // With link headers, and with larger segments and their options: 256 + 40 + 12 + 4 bytes.
    let large = [
        ("radio.air.overhead", "4 B"),
        ("flow.ftp.segment", "256 B"),
        ("flow.ftp.tcp.timestamps", "true"),
        ("radio.air.arq.ack", "12 B"),
    ];
    let frame = 312.0 * 8.0 / 19.2;
    close(of(&large), [4.0 * frame + 25.0, 9.0 * frame + 22.5]);
    // A timeout in the file is not changed.
    close(of(&[("radio.air.arq.timeout", "250 ms")]), [250.0, 9.0 * (128.0 * 8.0 / 19.2) + 22.5]);
}

// UMTS R99 (Yun 2009 §2.2) has a window of one frame, a few attempts, and needs 80 ms to detect a loss.
#[test]
fn stop_and_wait_is_planned_as_a_window_of_one() {
    let slow = r#"{ kind = "stop-and-wait", attempts = 3, timeout = "80 ms" }"#;
    let expected = ArqPlan::GoBackN {
        group: RetransmissionGroup::Sliding,
        rules: ArqRules { window: 1, timeout: Span::from_millis(80), max_attempts: Some(3), ack_bytes: 6 },
    };
    assert_eq!(link(&[("radio.air.arq", slow)]).arq[0], expected);
    let blocks = link(&[("radio.air.arq.group", "blocks")]);
    assert!(matches!(blocks.arq[0], ArqPlan::GoBackN { group: RetransmissionGroup::Blocks, .. }));
}

// Computed by hand: at 19.2 kbit/s a frame of 128 bytes takes 53.3 ms, and a NAK of 6 bytes 2.5 ms. A round
// waits for three frames, a NAK, and a delay of 10 ms in each direction.
#[test]
fn the_rlp_round_times_follow_from_the_link() {
    let rlp = |keys: &str| {
        let arq = format!("{{ kind = \"rlp\"{keys} }}");
        let [ArqPlan::Rlp(rules), _] = link(&[("radio.air.arq", &arq)]).arq else { panic!("{arq}") };
        let times = [rules.timeout, rules.copy_time, rules.idle_interval].map(Span::millis_f64);
        (rules.naks_per_round, times.map(|ms| (ms * 100.0).round() / 100.0), rules.nak_bytes)
    };
    assert_eq!(rlp(""), (vec![1, 2, 3], [182.5, 55.83, 20.0], 6));
    assert_eq!(rlp(", rounds = [2, 3], nak = \"12 B\""), (vec![2, 3], [185.0, 58.33, 20.0], 12));
    let set = ", timeout = \"1 s\", copy = \"0 s\", idle = \"1 ms\"";
    assert_eq!(rlp(set), (vec![1, 2, 3], [1000.0, 0.0, 1.0], 6));
}

// Without `arq_back` both directions have the recovery of `arq`; without `arq` neither direction has
// recovery.
#[test]
fn the_reverse_direction_defaults_to_the_forward_recovery() {
    let text = FIXED_MOBILE.replace("arq_back = { kind = \"selective-repeat\" }\n", "");
    let read = |text: &str| Scenario::parse(text, "x", &Overrides::default()).expect("a good scenario");
    let alike = read(&text);
    let [there, back] = &alike.plan().links.radios[0].link.arq;
    assert_eq!(there, back);
    assert!(matches!(there, ArqPlan::GoBackN { rules: ArqRules { window: 3, .. }, .. }));
    let plain = read(&text.replace("arq = { kind = \"go-back-n\", window = 3 }\n", ""));
    assert_eq!(plain.plan().links.radios[0].link.arq, [ArqPlan::None, ArqPlan::None]);
    // The error model applies to one direction; `fer` refers to a data frame with its link header.
    let fer = r#"{ kind = "bernoulli", fer = 0.1, direction = "m->bs" }"#;
    let one_way = link(&[("radio.air.errors", fer), ("radio.air.overhead", "10 B")]);
    let expected = ErrorPlan::FrameErrorRate { fer: 0.1, reference_bits: 138 * 8 };
    assert_eq!(one_way.errors, [ErrorPlan::Clean, expected]);
}

#[test]
fn the_effective_scenario_has_derived_values_and_reads_back() {
    let variants: [&[(&str, &str)]; 6] = [
        &[],
        &[("radio.air.arq", r#"{ kind = "stop-and-wait", attempts = 13 }"#)],
        &[("radio.air.arq_back", r#"{ kind = "none" }"#), ("radio.air.arq.group", "blocks")],
        &[("radio.air.errors", r#"{ kind = "bernoulli", loss = 0.1, direction = "bs->m" }"#)],
        // These timeouts are longer than any run: 2047 frames at one bit per second, and a frame with a long
        // delay.
        &[("radio.air.arq.window", "2047"), ("radio.air.rate", "1 bit/s")],
        &[("radio.air.arq", r#"{ kind = "stop-and-wait" }"#), ("radio.air.delay", "900000 s")],
    ];
    for sets in variants {
        let scenario = read(sets).expect("a good scenario");
        let toml = Scenario::parse(&scenario.to_toml(), "effective", &Overrides::default()).expect("TOML");
        let json =
            Scenario::from_json(&scenario.to_json(), "effective", &Overrides::default()).expect("JSON");
        for again in [toml, json] {
            assert_eq!(format!("{:?}", again.plan()), format!("{:?}", scenario.plan()));
            assert_eq!(again.to_json(), scenario.to_json());
        }
    }
    let shown = read(&[]).expect("a good scenario").to_toml();
    let [start, end] =
        ["[[radio]]", "[radio.queue]"].map(|table| shown.find(table).expect("the comment is printed"));
    insta::assert_snapshot!(&shown[start..end]);
}

/// A link written as copies, and the same links written out.
#[test]
fn copies_of_a_radio_link_equal_written_links() {
    let text = FIXED_MOBILE
        .replace("name = \"fixed-mobile\"\n", "name = \"fixed-mobile\"\ncopies = 2\n")
        .replace("name = \"air\"\nends = [\"bs\", \"m\"]", "name = \"air*\"\nends = [\"bs\", \"m*\"]")
        .replace("name = \"ftp\"", "name = \"ftp*\"")
        .replace("to = \"m\"", "to = \"m*\"");
    let scenario = Scenario::parse(&text, "x", &Overrides::default()).expect("a good scenario");
    let links: Vec<_> =
        scenario.plan().links.radios.iter().map(|r| (r.link.index, r.link.ends.clone())).collect();
    let ends = |m: &str| ["bs".to_string(), m.to_string()];
    assert_eq!(links, [(0, ends("m1")), (1, ends("m2"))]);
    let alone = FIXED_MOBILE.replace("name = \"fixed-mobile\"\n", "name = \"fixed-mobile\"\ncopies = 2\n");
    let same = alone.replace("name = \"air\"", "name = \"air*\"");
    let refused =
        Scenario::parse(&same, "x", &Overrides::default()).expect_err("the same nodes twice").to_string();
    assert!(refused.contains("expected a \"*\" also in the name of a node"), "{refused}");
}

/// Options `--set`, each with the message that it causes.
#[test]
fn a_mistake_of_a_radio_link_is_reported() {
    let sets: &[&[(&str, &str)]] = &[
        &[("radio.air.arq", "go-back-n")],
        &[("radio.air.arq", r#"{ kind = "go-back" }"#)],
        &[("radio.air.arq", r#"{ kind = "hybrid" }"#)],
        &[("radio.air.arq.windw", "5")],
        &[("radio.air.arq.srej", "true")],
        &[("radio.air.arq", r#"{ kind = "none", window = 3 }"#)],
        &[("radio.air.arq.window", "0")],
        &[("radio.air.arq_back.window", "65")],
        &[("radio.air.arq.group", "block")],
        &[("radio.air.arq.attempts", "0")],
        &[("radio.air.arq.timeout", "200")],
        &[("radio.air.arq.timeout", "70 ms")],
        &[("radio.air.arq_back.timeout", "10 ms"), ("radio.air.overhead", "8 B")],
        &[("radio.air.arq_bak.window", "3")],
        &[("radio.air.arq", r#"{ kind = "rlp", rounds = [] }"#)],
        &[("radio.air.arq", r#"{ kind = "rlp", rounds = [1, 0] }"#)],
        &[("radio.air.arq", r#"{ kind = "rlp", rounds = [1, 2.5] }"#)],
        &[("radio.air.arq", r#"{ kind = "rlp", rounds = 3 }"#)],
        &[("radio.air.arq", r#"{ kind = "rlp", timeout = "70 ms" }"#)],
        &[("radio.air.overhead", "2 kB")],
        &[("radio.air.errors.direction", "bs->*")],
        &[("radio.air.errors.direction", "bs->f")],
        &[("radio.air.name", "w1")],
        &[("radio.ai.rate", "1 Mbit/s")],
        &[("radio.air.ends", r#"["bs", "bs"]"#)],
        &[("flow.ftp.to", "mm")],
    ];
    let mut page = String::new();
    for sets in sets {
        let _ = writeln!(page, "== {sets:?}\n{}\n", read(sets).expect_err("this must be an error"));
    }
    insta::assert_snapshot!(page);
}

// A derived value causes no second message if the key from which it follows is wrong. A timeout causes none
// while the sizes of the packets on the link are unknown.
#[test]
fn one_mistake_causes_one_message() {
    let count = |text: &str| {
        let refused = Scenario::parse(text, "x", &Overrides::default()).expect_err("this must be an error");
        refused.problems().len()
    };
    let short = FIXED_MOBILE
        .replace("arq_back = { kind = \"selective-repeat\" }\n", "")
        .replace("window = 3", "window = 3, timeout = \"20 ms\"");
    assert_eq!(count(&short), 1);
    assert_eq!(count(&short.replace("\"88 B\"", "\"88\"")), 1);
}

/// The example in the documentation of radio links equals the packaged example of the paper.
#[test]
fn the_documented_radio_example_equals_the_paper_example() {
    let link = |file: &str| {
        let start = file.find("[[radio]]").expect("a link");
        let end = file.find("[[flow]]").expect("a flow");
        file[start..end].trim().to_string()
    };
    assert_eq!(link(include_str!("../../../docs/scenario/examples/radio.toml")), link(FIXED_MOBILE));
}

#[test]
fn the_schema_accepts_radio_links() {
    let schema: serde_json::Value = serde_json::from_str(&schema_json()).expect("JSON");
    let radio = &schema["properties"]["radio"]["items"];
    let kinds = |key: &str| -> Vec<String> {
        let variants = radio["properties"][key]["oneOf"].as_array().expect("variants");
        variants
            .iter()
            .map(|v| v["properties"]["kind"]["const"].as_str().expect("a kind").to_string())
            .collect()
    };
    assert_eq!(kinds("arq"), ["none", "stop-and-wait", "go-back-n", "selective-repeat", "rlp"]);
    assert_eq!(kinds("arq_back"), kinds("arq"));
    assert_eq!(radio["required"], serde_json::json!(["name", "ends", "delay"]));
}

#[test]
fn a_scenario_with_a_radio_link_runs() {
    let run = Run { scenario: Arc::new(read(&[]).expect("a good scenario")), seed: 1, rep: 0 };
    let recording = RecordingOptions { tables: true, ..RecordingOptions::default() };
    let outcome = run.execute(&recording, &AtomicBool::new(false)).expect("a run");
    let document: serde_json::Value = serde_json::from_str(&outcome.document).expect("JSON");
    assert!(document["flows"][0]["delivered_bytes"].as_u64() > Some(88 * 50), "{document}");
}
