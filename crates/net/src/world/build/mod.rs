//! Construction of a world from a plan: networks, routes, flows and their agents.

mod class;
pub(super) mod disciplines;
mod ground;
mod hosts;
pub(crate) mod install;
pub(super) mod networks;

use crate::agents::MOST_AGENTS;
use crate::apps::{App, AppFlow, Io, Opening, TransportProtocol};
use crate::build_error::{BuildError, MOST_FLOWS};
use crate::flow::{AppSeat, Ends};
use crate::ground_truth::oracle;
use crate::link_fades;
use crate::links::WlanPlan;
use crate::outside::{Outside, OutsidePlan};
use crate::placement;
use crate::plan::{FlowPlan, Plan, RoutingPlan, Transport};
use crate::routing::aodv::{AodvPlan, Router};
use crate::routing::{Hop, Layer, Routes};
use crate::world::applications::RunningApp;
use crate::world::link_changes;
use crate::world::links::Links;
use crate::world::{Event, World};
use airhop_base::{Drop, FlowId, NodeId};
use airhop_engine::{Arena, EventQueue, Fingerprint, Streams, TimerId, Timers, name_hash};
use airhop_tcp::seams::Run;
use airhop_trace::Recorder;
use disciplines::Disciplines;
pub(crate) use ground::Ground;
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
        World::open(plan, None, seed, replication, recorder)
    }

    /// Builds the world of `plan` for one replication, with real hosts at some of its nodes.
    ///
    /// # Errors
    /// Errors of [`World::new`].
    pub fn open(
        plan: &Plan,
        outside: Option<&OutsidePlan>,
        seed: u64,
        replication: u64,
        mut recorder: Option<Recorder>,
    ) -> Result<World, BuildError> {
        let streams = Streams::new(seed, replication);
        let ground = Ground::new(placement::draw(plan, &streams)?.into_owned(), streams)?;
        let Ground { plan, graph, routes, .. } = &ground;
        let mut timers = Timers::new();
        let mut hosted = Vec::new();
        let mut events = EventQueue::new();
        let queues = Disciplines::new(plan, graph, routes);
        let mut links = Links::new(plan, &queues, &streams, recorder.as_mut());
        for (site, w) in links.cells.iter_mut().zip(&plan.links.wlans) {
            if let RoutingPlan::Aodv(aodv) = w.routing {
                site.set_routers(routers(w, aodv, plan, &streams, &mut timers));
            }
        }
        if let Some(recorder) = recorder.as_mut() {
            link_fades::record(plan, &streams, recorder);
            link_changes::record(plan, recorder);
        }
        let mut flows = Vec::new();
        let mut apps = Vec::new();
        let mut shared = Run::default();
        let mut opened = 0;
        let truths = oracle::truths(plan, graph, routes);
        for (i, (f, truth)) in plan.flows.iter().zip(truths).enumerate() {
            let id = FlowId(i as u16);
            let f = &*planned(f);
            let is_real = outside.is_some_and(|outside| outside.flows.contains(&id));
            let ends = match is_real {
                true => Ends::Real(Box::default()),
                false => ground.ends(f, id, &mut timers, &mut shared),
            };
            let mut flow = ground.flow(f, id, ends, &mut timers, &mut hosted);
            if let (Ends::Tcp(tcp), Some(truth)) = (&mut flow.ends, truth) {
                tcp.sender.on_truth(&truth);
            }
            if hosted.len() > MOST_AGENTS {
                return Err(BuildError::TooManyAgents { flow: f.name.clone() });
            }
            opened += usize::from(f.app.opens_connection() || f.app.is_conversation());
            if opened > 0 && plan.flows.len() + opened > MOST_FLOWS {
                return Err(BuildError::TooManyFlows { flow: f.name.clone() });
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
        let sums_contention = flows.iter().any(|flow| flow.adds_contention);
        let handoffs = link_changes::schedule_handoffs(plan, &mut events);
        let outside = outside.map(|o| Outside::new(o, plan));
        let routes = on_demand(plan, routes.clone());
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
            ground: Box::new(ground),
            shared,
            flows,
            apps,
            io: Io::default(),
            hosted,
            handoffs,
            routes,
            hop_fields: Vec::new(),
            watched,
            sums_contention,
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

/// Returns the class of each flow of a plan for one replication.
///
/// # Errors
/// [`BuildError`] if a flow has no route, or if a random placement fails.
pub fn classes(plan: &Plan, seed: u64, replication: u64) -> Result<Vec<Arc<str>>, BuildError> {
    let streams = Streams::new(seed, replication);
    let ground = Ground::new(placement::draw(plan, &streams)?.into_owned(), streams)?;
    let path = |f: &FlowPlan| ground.routes.path(&ground.graph, f.from, f.to);
    Ok(ground.plan.flows.iter().map(|f| class::name(f, None, &path(f))).collect())
}

/// Replaces static hops in cells with on-demand routing by hops that the cell's routers choose.
fn on_demand(plan: &Plan, mut routes: Routes) -> Routes {
    routes.replace(|hop| match (on_demand_cell(plan, hop), hop) {
        (Some(_), Hop::Layer { layer: Layer::Cell(cell), from, .. }) => Hop::OnDemand { cell, from },
        _ => hop,
    });
    routes
}

fn routers(
    w: &WlanPlan,
    aodv: AodvPlan,
    plan: &Plan,
    streams: &Streams,
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
fn planned(f: &FlowPlan) -> Cow<'_, FlowPlan> {
    let mut flow = Cow::Borrowed(f);
    if f.app.opens_connection()
        && let Transport::Tcp { config, .. } = &mut flow.to_mut().transport
    {
        config.handshake = false;
    }
    flow
}

/// Creates the application of a flow.
fn application(f: &FlowPlan, streams: &Streams) -> Result<Box<dyn App>, BuildError> {
    let (transport, datagram) = match f.transport {
        Transport::Tcp { .. } => (TransportProtocol::Tcp, 0),
        Transport::Udp { bytes } => (TransportProtocol::Udp, bytes),
    };
    let needs = f.app.transport();
    if needs != transport {
        return Err(BuildError::OtherTransport { flow: f.name.clone(), needs });
    }
    Ok(f.app.open(&Opening { name: &f.name, datagram, streams }))
}
