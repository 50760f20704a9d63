//! Scenario with real hosts: the nodes where real hosts are attached, and the flows that real traffic
//! replaces.

use super::scenario::Scenario;
use crate::grammar::problem::{Problems, ScenarioError, SourcePosition, did_you_mean, format_list};
use airhop_base::{FlowId, NodeId, Time};
use airhop_net::apps::BulkPlan;
use airhop_net::outside::{AddressScope, AttachedHostsPlan, RealHostNode};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, Transport};
use airhop_net::services::RealHostEffect;
use airhop_tcp::{Config, Params, Scheme};
use std::sync::Arc;

/// Maximum length of a segment's headers in bytes: 20 for IPv4 and 32 for TCP with timestamps. IPv6 and TCP
/// need 40 + 32 bytes, but the device makes room for IPv4 only.
pub(super) const MAX_HEADER_BYTES: u32 = 52;

/// MTU in bytes of a node where no flow of the scenario ends: the MTU of Ethernet (RFC 894).
pub(super) const DEFAULT_MTU: u32 = 1500;

/// Request to attach real hosts at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAttachment {
    /// Request as the user wrote it, for messages: `--on s`.
    pub requested_as: String,
    /// Name of the node.
    pub node: String,
    /// Addresses that are reached through the node.
    pub reach: AddressScope,
    /// True if the senders at the node have a listener for notices in the form of ACKs.
    pub has_notice_listener: bool,
}

/// World with real hosts: plan, nodes and flows.
#[derive(Clone, Debug)]
pub struct RealHostPlan {
    /// Plan, with a flow for each direction between two nodes with real hosts.
    pub plan: Plan,
    /// Nodes with real hosts, and the flows that real traffic replaces.
    pub outside: AttachedHostsPlan,
    /// Length in bytes of the largest datagram at each node with real hosts. This is a full segment plus 52
    /// bytes of headers, or 1500 if no flow of the scenario ends at the node.
    pub mtus: Vec<u32>,
    /// Notes on services with a reduced effect on real packets, one sentence each.
    pub notes: Vec<String>,
}

impl RealHostPlan {
    /// Returns the TCP flows that real traffic replaces: endpoints, scheme, parameters and configuration.
    pub fn tcp_flows(&self) -> impl Iterator<Item = (NodeId, NodeId, &'static Scheme, &Params, &Config)> {
        self.outside.replaced_flows.iter().filter_map(|flow| {
            let flow = &self.plan.flows[usize::from(flow.0)];
            match &flow.transport {
                Transport::Tcp { scheme, params, config } => {
                    Some((flow.from, flow.to, *scheme, params, config))
                }
                Transport::Udp { .. } => None,
            }
        })
    }
}

impl Scenario {
    /// Attaches real hosts at these nodes. Real traffic replaces the scenario's flows between two of these
    /// nodes. All other flows are simulated.
    ///
    /// # Errors
    ///
    /// Returns a [`ScenarioError`] if there are fewer than two nodes, if a node is unknown or named twice, if
    /// more than two nodes lead to networks, or if a service of a replaced flow cannot act on real packets.
    pub fn attach_hosts(&self, doors: &[HostAttachment]) -> Result<RealHostPlan, ScenarioError> {
        let mut problems = Problems::default();
        let ends = self.outside_ends(doors, &mut problems);
        let mut plan = self.plan().clone();
        let mut flows = self.replaced_flows(&ends, &mut problems);
        let mtus = ends.iter().map(|end| mtu(&plan, &flows, end.node)).collect();
        let notes = notes(&plan, &flows, &ends);
        flows.extend(add_missing_flows(&mut plan, &flows, &ends));
        let opening = RealHostPlan {
            plan,
            outside: AttachedHostsPlan { host_nodes: ends, replaced_flows: flows },
            mtus,
            notes,
        };
        problems.into_result(self.name(), Some(opening))
    }

    fn outside_ends(&self, doors: &[HostAttachment], problems: &mut Problems) -> Vec<RealHostNode> {
        let nodes = &self.plan().nodes;
        let mut ends: Vec<RealHostNode> = Vec::new();
        for door in doors {
            let at = SourcePosition::Option(door.requested_as.clone());
            let Some(index) = nodes.iter().position(|name| *name == door.node) else {
                let known = || nodes.iter().map(String::as_str);
                let hint = did_you_mean(&door.node, known());
                let what =
                    format!("no node \"{}\"; expected one of {}{hint}", door.node, format_list(known()));
                problems.add(&at, "", what);
                continue;
            };
            let node = NodeId(index as u16);
            match ends.iter().find(|end| end.node == node) {
                None => ends.push(RealHostNode {
                    node,
                    address_scope: door.reach,
                    has_notice_listener: door.has_notice_listener,
                }),
                Some(end) if end.address_scope == door.reach && door.reach == AddressScope::Host => {}
                Some(_) => {
                    problems.add(
                        &at,
                        "",
                        format!(
                            "expected each node once, got \"{}\" twice: give it a namespace or a device",
                            door.node
                        ),
                    );
                }
            }
        }
        if ends.len() < 2 && problems.len() == 0 {
            let what = "expected at least two nodes with real hosts, such as --on s \"iperf3 -s -1\" --on d \"iperf3 -c {s}\"";
            problems.add(&SourcePosition::Document, "", what);
        }
        if ends.iter().filter(|end| end.address_scope == AddressScope::Network).count() > 2 {
            let what = "expected at most two nodes with devices: with three networks the destination of a datagram is ambiguous";
            problems.add(&SourcePosition::Document, "", what);
        }
        ends
    }

