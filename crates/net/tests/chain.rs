//! Reference: chains of static stations with static routes, Cheng & Lin 2008's world (schemes.md 4.1.3), as ns-3.44
//! (`reference/ns3.csv`, scenario B) and ns-2.35 measured them.

mod common;

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::plan::{AppPlan, FlowPlan, Plan, QueuePlan, Transport, WlanPlan};
use airhop_radio::cell::{Access, CellPlan, Range};
use airhop_radio::phy::{Coding, Phy};
use airhop_tcp::{Config, Params, Preset};
use common::run;

/// `hops + 1` stations 30 m apart that receive up to 40 m and sense up to 85 m; a bulk flow from the first to the last.
fn chain(hops: u16, cell: CellPlan, scheme: &str, config: Config, duration: Span) -> Plan {
    let scheme = airhop_tcp::find(scheme).expect("a known scheme");
    let nodes: Vec<String> = (0..=hops).map(|i| format!("n{i}")).collect();
    let place = |(i, name): (usize, &String)| (name.clone(), [30.0 * i as f64, 0.0]);
    let cell = CellPlan { stations: nodes.iter().enumerate().map(place).collect(), ..cell };
    let queue = QueuePlan::DropTail { packets: 50 };
    Plan {
        name: "chain".into(),
        duration,
        warmup: Span::ZERO,
        wired: vec![],
        wlans: vec![WlanPlan {
            cell,
            nodes: (0..=hops).map(NodeId).collect(),
            queue,
            routing: Default::default(),
            draws: Default::default(),
        }],
        flows: vec![FlowPlan {
            name: "f".into(),
            from: NodeId(0),
            to: NodeId(hops),
            transport: Transport::Tcp { scheme, params: Params::defaults(scheme), config },
            app: AppPlan::Bulk,
            start: Time::ZERO,
            services: Vec::new(),
        }],
        nodes,
    }
}

/// 802.11g as both simulators have it, but for the rates.
fn cell(phy: Phy, rate_mbps: u64, control_mbps: u64, overhead: u32) -> CellPlan {
    CellPlan {
        index: 0,
        name: "chain".into(),
        phy: Phy { cw_min: 31, ..phy },
        rate: Rate::from_bps(rate_mbps * 1_000_000),
        control_rate: Rate::from_bps(control_mbps * 1_000_000),
        access: Access::Basic,
        attempts: 7,
        retry_delay: Span::ZERO,
        overhead,
        immediate_access: false,
        stations: Vec::new(),
        range: Some(Range::free_space(40.0, 85.0)),
        errors: Vec::new(),
    }
}

/// Mean goodput over some seeds, Mbit/s.
fn goodput(plan: &Plan, seeds: u64) -> f64 {
    (1..=seeds).map(|seed| run(plan, seed).flows[0].goodput_mbps).sum::<f64>() / seeds as f64
}

/// ns-3's: 54 Mbit/s, ACKs at 24 Mbit/s, access without a backoff on an idle medium; NewReno with SACK, timestamps and an ACK per
/// segment, its window unbounded. A queue of 50 counts the packet in service there.
fn as_in_ns3(hops: u16, mss: u32) -> Plan {
    let mut config = Preset::Rfc.config(mss);
    config.delayed_ack = None;
    let cell = CellPlan { immediate_access: true, ..cell(Phy::ERP_OFDM, 54, 24, 36) };
    let mut plan = chain(hops, cell, "sack", config, Span::from_secs(20));
    plan.wlans[0].queue = QueuePlan::DropTail { packets: 49 };
    plan
}

fn ns3(hops: u16, mss: u32) -> f64 {
    let given = format!("hops={hops};mss={mss};delack=1;T=20;retry=7;rwnd=0");
    let rows = include_str!("reference/ns3.csv").lines().map(|l| l.split(',').collect::<Vec<_>>());
    let mut rows = rows.filter(|f| f[0] == "B" && f[2] == given);
    rows.next().expect("a row of the table")[4].parse().expect("a number")
}

/// One seed a point there; over one hop ns-3's seeds differ by 5 %.
///
/// Airhop is up to 12 % below over 4 and 8 hops, for one reason: an ns-3 station whose queue is empty when it receives a packet to
/// forward asks for the medium before its own link ACK, finds it idle, and forwards a DIFS after that ACK without a backoff. By
/// IEEE 802.11-2016 §10.3.4.2 the medium has to stay idle for a DIFS, and its own ACK is in the way. Without that difference the
/// points are within 4 %.
#[test]
fn goodput_over_a_chain_is_that_of_ns3() {
    for mss in [1460, 1000] {
        for hops in [1, 2, 4, 8] {
            let (ours, ns3) = (goodput(&as_in_ns3(hops, mss), 4), ns3(hops, mss));
            let off = ours / ns3 - 1.0;
            println!("{hops} hops, {mss} B: ns-3 {ns3:.3}, Airhop {ours:.3}: {:+.1} %", off * 100.0);
            assert!(off.abs() < 0.15, "{hops} hops, {mss} B: ns-3 {ns3:.3}, Airhop {ours:.3}, {off:+.3}");
        }
    }
}

/// ns-2's: 36 Mbit/s, control frames and the 192 bits of header at 6 Mbit/s, Reno with a window of 100 segments of 1460 bytes; its MAC
/// adds 34 bytes, its routing 20.
fn as_in_ns2(hops: u16) -> Plan {
    let phy = Phy { plcp: Span::from_micros(32), coding: Coding::Serial, ..Phy::ERP_OFDM };
    let mut config = Preset::Ns2.config(1460);
    config.receive_window = 100 * 1460;
    chain(hops, cell(phy, 36, 6, 54), "reno", config, Span::from_secs(100))
}

/// ns-2.35 with static routes, goodput over 1 to 8 hops (one seed of 100 s).
const NS2: [f64; 8] = [13.49, 7.28, 4.15, 2.97, 2.56, 2.30, 2.09, 2.00];

#[test]
fn goodput_over_a_chain_is_that_of_ns2() {
    for (hops, ns2) in (1..).zip(NS2) {
        let ours = goodput(&as_in_ns2(hops), 2);
        let off = ours / ns2 - 1.0;
        println!("{hops} hops: ns-2 {ns2:.2}, Airhop {ours:.2}: {:+.1} %", off * 100.0);
        assert!(off.abs() < 0.08, "{hops} hops: ns-2 {ns2:.2}, Airhop {ours:.2}, {off:+.3}");
    }
}
