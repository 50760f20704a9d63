//! Chain of stations, each of which receives only its neighbours, as in Cheng and Lin 2008: 30 m apart, a
//! receive range of 40 m and a carrier sense range of 85 m.

use airhop_base::{NodeId, NoticeKind, Rate, Span, Time};
use airhop_net::FlowReport;
use airhop_net::apps::BulkPlan;
use airhop_net::links::{Links, WlanPlan};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, RandomDraws, RoutingPlan};
use airhop_net::queues::QueuePlan;
use airhop_radio::cell::{CellPlan, CellRules, RadioRange};
use airhop_radio::phy::{Coding, Phy};
use airhop_tcp::{Config, Preset};
use std::sync::Arc;

/// Chain with one bulk flow from its first to its last station.
#[derive(Clone, Debug)]
pub struct Chain {
    pub hops: u16,
    pub scheme: &'static str,
    /// Parameters of the flow's congestion control.
    pub params: Vec<(&'static str, f64)>,
    pub config: Config,
    pub start: Time,
    pub seconds: u64,
    /// Channel; `plan` adds the stations.
    pub cell: CellPlan,
    pub routing: RoutingPlan,
}

impl Chain {
    /// Creates the paper's chain with ns-2's TCP and a window of 20 segments of 1000 bytes, for 100 s.
    pub fn new(hops: u16, scheme: &'static str, routing: RoutingPlan) -> Self {
        let mut config = Preset::Ns2.config(1000);
        config.receive_window = 20_000;
        let phy =
            Phy { cw_min: 31, plcp_duration: Span::from_micros(20), coding: Coding::Serial, ..Phy::ERP_OFDM };
        Chain {
            hops,
            scheme,
            params: Vec::new(),
            config,
            start: Time::ZERO + Span::from_millis(500),
            seconds: 100,
            cell: CellPlan { overhead_bytes: 34, ..cell("field", phy, 36, 24) },
            routing,
        }
    }

    pub fn plan(&self) -> Plan {
        let nodes: Vec<String> = (0..=self.hops).map(|i| format!("n{i}")).collect();
        let places = (0..=self.hops).map(|i| [30.0 * f64::from(i), 0.0]);
        let cell = CellPlan { stations: nodes.iter().cloned().zip(places).collect(), ..self.cell.clone() };
        let flow = FlowPlan {
            name: "ftp".into(),
            from: NodeId(0),
            to: NodeId(self.hops),
            transport: super::hosts::tcp_with(self.scheme, &self.params, self.config),
            app: Arc::new(BulkPlan),
            start: self.start,
            access_category: Default::default(),
            services: super::needs(self.scheme),
            class: FlowClass::OfKind("bulk"),
        };
        Plan {
            name: "chain".into(),
            duration: Span::from_secs(self.seconds),
            warmup: Span::ZERO,
            links: Links {
                wlans: vec![WlanPlan {
                    cell,
                    nodes: (0..=self.hops).map(NodeId).collect(),
                    queue: QueuePlan::DropTail { packets: 50 },
                    routing: self.routing,
                    draws: RandomDraws::default(),
                }],
                ..Links::default()
            },
            nodes,
            flows: vec![flow],
        }
    }
}

/// Returns a channel without stations, with the paper's ranges: no errors, basic access, at most seven
/// attempts per frame, the standard's overhead.
pub fn cell(name: &str, phy: Phy, rate_mbps: u64, control_mbps: u64) -> CellPlan {
    CellPlan {
        control_rate: Rate::from_bps(control_mbps * 1_000_000),
        rules: CellRules::NS2,
        range: Some(RadioRange::free_space(40.0, 85.0)),
        ..CellPlan::new(name, phy, Rate::from_bps(rate_mbps * 1_000_000))
    }
}

/// Returns the number of NAKs that a sender received.
pub fn naks(flow: &FlowReport) -> u64 {
    flow.notices[NoticeKind::Nak.index()]
}
