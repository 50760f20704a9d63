//! The packaged scenarios behave as their comments say.

use airhop_base::DropCause;
use airhop_net::plan::Transport;
use airhop_net::{Report, World};
use airhop_scenario::{Overrides, Scenario};
use std::sync::atomic::AtomicBool;

macro_rules! packaged {
    ($name:literal) => {
        include_str!(concat!("../../../python/airhop/scenarios/", $name, ".toml"))
    };
}

const BACKGROUND: &str = packaged!("yun2009-background");
const DOWNLINK: &str = packaged!("yun2009-downlink");
const CROSS: &str = packaged!("koo2007-cross");
const SINGLE: &str = packaged!("koo2007-single");
const ECN_RED: &str = packaged!("ecn-red");
const CHAIN: &str = packaged!("cheng2008-chain");
const RANDOM: &str = packaged!("cheng2008-random");
const STEPS: &str = packaged!("steps");
const OUTAGE: &str = packaged!("outage");
const HANDOFF: &str = packaged!("handoff");
const BESIDE_UDP: &str = packaged!("cheng2008-udp");
const WIFI: [&str; 3] = [packaged!("wifi-n"), packaged!("wifi-ac"), packaged!("wifi-ax")];

fn load(text: &str, sets: &[(&str, &str)]) -> Scenario {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    Scenario::parse(text, "packaged", &Overrides { settings: sets, scheme: None }).expect("a valid file")
}

fn run(text: &str, sets: &[(&str, &str)]) -> Report {
    let mut world = World::new(load(text, sets).plan(), 1, 0, None).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("nobody stops it");
    assert_eq!(world.check_packet_counts(), Ok(()));
    world.report()
}

fn goodput(report: &Report, name: &str) -> f64 {
    report.flows.iter().find(|f| f.name == name).expect("a flow").goodput_mbps
}

// The background traffic uses 80 % of the wired path and no airtime of the cell, and reduces the goodput of
// the measured flow.
#[test]
fn yun_background_traffic_uses_80_percent_of_the_wired_path() {
    let report = run(BACKGROUND, &[]);
    let taken = goodput(&report, "background") / 972.0 * 1000.0;
    // The queue drops the excess, and the lengths of periods are heavy-tailed.
    assert!((6.5..8.5).contains(&taken), "{taken} Mbit/s");
    assert!(goodput(&report, "ftp1") < goodput(&run(DOWNLINK, &[]), "ftp1"));
}

// The names in both scenarios of Yun 2009 are equal, so a study for one also runs on the other.
#[test]
fn both_yun_2009_scenarios_have_the_same_cell_and_wires() {
    let (with, without) = (load(BACKGROUND, &[]), load(DOWNLINK, &[]));
    let (with, without) = (with.plan(), without.plan());
    assert_eq!(format!("{:?}", with.links.wlans[0].cell), format!("{:?}", without.links.wlans[0].cell));
    for (a, b) in with.links.wired.iter().zip(&without.links.wired) {
        assert_eq!((&a.name, &a.rates, a.delay, a.queue), (&b.name, &b.rates, b.delay, b.queue));
    }
    assert_eq!(with.flows[0].name, without.flows[0].name);
}

// Reno's goodput at loss rates of 1, 2 and 5 %, as a fraction of 1.95 Mbit/s. ns-2.35 has 0.825, 0.635 and
// 0.338 on the same links. The tolerance is a tenth.
#[test]
fn koo_single_flow_reno_goodput_is_within_10_percent_of_ns2() {
    for (loss, ns2) in [("0.01", 0.825), ("0.02", 0.635), ("0.05", 0.338)] {
        let path =
            [("wired.wire.delay", "25 ms"), ("flow.ftp.segment", "1460 B"), ("wired.air.errors.loss", loss)];
        let share = goodput(&run(SINGLE, &path), "ftp") / 1.95;
        println!("loss {loss}: {share:.3} of the capacity, ns-2 {ns2}");
        assert!((share / ns2 - 1.0).abs() < 0.1, "loss {loss}: {share:.3}, ns-2 {ns2}");
    }
}

// Cross traffic of either kind has 0.5 Mbit/s in each direction, and shares the airtime with the flow.
#[test]
fn koo_cross_traffic_shares_the_air_with_the_flow() {
    let cbr = r#"{ kind = "cbr", rate = "0.5 Mbit/s" }"#;
    let constant = run(CROSS, &[("flow.forward.app", cbr), ("flow.backward.app", cbr)]);
    let bursts = run(CROSS, &[]);
    let alone = goodput(&run(SINGLE, &[("wired.air.errors.loss", "0.001")]), "ftp");
    for (report, within) in [(&constant, 0.02), (&bursts, 0.3)] {
        for name in ["forward", "backward"] {
            let rate = goodput(report, name);
            assert!((rate / 0.5 - 1.0).abs() < within, "{name}: {rate} Mbit/s");
        }
        let ftp = goodput(report, "ftp");
        assert!(ftp < 1.5 && ftp < alone, "{ftp} Mbit/s of the remaining 1.5, {alone} without other traffic");
    }
}

