//! A chain of stations that hear their neighbours alone (Cheng and Lin 2008: 30 m apart, frames reach 40 m and are sensed at 85 m).

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::plan::{AppPlan, Draws, FlowPlan, Plan, QueuePlan, RoutingPlan, Transport, WlanPlan};
use airhop_net::services;
use airhop_radio::cell::{Access, CellPlan, LinkErrors, Range};
use airhop_radio::phy::{Coding, Phy};
use airhop_tcp::{Params, Preset};

/// One bulk flow from end to end.
#[derive(Clone, Debug)]
pub struct Chain {
    pub hops: u16,
    pub scheme: &'static str,
    pub seconds: u64,
    pub routing: RoutingPlan,
    pub errors: Vec<LinkErrors>,
}

impl Chain {
    pub fn plan(&self) -> Plan {
        let nodes: Vec<String> = (0..=self.hops).map(|i| format!("n{i}")).collect();
        let phy = Phy {
            cw_min: 31,
            plcp: Span::from_micros(20),
            coding: Coding::Serial,
            ..Phy::find("802.11g").expect("a known standard")
        };
        let cell = CellPlan {
            index: 0,
            name: "field".into(),
            phy,
            rate: Rate::from_bps(36_000_000),
            control_rate: Rate::from_bps(24_000_000),
            access: Access::Basic,
            attempts: 7,
            retry_delay: Span::ZERO,
            overhead: 34,
            immediate_access: false,
            stations: nodes
                .iter()
                .zip(0..)
                .map(|(name, i)| (name.clone(), [30.0 * f64::from(i), 0.0]))
                .collect(),
            range: Some(Range::free_space(40.0, 85.0)),
            errors: self.errors.clone(),
        };
        let scheme = airhop_tcp::find(self.scheme).expect("a known scheme");
        let mut config = Preset::Ns2.config(1000);
        config.receive_window = 20_000;
        let flow = FlowPlan {
            name: "ftp".into(),
            from: NodeId(0),
            to: NodeId(self.hops),
            transport: Transport::Tcp { scheme, params: Params::defaults(scheme), config },
            app: AppPlan::Bulk,
            start: Time::ZERO + Span::from_millis(500),
            services: scheme.needs.iter().filter_map(|need| services::find(need)).collect(),
        };
        Plan {
            name: "chain".into(),
            duration: Span::from_secs(self.seconds),
            warmup: Span::ZERO,
            wired: Vec::new(),
            wlans: vec![WlanPlan {
                cell,
                nodes: (0..=self.hops).map(NodeId).collect(),
                queue: QueuePlan::DropTail { packets: 50 },
                routing: self.routing,
                draws: Draws::default(),
            }],
            nodes,
            flows: vec![flow],
        }
    }
}
