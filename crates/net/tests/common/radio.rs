//! Two topologies of Kounavis 1996.

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::apps::{BulkPlan, CbrPlan};
use airhop_net::links::{Links, RadioLinkPlan, WiredPlan};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_radio::arq::{ArqPlan, ArqRules, RetransmissionGroup, derived_timeout};
use airhop_radio::errors::{ErrorPlan, FadePlan, InitialState, Sojourn};
use airhop_radio::link::RadioPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_tcp::Preset;
use std::sync::Arc;

/// Fixed host, base station and mobile (f - bs - m), or two mobiles and their base stations (m1 - bs1 - bs2 -
/// m2). The wires have 56 kbit/s, the radio links 19.2 kbit/s. Packets have 128 bytes, 88 of payload and 40
/// of headers (Kounavis 1996 §5).
#[derive(Clone, Debug)]
pub struct Mobile {
    pub scheme: &'static str,
    pub to_mobile: bool,
    /// Link recovery of each radio link: for the direction of the data, and for that of the ACKs.
    pub arq: [ArqPlan; 2],
    pub errors: ErrorPlan,
    pub air_delay_ms: u64,
    pub overhead: u32,
    /// Maximum window, segments.
    pub window: u64,
    pub seconds: u64,
}

pub const PAYLOAD: u32 = 88;
pub const FRAME: u32 = 128;
pub const AIR: Rate = Rate::from_bps(19_200);

impl Default for Mobile {
    fn default() -> Self {
        Mobile {
            scheme: "tahoe",
            to_mobile: false,
            arq: [ArqPlan::None, ArqPlan::None],
            errors: ErrorPlan::Clean,
            air_delay_ms: 10,
            overhead: 0,
            window: 20,
            seconds: 100,
        }
    }
}

/// Returns recovery rules with this window and this maximum number of attempts, a computed timeout and link
/// ACKs of 6 bytes, for a propagation delay of 10 ms.
pub fn rules(window: u32, attempts: Option<u32>) -> ArqRules {
    let timeout = derived_timeout([&AIR.into(), &AIR.into()], Span::from_millis(20), window, FRAME, 6, FRAME);
    ArqRules { window, timeout, max_attempts: attempts, ack_bytes: 6 }
}

/// Returns the paper's link recovery: go-back-n with a window of 3 for the data, selective repeat for the
/// ACKs.
pub fn recovery(attempts: Option<u32>) -> [ArqPlan; 2] {
    [
        ArqPlan::GoBackN { group: RetransmissionGroup::Sliding, rules: rules(3, attempts) },
        ArqPlan::SelectiveRepeat { srej: true, rules: rules(8, attempts) },
    ]
}

/// Returns the paper's fades: good periods with a mean of 10 s and a bit error rate of 1e-6, bad periods with
/// a mean of 4 s and a bit error rate of 1e-2. Their lengths are exponential, and the first period is good.
pub fn fades() -> ErrorPlan {
    fades_of(Sojourn::Exponential)
}

/// Returns fades with the means of [`fades`] and another distribution of the lengths.
pub fn fades_of(sojourn: Sojourn) -> ErrorPlan {
    let means = [Span::from_secs(10), Span::from_secs(4)];
    let fades = FadePlan::Drawn { means, sojourn, start: InitialState::Good };
    ErrorPlan::TwoState { fades, errors_per_bit: [1e-6, 1e-2] }
}

impl Mobile {
    pub fn plan(&self) -> Plan {
        let nodes: &[&str] = if self.to_mobile { &["m1", "bs1", "bs2", "m2"] } else { &["f", "bs", "m"] };
        let queue = [QueuePlan::DropTail { packets: 50 }; 2];
        let bases = if self.to_mobile { [NodeId(1), NodeId(2)] } else { [NodeId(0), NodeId(1)] };
        // The data travels from the first node of `ends` to the second.
        let radio = |index: u16, ends: [u16; 2]| RadioLinkPlan {
            link: RadioPlan {
                index,
                name: format!("air{index}"),
                ends: ends.map(|node| nodes[usize::from(node)].to_string()),
                rates: LinkRate::both_ways(AIR),
                delay: [Span::from_millis(self.air_delay_ms); 2],
                overhead_bytes: self.overhead,
                arq: self.arq.clone(),
                errors: [self.errors.clone(), self.errors.clone()],
            },
            nodes: ends.map(NodeId),
            queue,
        };
        let last = nodes.len() as u16 - 1;
        let mut radios = vec![radio(0, [last - 1, last])];
        if self.to_mobile {
            radios.push(radio(1, [0, 1]));
        }
        Plan {
            name: "mobile".into(),
            duration: Span::from_secs(self.seconds),
            warmup: Span::ZERO,
            nodes: nodes.iter().map(|name| name.to_string()).collect(),
            links: Links {
                wired: vec![WiredPlan {
                    name: "w".into(),
                    ends: bases,
                    rates: LinkRate::both_ways(Rate::from_bps(56_000)),
                    delay: [Span::from_millis(50); 2],
                    queue,
                    errors: [ErrorPlan::Clean, ErrorPlan::Clean],
                    reorder: [None; 2],
                }],
                radios,
                ..Links::default()
            },
            flows: vec![self.flow("f", NodeId(0), NodeId(last))],
        }
    }

    /// Returns a flow with this scheme and with the services that the scheme needs.
    pub fn flow(&self, name: &str, from: NodeId, to: NodeId) -> FlowPlan {
        let mut config = Preset::Ns2.config(PAYLOAD);
        config.receive_window = self.window * u64::from(PAYLOAD);
        config.rto.tick = Span::from_millis(100);
        FlowPlan {
            name: name.into(),
            from,
            to,
            transport: super::hosts::tcp(self.scheme, config),
            app: Arc::new(BulkPlan),
            start: Time::ZERO,
            access_category: Default::default(),
            services: super::needs(self.scheme),
            class: FlowClass::OfKind("bulk"),
        }
    }

    /// Returns the plan with a stream of datagrams instead of TCP; each has 128 bytes with headers.
    pub fn datagrams(&self, payload_bps: u64) -> Plan {
        let mut plan = self.plan();
        plan.flows[0].transport = Transport::Udp { bytes: 100 };
        plan.flows[0].app = Arc::new(CbrPlan { rate: Rate::from_bps(payload_bps) });
        plan.flows[0].services.clear();
        plan
    }
}
