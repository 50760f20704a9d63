//! Tests with ten thousand random scenarios, valid and invalid, and with the inputs that the fuzzer found
//! (docs/fuzzing.md). The loader never panics. It refuses invalid scenarios with a message, and each valid
//! scenario runs with all packets accounted for.

use crate::hostile;
use airhop_net::World;
use airhop_scenario::{Overrides, Scenario};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const LAST_HOP: &str = include_str!("data/last-hop.toml");
const COPIES: &str = include_str!("data/copies.toml");
/// Folder of the fuzzer's inputs, which together reach all code that the fuzzer has reached.
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/scenario");
/// Folder of the files that these inputs name.
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/files");
const FIELD: &str = include_str!("data/field.toml");

/// Texts that random edits insert.
const SCRAPS: &[&str] = &[
    "",
    " ",
    "\n",
    "=",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "\"",
    "'",
    "#",
    ",",
    ".",
    "-",
    "->",
    "*",
    "µ",
    "\u{0}",
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e308",
    "9223372036854775808",
    "0x1F",
    "true",
    "null",
    "1979-05-27",
    "\"10 ms\"",
    "\"0 s\"",
    "\"-1 s\"",
    "\"1e300 Mbit/s\"",
    "\"5 B\"",
    "[0, 0]",
    "[nan, inf]",
    "{}",
    "[]",
    "{ kind = \"clean\" }",
    "[{ kind = \"clean\" }]",
    "\"all\"",
    "\"s\"",
    "\"d\"",
    "\"d*\"",
    "\"*\"",
    "\"ll-elsn\"",
    "{ name = \"ll-elsn\", n = 1 }",
    "\"802.11g\"",
    "\"802.11ax\"",
    "{ mcs = 9, streams = 2 }",
    "\"max\"",
    "{ kind = \"chain\", nodes = 20, spacing = \"30 m\" }",
    "{ kind = \"cross\", arm = 5, spacing = \"40 m\" }",
    "{ kind = \"random\", nodes = 20, width = \"90 m\", height = \"90 m\" }",
    "{ wlan = \"field\", hops = 3 }",
    "{ wlan = \"cell\" }",
    "1",
    "2",
    "\"unlimited\"",
    "\"off\"",
    "\"infinite\"",
];

/// Edit of a text. Its positions are valid for any text.
#[derive(Clone, Debug)]
enum Edit {
    DeleteLine(Index),
    RepeatLine(Index),
    SwapLines(Index, Index),
    /// Replaces the value after an equals sign.
    Value(Index, &'static str),
    /// Inserts a text at a position.
    Insert(Index, &'static str),
    /// Removes some characters.
    Cut(Index, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    prop_oneof![
        at().prop_map(Edit::DeleteLine),
        at().prop_map(Edit::RepeatLine),
        (at(), at()).prop_map(|(a, b)| Edit::SwapLines(a, b)),
        (at(), select(SCRAPS)).prop_map(|(a, scrap)| Edit::Value(a, scrap)),
        (at(), select(SCRAPS)).prop_map(|(a, scrap)| Edit::Insert(a, scrap)),
        (at(), 1..6_usize).prop_map(|(a, n)| Edit::Cut(a, n)),
    ]
}

fn apply(text: &str, edit: &Edit) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let mut chars: Vec<char> = text.chars().collect();
    if lines.is_empty() || chars.is_empty() {
        return text.to_string();
    }
    match edit {
        Edit::DeleteLine(at) => drop(lines.remove(at.index(lines.len()))),
        Edit::RepeatLine(at) => {
            let i = at.index(lines.len());
            lines.insert(i, lines[i].clone());
        }
        Edit::SwapLines(a, b) => {
            let (a, b) = (a.index(lines.len()), b.index(lines.len()));
            lines.swap(a, b);
        }
        Edit::Value(at, scrap) => {
            let valued: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].contains('=')).collect();
            if let Some(&i) = valued.get(at.index(valued.len().max(1))) {
                let key = lines[i].split('=').next().unwrap_or_default().to_string();
                lines[i] = format!("{key}= {scrap}");
            }
        }
        Edit::Insert(at, scrap) => {
            let i = at.index(chars.len());
            chars.splice(i..i, scrap.chars());
            return chars.into_iter().collect();
        }
        Edit::Cut(at, n) => {
            let i = at.index(chars.len());
            let end = (i + n).min(chars.len());
            chars.drain(i..end);
            return chars.into_iter().collect();
        }
    }
    lines.join("\n")
}

