//! From a plan to a world.

use crate::fates::Fates;
use crate::flow::{Ends, Flow, SpuriousTimeouts, TcpEnds, UdpEnds};
use crate::link::{Link, LinkTrace};
use crate::plan::{FlowPlan, Plan, Transport, WlanPlan};
use crate::queues;
use crate::route::{Graph, Hop, Stations};
use crate::services::{Kind, LinkService, Way};
use crate::site::{Site, StationSite};
use crate::world::{Event, Hosted, World};
use airhop_base::{FlowId, NodeId};
use airhop_engine::{Arena, EventQueue, Fingerprint, Streams, Timers, name_hash};
use airhop_radio::cell::Cell;
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Receiver, Sender};
use airhop_trace::Recorder;
use std::fmt;

/// A plan that no world can be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// There is no way between the ends of a flow.
    NoRoute {
        /// The flow.
        flow: String,
        /// From this node
        from: String,
        /// no way to this one.
        to: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BuildError::NoRoute { flow, from, to } = self;
        write!(f, "flow \"{flow}\": no route from \"{from}\" to \"{to}\"")
    }
}

impl std::error::Error for BuildError {}

impl World {
    /// Builds the world of `plan` for one replication.
    ///
    /// # Errors
    /// [`BuildError`] if a flow has no route.
    pub fn new(
        plan: &Plan,
        seed: u64,
        replication: u64,
        mut recorder: Option<Recorder>,
    ) -> Result<World, BuildError> {
        let streams = Streams::new(seed, replication);
        let graph = graph(plan);
        let routes = routes(plan, &graph)?;
        let mut timers = Timers::new();
        let mut hosted = Vec::new();
        let mut events = EventQueue::new();
        let links = links(plan, &streams, recorder.as_mut());
        let sites = plan.wlans.iter().map(|w| site(w, plan, &streams, recorder.as_mut())).collect();
        let mut flows = Vec::new();
        for (i, f) in plan.flows.iter().enumerate() {
            let id = FlowId(i as u16);
            let mut flow = Flow {
                plan: f.clone(),
                id,
                hash: name_hash(&f.name),
                ends: ends(f, id, &mut timers),
                agents: Vec::new(),
                takes_damaged: f.is_served_by(LinkService::DamagedFrames),
                fragmented: f.is_served_by(LinkService::Fragments),
            };
            host_agents(&mut flow, &graph, &routes, &mut timers, &mut hosted);
            events.push(f.start, Event::App(id));
            flows.push(flow);
        }
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
            sites,
            flows,
            hosted,
            routes,
            effects: Vec::new(),
            spare_effects: Vec::new(),
            wishes: Default::default(),
            print: Fingerprint::default(),
            drops: [0; 6],
            recorder: recorder.map(Box::new),
            created: 0,
            arrived: 0,
            dropped: 0,
        })
    }
}

/// Next hops towards every node that a flow begins or ends at.
fn routes(plan: &Plan, graph: &Graph) -> Result<Vec<Vec<Hop>>, BuildError> {
    let mut routes = vec![Vec::new(); plan.nodes.len()];
    for f in &plan.flows {
        for end in [f.from, f.to] {
            if routes[end.0 as usize].is_empty() {
                routes[end.0 as usize] = graph.towards(end);
            }
        }
    }
    for f in &plan.flows {
        for (from, to) in [(f.from, f.to), (f.to, f.from)] {
            if routes[to.0 as usize][from.0 as usize] == Hop::None {
                let name = |n: NodeId| plan.nodes[n.0 as usize].clone();
                return Err(BuildError::NoRoute { flow: f.name.clone(), from: name(from), to: name(to) });
            }
        }
    }
    Ok(routes)
}

fn graph(plan: &Plan) -> Graph {
    let cell = |w: &WlanPlan| Stations {
        places: w.nodes.iter().zip(&w.cell.stations).map(|(&node, (_, place))| (node, *place)).collect(),
        reach: w.cell.range.map(|range| range.receive),
    };
    let wired = plan.wired.iter().map(|w| w.ends).collect();
    Graph::new(plan.nodes.iter().cloned(), wired, plan.wlans.iter().map(cell).collect())
}

