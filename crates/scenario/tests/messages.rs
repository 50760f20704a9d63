//! Messages for each kind of invalid input: file, line, key, expected value, and a suggestion.

use airhop_scenario::{Overrides, Scenario};
use std::fmt::Write;

const LAST_HOP: &str = include_str!("data/last-hop.toml");

const STATIONS: &str = "stations = { bs = [0, 0], d = [30, 0] }";
const ENDS: &str = "from = \"s\"\nto = \"d\"";
const BERNOULLI: &str = "kind = \"bernoulli\", fer = 0.01";

const RANGE: &str = "range = { receive = \"40 m\", sense = \"85 m\" }";

/// Changes of the valid file: the name of the case, a text in the file, and its replacement.
const EDITS: &[(&str, &str, &str)] = &[
    ("not TOML", "duration = \"20 s\"", "duration = 20 s"),
    ("a key twice", "rate = \"10 Mbit/s\"", "rate = \"10 Mbit/s\"\nrate = \"11 Mbit/s\""),
    ("an unknown key", "delay = \"10 ms\"", "dealy = \"10 ms\""),
    ("an unknown table", "[[wired]]", "[[wire]]"),
    ("a single table", "[[wired]]", "[wired]"),
    ("a missing key", "duration = \"20 s\"\n", ""),
    ("no flow", "[[flow]]\n", "[[wired]]\n"),
    ("a study file", "duration = \"20 s\"\n", "duration = \"20 s\"\nvary = { scheme = [\"reno\"] }\n"),
    ("no unit", "delay = \"10 ms\"", "delay = \"10\""),
    ("a number for a quantity", "delay = \"10 ms\"", "delay = 10"),
    ("a wrong unit", "rate = \"10 Mbit/s\"", "rate = \"10 Mbps\""),
    ("a negative rate", "rate = \"10 Mbit/s\"", "rate = \"-10 Mbit/s\""),
    ("a rate of zero", "rate = \"10 Mbit/s\"", "rate = \"0 Mbit/s\""),
    ("an infinite delay", "delay = \"10 ms\"", "delay = \"inf s\""),
    ("no duration", "duration = \"20 s\"", "duration = \"0 s\""),
    ("an age", "duration = \"20 s\"", "duration = \"1e9 s\""),
    ("a probability over 1", "fer = 0.01", "fer = 1.01"),
    ("a probability that is none", "fer = 0.01", "fer = nan"),
    ("fer and loss", "fer = 0.01", "fer = 0.01, loss = 0.1"),
    ("neither fer nor loss", ", fer = 0.01", ""),
    ("a direction to nowhere", "fer = 0.01", "fer = 0.01, direction = \"bs->e\""),
    ("an unknown error model", "kind = \"bernoulli\"", "kind = \"bernouli\""),
    (
        "a model of a later version",
        "kind = \"bernoulli\", fer = 0.01",
        "kind = \"trace\", file = \"air.csv\"",
    ),
    ("neither p_bg nor p_bb", BERNOULLI, "kind = \"gilbert-elliott\", p_gb = 0.01"),
    ("both p_bg and p_bb", BERNOULLI, "kind = \"gilbert-elliott\", p_gb = 0.01, p_bg = 0.5, p_bb = 0.5"),
    ("no way into the bad state", BERNOULLI, "kind = \"gilbert-elliott\", p_bb = 0.5"),
    ("no chain at all", BERNOULLI, "kind = \"gilbert-elliott\""),
    (
        "a chain and averages",
        BERNOULLI,
        "kind = \"gilbert-elliott\", p_gb = 0.01, p_bb = 0.5, loss = 0.1, burst = 2",
    ),
    ("a loss without a burst", BERNOULLI, "kind = \"gilbert-elliott\", loss = 0.1"),
    ("an average outside", BERNOULLI, "kind = \"gilbert-elliott\", loss = 0.5, burst = 3, loss_bad = 0.5"),
    ("bursts too short for their loss", BERNOULLI, "kind = \"gilbert-elliott\", loss = 0.75, burst = 2"),
    ("a misspelt probability", BERNOULLI, "kind = \"gilbert-elliott\", p_gb = 0.01, pbb = 0.5"),
    ("half a channel", BERNOULLI, "kind = \"two-state\", good = \"10 s\", ber_good = 0, ber_bad = 0.1"),
    ("no errors in either state", BERNOULLI, "kind = \"two-state\", good = \"10 s\", bad = \"4 s\""),
    (
        "bit and frame errors",
        BERNOULLI,
        "kind = \"two-state\", good = \"10 s\", bad = \"4 s\", ber_good = 0, fer_bad = 0.1",
    ),
    (
        "a reference for bit errors",
        BERNOULLI,
        "kind = \"two-state\", good = \"10 s\", bad = \"4 s\", ber_good = 0, ber_bad = 0.1, reference = \"1 kB\"",
    ),
    ("errors by SNR without an MCS", BERNOULLI, "kind = \"snr\""),
    (
        "a time too short to be one",
        BERNOULLI,
        "kind = \"two-state\", good = \"10 s\", bad = \"0 s\", ber_good = 0, ber_bad = 0.1",
    ),
    (
        "fades that nobody can count",
        BERNOULLI,
        "kind = \"two-state\", good = \"1 us\", bad = \"1 us\", ber_good = 0, ber_bad = 0.1",
    ),
    ("a key of another kind", "kind = \"bernoulli\", fer", "kind = \"clean\", fer"),
    ("an unknown queue", "kind = \"drop-tail\", packets = 50 }\nerrors", "kind = \"rde\" }\nerrors"),
    (
        "thresholds that cross",
        "kind = \"drop-tail\", packets = 50 }\nerrors",
        "kind = \"red\", min = 9, max = 9 }\nerrors",
    ),
    (
        "a threshold of nothing",
        "\"drop-tail\", packets = 50 }\nerrors",
        "\"congestion-warning\", threshold = 0 }\nerrors",
    ),
    (
        "arrivals that weigh nothing",
        "kind = \"drop-tail\", packets = 50 }\nerrors",
        "kind = \"red\", weight = 0 }\nerrors",
    ),
    (
        "a target that is no small part of the interval",
        "kind = \"drop-tail\", packets = 50 }\nerrors",
        "kind = \"codel\", target = \"100 ms\" }\nerrors",
    ),
    (
        "turns too short",
        "kind = \"drop-tail\", packets = 50 }\nerrors",
        "kind = \"fq\", quantum = \"100 B\" }\nerrors",
    ),
    (
        "a wait of nothing",
        "kind = \"drop-tail\", packets = 50 }\nerrors",
        "kind = \"pie\", target = \"0 s\" }\nerrors",
    ),
    (
        "no queue for any flow",
        "kind = \"drop-tail\", packets = 50 }\nerrors",
        "kind = \"fq-codel\", flows = 0 }\nerrors",
    ),
    ("an empty queue", "packets = 50 }\nerrors", "packets = 0 }\nerrors"),
    ("a fraction of a packet", "packets = 50 }\nerrors", "packets = 2.5 }\nerrors"),
    ("a misspelt standard", "standard = \"802.11b\"", "standard = \"802.11-b\""),
    ("a standard of today", "standard = \"802.11b\"", "standard = \"802.11be\""),
    ("a standard without quotes", "standard = \"802.11b\"", "standard = 802.11"),
    ("a rate that the standard lacks", "\nrate = \"11 Mbit/s\"", "\nrate = \"54 Mbit/s\""),
    ("no attempts", "attempts = 1", "attempts = 0"),
    ("fragments that are too short", "attempts = 1", "fragmentation = \"255 B\""),
    ("a threshold without a unit", "attempts = 1", "fragmentation = 256"),
    ("a station out of range", "d = [30, 0]", "d = [300, 0]"),
    ("a station on its own", ", d = [30, 0]", ""),
    ("a position in one dimension", "d = [30, 0]", "d = [30]"),
    (
        "stations and a layout",
        STATIONS,
        "stations = { bs = [0, 0], d = [30, 0] }\nlayout = { kind = \"chain\", nodes = 2, spacing = \"30 m\" }",
    ),
    ("neither stations nor a layout", STATIONS, ""),
    ("misspelt stations", "stations =", "statoins ="),
    ("an unknown layout", STATIONS, "layout = { kind = \"gird\" }"),
    ("a chain of one", STATIONS, "layout = { kind = \"chain\", nodes = 1, spacing = \"30 m\" }"),
    (
        "a grid too large",
        STATIONS,
        "layout = { kind = \"grid\", columns = 50, rows = 50, spacing = \"30 m\" }",
    ),
    ("a grid of one", STATIONS, "layout = { kind = \"grid\", columns = 1, rows = 1, spacing = \"30 m\" }"),
    ("arms too long", STATIONS, "layout = { kind = \"cross\", arm = 502, spacing = \"30 m\" }"),
    ("no room", STATIONS, "layout = { kind = \"chain\", nodes = 2000, spacing = \"1 km\" }"),
    ("a chain out of range", STATIONS, "layout = { kind = \"chain\", nodes = 3, spacing = \"50 m\" }"),
    (
        "half a rectangle",
        STATIONS,
        "layout = { kind = \"random\", nodes = 9, width = \"50 m\", spacing = \"30 m\" }",
    ),
    (
        "a copied layout of a single wlan",
        STATIONS,
        "layout = { kind = \"chain\", nodes = 2, spacing = \"30 m\", prefix = \"n*\" }",
    ),
    (
        "names too long",
        STATIONS,
        "layout = { kind = \"chain\", nodes = 2, spacing = \"30 m\", prefix = \"n23456789012345678901234567890123456789012345678901234567890123\" }",
    ),
    ("a capture without a unit", "sense = \"85 m\"", "sense = \"85 m\", capture = 10"),
    (
        "range and propagation",
        "range = {",
        "propagation = { model = \"two-ray\", power = \"24.5 dBm\", receive = \"-56 dBm\", sense = \"-63 dBm\" }\nrange = {",
    ),
    (
        "powers the wrong way round",
        RANGE,
        "propagation = { model = \"two-ray\", power = \"24.5 dBm\", receive = \"-63 dBm\", sense = \"-56 dBm\" }",
    ),
    (
        "ground in free space",
        RANGE,
        "propagation = { model = \"free-space\", power = \"24.5 dBm\", receive = \"-56 dBm\", sense = \"-63 dBm\", height = \"2 m\" }",
    ),
    (
        "a power that nobody receives",
        RANGE,
        "propagation = { model = \"free-space\", power = \"-20 dBm\", receive = \"-56 dBm\", sense = \"-63 dBm\" }",
    ),
    (
        "a power too small for the distance",
        RANGE,
        "propagation = { model = \"free-space\", power = \"10 dBm\", receive = \"-56 dBm\", sense = \"-63 dBm\" }",
    ),
    (
        "a power in watts",
        RANGE,
        "propagation = { model = \"free space\", power = \"0.28 W\", receive = \"-56 dB\", sense = -63, frequency = \"2.4 Ghz\" }",
    ),
    ("a sense range below the receive range", "sense = \"85 m\"", "sense = \"30 m\""),
    ("a link to itself", "[\"s\", \"bs\"]", "[\"s\", \"s\"]"),
    ("three ends", "[\"s\", \"bs\"]", "[\"s\", \"bs\", \"d\"]"),
    ("a name twice", "name = \"cell\"", "name = \"w1\""),
    ("a name with a dot", "name = \"w1\"", "name = \"w.1\""),
    ("a reserved name", "name = \"w1\"", "name = \"all\""),
    ("an unknown node", "to = \"d\"", "to = \"bss\""),
    ("an unreachable node", "ends = [\"s\", \"bs\"]", "ends = [\"s\", \"r1\"]"),
    ("a flow to itself", "to = \"d\"", "to = \"s\""),
    ("a flow without ends", ENDS, ""),
    ("misspelt ends", "from = \"s\"", "form = \"s\""),
    ("named ends and drawn ones", "to = \"d\"", "to = \"d\"\nbetween = { wlan = \"cell\" }"),
    ("drawn ends of no wlan", ENDS, "between = { wlan = \"cel\" }"),
    ("drawn ends of a wired link", ENDS, "between = { wlan = \"w1\" }"),
    ("drawn ends of a wlan's name", ENDS, "between = \"cell\""),
    ("drawn ends too far apart", ENDS, "between = { wlan = \"cell\", hops = 2 }"),
    ("no hops", ENDS, "between = { wlan = \"cell\", hops = 0 }"),
    ("an unknown scheme", "scheme = \"reno\"", "scheme = \"newrano\""),
    ("no scheme", "scheme = \"reno\"\n", ""),
    ("a parameter that the scheme lacks", "scheme = \"reno\"", "scheme = { name = \"ll-elsn\", m = 3 }"),
    ("a parameter out of range", "scheme = \"reno\"", "scheme = { name = \"ll-elsn\", n = -1 }"),
    ("a stagger of one", "scheme = \"reno\"", "scheme = \"reno\"\nstagger = \"1 s\""),
    ("bursts over TCP", "kind = \"bulk\"", "kind = \"pareto-on-off\", peak = \"1 Mbit/s\""),
    (
        "requests without times",
        "kind = \"bulk\"",
        "kind = \"request-response\", request = \"1 B\", response = \"1 B\"",
    ),
    (
        "requests in an open and a closed loop",
        "kind = \"bulk\"",
        "kind = \"request-response\", request = \"1 B\", response = \"1 B\", rate = 5, think = \"1 s\"",
    ),
    (
        "requests on connections of an unknown kind",
        "kind = \"bulk\"",
        "kind = \"request-response\", request = \"1 B\", response = \"1 B\", rate = 5, connections = \"fresh\"",
    ),
    (
        "a size from a distribution without its keys",
        "kind = \"bulk\"",
        "kind = \"request-response\", request = { kind = \"pareto\", mean = \"1 s\" }, response = { mean = \"1 B\" }, rate = 5",
    ),
    (
        "a size without a unit",
        "kind = \"bulk\"",
        "kind = \"request-response\", request = 200, response = \"0 B\", rate = 0",
    ),
    ("a video without a ladder", "kind = \"bulk\"", "kind = \"video\", ladders = [\"1 Mbit/s\"]"),
    ("a video without bitrates", "kind = \"bulk\"", "kind = \"video\", ladder = []"),
    ("a bitrate without a unit", "kind = \"bulk\"", "kind = \"video\", ladder = [\"1 Mbit/s\", 2]"),
    (
        "a ladder that does not ascend",
        "kind = \"bulk\"",
        "kind = \"video\", ladder = [\"5 Mbit/s\", \"1 Mbit/s\", \"2.5 Mbit/s\", \"1 Mbit/s\"]",
    ),
    (
        "a buffer of one segment",
        "kind = \"bulk\"",
        "kind = \"video\", ladder = [\"1 Mbit/s\"], segment = \"4 s\", buffer = \"7 s\"",
    ),
    (
        "a startup level that the buffer never reaches",
        "kind = \"bulk\"",
        "kind = \"video\", ladder = [\"1 Mbit/s\"], segment = \"4 s\", buffer = \"11 s\", startup = \"9 s\"",
    ),
    (
        "a video by an unknown choice",
        "kind = \"bulk\"",
        "kind = \"video\", ladder = [\"1 Mbit/s\"], choice = \"bufer\"",
    ),
    (
        "a video over UDP",
        "scheme = \"reno\"\nsegment = \"1000 B\"\napp = { kind = \"bulk\" }\ntcp = { delayed_ack = false }",
        "transport = \"udp\"\napp = { kind = \"video\", ladder = [\"1 Mbit/s\"] }",
    ),
    (
        "a tail too heavy to have a mean",
        "scheme = \"reno\"\nsegment = \"1000 B\"\napp = { kind = \"bulk\" }\ntcp = { delayed_ack = false }",
        "transport = \"udp\"\napp = { kind = \"pareto-on-off\", peak = \"1 Mbit/s\", shape = 1 }",
    ),
    (
        "bursts shorter than a datagram",
        "scheme = \"reno\"\nsegment = \"1000 B\"\napp = { kind = \"bulk\" }\ntcp = { delayed_ack = false }",
        "transport = \"udp\"\napp = { kind = \"pareto-on-off\", peak = \"1 Mbit/s\", on = \"7 ms\" }",
    ),
    (
        "a transfer over UDP",
        "scheme = \"reno\"\nsegment = \"1000 B\"\napp = { kind = \"bulk\" }\ntcp = { delayed_ack = false }",
        "transport = \"udp\"\napp = { kind = \"transfer\", size = \"1 MB\" }",
    ),
    ("a call over TCP", "kind = \"bulk\"", "kind = \"call\""),
    (
        "a call with packets of another size",
        "scheme = \"reno\"\nsegment = \"1000 B\"\napp = { kind = \"bulk\" }\ntcp = { delayed_ack = false }",
        "transport = \"udp\"\nsegment = \"160 B\"\napp = { kind = \"call\" }",
    ),
    (
        "a call with packets that no datagram carries",
        "scheme = \"reno\"\nsegment = \"1000 B\"\napp = { kind = \"bulk\" }\ntcp = { delayed_ack = false }",
        "transport = \"udp\"\napp = { kind = \"call\", rate = \"64 Mbit/s\" }",
    ),
    (
        "a game with values out of range",
        "scheme = \"reno\"\nsegment = \"1000 B\"\napp = { kind = \"bulk\" }\ntcp = { delayed_ack = false }",
        "transport = \"udp\"\napp = { kind = \"game\", packet = 100, every = \"0 s\", deadlines = \"50 ms\" }",
    ),
    ("an unknown reaction to notices", "scheme = \"reno\"", "scheme = \"reno\"\nnotices = \"elns\""),
    ("notices for the deaf", "scheme = \"reno\"", "scheme = \"reno\"\nnotices = true"),
    (
        "notices for datagrams",
        "scheme = \"reno\"\nsegment = \"1000 B\"\napp = { kind = \"bulk\" }\ntcp = { delayed_ack = false }",
        "transport = \"udp\"\nnotices = \"elsn\"\napp = { kind = \"cbr\", rate = \"1 Mbit/s\" }",
    ),
    ("an empty segment", "segment = \"1000 B\"", "segment = \"0 B\""),
    ("a segment that IP cannot carry", "segment = \"1000 B\"", "segment = \"66 kB\""),
    ("an unknown app", "kind = \"bulk\"", "kind = \"pareto\""),
    ("UDP over TCP", "kind = \"bulk\"", "kind = \"cbr\", rate = \"1 Mbit/s\""),
    ("TCP over UDP", "to = \"d\"", "to = \"d\"\ntransport = \"udp\""),
    ("an unknown preset", "delayed_ack = false", "preset = \"ns3\""),
    ("a switch that is none", "delayed_ack = false", "delayed_ack = \"yes\""),
    ("four SACK blocks beside timestamps", "delayed_ack = false", "sack_blocks = 4"),
    ("an RTO above its bound", "delayed_ack = false", "rto = { min = \"70 s\" }"),
    ("a window smaller than a segment", "delayed_ack = false", "receive_window = \"500 B\""),
    ("a start after the end", "to = \"d\"", "to = \"d\"\nstart = \"30 s\""),
    ("a warm-up as long as the run", "duration = \"20 s\"", "duration = \"20 s\"\nwarmup = \"20 s\""),
    ("no copies", "duration = \"20 s\"", "duration = \"20 s\"\ncopies = 0"),
    ("nothing to copy", "duration = \"20 s\"", "duration = \"20 s\"\ncopies = 3"),
    ("a name for all", "name = \"w1\"", "name = \"*\""),
    ("a copied node of a single link", "[\"s\", \"bs\"]", "[\"s*\", \"bs\"]"),
    ("a copied node of a single flow", "to = \"d\"", "to = \"d*\""),
    ("copies of a link side by side", "name = \"w1\"", "name = \"w*\""),
    ("copies of a wlan side by side", "name = \"cell\"", "name = \"cell*\""),
    ("a copied station that exists", ", d = [30, 0]", ", d1 = [30, 0], \"d*\" = [30, 0]"),
    (
        "a routing that is none",
        RANGE,
        "range = { receive = \"40 m\", sense = \"85 m\" }\nrouting = { kind = \"dsr\" }",
    ),
    (
        "a route without patience",
        RANGE,
        "range = { receive = \"40 m\", sense = \"85 m\" }\nrouting = { kind = \"aodv\", preset = \"ns3\", hop_time = \"0 ms\", diameter = 65 }",
    ),
    (
        "a flow through a wlan with routes on demand",
        RANGE,
        "range = { receive = \"40 m\", sense = \"85 m\" }\nrouting = { kind = \"aodv\" }",
    ),
    (
        "windows the wrong way round",
        "standard = \"802.11b\"",
        "standard = \"802.11b\"\nphy = { cw_min = 63, cw_max = 31 }",
    ),
    (
        "OFDM symbols in 802.11b",
        "standard = \"802.11b\"",
        "standard = \"802.11b\"\nphy = { coding = \"ofdm\", headers = \"20 us\" }",
    ),
];

