//! Links that change during a run: valid and invalid files.

use airhop_base::{Rate, Span, Time};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_radio::link_schedule::{ChangeKind, Handoff, LinkSchedule, ScheduledChange};
use airhop_scenario::{Overrides, Scenario, ScenarioError};
use std::sync::Arc;

const LINK: &str = r#"name = "moving"
duration = "60 s"

[[radio]]
name = "air"
ends = ["bs", "m"]
rate = "10 Mbit/s"
delay = "10 ms"
changes = []

[[flow]]
name = "ftp"
from = "bs"
to = "m"
scheme = "reno"
"#;

fn read(text: &str, sets: &[(&str, &str)]) -> Result<Scenario, ScenarioError> {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    Scenario::parse(text, "air.toml", &Overrides { settings: sets, scheme: None })
}

fn with(changes: &str) -> String {
    LINK.replace("changes = []", &format!("changes = {changes}"))
}

fn at(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

fn pace(changes: &[ScheduledChange]) -> [LinkRate; 2] {
    let schedule = LinkSchedule::new(Rate::from_bps(10_000_000), Span::from_millis(10), changes);
    LinkRate::both_ways(LinkRate::Varying(Arc::new(schedule)))
}

const ALL: &str = r#"[
  { kind = "rate", at = "20 s", rate = "2 Mbit/s", every = "20 s" },
  { kind = "rate", at = "30 s", rate = "10 Mbit/s" },
  { kind = "outage", at = "5 s", lasts = "2 s", every = "25 s" },
  { kind = "outage", at = "10 s", lasts = "1 s", fate = "lost" },
  { kind = "handoff", at = "50 s", gap = "300 ms", mobile = "m", fate = "lost", rate = "5 Mbit/s", delay = "40 ms" },
]"#;

/// Wired and radio links are checked in the same way.
#[test]
fn link_changes_are_planned_as_written() {
    let rate = |s, mbps: u64| ScheduledChange {
        at: at(s),
        kind: ChangeKind::Rate(Rate::from_bps(mbps * 1_000_000)),
    };
    let outage = |s| ScheduledChange { at: at(s), kind: ChangeKind::Outage(Span::from_secs(2)) };
    let handoff = Handoff {
        gap: Span::from_millis(300),
        mobile_end: 1,
        is_forwarded: false,
        rate: Some(Rate::from_bps(5_000_000)),
        delay: Some(Span::from_millis(40)),
    };
    let handoff = ScheduledChange { at: at(50), kind: ChangeKind::Handoff(handoff) };
    // In the plan, an outage that loses frames is an error model of the channel.
    let expect = pace(&[outage(5), rate(20, 2), outage(30), rate(30, 10), rate(40, 2), handoff, outage(55)]);
    let lost = ErrorPlan::Clean.with_outages(vec![[at(10), at(11)]]);
    let scenario = read(&with(ALL), &[]).expect("good");
    let radio = &scenario.plan().links.radios[0].link;
    assert_eq!((&radio.rates, &radio.errors), (&expect, &[lost.clone(), lost.clone()]));
    let wired = read(&with(ALL).replace("radio", "wired"), &[]).expect("good");
    let wired = &wired.plan().links.wired[0];
    assert_eq!((&wired.rates, &wired.errors), (&expect, &[lost.clone(), lost]));
    // The effective form, written as TOML and as JSON, reads back to the same plan.
    for again in [
        Scenario::from_json(&scenario.to_json(), "x", &Overrides::default()).expect("good"),
        read(&scenario.to_toml(), &[]).expect("good"),
    ] {
        assert_eq!(
            (again.identity(), &again.plan().links.radios[0].link.rates),
            (scenario.identity(), &expect)
        );
    }
}