    /// Returns the scenario's flows that begin and end at nodes with real hosts. Reports services that cannot
    /// act on real packets.
    fn replaced_flows(&self, ends: &[RealHostNode], problems: &mut Problems) -> Vec<FlowId> {
        let plan = self.plan();
        let is_drawn = |id: FlowId| {
            plan.links.wlans.iter().any(|wlan| wlan.draws.drawn_flows.iter().any(|pair| pair.flow == id))
        };
        let is_open = |node: NodeId| ends.iter().any(|end| end.node == node);
        let mut flows = Vec::new();
        for (flow, i) in plan.flows.iter().zip(0..) {
            if is_drawn(FlowId(i)) || !is_open(flow.from) || !is_open(flow.to) {
                continue;
            }
            flows.push(FlowId(i));
            for service in &flow.services {
                if let RealHostEffect::Cannot(why) = service.real_host_effect {
                    let what = format!(
                        "\"{}\" cannot act on real packets: {why}; expected another scheme, or services = []",
                        service.name
                    );
                    problems.add(&SourcePosition::Document, format!("flow.{}.services", flow.name), what);
                }
            }
        }
        flows
    }
}

/// Returns the length in bytes of the largest datagram at a node.
fn mtu(plan: &Plan, flows: &[FlowId], node: NodeId) -> u32 {
    let of = |id: &FlowId| &plan.flows[usize::from(id.0)];
    let here = flows.iter().map(of).filter(|flow| [flow.from, flow.to].contains(&node));
    here.map(|flow| segment_bytes(flow) + MAX_HEADER_BYTES).max().unwrap_or(DEFAULT_MTU)
}

fn segment_bytes(flow: &FlowPlan) -> u32 {
    match &flow.transport {
        Transport::Tcp { config, .. } => config.mss,
        Transport::Udp { bytes } => *bytes,
    }
}

/// Returns notes on services whose notices the real senders do not process.
fn notes(plan: &Plan, flows: &[FlowId], ends: &[RealHostNode]) -> Vec<String> {
    let mut notes = Vec::new();
    let hears = |node: NodeId| ends.iter().any(|end| end.node == node && end.has_notice_listener);
    for flow in flows.iter().map(|id| &plan.flows[usize::from(id.0)]).filter(|flow| !hears(flow.from)) {
        for service in
            flow.services.iter().filter(|service| service.real_host_effect == RealHostEffect::ToListeners)
        {
            notes.push(format!(
                "flow.{}: \"{}\" does not reach its sender: a notice has the form of an ACK, and no program at {} reads it \
                 (--with bpf_eln does)",
                flow.name, service.name, plan.nodes[usize::from(flow.from.0)]
            ));
        }
    }
    notes
}

/// Adds the missing flows: one for each direction between two nodes with real hosts.
fn add_missing_flows(plan: &mut Plan, flows: &[FlowId], ends: &[RealHostNode]) -> Vec<FlowId> {
    let of = |id: &FlowId| &plan.flows[usize::from(id.0)];
    let known: Vec<_> =
        flows.iter().map(of).map(|flow| ([flow.from, flow.to], flow.access_category)).collect();
    let category =
        |from, to| known.iter().find(|(ends, _)| *ends == [from, to]).map(|(_, category)| *category);
    let first = plan.flows.len();
    for from in ends {
        for to in ends.iter().filter(|to| to.node != from.node && category(from.node, to.node).is_none()) {
            let name = |node: NodeId| &plan.nodes[usize::from(node.0)];
            // The access category of a flow applies to both directions of a connection, so the added flow has
            // that of the scenario's flow.
            let access_category = category(to.node, from.node).unwrap_or_default();
            let flow = FlowPlan {
                name: format!("{} > {}", name(from.node), name(to.node)),
                from: from.node,
                to: to.node,
                transport: Transport::Udp { bytes: 0 },
                app: Arc::new(BulkPlan),
                start: Time::ZERO,
                access_category,
                services: Vec::new(),
                class: FlowClass::OfKind("udp"),
            };
            plan.flows.push(flow);
        }
    }
    (first..plan.flows.len()).map(|i| FlowId(i as u16)).collect()
}
