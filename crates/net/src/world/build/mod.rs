//! Construction of a world from a plan: networks, routes, flows and their agents.

mod class;
pub(super) mod disciplines;
mod ground;
mod hosts;
pub(crate) mod install;
pub(super) mod networks;

use crate::agents::MAX_AGENTS;
use crate::apps::{App, AppContext, AppFlow, AppSetup, TransportProtocol};
use crate::build_error::{BuildError, MAX_FLOWS};
use crate::flow::{AppFlowRef, Endpoints};
use crate::ground_truth::oracle;
use crate::link_fades;
use crate::links::WlanPlan;
use crate::outside::{AttachedHostsPlan, RealHosts};
use crate::placement;
use crate::plan::{FlowPlan, Plan, RoutingPlan, Transport};
use crate::routing::aodv::{AodvPlan, Router};
use crate::routing::{Hop, LinkLayerId, StaticRoutes};
use crate::world::applications::RunningApp;
use crate::world::link_changes;
use crate::world::links::Links;
use crate::world::{Event, World};
use airhop_base::{DropCause, FlowId, NodeId};
use airhop_engine::{Arena, EventQueue, Fingerprint, RandomStreams, TimerId, Timers, name_hash};
use airhop_tcp::seams::RunState;
use airhop_trace::Recorder;
use disciplines::RequiredQueueDisciplines;
pub(crate) use ground::BuildContext;
use hosts::on_demand_cell;
use std::borrow::Cow;
use std::sync::Arc;

impl World {
    /// Builds the world of `plan` for one replication.
    ///
    /// # Errors
    /// [`BuildError`] if
    /// - a flow has no route,
    /// - the transport protocol of a flow cannot carry its application,
    /// - a flow crosses a cell with on-demand routing and has an endpoint outside the cell,
    /// - there are too many agents or flows, or
    /// - a random placement fails.
    pub fn new(
        plan: &Plan,
        seed: u64,
        replication: u64,
        recorder: Option<Recorder>,
    ) -> Result<World, BuildError> {
        World::with_real_hosts(plan, None, seed, replication, recorder)
    }

    /// Builds the world of `plan` for one replication, with real hosts at some of its nodes.
    ///
    /// # Errors
    /// Errors of [`World::new`].
    pub fn with_real_hosts(
        plan: &Plan,
        outside: Option<&AttachedHostsPlan>,
        seed: u64,
        replication: u64,
        mut recorder: Option<Recorder>,
    ) -> Result<World, BuildError> {
        let streams = RandomStreams::new(seed, replication);
        let ground = BuildContext::new(placement::draw_plan(plan, &streams)?.into_owned(), streams)?;
        let BuildContext { plan, graph, routes, .. } = &ground;
        let mut timers = Timers::new();
        let mut hosted = Vec::new();
        let mut events = EventQueue::new();
        let queues = RequiredQueueDisciplines::new(plan, graph, routes);
        let mut links = Links::new(plan, &queues, &streams, recorder.as_mut());
        for (site, w) in links.cells.iter_mut().zip(&plan.links.wlans) {
            if let RoutingPlan::Aodv(aodv) = w.routing {
                site.set_routers(routers(w, aodv, plan, &streams, &mut timers));
            }
        }
        if let Some(recorder) = recorder.as_mut() {
            link_fades::record_fades(plan, &streams, recorder);
            link_changes::record_link_changes(plan, recorder);
        }
        let mut flows = Vec::new();
        let mut apps = Vec::new();
        let mut shared = RunState::default();
        let mut opened = 0;
        let truths = oracle::path_truths(plan, graph, routes);
        for (i, (f, truth)) in plan.flows.iter().zip(truths).enumerate() {
            let id = FlowId(i as u16);
            let f = &*effective_flow_plan(f);
            let is_real = outside.is_some_and(|outside| outside.replaced_flows.contains(&id));
            let ends = match is_real {
                true => Endpoints::Real(Box::default()),
                false => ground.build_endpoints(f, id, &mut timers, &mut shared),
            };
            let mut flow = ground.build_flow(f, id, ends, &mut timers, &mut hosted);
            if let (Endpoints::Tcp(tcp), Some(truth)) = (&mut flow.endpoints, truth) {
                tcp.sender.on_path_truth(&truth);
            }
            if hosted.len() > MAX_AGENTS {
                return Err(BuildError::TooManyAgents { flow: f.name.clone() });
            }
            opened += usize::from(f.app.opens_connection() || f.app.is_conversation());
            if opened > 0 && plan.flows.len() + opened > MAX_FLOWS {
                return Err(BuildError::TooManyFlows { flow: f.name.clone() });
            }
            if !is_real {
                let (number, timer) = (apps.len() as u16, timers.add());
                flow.app_flow = Some(AppFlowRef { app: number, flow: AppFlow::PLANNED });
                timers.set_deadline(timer, Some(f.start), Event::App(number), &mut events);
                apps.push(RunningApp::new(application(f, &streams)?, timer, id));
            }
            flows.push(flow);
        }
        let watched = flows.iter().map(|flow| !flow.agents.is_empty()).collect();
        let sums_contention = flows.iter().any(|flow| flow.adds_contention_time);
        let handoffs = link_changes::schedule_handoffs(plan, &mut events);
        let outside = outside.map(|o| RealHosts::new(o, plan));
        let routes = use_on_demand_hops(plan, routes.clone());
        install::subscribe_to_fades(&flows, &routes, &hosted, 0, &mut links);
        Ok(World {
            duration: plan.duration,
            warmup: plan.warmup,
            warmup_report: None,
            node_names: plan.nodes.clone(),
            node_hashes: plan.nodes.iter().map(|n| name_hash(n)).collect(),
            events,
            timers,
            arena: Arena::new(),
            links,
            build_context: Box::new(ground),
            shared,
            flows,
            apps,
            app_context: AppContext::default(),
            hosted_agents: hosted,
            handoffs,
            routes,
            hop_fields: Vec::new(),
            has_agents: watched,
            sums_contention,
            dropped_by_queue: Vec::new(),
            link_effects: Vec::new(),
            agent_actions: Default::default(),
            held_notices: Vec::new(),
            fingerprint: Fingerprint::default(),
            drops_by_cause: [0; DropCause::ALL.len()],
            recorder: recorder.map(Box::new),
            real_hosts: outside.map(Box::new),
            emulator: None,
            created_packets: 0,
            arrived_packets: 0,
            dropped_packets: 0,
        })
    }
}