fn links(plan: &Plan, streams: &Streams, mut recorder: Option<&mut Recorder>) -> Vec<Link> {
    let mut links = Vec::new();
    for w in &plan.wired {
        let names = w.ends.map(|n| plan.nodes[n.0 as usize].as_str());
        for (side, errors) in w.errors.iter().enumerate() {
            let (from, to) = (w.ends[side], w.ends[1 - side]);
            let name = format!("{}->{}", names[side], names[1 - side]);
            let model = (*errors != ErrorPlan::Clean)
                .then(|| errors.build(streams, &w.name, names[side], names[1 - side]));
            let mut link = Link::new(
                links.len() as u16,
                name,
                from,
                to,
                w.rate,
                w.delay,
                queues::build(&w.queue),
                model,
            );
            if let Some(r) = recorder.as_deref_mut() {
                link.trace = LinkTrace {
                    place: r.place(&link.name),
                    from_interface: r.interface(from, &w.name),
                    to_interface: r.interface(to, &w.name),
                };
            }
            links.push(link);
        }
    }
    links
}

fn site(w: &WlanPlan, plan: &Plan, streams: &Streams, mut recorder: Option<&mut Recorder>) -> Site {
    let name = |n: NodeId| plan.nodes[n.0 as usize].clone();
    let stations = w
        .nodes
        .iter()
        .map(|&node| {
            let mut site = StationSite {
                node,
                name: name(node),
                queue: queues::build(&w.queue),
                in_mac: false,
                last_loss: None,
                on_air: None,
                interface: 0,
                queue_place: 0,
                places: Vec::new(),
            };
            if let Some(r) = recorder.as_deref_mut() {
                site.interface = r.interface(node, &w.cell.name);
                site.places =
                    w.nodes.iter().map(|&to| r.place(&format!("{}->{}", name(node), name(to)))).collect();
                site.queue_place = match w.nodes[..] {
                    [a, _] => site.places[usize::from(node == a)],
                    _ => r.place(&format!("{}->*", name(node))),
                };
            }
            site
        })
        .collect();
    Site { cell: Cell::new(&w.cell, streams), stations }
}

fn ends(f: &FlowPlan, id: FlowId, timers: &mut Timers) -> Ends {
    match &f.transport {
        Transport::Tcp { scheme, params, config } => Ends::Tcp(Box::new(TcpEnds {
            sender: Sender::new(id, f.from, f.to, config, scheme.asks, (scheme.build)(params, config)),
            receiver: Receiver::new(id, f.to, f.from, config, scheme.asks),
            sender_timer: timers.add(),
            receiver_timer: timers.add(),
            spurious: SpuriousTimeouts::default(),
            fates: Fates::default(),
            completed: None,
        })),
        Transport::Udp { .. } => Ends::Udp(UdpEnds::default()),
    }
}

/// Installs the agents of a flow along its data path.
fn host_agents(
    flow: &mut Flow,
    graph: &Graph,
    routes: &[Vec<Hop>],
    timers: &mut Timers,
    hosted: &mut Vec<Hosted>,
) {
    let mut node = flow.plan.from;
    let mut came_by_air = None;
    while node != flow.plan.to {
        let hop = routes[flow.plan.to.0 as usize][node.0 as usize];
        let goes_by_air = matches!(hop, Hop::Air { .. });
        let crosses = came_by_air.filter(|&by_air| by_air != goes_by_air);
        for service in &flow.plan.services {
            let agent = match (service.kind, crosses) {
                (Kind::AtLink(build), _) if goes_by_air => build(flow.id, &flow.plan),
                (Kind::AtBase(build), Some(by_air)) => {
                    build(flow.id, &flow.plan, if by_air { Way::Up } else { Way::Down })
                }
                _ => continue,
            };
            if let (Ends::Tcp(tcp), Some(window)) = (&mut flow.ends, agent.first_window()) {
                tcp.sender.expect_window(window);
            }
            flow.agents.push((node, hosted.len() as u16));
            hosted.push(Hosted { node, flow: flow.id, timer: timers.add(), agent });
        }
        let Some(next) = graph.end(hop) else { return };
        (node, came_by_air) = (next, Some(goes_by_air));
    }
}
