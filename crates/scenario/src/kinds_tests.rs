//! Tests that every kind of table and every word of every key is simulated. If a kind were declared but not
//! planned, another kind would be simulated in its place.

use crate::grammar::key::{Choice, Key, ValueKind, Variant};
use crate::grammar::quantity::standards;
use crate::tables::SCENARIO_KEYS;
use crate::{Overrides, Scenario, ScenarioError};
use std::collections::{HashMap, HashSet};

/// Returns a scenario with the table `table` at the key `slot`, and with a default table at all other keys
/// with kinds.
fn file(slot: &str, table: &str) -> String {
    let written = |name: &str, otherwise: &'static str| match slot == name {
        true => table.to_string(),
        false => otherwise.to_string(),
    };
    format!(
        r#"
name = "kinds"
duration = "10 s"
[[wired]]
name = "w1"
ends = ["s", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = {queue}
{changes}
[[radio]]
name = "air"
ends = ["b", "m"]
rate = "10 Mbit/s"
delay = "1 ms"
arq = {arq}
[[wlan]]
name = "cell"
standard = "802.11b"
rate = "2 Mbit/s"
control_rate = "1 Mbit/s"
attempts = 5
layout = {layout}
routing = {routing}
{propagation}
[[wlan]]
name = "modern"
standard = "802.11ac"
rate = {{ mcs = 7 }}
stations = {{ ap = [0, 0], sta = [60, 0] }}
errors = {errors}
[[flow]]
name = "far"
from = "s"
to = "m"
{app}
[[flow]]
name = "near"
from = "n0"
to = "n1"
scheme = "reno"
[[flow]]
name = "fast"
from = "ap"
to = "sta"
scheme = "reno"
"#,
        queue = written("queue", r#"{ kind = "drop-tail" }"#),
        errors = written("error model", r#"{ kind = "clean" }"#),
        changes = written("change", ""),
        arq = written("link recovery", r#"{ kind = "none" }"#),
        layout = written("layout", r#"{ kind = "chain", nodes = 3, spacing = "30 m" }"#),
        routing = written("routing", r#"{ kind = "static" }"#),
        propagation = written("propagation", ""),
        app = match slot {
            "size" | "time" => table.to_string(),
            _ => written("app", "scheme = \"reno\""),
        },
    )
}

/// Returns a table of this kind, as it stands in a file.
fn example(choice: &Choice, variant: &Variant) -> String {
    let table = variant.example();
    match choice.what {
        "change" => format!("changes = {table}"),
        "size" => requests(&format!("response = {table}, rate = 5")),
        "time" => requests(&format!("response = \"10 kB\", think = {table}")),
        "app" => {
            let [tcp, udp] =
                ["scheme = \"reno\"", "transport = \"udp\""].map(|flow| format!("{flow}\napp = {table}"));
            if parse(&file(choice.what, &tcp), &[]).is_ok() { tcp } else { udp }
        }
        _ => table,
    }
}

/// Returns a flow whose application sends requests, with these keys.
fn requests(keys: &str) -> String {
    format!("scheme = \"reno\"\napp = {{ kind = \"request-response\", request = \"200 B\", {keys} }}")
}

fn read(text: &str, sets: &[(String, String)]) -> Scenario {
    parse(text, sets).unwrap_or_else(|refusal| panic!("{refusal}\n{sets:?}\n{text}"))
}

fn parse(text: &str, sets: &[(String, String)]) -> Result<Scenario, ScenarioError> {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let source =
        crate::ScenarioSource { name: "kinds.toml", files: crate::FileLocation::Folder(data.as_ref()) };
    let overrides = Overrides { settings: sets.to_vec(), scheme: None };
    Scenario::parse(text, source, &overrides)
}

/// Calls `see` for each key in these tables, with the key's path. For the keys of a table with kinds the path
/// contains the `kind`: `flow.tcp.preset`, `change outage.fate`.
fn walk(keys: &'static [Key], path: &str, see: &mut dyn FnMut(&str, &'static ValueKind)) {
    for key in keys {
        let here = if path.is_empty() { key.name.to_string() } else { format!("{path}.{}", key.name) };
        see(&here, &key.kind);
        match &key.kind {
            ValueKind::Tables(keys)
            | ValueKind::Section(keys)
            | ValueKind::Sections(keys)
            | ValueKind::Switch(keys)
            | ValueKind::RateOrTable(keys) => walk(keys, &here, see),
            ValueKind::Choice(choice) | ValueKind::Choices(choice) | ValueKind::Drawn { choice, .. } => {
                for variant in choice.variants {
                    walk(variant.keys, &format!("{} {}", choice.what, variant.kind), see);
                }
            }
            _ => {}
        }
    }
}

/// In a list whose tables may apply to one direction, `direction` is the last key of each kind. A table with
/// kinds that is not in a list has no such key.
#[test]
fn every_kind_in_a_list_accepts_a_direction() {
    walk(&SCENARIO_KEYS, "", &mut |path, kind| {
        let (ValueKind::Choice(choice) | ValueKind::Choices(choice)) = kind else { return };
        for variant in choice.variants {
            let has_one = |listed| variant.keys(listed).iter().any(|key| key.name == "direction");
            let expect = [kind.may_be_list(), false];
            assert_eq!([has_one(kind.may_be_list()), has_one(false)], expect, "{path} {}", variant.kind);
        }
    });
}

/// Each kind has a plan of its own. If a declaration were copied from another kind with its plan, that other
/// kind would be simulated.
#[test]
fn every_kind_has_its_own_plan() {
    walk(&SCENARIO_KEYS, "", &mut |_, kind| {
        let (ValueKind::Choice(choice) | ValueKind::Choices(choice) | ValueKind::Drawn { choice, .. }) = kind
        else {
            return;
        };
        let mut plans = HashMap::new();
        for variant in choice.variants {
            let scenario = read(&file(choice.what, &example(choice, variant)), &[]);
            let plan = format!("{:?}", scenario.plan());
            // The output of `airhop show` reads back to the same scenario.
            assert_eq!(format!("{:?}", read(&scenario.to_toml(), &[]).plan()), plan, "{}", variant.kind);
            let twin = plans.insert(plan, variant.kind);
            assert_eq!(twin, None, "{} \"{}\" is planned as it, too", choice.what, variant.kind);
        }
    });
}

/// Keys whose value is a word of a list. Each entry has the path of the key in the tables, the name of the
/// table with kinds that has the key, TOML text with the key, and the path for `--set`.
const WORDS: &[(&str, &str, &str, &str)] = &[
    ("wlan.phy.coding", "", "", "wlan.cell.phy.coding"),
    ("wlan.propagation.model", "propagation", PROPAGATION, "wlan.cell.propagation.model"),
    ("wlan.access", "", "", "wlan.cell.access"),
    ("wlan.band", "", "", "wlan.cell.band"),
    ("wlan.width", "", "", "wlan.cell.width"),
    ("wlan.lost_block_ack", "", "", "wlan.cell.lost_block_ack"),
    ("wlan.nav", "", "", "wlan.cell.nav"),
    ("wlan.eifs", "", "", "wlan.cell.eifs"),
    ("wlan.preset", "", "", "wlan.cell.preset"),
    ("wlan.ack_timeout", "", "", "wlan.cell.ack_timeout"),
    ("wlan.receiver", "", "", "wlan.cell.receiver"),
    ("routing aodv.preset", "routing", r#"{ kind = "aodv" }"#, "wlan.cell.routing.preset"),
    ("app request-response.arrivals", "size", REQUESTS, "flow.far.app.arrivals"),
    ("app request-response.connections", "size", REQUESTS, "flow.far.app.connections"),
    ("app video.choice", "app", VIDEO, "flow.far.app.choice"),
    ("link recovery go-back-n.group", "link recovery", r#"{ kind = "go-back-n" }"#, "radio.air.arq.group"),
    ("change outage.fate", "change", OUTAGE, "wired.w1.changes.0.fate"),
    ("change handoff.fate", "change", HANDOFF, "wired.w1.changes.0.fate"),
    ("error model gilbert-elliott.strikes", "error model", BURSTS, "wlan.modern.errors.strikes"),
    ("error model two-state.sojourn", "error model", FADES, "wlan.modern.errors.sojourn"),
    ("error model two-state.start", "error model", FADES, "wlan.modern.errors.start"),
    ("error model snr.model", "error model", r#"{ kind = "snr" }"#, "wlan.modern.errors.model"),
    ("error model snr.coding", "error model", r#"{ kind = "snr" }"#, "wlan.modern.errors.coding"),
    ("flow.access_category", "", "", "flow.near.access_category"),
    ("flow.notices", "", "", "flow.far.notices"),
    ("flow.tcp.preset", "", "", "flow.far.tcp.preset"),
    ("flow.tcp.halve_from", "", "", "flow.far.tcp.halve_from"),
    ("flow.tcp.sack_recovery", "", "", "flow.far.tcp.sack_recovery"),
    ("flow.tcp.loss_detection", "", "", "flow.far.tcp.loss_detection"),
    ("flow.tcp.growth", "", "", "flow.far.tcp.growth"),
    ("flow.tcp.validation", "", "", "flow.far.tcp.validation"),
    ("flow.tcp.after_pause", "", "", "flow.far.tcp.after_pause"),
    ("flow.tcp.rto.kind", "", "", "flow.far.tcp.rto.kind"),
];
const PROPAGATION: &str =
    r#"propagation = { model = "free-space", power = "24.5 dBm", receive = "-64 dBm", sense = "-78 dBm" }"#;
const OUTAGE: &str = r#"changes = [{ kind = "outage", at = "1 s", lasts = "1 s" }]"#;
const HANDOFF: &str = r#"changes = [{ kind = "handoff", at = "1 s", gap = "1 s", mobile = "b" }]"#;
const REQUESTS: &str = r#"scheme = "reno"
app = { kind = "request-response", request = "200 B", response = "10 kB", rate = 5 }"#;
const VIDEO: &str = r#"scheme = "reno"
app = { kind = "video", ladder = ["1 Mbit/s"] }"#;
const BURSTS: &str = r#"{ kind = "gilbert-elliott", loss = 0.1, burst = 3 }"#;
const FADES: &str = r#"{ kind = "two-state", good = "1 s", bad = "1 s", ber_good = 0, ber_bad = 0.01 }"#;

/// Returns the settings that a word of a key requires in addition. OFDM requires 802.11g, each standard has
/// its own rates, and some keys belong to 802.11n, ac and ax.
fn beside(key: &str, word: &str) -> Vec<(String, String)> {
    let ofdm = [("standard", "802.11g"), ("rate", "6 Mbit/s"), ("control_rate", "6 Mbit/s")];
    let modern = [("standard", "802.11ax"), ("rate", "{ mcs = 7 }"), ("control_rate", "24 Mbit/s")];
    let limits = [modern[0], modern[1], modern[2], ("txop", "{ VO = \"2.080 ms\" }")];
    let pairs: &[(&str, &str)] = match (key, word) {
        ("wlan.nav", _) => &limits,
        ("wlan.phy.coding", _) | ("wlan.standard", "802.11g") => &ofdm,
        ("wlan.standard", "802.11n" | "802.11ac" | "802.11ax") => &modern[1..],
        ("wlan.band" | "wlan.width" | "wlan.lost_block_ack" | "wlan.eifs" | "flow.access_category", _) => {
            &modern
        }
        _ => &[],
    };
    pairs.iter().map(|(key, value)| (format!("wlan.cell.{key}"), (*value).to_string())).collect()
}

#[test]
fn every_keyword_has_its_own_plan() {
    walk(&SCENARIO_KEYS, "", &mut |key, kind| match kind {
        // The kind of an application depends on the transport, so the words of `flow.transport` cannot be
        // tested alone.
        ValueKind::Word(_) if key == "flow.transport" => {}
        ValueKind::Standard => {
            for word in standards() {
                let sets =
                    [beside(key, word), vec![("wlan.cell.standard".to_string(), format!("\"{word}\""))]];
                assert_eq!(read(&file("", ""), &sets.concat()).plan().links.wlans[0].cell.phy.name, word);
            }
        }
        ValueKind::Word(words) => {
            let found = WORDS.iter().find(|(known, ..)| *known == key);
            let (_, slot, table, path) =
                found.unwrap_or_else(|| panic!("no message states where {key} is set"));
            let plan = |word: &&str| {
                let sets = [beside(key, word), vec![(path.to_string(), format!("\"{word}\""))]].concat();
                format!("{:?}", read(&file(slot, table), &sets).plan())
            };
            let plans: HashSet<_> = words().iter().map(plan).collect();
            // The word `scheme` has the same meaning as no word: the sender reacts to notices as its scheme
            // specifies.
            assert_eq!(plans.len(), words().len(), "two words of {key} have equal plans");
        }
        ValueKind::Words(words) => {
            for word in words() {
                let sets = [("flow.far.services".to_string(), format!("[\"{word}\"]"))];
                let scenario = read(&file("", ""), &sets);
                let planned: Vec<_> = scenario.plan().flows[0].services.iter().map(|s| s.name).collect();
                assert_eq!(planned, [word], "{key}");
            }
        }
        _ => {}
    });
}