/// Cell of the random network: a wired link connects its base station to the source `s`.
#[derive(Clone, Debug)]
struct RandomCell {
    standard: &'static str,
    /// Keys that only cells of 802.11n, ac and ax have.
    modern: &'static str,
    rts_cts: bool,
    attempts: u32,
    stations: usize,
    errors: &'static str,
    queue: &'static str,
    link: (u32, u32, u32),
}

impl RandomCell {
    fn is_modern(&self) -> bool {
        ["802.11n", "802.11ac", "802.11ax"].contains(&self.standard)
    }
}

#[derive(Clone, Debug)]
struct RandomFlow {
    cell: Index,
    station: Index,
    uplink: bool,
    scheme: &'static str,
    udp: bool,
    segment: u32,
    app: &'static str,
    datagrams: &'static str,
    tcp: &'static str,
    notices: &'static str,
    start_ms: u32,
}

/// Error model that only cells of 802.11n, ac and ax have.
const BY_SNR: &str = r#"{ kind = "snr", exponent = 4.5, power = "0 dBm" }"#;

fn cell() -> impl Strategy<Value = RandomCell> {
    let errors = [
        r#"{ kind = "clean" }"#,
        r#"{ kind = "bernoulli", fer = 0.1 }"#,
        r#"{ kind = "bernoulli", loss = 0.5, direction = "*->d0" }"#,
        r#"[{ kind = "bernoulli", fer = 1 }, { kind = "clean", direction = "d0->*" }]"#,
        r#"{ kind = "gilbert-elliott", p_gb = 0.1, p_bb = 1 }"#,
        r#"{ kind = "two-state", good = "20 ms", bad = "5 ms", fer_good = 0, fer_bad = 1 }"#,
        BY_SNR,
    ];
    let queues = [
        r#"kind = "drop-tail""#,
        r#"kind = "red", min = 2, ecn = true"#,
        r#"kind = "red", max = 7, gentle = false"#,
        r#"kind = "congestion-warning""#,
        r#"kind = "biased""#,
        r#"kind = "codel", target = "1 ms", interval = "10 ms", ecn = true"#,
        r#"kind = "fq-codel", target = "1 ms", interval = "10 ms", flows = 2, quantum = "300 B""#,
        r#"kind = "pie", target = "1 ms", burst = "0 s""#,
        r#"kind = "fq""#,
    ];
    let link = (1..100_u32, 0..40_u32, 1..60_u32);
    let standards = ["802.11", "802.11b", "802.11g", "802.11n", "802.11ac", "802.11ax"];
    let modern = [
        "",
        "aggregation = { bytes = 0 }\n",
        "aggregation = { bytes = 4000, frames = 3 }\n",
        "aggregation = { frames = 1 }\n",
        "lost_block_ack = \"request\"\n",
        "nav = \"limit\"\ntxop = { BE = \"3 ms\" }\n",
        "lifetime = \"20 ms\"\neifs = \"never\"\nwidth = \"20 MHz\"\n",
    ];
    let standard = (select(standards.to_vec()), select(modern.to_vec()));
    let shape = (standard, any::<bool>(), 1..8_u32, 1..6_usize);
    (shape, select(errors.to_vec()), select(queues.to_vec()), link).prop_map(
        |(((standard, modern), rts_cts, attempts, stations), errors, queue, link)| RandomCell {
            standard,
            modern,
            rts_cts,
            attempts,
            stations,
            errors,
            queue,
            link,
        },
    )
}

