//! Tests of each hint, with a scenario that has the trap and a slightly different scenario that avoids it.

use super::Hint;
use crate::{Overrides, Scenario};

const LAST_HOP: &str = include_str!("../../../tests/data/last-hop.toml");

/// Radio link that is as fast as a modern cellular link. It takes the place of the wlan.
const RADIO: &str = r#"
name = "fast"
duration = "1 s"
[[radio]]
name = "air"
ends = ["s", "d"]
rate = "300 Mbit/s"
delay = "100 us"
errors = { kind = "bernoulli", loss = 0.001 }
[[flow]]
name = "ftp"
from = "s"
to = "d"
scheme = "reno"
"#;

fn read(text: &str, sets: &[(&str, &str)]) -> Scenario {
    let sets = sets.iter().map(|(path, value)| ((*path).to_string(), (*value).to_string())).collect();
    Scenario::parse(text, "hints.toml", &Overrides { settings: sets, scheme: None }).expect("a valid file")
}

fn hints(text: &str, sets: &[(&str, &str)]) -> Vec<Hint> {
    read(text, sets).hints()
}

fn traps(text: &str, sets: &[(&str, &str)]) -> Vec<&'static str> {
    hints(text, sets).iter().map(|hint| hint.trap).collect()
}

/// Applies the setting that a hint suggests, and returns the traps that remain; the hint must be gone.
fn out_of(text: &str, sets: &[(&str, &str)], trap: &str) -> Vec<&'static str> {
    let all = hints(text, sets);
    let hint = all.iter().find(|hint| hint.trap == trap).unwrap_or_else(|| panic!("not in {trap}: {all:?}"));
    let set = hint.setting.as_deref().and_then(|set| set.split_once('=')).expect("a change that helps");
    traps(text, &[sets, &[set]].concat())
}

/// IEEE 802.11-2016: dot11ShortRetryLimit is 7, dot11LongRetryLimit 4.
#[test]
fn single_attempts_have_a_hint() {
    assert_eq!(traps(LAST_HOP, &[]), ["single-attempt"]);
    assert_eq!(hints(LAST_HOP, &[])[0].setting.as_deref(), Some("wlan.cell.attempts=7"));
    assert_eq!(out_of(LAST_HOP, &[], "single-attempt"), [""; 0]);
    let rts = hints(LAST_HOP, &[("wlan.cell.access", "rts-cts")]);
    assert_eq!(rts[0].setting.as_deref(), Some("wlan.cell.attempts=4"));
}

