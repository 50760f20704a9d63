//! Valid scenarios: defaults, the effective form, overrides and runs.

use airhop_base::{Rate, Span};
use airhop_net::plan::{FlowClass, RoutingPlan, Transport};
use airhop_net::queues::{CodelPlan, FqCodelPlan, PiePlan, QueuePlan, RedPlan};
use airhop_net::routing::AodvPlan;
use airhop_radio::cell::RadioRange;
use airhop_radio::errors::{ErrorPlan, FadePlan, FrameSelection, InitialState, Sojourn};
use airhop_radio::phy::{Coding, Phy};
use airhop_scenario::{Overrides, Progress, RecordingOptions, Run, RunPool, Scenario};
use airhop_tcp::{Config, NoticeHandling};
use std::sync::Arc;
use std::time::Duration;

const LAST_HOP: &str = include_str!("data/last-hop.toml");

fn with(sets: &[(&str, &str)]) -> Scenario {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    Scenario::parse(LAST_HOP, "last-hop.toml", &Overrides { settings: sets, scheme: None })
        .expect("a good scenario")
}

fn config(scenario: &Scenario) -> Config {
    match &scenario.plan().flows[0].transport {
        Transport::Tcp { config, .. } => *config,
        Transport::Udp { .. } => panic!("a UDP flow"),
    }
}

/// Error models of Yun 2009 §5.4 and of Kounavis 1996 §5.
const BURSTS: &str = r#"{ kind = "gilbert-elliott", p_gb = 0.01, p_bb = 0.3 }"#;
const FADES: &str = r#"{ kind = "two-state", good = "10 s", bad = "4 s", ber_good = 1e-6, ber_bad = 1e-2 }"#;

/// Checks that two plans are equal. It compares their debug output, which contains all fields.
fn same(a: &Scenario, b: &Scenario) {
    assert_eq!(format!("{:?}", a.plan()), format!("{:?}", b.plan()));
    assert_eq!(a.to_json(), b.to_json());
}

// If the file has no class for a flow, the class follows from the application and from the route, which is
// known in the run.
#[test]
fn a_flow_has_the_class_that_the_scenario_states() {
    let class = |sets| with(sets).plan().flows[0].class.clone();
    assert_eq!(class(&[("flow.ftp.class", "backup")]), FlowClass::Named("backup".into()));
    assert_eq!(class(&[]), FlowClass::OfKind("bulk"));
    let transfer = r#"{ kind = "transfer", size = "1 MB" }"#;
    assert_eq!(class(&[("flow.ftp.app", transfer)]), FlowClass::OfKind("transfer"));
}