/// Scenario with a layout and random ends, and `--set` options that make it invalid.
const FIELD: &str = include_str!("data/field.toml");
const FIELD_SETS: &[&[(&str, &str)]] = &[
    &[("wlan.field.layout", "chain")],
    &[("wlan.field.layout.spacing", "30 m")],
    &[("wlan.field.layout.nodes", "2009")],
    &[("wlan.field.layout.prefix", "a.b")],
    &[("wlan.field.stations", "{ n0 = [0, 0], n19 = [30, 0] }")],
    &[("flow.ftp*.between.hops", "20")],
    &[("flow.ftp*.between.hops", "2 m")],
    &[("flow.ftp*.between.wlan", "field*")],
    &[("flow.ftp*.from", "n0")],
    &[("flow.named.between.wlan", "field")],
    &[("copies", "400")],
    &[
        ("wlan.field.layout", "{ kind = \"chain\", nodes = 20, spacing = \"30 m\" }"),
        ("flow.ftp*.between.hops", "19"),
    ],
    &[
        ("wlan.field.layout", "{ kind = \"chain\", nodes = 20, spacing = \"30 m\" }"),
        ("flow.ftp*.between.hops", "25"),
    ],
];

/// Options `--set` and `--scheme` that make the valid file invalid.
const SETS: &[(&str, &str)] = &[
    ("wlan.cell.errors.fer", "1 %"),
    ("wlan.cell.errors.fer", "2"),
    ("wlan.cel.errors.fer", "0.02"),
    ("wlan.cell.erors.fer", "0.02"),
    ("wlan.cell", "0.02"),
    ("wan.cell.rate", "1 Mbit/s"),
    ("wlan", "1"),
    ("wlan..rate", "1 Mbit/s"),
    ("duration", "20"),
    ("duration.of", "20 s"),
    ("flow.ftp.scheme", "renno"),
    ("flow.ftp.scheme.n", "3"),
    ("flow.ftp.tcp.rto.min", "1"),
    ("wired.w1.name", "all"),
    ("wired.w1.errors.fer", "0.1"),
    ("flow.*.segment", "500 B"),
    ("warmup", "1 h"),
    ("copies", "10001"),
    ("copies", "2"),
];

