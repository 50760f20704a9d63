//! World from a plan: networks, routes, flows and their agents.

pub(super) mod disciplines;
mod hosts;
pub(crate) mod install;
pub(super) mod networks;

use crate::agents::MOST_AGENTS;
use crate::apps::{App, AppFlow, Carrier, Io, Opening};
use crate::build_error::BuildError;
use crate::flow::{AppSeat, Ends, Flow, TcpEnds, UdpEnds};
use crate::ground_truth::loss_ledger::LossLedger;
use crate::ground_truth::oracle;
use crate::link_fades;
use crate::links::WlanPlan;
use crate::outside::{Outside, OutsidePlan};
use crate::placement;
use crate::plan::{FlowPlan, Plan, RoutingPlan, Transport};
use crate::routing::aodv::Router;
use crate::routing::{Graph, Hop, Layer, Routes};
use crate::services::LinkService;
use crate::transit::Active;
use crate::turnaround::Holding;
use crate::world::applications::RunningApp;
use crate::world::link_changes;
use crate::world::links::Links;
use crate::world::{Event, Hosted, World};
use airhop_base::{Drop, FlowId, NodeId};
use airhop_engine::{Arena, EventQueue, Fingerprint, Streams, TimerId, Timers, name_hash};
use airhop_tcp::seams::Run;
use airhop_tcp::{Receiver, Sender};
use airhop_trace::Recorder;
use disciplines::Disciplines;
use hosts::on_demand_cell;

impl World {
    /// Builds the world of `plan` for one replication.
    ///
    /// # Errors
    /// [`BuildError`] if a flow has no route, or a route through a cell whose routers do not know the flow's
    /// ends, or an application that its transport cannot carry; if there are too many agents; or if a random
    /// placement has no solution.
    pub fn new(
        plan: &Plan,
        seed: u64,
        replication: u64,
        recorder: Option<Recorder>,
    ) -> Result<World, BuildError> {
        World::open(plan, None, seed, replication, recorder)
    }

    /// Builds the world of `plan`, open to real hosts.
    ///
    /// # Errors
    /// Returns the errors of [`World::new`].
    pub fn open(
        plan: &Plan,
        outside: Option<&OutsidePlan>,
        seed: u64,
        replication: u64,
        mut recorder: Option<Recorder>,
    ) -> Result<World, BuildError> {
        let streams = Streams::new(seed, replication);
        let plan = &*placement::draw(plan, &streams)?;
        let graph = graph(plan);
        let routes = routes(plan, &graph)?;
        let mut timers = Timers::new();
        let mut hosted = Vec::new();
        let mut events = EventQueue::new();
        refuse_through_traffic(plan, &graph, &routes)?;
        let queues = Disciplines::new(plan, &graph, &routes);
        let mut links = Links::new(plan, &queues, &streams, recorder.as_mut());
        for (site, w) in links.cells.iter_mut().zip(&plan.links.wlans) {
            site.routers = routers(w, plan, &streams, &mut timers);
        }
        if let Some(recorder) = recorder.as_mut() {
            link_fades::record(plan, &streams, recorder);
            link_changes::record(plan, recorder);
        }
        let ground = Ground { plan, graph: &graph, routes: &routes, streams: &streams };
        let mut flows = Vec::new();
        let mut apps = Vec::new();
        let mut run = Run::default();
        let truths = oracle::truths(plan, &graph, &routes);
        for (i, (f, truth)) in plan.flows.iter().zip(truths).enumerate() {
            let id = FlowId(i as u16);
            let is_real = outside.is_some_and(|outside| outside.flows.contains(&id));
            let mut ends =
                if is_real { Ends::Real(Box::default()) } else { ends(f, id, &streams, &mut timers) };
            if let Ends::Tcp(tcp) = &mut ends {
                tcp.sender.join(&mut run);
            }
            let mut flow = ground.flow(f, id, ends, &mut timers, &mut hosted);
            if let (Ends::Tcp(tcp), Some(truth)) = (&mut flow.ends, truth) {
                tcp.sender.on_truth(&truth);
            }
            if hosted.len() > MOST_AGENTS {
                return Err(BuildError::TooManyAgents { flow: f.name.clone() });
            }
            if !is_real {
                let (number, timer) = (apps.len() as u16, timers.add());
                flow.seat = Some(AppSeat { app: number, flow: AppFlow::PLANNED });
                timers.set(timer, Some(f.start), Event::App(number), &mut events);
                apps.push(RunningApp::new(application(f, &streams)?, timer, id));
            }
            flows.push(flow);
        }
        let watched = flows.iter().map(|flow| !flow.agents.is_empty()).collect();
        let handoffs = link_changes::schedule_handoffs(plan, &mut events);
        let outside = outside.map(|o| Outside::new(o, plan, graph, routes.clone(), streams));
        let routes = on_demand(plan, routes);
        install::listeners(&flows, &routes, &hosted, 0, &mut links);
        Ok(World {
            duration: plan.duration,
            warmup: plan.warmup,
            warmed_up: None,
            names: plan.nodes.clone(),
            hashes: plan.nodes.iter().map(|n| name_hash(n)).collect(),
            events,
            timers,
            arena: Arena::new(),
            links,
            flows,
            apps,
            io: Io::default(),
            hosted,
            handoffs,
            routes,
            labels: Vec::new(),
            watched,
            dropped_by_queue: Vec::new(),
            effects: Vec::new(),
            actions: Default::default(),
            held_notices: Vec::new(),
            fingerprint: Fingerprint::default(),
            drops: [0; Drop::ALL.len()],
            recorder: recorder.map(Box::new),
            outside: outside.map(Box::new),
            emulator: None,
            created: 0,
            arrived: 0,
            dropped: 0,
        })
    }
}

