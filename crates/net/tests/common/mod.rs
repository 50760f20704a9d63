//! Networks used by several tests.
#![allow(dead_code, reason = "a benchmark or an example that includes it uses a part")]

pub mod chain;
pub mod dumbbell;
pub mod hosts;
pub mod radio;
pub mod trace;

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::apps::BulkPlan;
use airhop_net::links::{Links, WiredPlan, WlanPlan};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, RandomDraws, RoutingPlan};
use airhop_net::queues::QueuePlan;
use airhop_net::services::{self, Service};
use airhop_net::{Report, World};
use airhop_radio::cell::{CellPlan, CellRules, LinkErrors};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_radio::phy::Phy;
use airhop_tcp::{Config, NoticeHandling, Preset};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Topology of Yun 2009, Figure 5: S, R1, R2 and BS are connected by wires, BS and D by 802.11b.
#[derive(Clone, Debug)]
pub struct LastHop {
    pub scheme: &'static str,
    pub fer: f64,
    pub attempts: u32,
    pub control_mbps: f64,
    pub d_off_ms: u64,
    pub flows: usize,
    pub uplink: bool,
    pub seconds: u64,
    pub preset: Preset,
    /// Payload of a segment, bytes.
    pub segment: u32,
    /// True if every segment carries timestamps, with a clock of 1 ms.
    pub timestamps: bool,
    /// Parameters of the congestion control.
    pub params: &'static [(&'static str, f64)],
    /// Kinds of notices that the sender uses.
    pub notices: NoticeHandling,
}

impl Default for LastHop {
    fn default() -> Self {
        LastHop {
            scheme: "sack",
            fer: 0.01,
            attempts: 1,
            control_mbps: 1.0,
            d_off_ms: 10,
            flows: 1,
            uplink: false,
            seconds: 200,
            preset: Preset::Ns2,
            segment: SEGMENT,
            timestamps: false,
            params: &[],
            notices: NoticeHandling::Scheme,
        }
    }
}

const SEGMENT: u32 = 1000;
const OVERHEAD: u32 = 36;

impl LastHop {
    pub fn plan(&self) -> Plan {
        let nodes: Vec<String> = ["s", "r1", "r2", "bs", "d"].map(String::from).to_vec();
        let queue = QueuePlan::DropTail { packets: 50 };
        let wired = (0..3)
            .map(|i| WiredPlan {
                name: format!("w{}", i + 1),
                ends: [NodeId(i), NodeId(i + 1)],
                rates: LinkRate::both_ways(Rate::from_bps(10_000_000)),
                delay: [Span::from_millis(self.d_off_ms); 2],
                queue: [queue; 2],
                errors: [ErrorPlan::Clean, ErrorPlan::Clean],
                reorder: [None; 2],
            })
            .collect();
        let reference_bits = u64::from(SEGMENT + 40 + OVERHEAD) * 8;
        let cell = CellPlan {
            control_rate: Rate::from_bps((self.control_mbps * 1e6) as u64),
            max_attempts: self.attempts,
            overhead_bytes: OVERHEAD,
            rules: CellRules::NS2,
            stations: vec![("bs".into(), [0.0, 0.0]), ("d".into(), [10.0, 0.0])],
            errors: vec![LinkErrors {
                from: None,
                to: None,
                model: ErrorPlan::FrameErrorRate { fer: self.fer, reference_bits },
            }],
            ..CellPlan::new(
                "cell",
                Phy::find("802.11b").expect("a known standard"),
                Rate::from_bps(11_000_000),
            )
        };
        let mut config = Config { notice_reaction: self.notices, ..self.preset.config(self.segment) };
        if self.timestamps {
            config.timestamps = true;
            config.rto.tick = Span::from_millis(1);
        }
        let transport = hosts::tcp_with(self.scheme, self.params, config);
        let (from, to) = if self.uplink { (NodeId(4), NodeId(0)) } else { (NodeId(0), NodeId(4)) };
        let flows = (0..self.flows)
            .map(|i| FlowPlan {
                name: format!("f{i}"),
                from,
                to,
                transport: transport.clone(),
                app: Arc::new(BulkPlan),
                start: Time::ZERO + Span::from_millis(100) * i as u64,
                access_category: Default::default(),
                services: needs(self.scheme),
                class: FlowClass::OfKind("bulk"),
            })
            .collect();
        Plan {
            name: "last-hop".into(),
            duration: Span::from_secs(self.seconds),
            warmup: Span::ZERO,
            nodes,
            links: Links {
                wired,
                wlans: vec![WlanPlan {
                    cell,
                    nodes: vec![NodeId(3), NodeId(4)],
                    queue,
                    routing: RoutingPlan::Static,
                    draws: RandomDraws::default(),
                }],
                ..Links::default()
            },
            flows,
        }
    }

    pub fn run(&self, seed: u64) -> Report {
        run(&self.plan(), seed)
    }
}

/// Returns the services with these names.
pub fn served_by(names: &[&str]) -> Vec<&'static Service> {
    names.iter().map(|name| services::find(name).expect("a service")).collect()
}

/// Returns the services that a scheme needs.
pub fn needs(scheme: &str) -> Vec<&'static Service> {
    served_by(airhop_tcp::find_scheme(scheme).expect("a known scheme").network_requirements)
}

/// Runs a plan to its end, and checks that all its packets are accounted for.
pub fn run(plan: &Plan, seed: u64) -> Report {
    let mut world = World::new(plan, seed, 0, None).expect("a plan with routes");
    world.run(&AtomicBool::new(false)).expect("no stop is requested");
    world.check_packet_counts().expect("every packet has exactly one outcome");
    world.report()
}
