//! Installation of the agents that a flow's services require. Agents are installed along the path of the
//! flow, and at every station of a cell with on-demand routing.

use super::hosts::possible_path_nodes;
use crate::flow::{Endpoints, Flow};
use crate::plan::{FlowPlan, Plan};
use crate::routing::{Hop, StaticRoutes};
use crate::services::{AgentPlace, DataDirection, ServiceKind};
use crate::world::HostedAgent;
use crate::world::links::Links;
use airhop_base::NodeId;
use airhop_engine::Timers;

/// Installs all agents of a flow whose data follows `path`.
pub(crate) fn install_agents(
    flow: &mut Flow,
    plan: &Plan,
    path: &[(NodeId, Hop)],
    timers: &mut Timers,
    hosted: &mut Vec<HostedAgent>,
) {
    install_at_nodes(flow, &possible_path_nodes(plan, path, flow.plan.to), timers, hosted);
    install_at_stations(flow, plan, path, timers, hosted);
    flow.agents.sort_by_key(|&(node, i)| (node, hosted[i as usize].agent.proxied_direction().is_some()));
}

/// Subscribes the agents numbered `first` and up to link fades. An agent that uses fades is subscribed to the
/// flow's hops from the agent's node, towards sender and receiver. On-demand hops are excluded, because their
/// routes are not known before the run.
pub(crate) fn subscribe_to_fades(
    flows: &[Flow],
    routes: &StaticRoutes,
    hosted: &[HostedAgent],
    first: usize,
    links: &mut Links,
) {
    for (host, i) in hosted[first..].iter().zip(first as u16..).filter(|(host, _)| host.agent.uses_fades()) {
        let flow = &flows[host.flow.0 as usize].plan;
        for hop in [flow.to, flow.from].map(|end| *routes.next_hop(host.node, end)) {
            if let Some(link) = links.link_of_hop_mut(hop) {
                link.subscribe_to_fades(hop, i);
            }
        }
    }
}

/// Installs the agents of a flow at the nodes `hosts`.
fn install_at_nodes(
    flow: &mut Flow,
    hosts: &[(NodeId, Hop)],
    timers: &mut Timers,
    hosted: &mut Vec<HostedAgent>,
) {
    let mut came_by = None;
    for &(node, hop) in hosts {
        let goes_by_air = hop.is_wireless();
        let crosses = came_by.map(Hop::is_wireless).filter(|&by_air| by_air != goes_by_air);
        for service in &flow.plan.services {
            let agent = match (service.kind, crosses) {
                (ServiceKind::AtLink(build), _) if goes_by_air => build(flow.id, &flow.plan),
                (ServiceKind::AtBase(build) | ServiceKind::Proxy(build), Some(by_air)) => {
                    build(flow.id, &flow.plan, if by_air { DataDirection::Up } else { DataDirection::Down })
                }
                (ServiceKind::BesideAir(build), _) => {
                    let place = agent_place(&flow.plan, node, came_by, hop);
                    let Some(agent) = place.and_then(|place| build(&flow.plan, place)) else { continue };
                    agent
                }
                _ => continue,
            };
            if let (Endpoints::Tcp(tcp), Some(window)) = (&mut flow.endpoints, agent.initial_window()) {
                tcp.sender.set_initial_receive_window(window);
            }
            let new = HostedAgent { node, flow: flow.id, timer: timers.add(), agent };
            add_agent(&mut flow.agents, new, hosted);
        }
        came_by = Some(hop);
    }
}

/// Returns the place of an agent at this node of a flow; `None` if no wireless link of the flow ends at the
/// node. `came_by`: incoming hop of the data; `hop`: outgoing hop.
fn agent_place(flow: &FlowPlan, node: NodeId, came_by: Option<Hop>, hop: Hop) -> Option<AgentPlace> {
    if node == flow.from {
        return hop.is_wireless().then_some(AgentPlace::Source);
    }
    let came_by = came_by?;
    let is_relay = came_by.cell().is_some_and(|cell| hop.cell() == Some(cell));
    match (came_by.is_wireless(), hop.is_wireless()) {
        (true, true) => (!is_relay).then_some(AgentPlace::Down),
        (false, true) => Some(AgentPlace::Down),
        (true, false) => Some(AgentPlace::Up),
        (false, false) => None,
    }
}

/// Installs the agents that a flow requires at every station of the wireless networks on its path.
fn install_at_stations(
    flow: &mut Flow,
    plan: &Plan,
    path: &[(NodeId, Hop)],
    timers: &mut Timers,
    hosted: &mut Vec<HostedAgent>,
) {
    let network = |&(_, hop): &(NodeId, Hop)| -> &[NodeId] {
        plan.links.link_of_hop(hop).filter(|_| hop.is_wireless()).map_or(&[], |link| link.nodes())
    };
    // Each station is listed once: a path may cross a network twice, and a node may belong to two networks.
    let mut stations: Vec<NodeId> = Vec::new();
    for &node in path.iter().flat_map(network) {
        if !stations.contains(&node) {
            stations.push(node);
        }
    }
    for service in &flow.plan.services {
        let ServiceKind::AtStations(build) = service.kind else { continue };
        for &node in &stations {
            let agent = build(flow.id, &flow.plan, node);
            let new = HostedAgent { node, flow: flow.id, timer: timers.add(), agent };
            add_agent(&mut flow.agents, new, hosted);
        }
    }
}

/// Adds an agent to the world's list of agents, and the agent's index to the flow.
fn add_agent(agents: &mut Vec<(NodeId, u16)>, new: HostedAgent, hosted: &mut Vec<HostedAgent>) {
    agents.push((new.node, hosted.len() as u16));
    hosted.push(new);
}