#[test]
fn a_link_without_rate_changes_has_a_constant_rate() {
    for text in [
        LINK.replace("changes = []\n", ""),
        with(r#"{ kind = "outage", at = "1 s", lasts = "1 s", fate = "lost" }"#),
    ] {
        let pace = read(&text, &[]).expect("good").plan().links.radios[0].link.rates.clone();
        assert_eq!(pace, LinkRate::both_ways(Rate::from_bps(10_000_000)));
    }
}

/// Defaults: a handoff forwards packets, and packets wait during an outage. `--set` selects a change by its
/// number. The copies of a mobile have copies of its changes.
#[test]
fn link_changes_have_defaults_and_override_paths() {
    let one = with(r#"{ kind = "handoff", at = "50 s", gap = "300 ms", mobile = "bs" }"#);
    let pace_of = |text: &str, sets: &[(&str, &str)]| {
        read(text, sets).expect("good").plan().links.radios[0].link.rates.clone()
    };
    let handoff = |gap, mobile| {
        let handoff = Handoff {
            gap: Span::from_millis(gap),
            mobile_end: mobile,
            is_forwarded: true,
            rate: None,
            delay: None,
        };
        pace(&[ScheduledChange { at: at(50), kind: ChangeKind::Handoff(handoff) }])
    };
    assert_eq!(pace_of(&one, &[]), handoff(300, 0));
    assert_eq!(pace_of(&one, &[("radio.air.changes.gap", "1 s")]), handoff(1000, 0));
    let list = one.replace("changes = {", "changes = [{").replace("\"bs\" }", "\"m\" }]");
    assert_eq!(pace_of(&list, &[("radio.air.changes.0.gap", "1 s")]), handoff(1000, 1));
    let copied = list
        .replace("name = \"air\"", "name = \"air*\"")
        .replace("\"m\"", "\"m*\"")
        .replace("name = \"ftp\"", "name = \"ftp*\"");
    assert_eq!(pace_of(&copied, &[("copies", "2")]), handoff(300, 1));
}

/// Timeouts of link recovery that are computed use the lowest rate and the longest delay.
#[test]
fn the_arq_timeout_uses_lowest_rate_and_longest_delay() {
    let arq = |text: &str| {
        let text = text.replacen("\ndelay =", "\narq = { kind = \"go-back-n\" }\ndelay =", 1);
        read(&text, &[]).expect("good").plan().links.radios[0].link.arq.clone()
    };
    let slowest =
        LINK.replace("changes = []\n", "").replace("10 Mbit/s", "2 Mbit/s").replace("10 ms", "40 ms");
    assert_eq!(arq(&with(ALL)), arq(&slowest));
}

#[test]
fn impossible_link_changes_are_refused() {
    let outage =
        |begin: &str, lasts: &str| format!(r#"{{ kind = "outage", at = "{begin}", lasts = "{lasts}" }}"#);
    let cases = [
        ("[]".to_string(), "changes: expected at least one change, got an empty list"),
        (r#"{ kind = "outtage" }"#.into(), "changes.kind: this version has no change \"outtage\"; expected \"rate\", \"outage\" or \"handoff\"; did you mean \"outage\"?"),
        (r#"{ kind = "rate", at = "1 s", rate = "1 Mbit/s", lasts = "1 s" }"#.into(), "changes.lasts: unknown key of kind \"rate\"; expected one of at, rate, every, direction; kind \"outage\" has it"),
        (
            r#"[{ kind = "rate", at = "1 s", rate = "0 Mbit/s" }]"#.into(),
            "changes.0.rate: expected a data rate from 1 bit/s to 10000 Gbit/s, got \"0 Mbit/s\"; a period without \
             transmissions is an outage: changes = { kind = \"outage\", at = \"10 s\", lasts = \"2 s\" }",
        ),
        (outage("60 s", "1 s"), "changes.at: expected a time before the end of the run, duration = \"60 s\", got \"60 s\""),
        (outage("1 s", "0 s"), "changes.lasts: expected a duration of at least 1 ns"),
        (
            format!("[{}, {}]", outage("3 s", "1 s"), outage("1 s", "2500 ms")),
            "changes.0.at: expected outages and gaps that do not overlap, but this change starts at \"3 s\", and the change \
             radio.air.changes.1 lasts from \"1 s\" to \"3.5 s\"",
        ),
        (
            format!(r#"[{}, {{ kind = "handoff", at = "1 s", gap = "1 s", mobile = "m", every = "7 s" }}]"#, outage("15500 ms", "1 s")),
            "changes.0.at: expected outages and gaps that do not overlap, but this change starts at \"15.5 s\", and the change \
             radio.air.changes.1 lasts from \"15 s\" to \"16 s\"",
        ),
        (
            r#"{ kind = "outage", at = "1 s", lasts = "2 s", every = "1 s" }"#.into(),
            "changes.every: expected at least \"2 s\", the duration of the change, got \"1 s\"",
        ),
        (
            r#"{ kind = "rate", at = "1 s", rate = "1 Mbit/s", every = "1 us" }"#.into(),
            "changes.every: expected at most 100000 repetitions in the run, got \"1 us\"",
        ),
        (
            r#"[{ kind = "rate", at = "1 s", rate = "1 Mbit/s", every = "2 s" }, { kind = "rate", at = "7 s", rate = "2 Mbit/s" }]"#.into(),
            "changes.1.at: expected one rate at a time, but the rate of radio.air.changes.0 also starts at \"7 s\"",
        ),
        (
            r#"{ kind = "handoff", at = "1 s", gap = "1 s", mobile = "bss" }"#.into(),
            "changes.mobile: expected an end of this link, \"bs\" or \"m\", got \"bss\"; did you mean \"bs\"?",
        ),
        (
            r#"{ kind = "handoff", at = "1 s", gap = "1 s", mobile = "m", fate = "dropped" }"#.into(),
            "changes.fate: expected \"forwarded\" or \"lost\", got \"dropped\"",
        ),
        (r#"{ kind = "handoff", at = "1 s", mobile = "m" }"#.into(), "changes.gap: is missing: duration of the gap, in which neither end sends"),
    ];
    for (changes, expect) in cases {
        let refusal = read(&with(&changes), &[]).expect_err(expect).to_string();
        assert!(
            refusal.starts_with(&format!("air.toml:9: radio.air.{expect}")),
            "{changes}:\n{refusal}\n{expect}"
        );
        assert!(!refusal.contains("\n\n"), "one problem: {refusal}");
    }
    // A timeout in the file must also be long enough for the lowest rate and the longest delay.
    let refusal =
        read(&LINK.replace("10 Mbit/s", "0 Mbit/s").replace("changes = []\n", ""), &[]).expect_err("none");
    assert!(
        refusal.to_string().contains("got \"0 Mbit/s\"; a period without transmissions is an outage"),
        "{refusal}"
    );
}

/// A delivery trace determines the times of delivery, so changes of the rate are an error.
#[test]
fn rate_changes_of_a_delivery_trace_are_refused() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("changes");
    std::fs::create_dir_all(&folder).expect("a folder to write to");
    std::fs::write(folder.join("lte.trace"), "1\n").expect("a file");
    let trace = format!("deliveries = {:?}", folder.join("lte.trace").display().to_string());
    let text =
        with(r#"{ kind = "outage", at = "1 s", lasts = "1 s" }"#).replace("rate = \"10 Mbit/s\"", &trace);
    let refusal = read(&text, &[]).expect_err("two rates").to_string();
    assert!(
        refusal.starts_with("air.toml:9: radio.air.changes: a link with `deliveries` has no changes: "),
        "{refusal}"
    );
}