fn flow() -> impl Strategy<Value = RandomFlow> {
    let schemes: Vec<&'static str> = airhop_tcp::SCHEMES.iter().map(|s| s.name).collect();
    let tcp = [
        "{}",
        r#"{ preset = "ns2" }"#,
        r#"{ preset = "linux", receive_window = "20 kB" }"#,
        r#"{ delayed_ack = { segments = 3, timeout = "50 ms" }, initial_ssthresh = 4 }"#,
        r#"{ timestamps = false, sack_blocks = 4, handshake = false, rto = { kind = "single-gain", tick = "100 ms" } }"#,
    ];
    let app = [
        r#"{ kind = "bulk" }"#,
        r#"{ kind = "transfer", size = "30 kB" }"#,
        r#"{ kind = "request-response", request = "100 B", response = { kind = "pareto", mean = "3 kB", shape = 1.2 }, rate = 20 }"#,
        r#"{ kind = "request-response", request = "3 kB", response = "1 B", think = { kind = "exponential", mean = "10 ms" } }"#,
        r#"{ kind = "video", ladder = ["100 kbit/s", "1 Mbit/s"], segment = "200 ms", buffer = "1 s" }"#,
        r#"{ kind = "video", ladder = ["1 bit/s"], segment = "1 ms", buffer = "2 ms", choice = "throughput" }"#,
    ];
    let datagrams = [
        r#"{ kind = "cbr", rate = "300 kbit/s" }"#,
        r#"{ kind = "pareto-on-off", peak = "1 Mbit/s", on = "20 ms", off = "0 s", shape = 1.1 }"#,
        r#"{ kind = "call" }"#,
        r#"{ kind = "call", rate = "1 bit/s", every = "1 ms", playout = "0 s", ie = 95, bpl = 1 }"#,
        r#"{ kind = "game", packet = "1 B", every = "1 s", deadline = "0 s" }"#,
    ];
    let apps = (select(app.to_vec()), select(datagrams.to_vec()));
    let ends = (any::<Index>(), any::<Index>(), any::<bool>());
    let notices = ["", "", "notices = \"ignored\"\n", "notices = \"eln\"\n", "notices = \"elsn\"\n"];
    let tcp = (select(tcp.to_vec()), select(notices.to_vec()));
    let what = (select(schemes), prop::bool::weighted(0.2), 1..2000_u32, apps, tcp);
    (ends, what, 0..1500_u32).prop_map(
        |((cell, station, uplink), (scheme, udp, segment, (app, datagrams), (tcp, notices)), start_ms)| {
            RandomFlow { cell, station, uplink, scheme, udp, segment, app, datagrams, tcp, notices, start_ms }
        },
    )
}

/// Returns a strategy for valid scenarios, with 1–3 wlans of up to 6 stations and with 1–6 flows.
fn valid() -> impl Strategy<Value = String> {
    (vec(cell(), 1..4), vec(flow(), 1..7)).prop_map(|(cells, flows)| {
        let mut text = String::from("name = \"random\"\nduration = \"2 s\"\n");
        for (i, cell) in cells.iter().enumerate() {
            write_cell(i, cell, &mut text);
        }
        for (i, flow) in flows.iter().enumerate() {
            write_flow(i, flow, &cells, &mut text);
        }
        text
    })
}

fn write_cell(i: usize, cell: &RandomCell, text: &mut String) {
    let (rate, delay, packets) = cell.link;
    let _ = write!(
        text,
        "\n[[wired]]\nname = \"w{i}\"\nends = [\"s\", \"bs{i}\"]\nrate = \"{rate} Mbit/s\"\ndelay = \"{delay} ms\"\n\
         queue = {{ {}, packets = {packets} }}\n",
        cell.queue
    );
    let is_modern = cell.is_modern();
    let rate = match cell.standard {
        "802.11g" => "\"54 Mbit/s\"",
        _ if is_modern => "{ mcs = 7, streams = 2 }",
        _ => "\"2 Mbit/s\"",
    };
    let modern = if is_modern { cell.modern } else { "" };
    let attempts = match modern.contains("lifetime") {
        true => String::new(),
        false => format!("attempts = {}\n", cell.attempts),
    };
    let access = if cell.rts_cts { "rts-cts" } else { "basic" };
    let stations: Vec<String> = (0..cell.stations)
        .map(|k| match i {
            0 => format!("d{k} = [{}, 10]", 5 * k),
            _ => format!("{}{i}_{k} = [{}, 10]", "d", 5 * k),
        })
        .collect();
    let errors = match cell.errors {
        BY_SNR if !is_modern => r#"{ kind = "clean" }"#,
        errors => errors,
    };
    let errors = if i == 0 { errors.to_string() } else { errors.replace("d0", &format!("d{i}_0")) };
    let _ = write!(
        text,
        "\n[[wlan]]\nname = \"cell{i}\"\nstandard = \"{}\"\nrate = {rate}\naccess = \"{access}\"\n{attempts}{modern}\
         stations = {{ bs{i} = [0, 0], {} }}\nerrors = {errors}\nqueue = {{ {} }}\n",
        cell.standard,
        stations.join(", "),
        cell.queue,
    );
}

