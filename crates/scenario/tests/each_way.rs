//! Links that differ between their two directions: valid and invalid files, and derived values.

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::queues::QueuePlan;
use airhop_radio::arq::ArqPlan;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::{DeliveryTrace, LinkRate};
use airhop_radio::link_schedule::{ChangeKind, Handoff, LinkSchedule, ScheduledChange};
use airhop_scenario::{FileLocation, Overrides, Scenario, ScenarioSource};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

const LINE: &str = r#"name = "adsl"
duration = "60 s"

[[wired]]
name = "line"
ends = ["isp", "home"]
rate = { "isp->home" = "10 Mbit/s", "home->isp" = "100 kbit/s" }
delay = { "isp->home" = "20 ms", "home->isp" = "5 ms" }
queue = [
  { kind = "codel", direction = "isp->home" },
  { kind = "drop-tail", packets = 200, direction = "home->isp" },
]
# changes

[[flow]]
name = "ftp"
from = "isp"
to = "home"
scheme = "reno"
"#;

fn read(text: &str, sets: &[(&str, &str)]) -> Result<Scenario, String> {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    let source = ScenarioSource {
        name: "adsl.toml",
        files: FileLocation::Folder(Path::new(env!("CARGO_TARGET_TMPDIR"))),
    };
    Scenario::parse(text, source, &Overrides { settings: sets, scheme: None })
        .map_err(|refusal| refusal.to_string())
}

