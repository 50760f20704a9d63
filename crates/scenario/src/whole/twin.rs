//! Twin of an emulation: a simulation of the same scenario. Simulated hosts send the traffic of the real
//! hosts.

use super::opening::RealHostPlan;
use super::scenario::Scenario;
use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::EmulatorPlan;
use airhop_net::apps::{AppPlan, CbrPlan, TransferPlan};
use airhop_net::outside::{ObservedFlow, ObservedLoad};
use airhop_net::plan::{FlowClass, FlowPlan, Transport};
use airhop_tcp::{Params, Preset, Scheme, find_scheme};
use std::sync::Arc;

/// Congestion control of a simulated connection if the real sender's congestion control is unknown or not
/// implemented in Airhop.
const DEFAULT_CONGESTION_CONTROL: &str = "cubic";
/// Minimum fraction of all bytes that a flow must have carried to be simulated. Small flows, such as the
/// control connection of iperf3 or a DNS query, are omitted.
const MIN_BYTE_SHARE: f64 = 0.01;
/// Maximum number of simulated flows. The flows with the most bytes are simulated.
const MAX_TWIN_FLOWS: usize = 16;

/// Flow of real hosts, with the congestion control that the sender's kernel reported.
#[derive(Clone, Debug)]
pub struct RealFlow {
    /// Traffic that the network observed.
    pub observed: ObservedFlow,
    /// Congestion control of the sender; `None` if unknown.
    pub congestion_control: Option<String>,
}

/// Twin of an emulation: two simulated scenarios, to be compared with each other and with the emulation.
#[derive(Clone, Debug)]
pub struct Twin {
    /// Scenario without timing errors: packets reach the hosts in time, and hosts wake up at once.
    pub without_timing_errors: Scenario,
    /// Scenario with the lateness and the turnaround of the emulation.
    pub with_timing_errors: Scenario,
    /// Flows listed in the comparison.
    pub flows: Vec<TwinFlow>,
}

/// Flow of a twin.
#[derive(Clone, Debug, PartialEq)]
pub struct TwinFlow {
    /// Name of the flow in the run document.
    pub name: String,
    /// Start time.
    pub start: Time,
    /// Congestion control; `None` for UDP.
    pub scheme: Option<&'static str>,
    /// Real flow with the same traffic; `None` for a flow of the scenario.
    pub real: Option<RealFlowName>,
}

/// Names of a real flow in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealFlowName {
    /// Name of the flow in the run document of the emulation.
    pub name: String,
    /// Congestion control of the sender; `None` if unknown.
    pub congestion_control: Option<String>,
}

impl Scenario {
    /// Returns the twin of an emulation of this scenario. `opening` contains the nodes with real hosts, and
    /// `end` is the end of the emulation.
    ///
    /// The TCP flows of the twin carry as many bytes as the flows in `real`, with the preset `linux`. The UDP
    /// flows have a constant rate. If no real flow carried a significant fraction of the bytes, the
    /// scenario's own flows are simulated.
    pub fn twin(&self, opening: &RealHostPlan, real: &[RealFlow], end: Time, emulator: EmulatorPlan) -> Twin {
        let mut plan = self.plan().clone();
        (plan.duration, plan.warmup) = (end.since(Time::ZERO), Span::ZERO);
        let own = opening
            .outside
            .replaced_flows
            .iter()
            .map(|id| usize::from(id.0))
            .filter(|&id| id < plan.flows.len());
        let largest = largest_flows(real, end);
        let flows = if largest.is_empty() {
            own.map(|id| TwinFlow::from_plan(&plan.flows[id], None)).collect()
        } else {
            // Flows that real traffic replaces are not removed, only never started, because flows are
            // referred to by their number.
            own.collect::<Vec<_>>().into_iter().for_each(|id| plan.flows[id].start = Time::MAX);
            let twins = largest.iter().enumerate().map(|(i, one)| one.to_flow_plan(opening, i, end));
            let twins: Vec<FlowPlan> = twins.collect();
            let told =
                twins.iter().zip(&largest).map(|(twin, one)| TwinFlow::from_plan(twin, Some(one))).collect();
            plan.flows.extend(twins);
            told
        };
        let punctual = self.with_plan(plan.clone(), Some(emulator.without_delays()));
        Twin {
            without_timing_errors: punctual,
            with_timing_errors: self.with_plan(plan, Some(emulator)),
            flows,
        }
    }
}