fn write_flow(i: usize, flow: &RandomFlow, cells: &[RandomCell], text: &mut String) {
    let c = flow.cell.index(cells.len());
    let k = flow.station.index(cells[c].stations);
    let station = if c == 0 { format!("d{k}") } else { format!("d{c}_{k}") };
    let (from, to) = if flow.uplink { (station.as_str(), "s") } else { ("s", station.as_str()) };
    let _ = write!(
        text,
        "\n[[flow]]\nname = \"f{i}\"\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{} ms\"\n",
        flow.start_ms
    );
    // A call or a game determines the size of its packets itself.
    let is_conversation = ["call", "game"].iter().any(|kind| flow.datagrams.contains(&format!("\"{kind}\"")));
    if !(flow.udp && is_conversation) {
        let _ = writeln!(text, "segment = \"{} B\"", flow.segment);
    }
    let uses_damaged_frames = airhop_tcp::SCHEMES.iter().any(|s| {
        s.name == flow.scheme
            && s.network_requirements.iter().any(|need| ["damaged-frames", "fragments"].contains(need))
    });
    if !flow.udp && cells[c].is_modern() && uses_damaged_frames {
        text.push_str("services = []\n");
    }
    let _ = match flow.udp {
        true => write!(text, "transport = \"udp\"\napp = {}\n", flow.datagrams),
        false => write!(
            text,
            "scheme = \"{}\"\n{}app = {}\ntcp = {}\n",
            flow.scheme, flow.notices, flow.app, flow.tcp
        ),
    };
}

/// Returns a strategy for valid layouts: the text, the number of the last station, and the largest distance
/// between two stations in hops.
fn layout() -> impl Strategy<Value = (String, u32, u32)> {
    let chain = (2..12_u32)
        .prop_map(|n| (format!("kind = \"chain\", nodes = {n}, spacing = \"30 m\""), n - 1, n - 1));
    let grid = (1..5_u32, 2..5_u32).prop_map(|(columns, rows)| {
        let keys = format!("kind = \"grid\", columns = {columns}, rows = {rows}, spacing = \"30 m\"");
        (keys, columns * rows - 1, columns + rows - 2)
    });
    let cross = (1..4_u32)
        .prop_map(|arm| (format!("kind = \"cross\", arm = {arm}, spacing = \"40 m\""), 4 * arm, 2 * arm));
    let random = (2..12_u32, 1..120_u32, any::<bool>()).prop_map(|(n, width, connected)| {
        let area = format!("width = \"{width} m\", height = \"50 m\", connected = {connected}");
        (format!("kind = \"random\", nodes = {n}, {area}"), n - 1, n - 1)
    });
    prop_oneof![chain, grid, cross, random]
}

/// Returns a strategy for valid wlans with a layout, one or two flows over a given number of hops, and a flow
/// between the first and the last station.
fn valid_layout() -> impl Strategy<Value = String> {
    (layout(), 1..3_u32, any::<Index>(), any::<bool>()).prop_map(
        |((layout, last, most), copies, hops, exact)| {
            let hops =
                if exact { format!(", hops = {}", hops.index(most as usize) + 1) } else { String::new() };
            format!(
                "name = \"random\"\nduration = \"100 ms\"\ncopies = {copies}\n\n\
             [[wlan]]\nname = \"field\"\nstandard = \"802.11g\"\nrate = \"36 Mbit/s\"\n\
             layout = {{ {layout}, prefix = \"m\" }}\nrange = {{ receive = \"40 m\", sense = \"85 m\" }}\n\n\
             [[flow]]\nname = \"ftp*\"\nbetween = {{ wlan = \"field\"{hops} }}\nscheme = \"reno\"\n\n\
             [[flow]]\nname = \"named\"\nfrom = \"m0\"\nto = \"m{last}\"\nscheme = \"sack\"\n"
            )
        },
    )
}

