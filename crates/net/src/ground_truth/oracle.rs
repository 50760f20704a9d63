//! Oracle: properties of a path that only the simulator can compute. These are the RTT without losses and
//! queueing, and a flow's share of the bottleneck rate.
//!
//! A wired link has its constant rate. A recorded link has its mean rate, and a link that changes has its
//! lowest rate. ACKs limit the flow if they fill a slow reverse direction (RFC 3449 §2.1). The rate of a
//! radio link excludes frame overhead, and link ACKs from the same transmitter. A small link-layer window
//! reduces the rate further.

use crate::links::LinkPlan;
use crate::plan::{FlowPlan, Plan, Transport};
use crate::routing::{Graph, Hop, Medium, StaticRoutes};
use crate::services::ServiceKind;
use airhop_base::{
    NodeId, RareOptions, Rate, Segment, SegmentArrival, Span, TCP_IP_HEADER_BYTES, Time, Timestamps,
    UDP_IP_HEADER_BYTES,
};
use airhop_tcp::seams::PathTruth;
use airhop_tcp::{Config, ReceiverFeatures};
use std::collections::HashMap;

/// Returns the oracle's values for each flow that requests them, in the order of the plan; `None` for other
/// flows.
pub(crate) fn path_truths(plan: &Plan, graph: &Graph, routes: &StaticRoutes) -> Vec<Option<PathTruth>> {
    if !plan.flows.iter().any(asks_oracle) {
        return vec![None; plan.flows.len()];
    }
    let network = NetworkLoads::new(plan, graph, routes);
    plan.flows.iter().map(|f| asks_oracle(f).then(|| network.path_truth(f)).flatten()).collect()
}

/// Returns the oracle's values for a flow that opens at run time; `None` if the flow does not request them.
pub(crate) fn path_truth(
    plan: &Plan,
    graph: &Graph,
    routes: &StaticRoutes,
    flow: &FlowPlan,
) -> Option<PathTruth> {
    asks_oracle(flow).then(|| NetworkLoads::new(plan, graph, routes).path_truth(flow)).flatten()
}

fn asks_oracle(flow: &FlowPlan) -> bool {
    flow.services.iter().any(|service| matches!(service.kind, ServiceKind::Oracle))
}

/// Loads of all transmission media in the network.
struct NetworkLoads<'a> {
    plan: &'a Plan,
    graph: &'a Graph,
    routes: &'a StaticRoutes,
    loads: HashMap<Medium, MediumLoad>,
}

/// Load of a transmission medium: a direction of a link, or a cell.
#[derive(Clone, Copy, Default)]
struct MediumLoad {
    /// Mean fraction of the medium's time used by datagrams.
    datagrams: f64,
    /// Number of TCP flows that send data across the medium.
    connections: u32,
    /// Number of TCP flows that send only ACKs across the medium.
    answers: u32,
}

impl MediumLoad {
    /// Returns the fraction of the medium's time left for each TCP flow's data.
    fn data_share(&self) -> f64 {
        (1.0 - self.datagrams).max(0.0) / f64::from(self.connections.max(1))
    }

    /// Returns the fraction of the medium's time left for each TCP flow's ACKs. Only the ACKs of other flows
    /// count, because the next cumulative ACK replaces a dropped ACK.
    fn ack_share(&self) -> f64 {
        1.0 / f64::from(self.answers.max(1))
    }
}

/// Function that maps the load of a medium to a fraction of the medium's time.
type Share = fn(&MediumLoad) -> f64;

impl<'a> NetworkLoads<'a> {
    fn new(plan: &'a Plan, graph: &'a Graph, routes: &'a StaticRoutes) -> Self {
        let mut network = NetworkLoads { plan, graph, routes, loads: HashMap::new() };
        for flow in &plan.flows {
            network.add_flow(flow);
            if flow.app.is_conversation() {
                network.add_flow(&FlowPlan { from: flow.to, to: flow.from, ..flow.clone() });
            }
        }
        network
    }

    fn path(&self, from: NodeId, to: NodeId) -> Vec<Hop> {
        let path = self.routes.path(self.graph, from, to);
        path.into_iter().map(|(_, hop)| hop).collect()
    }

