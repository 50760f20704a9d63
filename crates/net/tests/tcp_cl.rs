//! TCP-CL and TCP-CC on chains of static stations (Cheng & Lin 2008).

mod common;

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::plan::{AppPlan, Draws, FlowPlan, Plan, QueuePlan, Transport, WlanPlan};
use airhop_net::{Report, World, services};
use airhop_radio::cell::{Access, CellPlan, LinkErrors, Range};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::phy::Phy;
use airhop_tcp::seams::Judged;
use airhop_tcp::{Params, Preset};
use airhop_trace::{Column, Recorder, Table};
use common::run;
use std::sync::atomic::AtomicBool;

const NAK: usize = 4;

/// Five stations 30 m apart that receive up to 40 m and sense up to 85 m; a bulk flow over four hops. Data frames from the second
/// to the third are lost with probability `fer`, and a MAC tries twice.
fn chain(scheme: &str, fer: f64, given: &[(&str, f64)]) -> Plan {
    let scheme = airhop_tcp::find(scheme).expect("a known scheme");
    let nodes: Vec<String> = (0..5).map(|i| format!("n{i}")).collect();
    let model = ErrorPlan::FrameErrorRate { fer, reference_bits: 1076 * 8 };
    let cell = CellPlan {
        index: 0,
        name: "chain".into(),
        phy: Phy::find("802.11g").expect("a known standard"),
        rate: Rate::from_bps(36_000_000),
        control_rate: Rate::from_bps(24_000_000),
        access: Access::Basic,
        attempts: 2,
        retry_delay: Span::ZERO,
        overhead: 36,
        immediate_access: false,
        stations: nodes.iter().enumerate().map(|(i, n)| (n.clone(), [30.0 * i as f64, 0.0])).collect(),
        range: Some(Range::free_space(40.0, 85.0)),
        errors: vec![LinkErrors { from: Some(1), to: Some(2), model }],
    };
    let mut params = Params::defaults(scheme);
    given.iter().for_each(|&(name, value)| params.set(scheme, name, value).expect("a parameter"));
    let mut config = Preset::Ns2.config(1000);
    config.receive_window = 8_000;
    Plan {
        name: "chain".into(),
        duration: Span::from_secs(40),
        warmup: Span::ZERO,
        wired: vec![],
        wlans: vec![WlanPlan {
            cell,
            nodes: (0..5).map(NodeId).collect(),
            queue: QueuePlan::DropTail { packets: 50 },
            draws: Draws::default(),
        }],
        flows: vec![FlowPlan {
            name: "f".into(),
            from: NodeId(0),
            to: NodeId(4),
            transport: Transport::Tcp { scheme, params, config },
            app: AppPlan::Bulk,
            start: Time::ZERO,
            services: scheme.needs.iter().map(|need| services::find(need).expect("a service")).collect(),
        }],
        nodes,
    }
}

/// Rows of table `notices` that say `event`: seconds and sequence number.
fn naks(tables: &[Table], event: &str) -> Vec<(f64, u64)> {
    let table = tables.iter().find(|t| t.name == "notices").expect("a table");
    let (
        Some(Column::F64(time)),
        Some(Column::U64(seq)),
        Some(Column::Category(kind, kinds)),
        Some(Column::Category(code, words)),
    ) = (table.column("time_s"), table.column("seq"), table.column("kind"), table.column("event"))
    else {
        panic!("{table:?}")
    };
    assert!(kind.iter().all(|&kind| kinds[kind as usize] == "nak"));
    let rows = time.iter().zip(seq).zip(code).filter(|(_, code)| words[**code as usize] == event);
    rows.map(|((&t, &seq), _)| (t, seq)).collect()
}

fn traced(plan: &Plan) -> (Report, Vec<Table>) {
    let recorder = Recorder::new(&["f".into()], &plan.nodes, plan.duration, true, None).expect("no files");
    let mut world = World::new(plan, 1, 0, Some(recorder)).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("nobody stops it");
    world.audit().expect("every packet has one fate");
    let report = world.report();
    (report, world.into_recorder().expect("it was given one").finish().expect("no files"))
}

#[test]
fn probe() {
    for scheme in ["reno", "tcp-cl", "tcp-cc", "tcp-w"] {
        for fer in [0.0, 0.3, 0.5] {
            let (r, tables) = traced(&chain(scheme, fer, &[]));
            println!("{scheme} {fer}: {:?} {:?}", r.flows[0], r.drops);
            if scheme == "tcp-cl" {
                println!("{} {}", naks(&tables, "sent").len(), naks(&tables, "received").len());
            }
        }
    }
}