/// Loads the scenario. If it is valid, runs at most its first five seconds.
fn load_and_run(text: &str) -> Result<(), TestCaseError> {
    let Some(scenario) = hostile::parse(text, Path::new("")) else { return Ok(()) };
    let mut plan = scenario.plan().clone();
    plan.duration = plan.duration.min(airhop_base::Span::from_secs(5));
    let mut world = match World::new(&plan, 1, 0, None) {
        Ok(world) => world,
        Err(why) => {
            // World creation fails only if random positions were requested and no valid draw exists.
            prop_assert!(plan.links.wlans.iter().any(|wlan| wlan.draws.area.is_some()), "{why}");
            return Ok(());
        }
    };
    world.run(&AtomicBool::new(false)).map_err(|_| TestCaseError::fail("nobody stops it"))?;
    prop_assert_eq!(world.check_packet_counts(), Ok(()));
    Ok(())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(6000))]

    /// A valid file with a few random edits is refused or runs.
    #[test]
    fn a_randomly_edited_scenario_is_refused_or_runs(file in select(&[LAST_HOP, COPIES, FIELD][..]), edits in vec(edit(), 1..5)) {
        let text = edits.iter().fold(file.to_string(), |text, edit| apply(&text, edit));
        load_and_run(&text)?;
    }
}

proptest! {
    #![proptest_config(config(2000))]

    /// A valid network with a few random edits is refused or runs.
    #[test]
    fn a_randomly_edited_network_is_refused_or_runs(text in valid(), edits in vec(edit(), 1..4)) {
        let text = edits.iter().fold(text, |text, edit| apply(&text, edit));
        load_and_run(&text)?;
    }

    /// A random override of a valid file is refused or applied.
    #[test]
    fn a_random_override_is_refused_or_applied(path in "(wlan|wired|flow|duration|name)(\\.(cell|w1|ftp|all|0|x)){0,2}(\\.(errors|tcp|rto|rate|scheme|fer|delayed_ack|0)){0,3}",
                                      value in select(SCRAPS)) {
        let overrides = Overrides { settings: vec![(path, value.to_string())], scheme: None };
        if let Err(refusal) = Scenario::parse(LAST_HOP, "random.toml", &overrides) {
            prop_assert!(!refusal.problems().is_empty());
        }
    }
}

proptest! {
    #![proptest_config(config(2000))]

    /// A valid network is accepted, and every packet in it has exactly one outcome.
    #[test]
    fn every_valid_network_runs(text in valid()) {
        let scenario = Scenario::parse(&text, "random.toml", &Overrides::default());
        prop_assert!(scenario.is_ok(), "{}\n{text}", scenario.err().map(|e| e.to_string()).unwrap_or_default());
        load_and_run(&text)?;
    }

    /// A valid layout is accepted, and its stations are drawn or the run reports that no draw is possible.
    #[test]
    fn every_valid_layout_runs_or_reports_its_draw(text in valid_layout()) {
        let scenario = Scenario::parse(&text, "random.toml", &Overrides::default());
        prop_assert!(scenario.is_ok(), "{}\n{text}", scenario.err().map(|e| e.to_string()).unwrap_or_default());
        load_and_run(&text)?;
    }

    /// A valid layout with a few random edits is refused or runs.
    #[test]
    fn a_randomly_edited_layout_is_refused_or_runs(text in valid_layout(), edits in vec(edit(), 1..4)) {
        let text = edits.iter().fold(text, |text, edit| apply(&text, edit));
        load_and_run(&text)?;
    }
}

#[test]
fn fuzzer_seeds_are_refused_or_run() {
    for seed in fs::read_dir(SEEDS).expect("the seeds of the fuzzer") {
        let path = seed.expect("a file").path();
        println!("{}", path.display()); // shown if the test fails
        hostile::load(&fs::read_to_string(&path).expect("a text"), Path::new(FILES));
    }
}