    fn link(&self, hop: Hop) -> &'a dyn LinkPlan {
        self.plan.links.link_of_hop(hop).expect("a path consists of hops")
    }

    fn add_flow(&mut self, flow: &FlowPlan) {
        let path = self.path(flow.from, flow.to);
        for (i, &hop) in path.iter().enumerate() {
            match flow.transport {
                Transport::Udp { bytes } => {
                    let per_second = flow.app.mean_rate_bps() / (8.0 * f64::from(bytes));
                    let link = self.link(hop);
                    let taken = link.medium_time(hop, bytes + UDP_IP_HEADER_BYTES);
                    self.load(hop).datagrams += per_second * taken.secs_f64();
                    self.load(hop.reverse()).datagrams +=
                        per_second * link.link_ack_medium_time(hop).secs_f64();
                }
                // A flow whose data crosses a cell on two hops counts once; its times per packet are summed.
                Transport::Tcp { .. } if path[..i].iter().any(|other| other.medium() == hop.medium()) => {}
                Transport::Tcp { .. } => self.load(hop).connections += 1,
            }
        }
        if matches!(flow.transport, Transport::Tcp { .. }) {
            for hop in self.ack_hops(flow) {
                self.load(hop).answers += 1;
            }
        }
    }

    /// Returns the hops of a flow's ACKs over media that its data does not use.
    fn ack_hops(&self, flow: &FlowPlan) -> Vec<Hop> {
        let taken: Vec<Medium> = self.path(flow.from, flow.to).into_iter().map(Hop::medium).collect();
        let back = self.path(flow.to, flow.from).into_iter();
        back.filter(|hop| !taken.contains(&hop.medium())).collect()
    }

    fn load(&mut self, hop: Hop) -> &mut MediumLoad {
        self.loads.entry(hop.medium()).or_default()
    }

    fn path_truth(&self, flow: &FlowPlan) -> Option<PathTruth> {
        let Transport::Tcp { scheme, config, .. } = &flow.transport else { return None };
        let sizes = Sizes::new(config, &scheme.features);
        let per_ack = config.delayed_ack.map_or(1, |delay| u64::from(delay.segments));
        // Time for which a segment, and its part of an ACK, occupy each medium.
        let mut taken: Vec<(Medium, Span)> = Vec::new();
        for hop in self.path(flow.from, flow.to) {
            let link = self.link(hop);
            let time = link.medium_time(hop, sizes.data) + link.answer_medium_time(hop, sizes.ack) / per_ack;
            match taken.iter_mut().find(|(medium, _)| *medium == hop.medium()) {
                Some((_, all)) => *all = *all + time,
                None => taken.push((hop.medium(), time)),
            }
        }
        let answering = self.ack_hops(flow);
        let answers =
            answering.iter().map(|&hop| (hop.medium(), self.link(hop).medium_time(hop, sizes.ack) / per_ack));
        let answers: Vec<(Medium, Span)> = answers.collect();
        let payload = 8.0 * f64::from(config.mss);
        let narrowest = |share: Share, of_answers: Share| {
            let rate = |(share, (medium, time)): (Share, &(Medium, Span))| {
                share(&self.loads.get(medium).copied().unwrap_or_default()) * payload / time.secs_f64()
            };
            let data = taken.iter().map(|taken| rate((share, taken)));
            let all = data.chain(answers.iter().map(|taken| rate((of_answers, taken))));
            Rate::from_bps_f64(all.fold(f64::INFINITY, f64::min))
        };
        let rate = narrowest(MediumLoad::data_share, MediumLoad::ack_share);
        Some(PathTruth {
            share_rate: rate,
            bottleneck_rate: narrowest(|_| 1.0, |_| 1.0),
            base_rtt: self.unloaded_rtt(flow, &sizes),
        })
    }

    /// Returns the RTT of a full segment that is sent when an ACK arrives. Queues are empty, no other node
    /// sends, and backoffs have their mean length.
    fn unloaded_rtt(&self, flow: &FlowPlan, sizes: &Sizes) -> Span {
        let (there, back) = (self.path(flow.from, flow.to), self.path(flow.to, flow.from));
        let first = back.last().copied().unwrap_or(Hop::None);
        let crossings = there.into_iter().map(|hop| (hop, sizes.data));
        let crossings = crossings.chain(back.into_iter().map(|hop| (hop, sizes.ack)));
        let step =
            |(total, before), (hop, bytes)| (total + self.link(hop).crossing_time(before, hop, bytes), hop);
        crossings.fold((Span::ZERO, first), step).0
    }
}

/// Lengths of a TCP connection's IP datagrams in bytes.
struct Sizes {
    data: u32,
    ack: u32,
}

impl Sizes {
    fn new(config: &Config, features: &ReceiverFeatures) -> Self {
        let timestamps = config.timestamps.then_some(Timestamps { tsval: 0, tsecr: 0 });
        let blank = || Segment { timestamps, ..Segment::default() };
        let contention = features.contention_time.then_some(Span::ZERO);
        let data = Segment { has_header_checksum: features.header_checksum, ..blank() };
        let data = data.with_rare_options(RareOptions { contention_time: contention, ..RareOptions::NONE });
        let arrival = features.arrival_report.then_some(SegmentArrival { seq: 0, at: Time::ZERO });
        let ack = blank().with_rare_options(RareOptions { arrival, ..RareOptions::NONE });
        Sizes {
            data: TCP_IP_HEADER_BYTES + data.option_bytes() + config.mss,
            ack: TCP_IP_HEADER_BYTES + ack.option_bytes(),
        }
    }
}