#[test]
fn the_effective_scenario_reads_back_to_the_same_plan() {
    let variants: [&[(&str, &str)]; 15] = [
        &[],
        &[("flow.ftp.scheme", "cubic"), ("flow.ftp.notices", "elsn")],
        &[("flow.ftp.tcp.preset", "ns2"), ("flow.ftp.tcp.delayed_ack", "true")],
        &[("flow.ftp.tcp.preset", "linux"), ("flow.ftp.tcp.receive_window", "64 kB")],
        &[("flow.ftp.scheme", "ll-elsn"), ("flow.ftp.scheme.n", "3")],
        &[("flow.ftp.tcp", "{ delayed_ack = { segments = 3, timeout = \"50 ms\" }, initial_ssthresh = 20 }")],
        &[(
            "wlan.cell.errors",
            "[{ kind = \"bernoulli\", fer = 1e-7, direction = \"bs->*\" }, { kind = \"clean\" }]",
        )],
        &[("wired.w1.errors", "{ kind = \"bernoulli\", loss = 1, direction = \"bs->s\" }")],
        &[("wlan.cell.errors", BURSTS)],
        &[("wlan.cell.errors", FADES)],
        &[("wlan.cell.phy", r#"{ header = "96 us", cw_max = 511 }"#)],
        &[("wlan.cell.range.capture", "6.5 dB")],
        &[("wlan.cell.fragmentation", "256 B")],
        &[("wlan.cell.errors", r#"{ kind = "gilbert-elliott", loss = 0.1, burst = 4.5, step = "2 ms" }"#)],
        &[("flow.ftp.app", "{ kind = \"transfer\", size = \"1 MB\" }"), ("flow.ftp.start", "781091 ns")],
    ];
    for sets in variants {
        let scenario = with(sets);
        same(
            &scenario,
            &Scenario::parse(&scenario.to_toml(), "effective", &Overrides::default()).expect("TOML"),
        );
        same(
            &scenario,
            &Scenario::from_json(&scenario.to_json(), "effective", &Overrides::default()).expect("JSON"),
        );
    }
}

/// All packaged scenarios are valid, also with the largest number of connections in the paper.
#[test]
fn every_packaged_scenario_is_valid() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/airhop/scenarios");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let file = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&file).expect("a text");
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let copies = if text.contains('*') { "10" } else { "1" };
        let sets = vec![("copies".to_string(), copies.to_string())];
        let scenario =
            Scenario::parse(&text, name.as_str(), &Overrides { settings: sets, scheme: None }).expect("good");
        assert_eq!(scenario.name(), name, "a scenario is found by its own name");
        // Each copy has a TCP flow, unless the copied flow is UDP (as the calls of `office`). The other
        // tables of flows have no copies (Yun 2009, Figure 12), or are UDP.
        let (flows, copies) = (scenario.tcp_flows().count(), copies.parse::<usize>().expect("a count"));
        let tables: Vec<&str> = text.split("[[flow]]").skip(1).collect();
        let is_copied = tables.iter().any(|table| table.contains('*') && !table.contains("\"udp\""));
        let least = if is_copied { copies } else { 1 };
        assert!((least..copies + tables.len()).contains(&flows), "{name}: {flows} flows, {copies} copies");
        same(
            &scenario,
            &Scenario::parse(&scenario.to_toml(), "effective", &Overrides::default()).expect("TOML"),
        );
        found += 1;
    }
    assert!(found >= 7, "{found} scenarios");
}

#[test]
fn the_effective_scenario_matches_its_snapshot() {
    insta::assert_snapshot!(with(&[("flow.ftp.scheme", "ll-elsn")]).to_toml());
}

/// `fer` refers to a full data frame (Yun 2009 §5.1), here 1000 + 40 + 12 (timestamps) + 36 bytes.
#[test]
fn fer_refers_to_the_largest_data_frame_of_the_link() {
    let bits = |scenario: &Scenario| match scenario.plan().links.wlans[0].cell.errors[0].model {
        ErrorPlan::FrameErrorRate { reference_bits, .. } => reference_bits,
        ref other => panic!("{other:?}"),
    };
    assert_eq!(bits(&with(&[])), (1000 + 40 + 12 + 36) * 8);
    assert_eq!(bits(&with(&[("flow.ftp.tcp.preset", "ns2")])), (1000 + 40 + 36) * 8);
    assert_eq!(
        bits(&with(&[("flow.ftp.segment", "1460 B"), ("flow.ftp.tcp.timestamps", "false")])),
        1536 * 8
    );
    assert_eq!(bits(&with(&[("wlan.cell.errors.reference", "1074 B")])), 1074 * 8);
}

/// p_bg = 1 - p_bb; the bad state loses all frames and the good state none. Bit error rates follow from the
/// loss rates of a full frame, as for `fer`.
#[test]
fn channels_with_memory_are_planned_as_written() {
    let model = |errors: &str| {
        with(&[("wlan.cell.errors", errors)]).plan().links.wlans[0].cell.errors[0].model.clone()
    };
    let bursts = |loss, leave, strikes| ErrorPlan::GilbertElliott { loss, leave, strikes };
    assert_eq!(model(BURSTS), bursts([0.0, 1.0], [0.01, 1.0 - 0.3], FrameSelection::Data));
    let cheng =
        r#"{ kind = "gilbert-elliott", p_gb = 0.06, p_bg = 0.15, loss_good = 0.0155, loss_bad = 0.25 }"#;
    assert_eq!(model(cheng), bursts([0.0155, 0.25], [0.06, 0.15], FrameSelection::Data));
    // A channel can also be given by its averages: a loss rate of 0.0825, and bad periods of 20 / 3 frames,
    // in steps of a millisecond.
    let averages = r#"{ kind = "gilbert-elliott", loss = 0.0825, burst = 6.666666666666667, loss_good = 0.0155, loss_bad = 0.25, step = "1 ms" }"#;
    let ErrorPlan::Stepped { loss, leave, step, strikes } = model(averages) else {
        panic!("the model has a step")
    };
    assert_eq!((loss, step, strikes), ([0.0155, 0.25], Span::from_millis(1), FrameSelection::Data));
    assert!((leave[0] - 0.06).abs() < 1e-12 && (leave[1] - 0.15).abs() < 1e-12, "{leave:?}");
    let plain = r#"{ kind = "gilbert-elliott", loss = 0.75, burst = 3 }"#;
    assert_eq!(model(plain), bursts([0.0, 1.0], [1.0, 1.0 / 3.0], FrameSelection::Data));
    let sparing = plain.replace('}', r#", strikes = "payload" }"#);
    assert_eq!(model(&sparing), bursts([0.0, 1.0], [1.0, 1.0 / 3.0], FrameSelection::Payload));
    let drawn = |sojourn, start| FadePlan::Drawn { means: [10, 4].map(Span::from_secs), sojourn, start };
    let two_state = |fades| ErrorPlan::TwoState { fades, errors_per_bit: [1e-6, 1e-2] };
    assert_eq!(model(FADES), two_state(drawn(Sojourn::Exponential, InitialState::Stationary)));
    for (name, sojourn) in Sojourn::ALL {
        let keys = format!(r#"start = "good", sojourn = "{name}" }}"#);
        assert_eq!(
            model(&FADES.replace('}', &format!(", {keys}"))),
            two_state(drawn(sojourn, InitialState::Good))
        );
    }
    let by_frame = r#"{ kind = "two-state", good = "10 s", bad = "4 s", fer_good = 0.01, fer_bad = 1 }"#;
    let ErrorPlan::TwoState { errors_per_bit: [good, bad], .. } = model(by_frame) else {
        panic!("not what was written")
    };
    let survives = (-good * f64::from((1000 + 40 + 12 + 36) * 8)).exp();
    assert!((survives - 0.99).abs() < 1e-12 && bad == f64::INFINITY, "{good}, {bad}");
}

#[test]
fn defaults_follow_the_preset_and_the_standard() {
    assert_eq!(
        config(&with(&[("flow.all.tcp", "{}")])).delayed_ack.expect("rfc delays").timeout,
        Span::from_millis(200)
    );
    let ns2 = config(&with(&[("flow.ftp.tcp", "{ preset = \"ns2\", delayed_ack = true }")]));
    assert_eq!(ns2.delayed_ack.expect("asked for").timeout, Span::from_millis(100)); // ns-2's interval_
    assert_eq!(ns2.initial_window, 2.0);

    let file = LAST_HOP.replace("control_rate = \"11 Mbit/s\"\n", "").replace("attempts = 1\n", "");
    let g = file.replace("802.11b", "802.11g").replace("rate = \"11 Mbit/s\"", "rate = \"54 Mbit/s\"");
    for (text, access, rate, attempts) in
        [(&file, "basic", 11_000_000, 7), (&file, "rts-cts", 11_000_000, 4), (&g, "basic", 24_000_000, 7)]
    {
        let sets = vec![("wlan.cell.access".to_string(), access.to_string())];
        let scenario = Scenario::parse(text, "x", &Overrides { settings: sets, scheme: None }).expect("good");
        let cell = &scenario.plan().links.wlans[0].cell;
        assert_eq!((cell.control_rate, cell.max_attempts), (Rate::from_bps(rate), attempts));
    }
}

/// Frames longer than the fragmentation threshold are fragmented (dot11FragmentationThreshold). By default
/// there is no threshold.
#[test]
fn frames_are_fragmented_above_the_configured_threshold() {
    let threshold = |sets: &[(&str, &str)]| with(sets).plan().links.wlans[0].cell.fragmentation_threshold;
    let set = |value| threshold(&[("wlan.cell.fragmentation", value)]);
    assert_eq!((threshold(&[]), set("off"), set("256 B")), (None, None, Some(256)));
}

/// Keys of the PHY, as in Cheng and Lin 2008 with ns-2: 20 µs of PLCP header, contention windows from 31 on,
/// and no OFDM symbols on 802.11g. Keys that are omitted have the values of the standard; DIFS and EIFS are
/// derived.
#[test]
fn phy_keys_override_the_values_of_the_standard() {
    let phy = |sets: &[(&str, &str)]| {
        let g = [
            ("wlan.cell.standard", "802.11g"),
            ("wlan.cell.rate", "36 Mbit/s"),
            ("wlan.cell.control_rate", "24 Mbit/s"),
        ];
        with(&[&g, sets].concat()).plan().links.wlans[0].cell.phy
    };
    assert_eq!(phy(&[]), Phy::ERP_OFDM);
    assert_eq!(phy(&[("wlan.cell.phy", r#"{ coding = "ofdm", header = "20 us" }"#)]), Phy::ERP_OFDM);
    assert_eq!(phy(&[("wlan.cell.phy.cw_max", "255")]), Phy { cw_max: 255, ..Phy::ERP_OFDM });
    let given = r#"{ header = "26 us", cw_min = 31, coding = "serial" }"#;
    let changed = phy(&[("wlan.cell.phy", given)]);
    let plcp = Span::from_micros(26);
    assert_eq!(changed, Phy { plcp_duration: plcp, cw_min: 31, coding: Coding::Serial, ..Phy::ERP_OFDM });
    // Without OFDM symbols and signal extension, 1074 bytes take 238.67 µs, and 14 bytes take 18.67 µs at 6
    // Mbit/s.
    assert_eq!(changed.airtime(1074, Rate::from_bps(36_000_000)).nanos(), 26_000 + 238_667);
    assert_eq!(changed.eifs().nanos(), 10_000 + 26_000 + 18_667 + 28_000);
    let slots = phy(&[("wlan.cell.phy.cw_min", "0"), ("wlan.cell.phy.header", "0 s")]);
    assert_eq!((slots.cw_min, slots.plcp_duration, slots.difs()), (0, Span::ZERO, Phy::ERP_OFDM.difs()));
}

/// Free-space propagation (Friis): of a transmit power of 24.5 dBm at 2.4 GHz, -47.593 dBm remain at 40 m and
/// -54.140 dBm at 85 m (Cheng and Lin 2008 with ns-2).
#[test]
fn a_propagation_model_replaces_the_ranges() {
    let scenario = |text: &str| {
        let file = LAST_HOP.replace("range = { receive = \"40 m\", sense = \"85 m\" }", text);
        Scenario::parse(&file, "x", &Overrides::default()).expect("good")
    };
    let range = |text: &str| {
        scenario(text).plan().links.wlans[0].cell.range.expect("not all stations receive each other")
    };
    let ranges = range("range = { receive = \"40 m\", sense = \"85 m\" }");
    assert_eq!(ranges, RadioRange::free_space(40.0, 85.0));
    assert_eq!(
        range("range = { receive = \"40 m\", sense = \"85 m\", capture = \"20 dB\" }").capture_ratio,
        100.0
    );
    let powers = r#"power = "24.5 dBm", receive = "-47.593 dBm", sense = "-54.140 dBm""#;
    let two_ray = range(&format!("propagation = {{ model = \"two-ray\", {powers} }}"));
    assert!(
        (two_ray.receive_metres - 40.0).abs() < 0.01 && (two_ray.sense_metres - 85.0).abs() < 0.01,
        "{two_ray:?}"
    );
    assert_eq!((two_ray.crossover_metres.round(), two_ray.capture_ratio), (226.0, 10.0));
    let text = format!(
        "propagation = {{ model = \"free-space\", {powers}, frequency = \"914 MHz\", capture = \"0 dB\" }}"
    );
    let free = range(&text);
    assert_eq!((free.crossover_metres, free.capture_ratio), (f64::INFINITY, 1.0));
    assert!((free.receive_metres - 105.0).abs() < 0.1, "{free:?}");
    same(
        &scenario(&text),
        &Scenario::parse(&scenario(&text).to_toml(), "x", &Overrides::default()).expect("good"),
    );
}

#[test]
fn overrides_change_the_named_values() {
    let scenario = with(&[
        ("duration", "5 s"),
        ("wired.w1.queue.packets", "20"),
        ("wlan.all.attempts", "4"),
        ("flow.ftp.tcp.rto.min", "200 ms"),
        ("flow.ftp.tcp.delayed_ack", "true"),
        ("flow.ftp.tcp.delayed_ack.segments", "4"),
        ("flow.ftp.app", "{ kind = \"transfer\", size = \"10 kB\" }"),
    ]);
    assert_eq!(scenario.duration(), Span::from_secs(5));
    assert_eq!(scenario.plan().links.wlans[0].cell.max_attempts, 4);
    assert_eq!(config(&scenario).rto.min, Span::from_millis(200));
    assert_eq!(config(&scenario).delayed_ack.expect("asked for").segments, 4);
    assert_eq!(format!("{:?}", scenario.plan().flows[0].app), "TransferPlan { bytes: 10000 }");
    let scheme = Some("sack".to_string());
    let sack = Scenario::parse(LAST_HOP, "x", &Overrides { settings: Vec::new(), scheme }).expect("good");
    assert!(sack.to_json().contains(r#""scheme":"sack""#));
}

#[test]
fn queue_thresholds_default_from_their_other_keys() {
    let queue = |value| with(&[("wired.w1.queue", value)]).plan().links.wired[0].queue[0];
    let weight = QueuePlan::WARNING_WEIGHT;
    let warning = |packets, threshold| QueuePlan::CongestionWarning { packets, threshold, weight };
    // The default threshold is a quarter of the queue length: 5 of 20, 12 of 50.
    assert_eq!(queue(r#"{ kind = "congestion-warning", packets = 20 }"#), warning(20, 5.0));
    assert_eq!(queue(r#"{ kind = "congestion-warning" }"#), warning(50, 12.0));
    assert_eq!(queue(r#"{ kind = "congestion-warning", packets = 3, threshold = 2 }"#), warning(3, 2.0));
    let red = RedPlan {
        capacity_packets: 50,
        min_threshold: 6.0,
        max_threshold: 18.0,
        max_p: 0.1,
        weight: 0.002,
        gentle: true,
        ecn: true,
        mean_packet_bytes: 500,
    };
    assert_eq!(queue(r#"{ kind = "red", min = 6, ecn = true }"#), QueuePlan::Red(red));
    assert_eq!(queue(r#"{ kind = "biased", packets = 7 }"#), QueuePlan::Biased { packets: 7 });
}

// Defaults of RFC 8289 §4.2, §4.3; RFC 8290 §5.2; RFC 8033 §4.2, §4.4.
#[test]
fn codel_fq_codel_and_pie_have_the_defaults_of_their_rfcs() {
    let queue = |value| with(&[("wired.w1.queue", value)]).plan().links.wired[0].queue[0];
    let (target, interval) = (Span::from_millis(5), Span::from_millis(100));
    let codel = CodelPlan { capacity_packets: 1000, target_delay: target, interval, ..CodelPlan::RFC8289 };
    assert_eq!(queue(r#"{ kind = "codel" }"#), QueuePlan::Codel(codel));
    let each = CodelPlan { capacity_packets: 10_240, ecn: true, ..codel };
    let fq_codel = FqCodelPlan { codel: each, quantum_bytes: 1514, queue_count: 1024 };
    assert_eq!(queue(r#"{ kind = "fq-codel" }"#), QueuePlan::FqCodel(fq_codel));
    let (target, burst) = (Span::from_millis(15), Span::from_millis(150));
    let pie =
        PiePlan { capacity_packets: 1000, target_delay: target, burst_allowance: burst, ..PiePlan::RFC8033 };
    assert_eq!(queue(r#"{ kind = "pie" }"#), QueuePlan::Pie(pie));
    assert_eq!(queue(r#"{ kind = "fq" }"#), QueuePlan::Fq { packets: 50, quantum: 1514 });
    let changed = CodelPlan {
        capacity_packets: 7,
        target_delay: Span::from_millis(1),
        interval: Span::from_millis(9),
        ..CodelPlan::RFC8289
    };
    let text = r#"{ kind = "codel", packets = 7, target = "1 ms", interval = "9 ms" }"#;
    assert_eq!(queue(text), QueuePlan::Codel(changed));
    let text = r#"{ kind = "fq-codel", packets = 7, target = "1 ms", interval = "9 ms", flows = 3, quantum = "300 B" }"#;
    let changed =
        FqCodelPlan { codel: CodelPlan { ecn: true, ..changed }, quantum_bytes: 300, queue_count: 3 };
    assert_eq!(queue(text), QueuePlan::FqCodel(changed));
    let text = r#"{ kind = "pie", target = "1 ms", burst = "9 ms", ecn = true }"#;
    let changed = PiePlan {
        target_delay: Span::from_millis(1),
        burst_allowance: Span::from_millis(9),
        ecn: true,
        ..PiePlan::RFC8033
    };
    assert_eq!(queue(text), QueuePlan::Pie(changed));
}

// Any sender can be combined with any notification (Yun 2009 §5.3). The key `notices` installs the service of
// the notification instead of that of the scheme. Other services of the scheme remain, and services that the
// file names are used as they are.
#[test]
fn the_notices_key_installs_its_notification_service() {
    for (scheme, notices, means, services) in [
        ("cubic", "scheme", NoticeHandling::Scheme, &[][..]),
        ("cubic", "elsn", NoticeHandling::Elsn, &["elsn"]),
        ("bbr", "eln", NoticeHandling::Eln, &["eln"]),
        ("hack", "elsn", NoticeHandling::Elsn, &["elsn"]),
        ("lhp", "eln", NoticeHandling::Eln, &["eln"]),
        ("jersey", "elsn", NoticeHandling::Elsn, &["congestion-warning", "elsn"]),
        ("ll-elsn", "ignored", NoticeHandling::Ignored, &["elsn"]),
        ("ll-elsn", "scheme", NoticeHandling::Scheme, &["elsn"]),
    ] {
        let scenario = with(&[("flow.ftp.scheme", scheme), ("flow.ftp.notices", notices)]);
        let named: Vec<_> = scenario.plan().flows[0].services.iter().map(|s| s.name).collect();
        assert_eq!((config(&scenario).notice_reaction, &named[..]), (means, services), "{scheme}, {notices}");
    }
    let sets = [("flow.ftp.notices", "eln"), ("flow.ftp.services", "[\"damaged-frames\"]")];
    let scenario = with(&sets);
    assert_eq!(scenario.plan().flows[0].services[0].name, "damaged-frames");
    assert_eq!(config(&scenario).notice_reaction, NoticeHandling::Eln);
    assert_eq!(config(&with(&[])).notice_reaction, NoticeHandling::Scheme);
}

#[test]
fn a_scheme_override_does_not_apply_to_udp_flows() {
    let udp = LAST_HOP
        .replace("scheme = \"reno\"", "transport = \"udp\"")
        .replace("kind = \"bulk\"", "kind = \"cbr\", rate = \"1 Mbit/s\"")
        .replace("tcp = { delayed_ack = false }", "");
    let scheme = Some("sack".to_string());
    let scenario = Scenario::parse(&udp, "x", &Overrides { settings: Vec::new(), scheme }).expect("good");
    assert_eq!(scenario.tcp_flows().count(), 0);
    same(&scenario, &Scenario::parse(&scenario.to_toml(), "effective", &Overrides::default()).expect("TOML"));
}

/// Results have the order of the jobs, whatever the number of threads.
#[test]
fn a_pool_reports_every_run_independently_of_threads() {
    let scenario = Arc::new(with(&[("duration", "2 s")]));
    let fingerprints = |threads| {
        let runs = (0..6).map(|rep| Run { scenario: scenario.clone(), seed: 1, rep }).collect();
        let mut pool = RunPool::start(runs, threads, RecordingOptions::default(), |work| work());
        let mut prints = vec![String::new(); 6];
        loop {
            match pool.wait_for_progress(Duration::from_secs(60)) {
                Progress::Done(index, outcome) => {
                    prints[index] = fingerprint(&outcome.expect("it runs").document)
                }
                Progress::Waiting => {}
                Progress::Finished => return prints,
            }
        }
    };
    let one = fingerprints(1);
    assert_eq!(one, fingerprints(2));
    assert!(one.iter().all(|p| p.len() == 16) && one[0] != one[1]);
}

fn fingerprint(document: &str) -> String {
    let document: serde_json::Value = serde_json::from_str(document).expect("JSON");
    document["fingerprint"].as_str().expect("a text").to_string()
}

#[test]
fn a_stopped_pool_ends() {
    let scenario = Arc::new(with(&[("duration", "100000 s")]));
    let mut pool =
        RunPool::start(vec![Run { scenario, seed: 1, rep: 0 }], 1, RecordingOptions::default(), |work| {
            work()
        });
    assert!(matches!(pool.wait_for_progress(Duration::from_millis(1)), Progress::Waiting));
    pool.stop();
    assert!(matches!(pool.wait_for_progress(Duration::from_secs(60)), Progress::Finished));
}

// Every key of `routing` reaches the plan and overrides its preset; keys that are omitted have the values of
// the preset.
#[test]
fn every_routing_key_overrides_its_preset() {
    let text = |routing: &str| {
        let flow = "[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\nscheme = \"reno\"\n";
        let wlan = "[[wlan]]\nname = \"w\"\nstandard = \"802.11g\"\nrate = \"36 Mbit/s\"\n";
        let stations = "stations = { a = [0, 0], b = [30, 0] }\n";
        format!("name = \"x\"\nduration = \"1 s\"\n{wlan}{stations}{routing}\n{flow}")
    };
    let scenario = |routing: &str| {
        Scenario::parse(&text(routing), "x.toml", &Overrides::default()).expect("a good scenario")
    };
    let routing = |text: &str| scenario(text).plan().links.wlans[0].routing;
    assert_eq!(routing(""), RoutingPlan::Static);
    assert_eq!(routing("routing = { kind = \"aodv\" }"), RoutingPlan::Aodv(AodvPlan::RFC3561));
    assert_eq!(routing("routing = { kind = \"aodv\", preset = \"ns2\" }"), RoutingPlan::Aodv(AodvPlan::NS2));
    let keys = "active_route = \"7 s\", own_route = \"8 s\", hop_time = \"9 ms\", diameter = 5, retries = 6, buffer = 10, \
                jitter = \"0 s\", repair = false";
    let all = format!("routing = {{ kind = \"aodv\", preset = \"ns2\", {keys} }}");
    let expected = AodvPlan {
        active_route: Span::from_secs(7),
        own_route: Span::from_secs(8),
        hop_time: Span::from_millis(9),
        diameter: 5,
        ttl_start: 5,
        ttl_threshold: 5,
        retries: 6,
        buffer_packets: 10,
        jitter: Span::ZERO,
        uses_local_repair: false,
        ..AodvPlan::NS2
    };
    assert_eq!(routing(&all), RoutingPlan::Aodv(expected));
    let again = Scenario::parse(&scenario(&all).to_toml(), "effective", &Overrides::default()).expect("TOML");
    same(&scenario(&all), &again);
}
