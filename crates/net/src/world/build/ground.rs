//! Graph, routes and random streams of a world (`BuildContext`). Flows are built from this state before and during
//! the run.

use super::class;
use super::hosts::on_demand_cell;
use super::install;
use crate::build_error::BuildError;
use crate::flow::{Endpoints, Flow, TcpEndpoints, UdpEndpoints};
use crate::ground_truth::oracle;
use crate::plan::{FlowPlan, Plan, Transport};
use crate::routing::{Graph, Hop, StaticRoutes};
use crate::services::LinkService;
use crate::transit::ActivePeriod;
use crate::turnaround::WakeUpQueue;
use crate::world::HostedAgent;
use airhop_base::{AccessCategory, FlowId, NodeId};
use airhop_engine::{RandomStreams, Timers, name_hash};
use airhop_tcp::seams::{PathTruth, RunState};
use airhop_tcp::{Receiver, Sender};

/// Graph, routes and random streams of a world, used to build its flows.
pub(crate) struct BuildContext {
    pub plan: Plan,
    pub graph: Graph,
    /// Static routes towards the endpoints of all flows.
    pub routes: StaticRoutes,
    pub streams: RandomStreams,
}

impl BuildContext {
    /// Computes the graph and the routes of a plan.
    ///
    /// # Errors
    /// [`BuildError`] if a flow has no route, or crosses a cell with on-demand routing and has an endpoint
    /// outside the cell.
    pub fn new(mut plan: Plan, streams: RandomStreams) -> Result<Self, BuildError> {
        let graph = graph(&plan);
        let routes = routes(&plan, &graph)?;
        refuse_through_traffic(&plan, &graph, &routes)?;
        add_categories(&mut plan, &graph, &routes);
        Ok(BuildContext { plan, graph, routes, streams })
    }

    /// Builds the simulated endpoints of a flow. `shared`: state that all senders of the run share.
    pub fn build_endpoints(
        &self,
        f: &FlowPlan,
        id: FlowId,
        timers: &mut Timers,
        shared: &mut RunState,
    ) -> Endpoints {
        let mut ends = build_endpoints(f, id, &self.streams, timers);
        if let Endpoints::Tcp(tcp) = &mut ends {
            tcp.sender.join_run(shared);
        }
        ends
    }

    /// Returns the true properties of the path of a flow that opens at run time; `None` if the flow does not
    /// request them.
    pub fn path_truth(&self, f: &FlowPlan) -> Option<PathTruth> {
        oracle::path_truth(&self.plan, &self.graph, &self.routes, f)
    }

    /// Builds a flow with its agents, from its plan and its endpoints.
    pub fn build_flow(
        &self,
        f: &FlowPlan,
        id: FlowId,
        ends: Endpoints,
        timers: &mut Timers,
        hosted: &mut Vec<HostedAgent>,
    ) -> Flow {
        let path = self.routes.path(&self.graph, f.from, f.to);
        let mut flow = Flow {
            plan: f.clone(),
            id,
            class: class::class_name(f, ends.real_protocol(), &path),
            route_hops: path.len(),
            hash: name_hash(&f.name),
            endpoints: ends,
            active_period: ActivePeriod::default(),
            app_flow: None,
            connection_side: None,
            notify_at_bytes: u64::MAX,
            agents: Vec::new(),
            accepts_damaged: f.has_service(LinkService::DamagedFrames),
            uses_fragments: f.has_service(LinkService::Fragments),
            adds_contention_time: f.has_service(LinkService::Contention),
        };
        let others = hosted.len();
        install::install_agents(&mut flow, &self.plan, &path, timers, hosted);
        for host in &mut hosted[others..] {
            let name = format!("{}.sender.{}", f.name, self.plan.nodes[host.node.0 as usize]);
            host.agent.set_seed(self.streams.stream(&name).uniform_below(u32::MAX));
        }
        flow
    }
}

/// Computes the static routes towards both endpoints of every flow, and checks that every flow has a route.
fn routes(plan: &Plan, graph: &Graph) -> Result<StaticRoutes, BuildError> {
    let routes = StaticRoutes::new(graph, plan.flows.iter().flat_map(|f| [f.from, f.to]));
    for f in &plan.flows {
        for (from, to) in [(f.from, f.to), (f.to, f.from)] {
            if *routes.next_hop(from, to) == Hop::None {
                let name = |n: NodeId| plan.nodes[n.0 as usize].clone();
                return Err(BuildError::NoRoute { flow: f.name.clone(), from: name(from), to: name(to) });
            }
        }
    }
    Ok(routes)
}

/// Checks that the flows over a cell with on-demand routing begin and end in this cell. The cell's routers
/// know no other nodes.
fn refuse_through_traffic(plan: &Plan, graph: &Graph, routes: &StaticRoutes) -> Result<(), BuildError> {
    for f in &plan.flows {
        for (_, hop) in routes.path(graph, f.from, f.to) {
            let Some((_, wlan)) = on_demand_cell(plan, hop) else { continue };
            if ![f.from, f.to].iter().all(|end| wlan.nodes().contains(end)) {
                return Err(BuildError::OnDemand { flow: f.name.clone(), wlan: wlan.name().to_string() });
            }
        }
    }
    Ok(())
}

/// Adds the access category of each flow to the cells on the flow's path, in both directions.
fn add_categories(plan: &mut Plan, graph: &Graph, routes: &StaticRoutes) {
    let Plan { flows, links, .. } = plan;
    for f in flows.iter().filter(|f| f.access_category != AccessCategory::Be) {
        let [there, back] = [[f.from, f.to], [f.to, f.from]].map(|[from, to]| routes.path(graph, from, to));
        for cell in there.into_iter().chain(back).filter_map(|(_, hop)| hop.cell()) {
            if let Some(ht) = &mut links.wlans[usize::from(cell)].cell.ht {
                ht.categories.insert(f.access_category);
            }
        }
    }
}

fn graph(plan: &Plan) -> Graph {
    let joins = plan.links.iter().map(|(number, link)| link.link_nodes(number));
    Graph::new(plan.nodes.iter().cloned(), joins)
}

/// Builds the simulated endpoints of a flow.
fn build_endpoints(f: &FlowPlan, id: FlowId, streams: &RandomStreams, timers: &mut Timers) -> Endpoints {
    match &f.transport {
        Transport::Tcp { scheme, params, config } => Endpoints::Tcp(Box::new(TcpEndpoints {
            sender: {
                let parts = (scheme.build)(params, config);
                let mut sender = Sender::new(id, f.from, f.to, config, scheme.features, parts);
                sender.set_seed(streams.stream(&format!("{}.sender", f.name)).uniform_below(u32::MAX));
                sender
            },
            receiver: Receiver::new(id, f.to, f.from, config, scheme.features),
            sender_timer: timers.add(),
            receiver_timer: timers.add(),
            spurious_timeouts: Default::default(),
            lateness: Default::default(),
            loss_ledger: Default::default(),
            latency: Default::default(),
            has_proxy: f.has_proxy(),
            earlier_connections: None,
            turnaround: config.turnaround.map(|turnaround| {
                Box::new(WakeUpQueue::new(turnaround, streams.stream(&format!("{}.turnaround", f.name))))
            }),
        })),
        Transport::Udp { bytes } => Endpoints::Udp(UdpEndpoints::new(*bytes, f.app.is_conversation())),
    }
}