// The queue marks packets, and drops only packets that are not ECN-capable; without ECN the same queue drops
// packets. The comment of the scenario says so.
#[test]
fn the_ecn_example_marks_instead_of_dropping() {
    let scenario = load(ECN_RED, &[]);
    assert!(
        scenario
            .plan()
            .flows
            .iter()
            .all(|f| matches!(&f.transport, Transport::Tcp { config, .. } if config.ecn))
    );
    let starts: Vec<u64> = scenario.plan().flows.iter().map(|f| f.start.nanos() / 100_000_000).collect();
    assert_eq!(starts, (0..10).collect::<Vec<_>>());
    let (marked, dropped) = (run(ECN_RED, &[]), run(ECN_RED, &[("flow.all.tcp.ecn", "false")]));
    let total = |report: &Report| report.flows.iter().map(|f| f.goodput_mbps).sum::<f64>();
    assert!(marked.drops[1] * 20 < dropped.drops[1], "{:?}, {:?}", marked.drops, dropped.drops);
    assert!(total(&marked) >= total(&dropped), "{} and {}", total(&marked), total(&dropped));
}

fn distance(scenario: &Scenario, a: &str, b: &str) -> f64 {
    let stations = &scenario.plan().links.wlans[0].cell.stations;
    let place = |name: &str| stations.iter().find(|(known, _)| known == name).expect("a station").1;
    let ([x, y], [u, v]) = (place(a), place(b));
    (x - u).hypot(y - v)
}

// Frames are received up to 40 m and sensed up to 85 m, as the comments say.
#[test]
fn cheng_stations_have_the_ranges_stated_in_comments() {
    let chain = load(CHAIN, &[("wlan.field.layout.nodes", "5"), ("flow.ftp.to", "n4")]);
    assert_eq!(chain.plan().nodes.len(), 5);
    assert!(distance(&chain, "n0", "n1") < 40.0 && distance(&chain, "n0", "n2") > 40.0);
    assert!(distance(&chain, "n0", "n3") > 85.0 && distance(&chain, "n1", "n3") < 85.0);
    let udp = load(BESIDE_UDP, &[("flow.udp.app.rate", "3 Mbit/s")]);
    for beside in ["u0", "u1"] {
        assert!(distance(&udp, beside, "n2") < 40.0);
        assert!(["n0", "n1", "n2", "n3", "n4"].iter().all(|node| distance(&udp, beside, node) < 85.0));
    }
    assert_eq!(distance(&udp, "u0", "u1"), 30.0);
}