fn message(text: &str, overrides: &Overrides) -> String {
    let refusal = Scenario::parse(text, "last-hop.toml", overrides).expect_err("this must be an error");
    assert!(!refusal.problems().is_empty());
    // The list of schemes is replaced in messages, so that a new scheme does not change the expected
    // messages.
    let schemes: Vec<_> = airhop_tcp::SCHEMES.iter().map(|s| s.name).collect();
    refusal.to_string().replace(&schemes.join(", "), "(all schemes)")
}

#[test]
fn every_kind_of_invalid_scenario_file_has_its_message() {
    let mut page = String::new();
    for (what, good, bad) in EDITS {
        assert!(LAST_HOP.contains(good), "{what}: the valid file does not contain {good}");
        let text = LAST_HOP.replacen(good, bad, 1);
        let _ = writeln!(page, "== {what}\n{}\n", message(&text, &Overrides::default()));
    }
    insta::assert_snapshot!(page);
}

#[test]
fn every_kind_of_invalid_override_has_its_message() {
    let mut page = String::new();
    for (path, value) in SETS {
        let sets = vec![(path.to_string(), value.to_string())];
        let _ = writeln!(page, "{}\n", message(LAST_HOP, &Overrides { settings: sets, scheme: None }));
    }
    let scheme = Some("ll-elns".to_string());
    let _ = writeln!(page, "{}", message(LAST_HOP, &Overrides { settings: Vec::new(), scheme }));
    insta::assert_snapshot!(page);
}