/// Returns the flows with the most bytes, ordered by opening time. Flows that opened in the last tenth of the
/// emulation are omitted.
fn largest_flows(real: &[RealFlow], end: Time) -> Vec<&RealFlow> {
    let total: u64 = real.iter().map(RealFlow::bytes).sum();
    let latest = Time::ZERO + end.since(Time::ZERO) * 9 / 10;
    let is_large = |flow: &&RealFlow| {
        flow.bytes() as f64 > MIN_BYTE_SHARE * total as f64 && flow.observed.start < latest
    };
    let mut found: Vec<&RealFlow> = real.iter().filter(is_large).collect();
    found.sort_by_key(|flow| std::cmp::Reverse(flow.bytes()));
    found.truncate(MAX_TWIN_FLOWS);
    found.sort_by_key(|flow| flow.observed.start);
    found
}

impl RealFlow {
    fn bytes(&self) -> u64 {
        match self.observed.load {
            ObservedLoad::Tcp { bytes } | ObservedLoad::Udp { bytes, .. } => bytes,
        }
    }

    fn scheme(&self) -> &'static Scheme {
        let known = self
            .congestion_control
            .as_deref()
            .and_then(find_scheme)
            .filter(|scheme| scheme.network_requirements.is_empty());
        known.or_else(|| find_scheme(DEFAULT_CONGESTION_CONTROL)).expect("the default is in the catalogue")
    }

    fn to_flow_plan(&self, opening: &RealHostPlan, number: usize, end: Time) -> FlowPlan {
        let ObservedFlow { from, to, start, load, .. } = self.observed;
        let (transport, app, kind): (_, Arc<dyn AppPlan>, _) = match load {
            ObservedLoad::Tcp { bytes } => {
                let scheme = self.scheme();
                let config = Preset::Linux.config(opening.segment_bytes([from, to]));
                (
                    Transport::Tcp { scheme, params: Params::defaults(scheme), config },
                    Arc::new(TransferPlan { bytes }),
                    "tcp",
                )
            }
            ObservedLoad::Udp { datagrams, bytes } => {
                let bits_per_s = 8.0 * bytes as f64 / end.since(start).secs_f64();
                let size = bytes.div_ceil(datagrams.max(1)) as u32;
                let app = Arc::new(CbrPlan { rate: Rate::from_bps_f64(bits_per_s) });
                (Transport::Udp { bytes: size.max(1) }, app, "udp")
            }
        };
        let stand_ins =
            opening.outside.replaced_flows.iter().map(|id| &opening.plan.flows[usize::from(id.0)]);
        let way = stand_ins.into_iter().find(|flow| (flow.from, flow.to) == (from, to));
        FlowPlan {
            name: format!("twin {number}"),
            from,
            to,
            transport,
            app,
            start,
            access_category: way.map(|flow| flow.access_category).unwrap_or_default(),
            services: way.map(|flow| flow.services.clone()).unwrap_or_default(),
            class: FlowClass::OfKind(kind),
        }
    }
}

impl TwinFlow {
    fn from_plan(plan: &FlowPlan, real: Option<&RealFlow>) -> Self {
        let scheme = match &plan.transport {
            Transport::Tcp { scheme, .. } => Some(scheme.name),
            Transport::Udp { .. } => None,
        };
        let real = real.map(|of| RealFlowName {
            name: of.observed.name.clone(),
            congestion_control: of.congestion_control.clone(),
        });
        TwinFlow { name: plan.name.clone(), start: plan.start, scheme, real }
    }
}

impl RealHostPlan {
    /// Returns the payload of a full segment between two nodes with real hosts, in bytes.
    fn segment_bytes(&self, between: [NodeId; 2]) -> u32 {
        let ends = self.outside.host_nodes.iter().zip(&self.mtus);
        let mtus = ends.filter(|(end, _)| between.contains(&end.node)).map(|(_, &mtu)| mtu);
        mtus.min()
            .unwrap_or(super::opening::DEFAULT_MTU)
            .saturating_sub(super::opening::MAX_HEADER_BYTES)
            .max(1)
    }
}