/// HARQ came with HSDPA (3GPP TS 25.308). UMTS R99, up to 2 Mbit/s, had no HARQ.
#[test]
fn a_fast_lossy_radio_link_without_arq_has_a_hint() {
    assert_eq!(traps(RADIO, &[]), ["no-arq"]);
    assert_eq!(out_of(RADIO, &[], "no-arq"), [""; 0]);
    assert_eq!(traps(RADIO, &[("radio.air.rate", "2 Mbit/s")]), [""; 0]);
    assert_eq!(traps(RADIO, &[("radio.air.errors.loss", "0")]), [""; 0]);
    let one_way = [
        ("radio.air.errors.direction", "d->s"),
        ("radio.air.arq", r#"{ kind = "selective-repeat", window = 64 }"#),
    ];
    assert_eq!(traps(RADIO, &one_way), [""; 0], "`arq_back` is as `arq`");
}

/// Values computed by hand: at 300 Mbit/s a frame of 1052 bytes lasts 28.05 µs, and its ACK of 6 bytes 0.16
/// µs. With 100 µs of delay in each direction the round trip is 228.2 µs, or 8.13 frames.
#[test]
fn a_small_arq_window_has_a_hint() {
    let with = |arq| [("radio.air.arq", arq)];
    let eight = with(r#"{ kind = "selective-repeat", window = 8 }"#);
    let found = hints(RADIO, &eight);
    assert!(
        found[0].text.contains("295 Mbit/s of its 300 Mbit/s") && found[0].text.contains("is 9 frames"),
        "{found:?}"
    );
    assert_eq!(found[0].setting.as_deref(), Some("radio.air.arq.window=9"));
    assert_eq!(out_of(RADIO, &eight, "short-arq-window"), [""; 0]);
    assert_eq!(out_of(RADIO, &with(r#"{ kind = "stop-and-wait" }"#), "short-arq-window"), [""; 0]);
    // Even the largest window of 64 frames cannot fill this link.
    let far =
        [("radio.air.delay", "20 ms"), ("radio.air.arq", r#"{ kind = "selective-repeat", window = 64 }"#)];
    let found = hints(RADIO, &far);
    assert_eq!((found[0].trap, &found[0].setting), ("short-arq-window", &None));
    assert!(found[0].text.contains("[[wired]]"), "{found:?}");
}

/// Each direction has its own recovery. A hint names the key of its direction.
#[test]
fn a_different_reverse_direction_has_its_own_hint() {
    let sets = [
        ("radio.air.arq", r#"{ kind = "selective-repeat", window = 64 }"#),
        ("radio.air.arq_back", r#"{ kind = "go-back-n", window = 3 }"#),
    ];
    let found = hints(RADIO, &sets);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].setting.as_deref().is_some_and(|set| set.starts_with("radio.air.arq_back=")),
        "{found:?}"
    );
}

/// Values computed by hand: 10 Mbit/s and 20 ms of propagation delay have a bandwidth-delay product of 25 kB.
/// It is slightly larger with the transmission times of the frames.
#[test]
fn a_small_receive_window_has_a_hint() {
    let wired = [
        ("wlan.cell.attempts", "7"),
        ("wlan.cell.standard", "802.11g"),
        ("wlan.cell.rate", "54 Mbit/s"),
        ("wlan.cell.control_rate", "24 Mbit/s"),
    ];
    let with = |window| [&wired[..], &[("flow.ftp.tcp.receive_window", window)]].concat();
    assert_eq!(traps(LAST_HOP, &wired), [""; 0], "no preset limits a window");
    assert_eq!(traps(LAST_HOP, &with("20 kB")), ["short-receive-window"]);
    assert_eq!(out_of(LAST_HOP, &with("20 kB"), "short-receive-window"), [""; 0]);
    assert_eq!(traps(LAST_HOP, &with("40 kB")), [""; 0]);
}

#[test]
fn a_linux_scheme_with_another_preset_has_a_hint() {
    for scheme in ["cubic", "bbr", "bbr3", "dctcp", "htcp"] {
        let sets = [("wlan.cell.attempts", "7"), ("flow.ftp.scheme", scheme)];
        let found = hints(LAST_HOP, &sets);
        assert_eq!((found[0].trap, &found[0].subjects[..]), ("linux-sender", &[scheme.to_string()][..]));
        assert_eq!(out_of(LAST_HOP, &sets, "linux-sender"), [""; 0]);
    }
}

/// The copies of a flow share one hint. Its path changes all copies.
#[test]
fn copies_of_a_flow_share_a_hint() {
    let text =
        LAST_HOP.replace("name = \"ftp\"", "name = \"ftp*\"").replace("\"20 s\"", "\"20 s\"\ncopies = 100");
    let found = hints(&text, &[("flow.all.scheme", "cubic")]);
    assert_eq!(
        found.iter().map(|hint| hint.setting.as_deref()).collect::<Vec<_>>(),
        [Some("flow.ftp*.tcp.preset=linux"), Some("wlan.cell.attempts=7"),]
    );
}

/// Values computed by hand: 10 Mbit/s on the wired link and a round trip of 20.8 ms have a bandwidth-delay
/// product of 26 kB, or 25 packets of 1052 bytes. A quarter of it is 6 packets. Four flows need half of it
/// (Appenzeller et al. 2004).
#[test]
fn a_small_buffer_has_a_hint() {
    let wire = RADIO
        .replace("[[radio]]", "[[wired]]")
        .replace("errors = { kind = \"bernoulli\", loss = 0.001 }", "");
    let slow = [("wired.air.rate", "10 Mbit/s"), ("wired.air.delay", "10 ms")];
    let with = |packets| [&slow[..], &[("wired.air.queue.packets", packets)]].concat();
    assert_eq!(traps(&wire, &with("6")), ["short-queue"]);
    assert_eq!(hints(&wire, &with("6"))[0].setting.as_deref(), Some("wired.air.queue.packets=25"));
    assert_eq!(out_of(&wire, &with("6"), "short-queue"), [""; 0]);
    assert_eq!(traps(&wire, &with("7")), [""; 0]);
    let four = wire.replace("name = \"ftp\"", "name = \"ftp*\"").replace("\"1 s\"", "\"1 s\"\ncopies = 4");
    assert_eq!(traps(&four, &with("4")), [""; 0]);
    assert_eq!(traps(&four, &with("3")), ["short-queue"]);
    // At 300 Mbit/s and 60 ms, the 50 packets of a drop-tail queue are too few; FQ-CoDel's 10240 are enough.
    let fast = [("wired.air.delay", "30 ms")];
    assert_eq!(traps(&wire, &fast), ["short-queue"]);
    assert_eq!(
        traps(&wire, &[&fast[..], &[("wired.air.queue", "{ kind = \"fq-codel\" }")]].concat()),
        [""; 0]
    );
}

/// In a cell with aggregation the hint uses the rate with A-MPDUs. 802.11ac at 390 Mbit/s carries 338 Mbit/s
/// of IP packets. In 41 ms these are about 1100 packets, and a quarter of them is 280. With one packet per
/// channel access the rate would be 52 Mbit/s, and a quarter would be 50 packets.
#[test]
fn the_queue_hint_uses_the_rate_with_aggregation() {
    const CELL: &str = include_str!("../../../../../python/airhop/scenarios/wifi-ac.toml");
    let with = |packets| [("wlan.cell.queue.packets", packets)];
    assert_eq!(traps(CELL, &[]), [""; 0]);
    assert_eq!(traps(CELL, &with("300")), [""; 0]);
    assert_eq!(traps(CELL, &with("200")), ["short-queue"]);
    let alone = [with("200")[0], ("wlan.cell.aggregation.bytes", "0")];
    assert_eq!(traps(CELL, &alone), [""; 0]);
}

#[test]
fn a_preset_is_named_with_its_overridden_values() {
    let names = |sets: &[(&str, &str)]| {
        read(LAST_HOP, sets).base_stacks().into_iter().map(|base| base.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["preset rfc, delayed_ack = false"]);
    let sets = [("flow.ftp.tcp", r#"{ preset = "ns2", rto = { min = "200 ms" }, timestamps = true }"#)];
    assert_eq!(names(&sets), ["preset ns2, timestamps = true, rto.min = \"200 ms\""]);
}

/// A table without any effect is probably a mistake.
#[test]
fn a_table_without_effect_has_a_hint() {
    let spur =
        "[[wired]]\nname = \"spur\"\nends = [\"s\", \"x\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[flow]]";
    let text = RADIO.replacen("[[flow]]", spur, 1).replace("loss = 0.001", "loss = 0");
    let [link] = &hints(&text, &[])[..] else { panic!("{:?}", hints(&text, &[])) };
    assert_eq!((link.trap, &link.subjects[..]), ("unused-link", &["wired.spur".to_string()][..]));
    assert_eq!(traps(&text, &[("flow.ftp.from", "x")]), [""; 0]);
    let alone = LAST_HOP.replace("d = [30, 0] }", "d = [30, 0], e = [9, 9] }");
    let all = hints(&alone, &[("wlan.cell.attempts", "7")]);
    let [station] = &all[..] else { panic!("{all:?}") };
    assert!(station.subjects == ["wlan.cell"] && station.text.ends_with("crosses: e"), "{station:?}");
}

/// Depending on its kind, a service acts only before a wireless link, or only where a wireless link meets a
/// wired link.
#[test]
fn a_service_that_no_node_can_run_has_a_hint() {
    let wire = RADIO.replace("radio", "wired").replace("loss = 0.001", "loss = 0");
    for (text, service, caught) in [
        (&wire, "snoop", true),
        (&wire, "nak", true),
        (&wire, "contention", true),
        (&wire, "eln", true),
        (&wire, "truth", false),
        (&wire, "step-marking", false),
        (&wire, "damaged-frames", false),
        (&wire.replace("wired", "radio"), "eln", true),
        (&wire.replace("wired", "radio"), "snoop", false),
        (&LAST_HOP.replace("attempts = 1", "attempts = 7"), "eln", false),
    ] {
        let services = format!("[\"{service}\"]");
        let all = traps(text, &[("flow.ftp.services", &services)]);
        assert_eq!(all.contains(&"idle-service"), caught, "{service}: {all:?}");
    }
}