// The hops of a chain interfere with each other: beyond three hops the goodput is less than a third of that
// over one hop. A UDP flow beside it reduces it further. Routes are static, so no search for a route
// interrupts a sender.
#[test]
fn hops_of_the_cheng_chain_interfere_with_each_other() {
    let known = ("wlan.field.routing", r#"{ kind = "static" }"#);
    let hops = |hops: &str| {
        let (nodes, to) = (hops.parse::<u32>().expect("a count") + 1, format!("n{hops}"));
        let sets = [
            ("wlan.field.layout.nodes", &*nodes.to_string()),
            ("flow.ftp.to", &to),
            ("duration", "20 s"),
            known,
        ];
        goodput(&run(CHAIN, &sets), "ftp")
    };
    let (one, four) = (hops("1"), hops("4"));
    assert!((11.0..16.0).contains(&one) && four < one / 3.0, "{one} and {four} Mbit/s");
    let beside = run(BESIDE_UDP, &[("duration", "20 s"), ("flow.udp.app.rate", "3 Mbit/s"), known]);
    assert!(goodput(&beside, "ftp") < four && goodput(&beside, "udp") > 2.0, "{beside:?}");
}

// The first replications find positions with pairs for all flows, for two to nine connections over two or
// three hops, or over any number of hops.
#[test]
fn cheng_random_layouts_have_pairs_for_all_flows() {
    for hops in ["{ wlan = \"field\", hops = 3 }", "{ wlan = \"field\" }"] {
        let nine = load(RANDOM, &[("copies", "9"), ("flow.ftp*.between", hops)]);
        assert!((0..20).all(|rep| World::new(nine.plan(), 1, rep, None).is_ok()), "{hops}");
    }
}

// Without losses on the channel, a sender's goodput is the mean of the rate (34 of the 50 s at 10 Mbit/s),
// less headers and the effect of its limited window. BBR overfills the queue.
#[test]
fn rate_steps_keep_goodput_high_and_bbr_overfills_the_queue() {
    let most = (3.0 * 10.0 + 2.0 * 2.0) / 5.0 * 1000.0 / 1052.0;
    let of = |scheme| {
        let report = run(STEPS, &[("flow.ftp.scheme", scheme)]);
        assert_eq!(report.flows[0].timeouts, 0, "{scheme}");
        assert!(goodput(&report, "ftp") / most > 0.96, "{scheme}: {}", goodput(&report, "ftp"));
        report.drops[0]
    };
    let [reno, cubic, bbr] = ["reno", "cubic", "bbr"].map(of);
    assert!(bbr > 4 * reno.max(cubic), "{reno}, {cubic}, {bbr}");
}

// In each of five outages there are two timeouts if packets wait, and three if packets are lost: 0.5, 1.1 and
// 2.3 s after the start of the outage.
#[test]
fn an_outage_that_loses_packets_needs_one_more_attempt() {
    for scheme in ["reno", "cubic", "bbr"] {
        let [waits, lost] = [None, Some(("radio.air.changes.fate", "lost"))].map(|fate| {
            let unpaced = [("flow.ftp.scheme", scheme), ("flow.ftp.tcp.pacing", "false")];
            let sets: Vec<_> = fate.into_iter().chain(unpaced).collect();
            run(OUTAGE, &sets)
        });
        assert_eq!([&waits, &lost].map(|report| report.flows[0].timeouts), [10, 15], "{scheme}");
        assert_eq!(waits.flows[0].spurious_timeouts, 10, "{scheme}");
        assert!(goodput(&lost, "ftp") < goodput(&waits, "ftp"), "{scheme}");
    }
}

// Each of four handoffs loses the whole queue and one packet on the air; with forwarding it loses none.
#[test]
fn a_handoff_without_forwarding_loses_the_queue() {
    let lost = [("radio.air.changes.0.fate", "lost"), ("radio.air.changes.1.fate", "lost")];
    for scheme in ["reno", "cubic", "bbr"] {
        let [forwarded, lost] = [&[][..], &lost].map(|fates| {
            let report = run(HANDOFF, &[fates, &[("flow.ftp.scheme", scheme)]].concat());
            [DropCause::Channel, DropCause::Route].map(|why| report.drops[why as usize])
        });
        assert_eq!((forwarded, lost), ([0, 0], [4, 200]), "{scheme}");
    }
}

// A download uses most of the airtime, and its ACKs use some of it. The airtime in the comment of the
// scenario is the closed form for datagrams.
#[test]
fn a_wifi_download_has_most_of_the_airtime() {
    for (text, mbps) in WIFI.into_iter().zip([59.8, 338.0, 549.0]) {
        let scenario = load(text, &[]);
        let cell = &scenario.plan().links.wlans[0].cell;
        let air = |payload: f64, packet: u32| payload * 8e-6 / cell.saturated_packet_time(packet).secs_f64();
        assert!(
            (air(1472.0, 1500) / mbps - 1.0).abs() < 0.002,
            "{}: {} Mbit/s",
            scenario.name(),
            air(1472.0, 1500)
        );
        assert!(text.contains(&format!("carries {mbps} Mbit/s")), "{}", scenario.name());
        let report = run(text, &[]);
        let share = goodput(&report, "download") / air(1448.0, 1500);
        println!("{}: {share:.3} of the air", scenario.name());
        assert!(
            (0.75..0.95).contains(&share) && report.flows[0].timeouts == 0,
            "{}: {share}",
            scenario.name()
        );
    }
}

// A queue of 1000 packets is much longer than 802.11n needs. FQ-CoDel removes most of its delay, and reduces
// the goodput by less than a tenth.
#[test]
fn fq_codel_removes_the_delay_of_a_long_queue() {
    let fair = [("wlan.cell.queue", r#"{ kind = "fq-codel" }"#)];
    let [long, fair] = [&[][..], &fair].map(|sets| run(WIFI[0], sets));
    let delay = |report: &Report| report.flows[0].srtt_ms.expect("samples") - 40.0;
    assert!(delay(&fair) < delay(&long) / 5.0, "{} ms and {} ms", delay(&fair), delay(&long));
    assert!(goodput(&fair, "download") > 0.9 * goodput(&long, "download"));
}

// The rate that the simulator reports to a sender is the rate with aggregation. A sender that paces at that
// rate has nine tenths of CUBIC's goodput, without a drop. On 802.11n the rate with one packet per channel
// access would be half of it.
#[test]
fn the_reported_link_rate_includes_aggregation() {
    let [known, probed] =
        ["ideal-bwe", "cubic"].map(|scheme| run(WIFI[0], &[("flow.download.scheme", scheme)]));
    let share = goodput(&known, "download") / goodput(&probed, "download");
    assert!((0.9..1.05).contains(&share), "{share}");
    assert_eq!(known.drops[DropCause::Queue as usize], 0);
}