/// Returns the class of each flow of a plan for one replication.
///
/// # Errors
/// [`BuildError`] if a flow has no route, or if a random placement fails.
pub fn flow_classes(plan: &Plan, seed: u64, replication: u64) -> Result<Vec<Arc<str>>, BuildError> {
    let streams = RandomStreams::new(seed, replication);
    let ground = BuildContext::new(placement::draw_plan(plan, &streams)?.into_owned(), streams)?;
    let path = |f: &FlowPlan| ground.routes.path(&ground.graph, f.from, f.to);
    Ok(ground.plan.flows.iter().map(|f| class::class_name(f, None, &path(f))).collect())
}

/// Replaces static hops in cells with on-demand routing by hops that the cell's routers choose.
fn use_on_demand_hops(plan: &Plan, mut routes: StaticRoutes) -> StaticRoutes {
    routes.map_hops(|hop| match (on_demand_cell(plan, hop), hop) {
        (Some(_), Hop::Layer { layer: LinkLayerId::Cell(cell), from, .. }) => Hop::OnDemand { cell, from },
        _ => hop,
    });
    routes
}

fn routers(
    w: &WlanPlan,
    aodv: AodvPlan,
    plan: &Plan,
    streams: &RandomStreams,
    timers: &mut Timers,
) -> Vec<(Router, TimerId)> {
    let router = |&node: &NodeId| {
        let name = format!("{}.routing.{}", w.cell.name, plan.nodes[node.0 as usize]);
        (Router::new(node, aodv, streams.stream(&name)), timers.add())
    };
    w.nodes.iter().map(router).collect()
}

/// Returns a flow of the plan. Removes the handshake if the application opens the connection from the other
/// end.
fn effective_flow_plan(f: &FlowPlan) -> Cow<'_, FlowPlan> {
    let mut flow = Cow::Borrowed(f);
    if f.app.opens_connection()
        && let Transport::Tcp { config, .. } = &mut flow.to_mut().transport
    {
        config.handshake = false;
    }
    flow
}

/// Creates the application of a flow.
fn application(f: &FlowPlan, streams: &RandomStreams) -> Result<Box<dyn App>, BuildError> {
    let (transport, datagram) = match f.transport {
        Transport::Tcp { .. } => (TransportProtocol::Tcp, 0),
        Transport::Udp { bytes } => (TransportProtocol::Udp, bytes),
    };
    let needs = f.app.transport();
    if needs != transport {
        return Err(BuildError::OtherTransport { flow: f.name.clone(), needs });
    }
    Ok(f.app.create_app(&AppSetup { name: &f.name, datagram_bytes: datagram, streams }))
}