/// Networks and routes that flows are built on.
pub(crate) struct Ground<'a> {
    pub plan: &'a Plan,
    pub graph: &'a Graph,
    pub routes: &'a Routes,
    pub streams: &'a Streams,
}

impl Ground<'_> {
    /// Builds a flow with its agents.
    pub fn flow(
        &self,
        f: &FlowPlan,
        id: FlowId,
        ends: Ends,
        timers: &mut Timers,
        hosted: &mut Vec<Hosted>,
    ) -> Flow {
        let path = self.routes.path(self.graph, f.from, f.to);
        let mut flow = Flow {
            plan: f.clone(),
            id,
            route_hops: path.len(),
            hash: name_hash(&f.name),
            ends,
            active: Active::default(),
            seat: None,
            expected: u64::MAX,
            agents: Vec::new(),
            takes_damaged: f.is_served_by(LinkService::DamagedFrames),
            fragmented: f.is_served_by(LinkService::Fragments),
            adds_contention: f.is_served_by(LinkService::Contention),
        };
        let others = hosted.len();
        install::agents(&mut flow, self.plan, &path, timers, hosted);
        for host in &mut hosted[others..] {
            let name = format!("{}.sender.{}", f.name, self.plan.nodes[host.node.0 as usize]);
            host.agent.on_seed(self.streams.stream(&name).below(u32::MAX));
        }
        flow
    }
}

/// Computes the next hops towards every node that a flow begins or ends at.
fn routes(plan: &Plan, graph: &Graph) -> Result<Routes, BuildError> {
    let routes = Routes::new(graph, plan.flows.iter().flat_map(|f| [f.from, f.to]));
    for f in &plan.flows {
        for (from, to) in [(f.from, f.to), (f.to, f.from)] {
            if routes.hop(from, to) == Hop::None {
                let name = |n: NodeId| plan.nodes[n.0 as usize].clone();
                return Err(BuildError::NoRoute { flow: f.name.clone(), from: name(from), to: name(to) });
            }
        }
    }
    Ok(routes)
}

/// Checks that traffic through a cell with on-demand routing begins and ends in that cell, as its routers
/// know no other nodes.
fn refuse_through_traffic(plan: &Plan, graph: &Graph, routes: &Routes) -> Result<(), BuildError> {
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

/// Returns the routes of the world. Stations of cells with on-demand routing ask their routers instead.
fn on_demand(plan: &Plan, mut routes: Routes) -> Routes {
    routes.replace(|hop| match (on_demand_cell(plan, hop), hop) {
        (Some(_), Hop::Layer { layer: Layer::Cell(cell), from, .. }) => Hop::OnDemand { cell, from },
        _ => hop,
    });
    routes
}

fn routers(w: &WlanPlan, plan: &Plan, streams: &Streams, timers: &mut Timers) -> Vec<(Router, TimerId)> {
    let RoutingPlan::Aodv(aodv) = w.routing else { return Vec::new() };
    let router = |&node: &NodeId| {
        let name = format!("{}.routing.{}", w.cell.name, plan.nodes[node.0 as usize]);
        (Router::new(node, aodv, streams.stream(&name)), timers.add())
    };
    w.nodes.iter().map(router).collect()
}

fn graph(plan: &Plan) -> Graph {
    let joins = plan.links.iter().map(|(number, link)| link.joins(number));
    Graph::new(plan.nodes.iter().cloned(), joins)
}

/// Creates the application of a flow.
fn application(f: &FlowPlan, streams: &Streams) -> Result<Box<dyn App>, BuildError> {
    let (carrier, datagram) = match f.transport {
        Transport::Tcp { .. } => (Carrier::Tcp, 0),
        Transport::Udp { bytes } => (Carrier::Udp, bytes),
    };
    let needs = f.app.carrier();
    if needs != carrier {
        return Err(BuildError::OtherTransport { flow: f.name.clone(), needs });
    }
    Ok(f.app.open(&Opening { name: &f.name, datagram, streams }))
}

fn ends(f: &FlowPlan, id: FlowId, streams: &Streams, timers: &mut Timers) -> Ends {
    match &f.transport {
        Transport::Tcp { scheme, params, config } => Ends::Tcp(Box::new(TcpEnds {
            sender: {
                let parts = (scheme.build)(params, config);
                let mut sender = Sender::new(id, f.from, f.to, config, scheme.features, parts);
                sender.seed(streams.stream(&format!("{}.sender", f.name)).below(u32::MAX));
                sender
            },
            receiver: Receiver::new(id, f.to, f.from, config, scheme.features),
            sender_timer: timers.add(),
            receiver_timer: timers.add(),
            spurious: Default::default(),
            lateness: Default::default(),
            loss_ledger: LossLedger::default(),
            turnaround: config.turnaround.map(|turnaround| {
                Box::new(Holding::new(turnaround, streams.stream(&format!("{}.turnaround", f.name))))
            }),
        })),
        Transport::Udp { bytes } => Ends::Udp(UdpEnds::new(*bytes)),
    }
}