#[test]
fn layouts_and_drawn_ends_have_their_messages() {
    let mut page = String::new();
    for sets in FIELD_SETS {
        let given = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
        let refusal = Scenario::parse(FIELD, "field.toml", &Overrides { settings: given, scheme: None });
        let _ = writeln!(page, "== {sets:?}\n{}\n", refusal.expect_err("this must be an error"));
    }
    insta::assert_snapshot!(page);
}

#[test]
fn all_problems_are_reported_in_file_order() {
    let text = LAST_HOP
        .replace("10 ms", "10 msec")
        .replace("fer = 0.01", "fer = 7")
        .replace("scheme = \"reno\"", "scheme = \"rino\"")
        .replace("name = \"last-hop\"", "nam = \"last-hop\"");
    insta::assert_snapshot!(message(&text, &Overrides::default()));
}

#[test]
fn messages_about_json_have_paths_but_no_lines() {
    let refusal =
        Scenario::from_json(r#"{"name": "x", "duration": 3, "flow": null}"#, "a dict", &Overrides::default());
    insta::assert_snapshot!(refusal.expect_err("three errors").to_string());
}

/// A message names characters that are invisible or look like others, because the author cannot recognise
/// them in the line.
#[test]
fn messages_name_confusable_characters() {
    let edits = [
        ("10 ms", "1\u{ff10} ms", "FF10"),                       // a full-width digit
        ("10 ms", "10 m\u{455}", "0455"),                        // a Cyrillic letter
        ("\"drop-tail\"", "\"drop\u{2011}tail\"", "2011"),       // a non-breaking hyphen
        ("\"10 ms\"", "\u{201c}10 ms\u{201d}", "201C"),          // quotation marks of a word processor
        ("fer = 0.01", "fer = \u{2212}0.01", "2212"),            // a minus sign
        ("delay = \"10 ms\"", "delay\u{a0}= \"10 ms\"", "00A0"), // a non-breaking space
        ("delay = \"10 ms\"", "\"de\u{200b}lay\" = \"10 ms\"", "200B"), // a zero-width space
    ];
    for (good, bad, code) in edits {
        assert!(LAST_HOP.contains(good), "{good}");
        let told = message(&LAST_HOP.replacen(good, bad, 1), &Overrides::default());
        assert!(told.contains(&format!("(it has the character U+{code}, ")), "{told}");
    }
}

/// A message may quote hostile text. It contains no control sequence for the terminal, and long values are
/// truncated.
#[test]
fn messages_contain_no_terminal_control_sequence() {
    let key = LAST_HOP.replace("delay = \"10 ms\"", "\"de\\u001b[2J\\u0007\\u202elay\" = \"10 ms\"");
    let long = LAST_HOP.replace("delay = \"10 ms\"", &format!("delay = \"{}\"", "x".repeat(5000)));
    let set = [("wired.w1.\u{1b}[2J".to_string(), "1".to_string())].to_vec();
    let refusals = [
        Scenario::parse(&key, "\u{1b}]0;evil\u{7}.toml", &Overrides::default()),
        Scenario::parse(&long, "long.toml", &Overrides::default()),
        Scenario::parse(LAST_HOP, "set.toml", &Overrides { settings: set, scheme: None }),
    ];
    for refusal in refusals {
        let shown = refusal.expect_err("the scenario is invalid").to_string();
        let is_harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!shown.contains(is_harmful), "{shown:?}");
        assert!(shown.split("\n\n").all(|problem| problem.chars().count() < 1200), "{shown}");
    }
}