fn good(text: &str, sets: &[(&str, &str)]) -> Scenario {
    read(text, sets).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn mbps(mbps: f64) -> LinkRate {
    LinkRate::Rate(Rate::from_bps((mbps * 1e6) as u64))
}

/// Wired and radio links have the same keys, and the effective scenario reads back to the same scenario.
#[test]
fn each_direction_has_its_own_rate_delay_and_queue() {
    let [down, up] = [QueuePlan::DropTail { packets: 200 }; 2];
    let check = |scenario: &Scenario, [down, up]: [QueuePlan; 2]| {
        let links = &scenario.plan().links;
        let (pace, delay, queue) = match &links.wired[..] {
            [line] => (&line.rates, line.delay, line.queue),
            _ => (&links.radios[0].link.rates, links.radios[0].link.delay, links.radios[0].queue),
        };
        assert_eq!((pace, delay), (&[mbps(10.0), mbps(0.1)], [20, 5].map(Span::from_millis)));
        assert!(matches!(queue[0], QueuePlan::Codel(_)) || queue[0] == down, "{queue:?}");
        assert_eq!(queue[1], up);
    };
    for text in [LINE.to_string(), LINE.replace("wired", "radio")] {
        let scenario = good(&text, &[]);
        check(&scenario, [down, up]);
        let json = Scenario::from_json(&scenario.to_json(), "x", &Overrides::default())
            .expect("valid before the edit");
        for again in [json, good(&scenario.to_toml(), &[])] {
            check(&again, [down, up]);
            assert_eq!(again.identity(), scenario.identity());
        }
    }
}

/// The order of the two directions in a file has no effect.
#[test]
fn directions_are_identified_by_names() {
    let turned = LINE.replace(
        r#"{ "isp->home" = "10 Mbit/s", "home->isp" = "100 kbit/s" }"#,
        r#"{ "home -> isp" = "100 kbit/s", "isp->home" = "10 Mbit/s" }"#,
    );
    assert_eq!(good(&turned, &[]).plan().links.wired[0].rates, [mbps(10.0), mbps(0.1)]);
}

#[test]
fn one_direction_of_a_link_can_be_set() {
    let pace = |sets: &[(&str, &str)]| good(LINE, sets).plan().links.wired[0].rates.clone();
    assert_eq!(pace(&[("wired.line.rate.home->isp", "1 Mbit/s")]), [mbps(10.0), mbps(1.0)]);
    assert_eq!(pace(&[("wired.line.rate", "2 Mbit/s")]), [mbps(2.0), mbps(2.0)]);
    // A value for both directions remains valid for the other direction.
    let both = [("wired.line.rate", "2 Mbit/s"), ("wired.all.rate.isp -> home", "3 Mbit/s")];
    assert_eq!(pace(&both), [mbps(3.0), mbps(2.0)]);
    let queue = |path| good(LINE, &[(path, "7")]).plan().links.wired[0].queue[1];
    let seven = QueuePlan::DropTail { packets: 7 };
    assert_eq!(
        [queue("wired.line.queue.1.packets"), queue("wired.line.queue.home->isp.packets")],
        [seven; 2]
    );
}

/// Each copy of a link has its own directions; a `*` in the name of a direction becomes the number of the
/// copy.
#[test]
fn copies_of_a_link_have_their_own_directions() {
    let text = LINE.replace("duration", "copies = 2\nduration").replace("isp", "isp*");
    let text = text.replace("\"line\"", "\"line*\"").replace("\"ftp\"", "\"ftp*\"");
    for line in &good(&text, &[]).plan().links.wired {
        assert_eq!(
            (&line.rates, line.queue[1]),
            (&[mbps(10.0), mbps(0.1)], QueuePlan::DropTail { packets: 200 })
        );
    }
}

/// Recordings of cellular links are pairs of files, one per direction, and each direction has the digest of
/// its own file. One direction may have a rate instead.
#[test]
fn a_pair_of_delivery_traces_sets_both_directions() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let traces = ["1\n", "4\n9\n"];
    for (name, trace) in ["pair-down.trace", "pair-up.trace"].iter().zip(traces) {
        std::fs::write(folder.join(name), trace).expect("a file");
    }
    let trace = |number: usize| {
        LinkRate::Deliveries(Arc::new(DeliveryTrace::parse(traces[number]).expect("a good trace")))
    };
    let rate = r#"rate = { "isp->home" = "10 Mbit/s", "home->isp" = "100 kbit/s" }"#;
    let pair = LINE
        .replace(rate, r#"deliveries = { "isp->home" = "pair-down.trace", "home->isp" = "pair-up.trace" }"#);
    let scenario = good(&pair, &[]);
    assert_eq!(scenario.plan().links.wired[0].rates, [trace(0), trace(1)]);
    let again = good(&scenario.to_toml(), &[]);
    assert_eq!(
        (again.identity(), &again.plan().links.wired[0].rates),
        (scenario.identity(), &[trace(0), trace(1)])
    );
    let mixed = r#"rate = { "home->isp" = "100 kbit/s" }
deliveries = { "isp->home" = "pair-down.trace" }"#;
    assert_eq!(good(&LINE.replace(rate, mixed), &[]).plan().links.wired[0].rates, [trace(0), mbps(0.1)]);
    std::fs::write(folder.join("pair-up.trace"), "5\n").expect("a file");
    let refusal = read(&scenario.to_toml(), &[]).expect_err("another content");
    assert!(refusal.contains("wired.line.deliveries_digest.home->isp: expected \""), "{refusal}");
    assert!(!refusal.contains("isp->home: expected"), "only one has changed: {refusal}");
}

/// A handoff, an outage or a rate change in one direction does not affect the other.
#[test]
fn changes_of_one_direction_leave_the_other_direction() {
    let changes = r#"changes = [
  { kind = "handoff", at = "5 s", gap = "1 s", mobile = "home", fate = "lost", direction = "isp->home" },
  { kind = "outage", at = "5 s", lasts = "2 s", fate = "lost", direction = "home->isp" },
  { kind = "rate", at = "20 s", rate = "1 Mbit/s" },
  { kind = "rate", at = "30 s", rate = "2 Mbit/s", direction = "home->isp" },
  { kind = "rate", at = "30 s", rate = "3 Mbit/s", direction = "isp->home" },
]"#;
    let line = &good(&LINE.replace("# changes", changes), &[]).plan().links.wired[0].clone();
    let at = |s| Time::ZERO + Span::from_secs(s);
    let rate = |s, mbps: u64| ScheduledChange {
        at: at(s),
        kind: ChangeKind::Rate(Rate::from_bps(mbps * 1_000_000)),
    };
    let gap = Span::from_secs(1);
    let handoff = Handoff { gap, mobile_end: 1, is_forwarded: false, rate: None, delay: None };
    let handoff = ScheduledChange { at: at(5), kind: ChangeKind::Handoff(handoff) };
    let down = [handoff, rate(20, 1), rate(30, 3)];
    let schedule = |bps, delay, changes: &[ScheduledChange]| {
        LinkRate::Varying(Arc::new(LinkSchedule::new(Rate::from_bps(bps), Span::from_millis(delay), changes)))
    };
    let expect = [schedule(10_000_000, 20, &down), schedule(100_000, 5, &[rate(20, 1), rate(30, 2)])];
    assert_eq!(line.rates, expect);
    assert_eq!(line.errors, [ErrorPlan::Clean, ErrorPlan::Clean.with_outages(vec![[at(5), at(7)]])]);
}

/// The timeout is the time of frames at the rate of their direction, and of an ACK and a frame at the rate of
/// the other direction. Computed by hand: 1052 B take 0.8416 ms at 10 Mbit/s and 84.16 ms at 100 kbit/s; an
/// ACK of 6 B takes 4.8 us and 0.48 ms; the two delays add up to 25 ms.
#[test]
fn the_arq_timeout_uses_the_rates_of_both_directions() {
    let text =
        LINE.replace("wired", "radio").replace("# changes", r#"arq = { kind = "go-back-n", window = 3 }"#);
    let scenario = good(&text, &[]);
    let timeout = |arq: &ArqPlan| match arq {
        ArqPlan::GoBackN { rules, .. } => rules.timeout.nanos(),
        other => panic!("{other:?}"),
    };
    let link = &scenario.plan().links.radios[0].link;
    let [down, up] = [(3 * 841_600, 480_000 + 84_160_000), (3 * 84_160_000, 4_800 + 841_600)];
    assert_eq!(link.arq.each_ref().map(timeout), [down, up].map(|(frames, back)| frames + back + 25_000_000));
    // A timeout too short for one direction is an error, even if it results from a default.
    let refusal =
        read(&text, &[("radio.line.arq.timeout", "100 ms")]).expect_err("84.16 ms and 25 ms are 109");
    assert!(refusal.contains("radio.line.arq_back.timeout: expected at least \"109."), "{refusal}");
}

/// Hints and the largest packets are computed for each direction: a flow is limited either by the direction
/// of its data or by that of its ACKs.
#[test]
fn hints_are_computed_for_the_limiting_direction() {
    let hints = |sets: &[(&str, &str)]| {
        let all = good(LINE, sets).hints();
        all.into_iter()
            .filter(|hint| hint.trap == "short-receive-window")
            .map(|hint| hint.text)
            .collect::<Vec<_>>()
    };
    let window = ("flow.ftp.tcp.receive_window", "4 kB");
    // An uplink of 100 kbit/s carries 240.4 ACKs of 52 B per second. Each acknowledges two segments of 1000
    // B, which limits the downlink to 3.85 Mbit/s (RFC 3449 §2.1).
    let [slow] = &hints(&[window])[..] else { panic!("one hint") };
    assert!(slow.contains("of the 3.85 Mbit/s of its path") && slow.contains("30.002 ms"), "{slow}");
    let [fast] = &hints(&[window, ("wired.line.rate.home->isp", "10 Mbit/s")])[..] else {
        panic!("one hint")
    };
    assert!(fast.contains("of the 9.51 Mbit/s of its path") && fast.contains("25.883 ms"), "{fast}");
    let up = [("flow.ftp.from", "home"), ("flow.ftp.to", "isp"), ("flow.ftp.tcp.receive_window", "1 kB")];
    let [up] = &hints(&up)[..] else { panic!("one hint") };
    assert!(up.contains("of the 95.1 kbit/s of its path"), "{up}");
    assert_eq!(good(LINE, &[]).plan().flows[0].from, NodeId(0));
}

/// Texts in [`LINE`], each with its replacement and the message that it causes.
const EDITS: &[(&str, &str, &str)] = &[
    ("one direction", r#", "home->isp" = "100 kbit/s" }"#, " }"),
    ("one direction of the delay", r#""isp->home" = "20 ms", "#, ""),
    ("a direction twice", r#""home->isp" = "100 kbit/s""#, r#""isp -> home" = "100 kbit/s""#),
    ("an unknown node", r#""home->isp" = "100 kbit/s""#, r#""hom->isp" = "100 kbit/s""#),
    ("a star", r#""home->isp" = "100 kbit/s""#, r#""*->isp" = "100 kbit/s""#),
    ("to itself", r#""home->isp" = "100 kbit/s""#, r#""isp->isp" = "100 kbit/s""#),
    ("no direction", r#""home->isp" = "100 kbit/s""#, r#"up = "100 kbit/s""#),
    ("no unit", r#""home->isp" = "100 kbit/s""#, r#""home->isp" = 100"#),
    ("nothing", r#"rate = { "isp->home" = "10 Mbit/s", "home->isp" = "100 kbit/s" }"#, "rate = {}"),
    ("two paces of one direction", "# changes", r#"deliveries = { "home->isp" = "both.trace" }"#),
    (
        "a trace and no rate",
        r#"rate = { "isp->home" = "10 Mbit/s", "home->isp" = "100 kbit/s" }"#,
        r#"deliveries = { "home->isp" = "both.trace" }"#,
    ),
    ("a file that is not there", "# changes", r#"deliveries = { "home->isp" = "none.trace" }"#),
    ("a queue for one direction", r#"  { kind = "codel", direction = "isp->home" },"#, ""),
    ("two queues for a direction", r#"packets = 200, direction = "home->isp""#, r#"direction = "isp->home""#),
    ("two queues for both", r#", direction = "home->isp" },"#, " },\n  { kind = \"fq\" },"),
    ("a queue to nowhere", r#"packets = 200, direction = "home->isp""#, r#"direction = "home->ips""#),
    (
        "a change to nowhere",
        "# changes",
        r#"changes = { kind = "outage", at = "1 s", lasts = "1 s", direction = "isp->hom" }"#,
    ),
    (
        "two outages of a direction",
        "# changes",
        r#"changes = [{ kind = "outage", at = "1 s", lasts = "2 s" }, { kind = "outage", at = "2 s", lasts = "1 s", direction = "home->isp" }]"#,
    ),
];

#[test]
fn a_mistake_of_a_direction_is_reported() {
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("both.trace"), "1\n").expect("a file");
    let mut page = String::new();
    for (what, good, bad) in EDITS {
        assert!(LINE.contains(good), "{what}: the valid file does not contain {good}");
        let refusal = read(&LINE.replacen(good, bad, 1), &[]).expect_err(what);
        let _ = writeln!(page, "== {what}\n{}\n", refusal.replace(env!("CARGO_TARGET_TMPDIR"), "HERE"));
    }
    for (path, value) in [("wired.line.rate.up", "1 Mbit/s"), ("wired.line.rate.isp->home.x", "1 Mbit/s")] {
        let _ = writeln!(page, "{}\n", read(LINE, &[(path, value)]).expect_err(path));
    }
    insta::assert_snapshot!(page);
}
