//! From a plan to a world.

use crate::courses;
use crate::fades;
use crate::fates::LossLedger;
use crate::flow::{Ends, Flow, TcpEnds, UdpEnds};
use crate::install::{self, MOST_AGENTS};
use crate::layout::{self, DRAWS};
use crate::link::{Line, Link, LinkTrace};
use crate::plan::{FlowPlan, Plan, RadioLinkPlan, RoutingPlan, Transport, WlanPlan};
use crate::queues;
use crate::queues::QueuePlan;
use crate::radio::{EndSite, RadioSite, Taken};
use crate::route::{Graph, Hop, Stations, hear};
use crate::routes::Routes;
use crate::routing::Router;
use crate::services::{Kind, LinkService};
use crate::site::{Site, StationSite};
use crate::source::Source;
use crate::truth;
use crate::world::{Event, World};
use airhop_base::{Drop, FlowId, NodeId, Time};
use airhop_engine::{Arena, EventQueue, Fingerprint, Streams, TimerId, Timers, name_hash};
use airhop_radio::cell::Cell;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link::RadioLink;
use airhop_tcp::{Receiver, Sender};
use airhop_trace::{DropKind, Recorder};
use std::collections::VecDeque;
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
    /// A flow crosses a cell in which routes are found on demand, and does not begin and end there.
    OnDemand {
        /// The flow.
        flow: String,
        /// The cell.
        wlan: String,
    },
    /// A flow of datagrams has an application of TCP.
    NotForUdp {
        /// The flow.
        flow: String,
    },
    /// The services of all flows together take more agents than a world can have.
    TooManyAgents {
        /// The first flow whose agents find no room.
        flow: String,
    },
    /// No draw of its stations' places was connected.
    Disconnected {
        /// The wlan.
        wlan: String,
    },
    /// A wlan has fewer pairs of stations so many hops apart than flows that ask for one.
    NoPairs {
        /// The wlan.
        wlan: String,
        /// The first of the flows.
        flow: String,
        /// How far apart; `None` stands for any number of hops.
        hops: Option<u32>,
        /// How many flows ask for a pair.
        flows: usize,
        /// How many pairs there are.
        pairs: usize,
        /// Those are of the last draw of places.
        drawn: bool,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoRoute { flow, from, to } => {
                write!(f, "flow \"{flow}\": no route from \"{from}\" to \"{to}\"")
            }
            BuildError::OnDemand { flow, wlan } => write!(
                f,
                "flow \"{flow}\": wlan \"{wlan}\" finds its routes on demand; a flow over it begins and ends at stations of it"
            ),
            BuildError::NotForUdp { flow } => write!(f, "flow \"{flow}\": its application needs TCP"),
            BuildError::TooManyAgents { flow } => write!(
                f,
                "flow.{flow}.services: expected at most {MOST_AGENTS} agents of all flows together, one for each flow at each node that \
                 serves it; got more, from this flow on"
            ),
            BuildError::Disconnected { wlan } => write!(
                f,
                "wlan.{wlan}.layout: in none of {DRAWS} draws were its stations connected within their receive range; \
                 expected more `nodes`, less `width` or `height`, a longer receive range, or `connected = false`"
            ),
            BuildError::NoPairs { wlan, flow, hops, flows, pairs, drawn } => {
                let apart = match hops {
                    Some(1) => "1 hop apart".to_string(),
                    Some(hops) => format!("{hops} hops apart"),
                    None => "that reach each other".to_string(),
                };
                let which = match drawn {
                    true => format!(" (the last of {DRAWS} draws of its layout)"),
                    false => String::new(),
                };
                write!(
                    f,
                    "flow.{flow}.between: expected at least {flows} pairs of stations {apart} in wlan.{wlan}, one for each \
                     flow, got {pairs}{which}"
                )
            }
        }
    }
}

impl std::error::Error for BuildError {}

impl World {
    /// Builds the world of `plan` for one replication.
    ///
    /// # Errors
    /// [`BuildError`] if a flow has no route, or one through a cell whose routers cannot know its ends, or an application that its
    /// transport cannot serve; if there are too many agents; or if what is to be drawn cannot be.
    pub fn new(
        plan: &Plan,
        seed: u64,
        replication: u64,
        mut recorder: Option<Recorder>,
    ) -> Result<World, BuildError> {
        let streams = Streams::new(seed, replication);
        let plan = &*layout::draw(plan, &streams)?;
        let graph = graph(plan);
        let routes = routes(plan, &graph)?;
        let mut timers = Timers::new();
        let mut hosted = Vec::new();
        let mut events = EventQueue::new();
        refuse_through_traffic(plan, &graph, &routes)?;
        let queues = Disciplines::new(plan, &graph, &routes);
        let links = links(plan, &queues, &streams, recorder.as_mut());
        let sites = plan.wlans.iter().zip(&queues.stations);
        let mut sites: Vec<Site> =
            sites.map(|(w, queues)| site(w, plan, queues, &streams, recorder.as_mut())).collect();
        for (site, w) in sites.iter_mut().zip(&plan.wlans) {
            site.routers = routers(w, plan, &streams, &mut timers);
        }
        let radios = plan.radios.iter().zip(&queues.radios);
        let mut radios: Vec<RadioSite> =
            radios.map(|(r, queues)| radio_site(r, plan, queues, &streams, recorder.as_mut())).collect();
        if let Some(recorder) = recorder.as_mut() {
            fades::record(plan, &streams, recorder);
            courses::record(plan, recorder);
        }
        let mut flows = Vec::new();
        let truths = truth::tell(plan, &graph, &routes);
        for (i, (f, truth)) in plan.flows.iter().zip(truths).enumerate() {
            let id = FlowId(i as u16);
            let mut flow = Flow {
                plan: f.clone(),
                id,
                hash: name_hash(&f.name),
                ends: ends(f, id, &streams, &mut timers)?,
                agents: Vec::new(),
                takes_damaged: f.is_served_by(LinkService::DamagedFrames),
                fragmented: f.is_served_by(LinkService::Fragments),
                adds_contention: f.is_served_by(LinkService::Contention),
            };
            if let (Ends::Tcp(tcp), Some(truth)) = (&mut flow.ends, truth) {
                tcp.sender.on_truth(&truth);
            }
            let path = graph.path(&routes, f.from, f.to);
            let others = hosted.len();
            install::agents(&mut flow, plan, &path, &mut timers, &mut hosted);
            if hosted.len() > MOST_AGENTS {
                return Err(BuildError::TooManyAgents { flow: f.name.clone() });
            }
            for host in &mut hosted[others..] {
                let name = format!("{}.sender.{}", f.name, plan.nodes[host.node.0 as usize]);
                host.agent.on_seed(streams.stream(&name).below(u32::MAX));
            }
            events.push(f.start, Event::App(id));
            flows.push(flow);
        }
        let watched = flows.iter().map(|flow| !flow.agents.is_empty()).collect();
        let handoffs = courses::schedule(plan, &mut events);
        let routes = on_demand(plan, routes);
        install::listeners(plan, &routes, &hosted, &mut sites, &mut radios);
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
            radios,
            flows,
            hosted,
            handoffs,
            routes,
            labels: Vec::new(),
            watched,
            ahead: Vec::new(),
            dropped_by_queue: Vec::new(),
            effects: VecDeque::new(),
            radio_effects: Vec::new(),
            wishes: Default::default(),
            print: Fingerprint::default(),
            drops: [0; Drop::ALL.len()],
            recorder: recorder.map(Box::new),
            created: 0,
            arrived: 0,
            dropped: 0,
        })
    }
}

/// Next hops towards every node that a flow begins or ends at.
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

/// What crosses a cell whose routes are found on demand must begin and end there: its routers know no other nodes.
fn refuse_through_traffic(plan: &Plan, graph: &Graph, routes: &Routes) -> Result<(), BuildError> {
    for f in &plan.flows {
        for (_, hop) in graph.path(routes, f.from, f.to) {
            let Some(wlan) = on_demand_cell(plan, hop) else { continue };
            if ![f.from, f.to].iter().all(|end| wlan.nodes.contains(end)) {
                return Err(BuildError::OnDemand { flow: f.name.clone(), wlan: wlan.cell.name.clone() });
            }
        }
    }
    Ok(())
}

/// The cell of this hop, if its stations find their routes on demand.
pub(crate) fn on_demand_cell(plan: &Plan, hop: Hop) -> Option<&WlanPlan> {
    let Hop::Air { cell, .. } = hop else { return None };
    Some(&plan.wlans[cell as usize]).filter(|wlan| wlan.routing != RoutingPlan::Static)
}

/// The routes of the world: in cells whose routes are found on demand, the stations ask their routers.
fn on_demand(plan: &Plan, mut routes: Routes) -> Routes {
    routes.replace(|hop| match (on_demand_cell(plan, hop), hop) {
        (Some(_), Hop::Air { cell, from, .. }) => Hop::OnDemand { cell, from },
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
    let cell = |w: &WlanPlan| Stations {
        places: w.nodes.iter().zip(&w.cell.stations).map(|(&node, (_, place))| (node, *place)).collect(),
        reach: w.cell.range.map(|range| range.receive),
    };
    let wired = plan.wired.iter().map(|w| w.ends).collect();
    let radios = plan.radios.iter().map(|r| r.nodes).collect();
    Graph::new(plan.nodes.iter().cloned(), wired, radios, plan.wlans.iter().map(cell).collect())
}

/// The discipline of every queue: what the scenario says, or what a service of a flow makes of it.
struct Disciplines {
    /// By direction of wired links.
    links: Vec<QueuePlan>,
    /// By cell, then by station.
    stations: Vec<Vec<QueuePlan>>,
    /// By radio link, then by end.
    radios: Vec<[QueuePlan; 2]>,
}

impl Disciplines {
    fn new(plan: &Plan, graph: &Graph, routes: &Routes) -> Self {
        let mut all = Disciplines {
            links: plan.wired.iter().flat_map(|w| [w.queue; 2]).collect(),
            stations: plan.wlans.iter().map(|w| vec![w.queue; w.nodes.len()]).collect(),
            radios: plan.radios.iter().map(|r| [r.queue; 2]).collect(),
        };
        for flow in &plan.flows {
            for service in &flow.services {
                if let Kind::Queue(discipline) = service.kind {
                    let path = graph.path(routes, flow.from, flow.to);
                    install::hosts(plan, &path, flow.to)
                        .into_iter()
                        .for_each(|(_, hop)| all.replace(hop, discipline));
                }
            }
        }
        all
    }

    /// Puts another discipline in the place of a drop-tail queue; what the scenario made another stays.
    fn replace(&mut self, hop: Hop, discipline: fn(usize) -> QueuePlan) {
        let queue = match hop {
            Hop::None => return,
            Hop::Link(i) => &mut self.links[i as usize],
            Hop::Air { cell, from, .. } | Hop::OnDemand { cell, from } => {
                &mut self.stations[cell as usize][from as usize]
            }
            Hop::Radio { link, end } => &mut self.radios[link as usize][end as usize],
        };
        if let QueuePlan::DropTail { packets } = *queue {
            *queue = discipline(packets);
        }
    }
}

fn links(
    plan: &Plan,
    queues: &Disciplines,
    streams: &Streams,
    mut recorder: Option<&mut Recorder>,
) -> Vec<Link> {
    let mut links = Vec::new();
    for w in &plan.wired {
        let names = w.ends.map(|n| plan.nodes[n.0 as usize].as_str());
        for (side, errors) in w.errors.iter().enumerate() {
            let (from, to) = (w.ends[side], w.ends[1 - side]);
            let name = format!("{}->{}", names[side], names[1 - side]);
            let errors = w.pace.with_losses(side as u8, errors);
            let model = (errors != ErrorPlan::Clean)
                .then(|| errors.build(streams, &w.name, names[side], names[1 - side]));
            let stream = streams.stream(&format!("{}.queue.{name}", w.name));
            let line = Line::new(&queues.links[links.len()], &w.pace, stream);
            let mut link =
                Link::new(links.len() as u16, name, from, to, w.pace.start(side as u8), w.delay, line, model);
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

fn site(
    w: &WlanPlan,
    plan: &Plan,
    queues: &[QueuePlan],
    streams: &Streams,
    mut recorder: Option<&mut Recorder>,
) -> Site {
    let name = |n: NodeId| plan.nodes[n.0 as usize].clone();
    let reach = w.cell.range.map(|range| range.receive);
    let time_for = |bytes| truth::exchange_time(&w.cell, bytes) + truth::mean_backoff(&w.cell);
    let stations = w
        .nodes
        .iter()
        .zip(&w.cell.stations)
        .zip(queues)
        .map(|((&node, &(_, place)), queue)| {
            let stream = streams.stream(&format!("{}.queue.{}", w.cell.name, name(node)));
            let mut site = StationSite {
                node,
                name: name(node),
                queue: queues::build(queue, time_for, stream),
                idle_since: Time::ZERO,
                in_mac: false,
                passing: None,
                last_loss: None,
                on_air: None,
                sent: (DropKind::Control, 0),
                interface: 0,
                queue_place: 0,
                places: Vec::new(),
                fades: Vec::new(),
            };
            if let Some(r) = recorder.as_deref_mut() {
                r.station(&w.cell.name, &name(node), place);
                site.interface = r.interface(node, &w.cell.name);
                let mut link = |to: &str| r.place(&format!("{}->{to}", name(node)));
                let others = (0..).zip(&w.cell.stations).zip(&w.nodes).filter(|(_, to)| **to != node);
                let heard =
                    others.filter(|((_, (_, there)), _)| reach.is_none_or(|r| hear(place, *there, r)));
                site.places = heard.map(|((station, (to, _)), _)| (station, link(to))).collect();
                site.queue_place = match w.nodes[..] {
                    [a, b] => link(&name(if node == a { b } else { a })),
                    _ => link("*"),
                };
            }
            site
        })
        .collect();
    let mut cell = Cell::new(&w.cell, streams);
    if recorder.is_some_and(|r| r.wants_transmissions()) {
        cell.tell_all();
    }
    Site { cell, stations, routers: Vec::new() }
}

fn radio_site(
    r: &RadioLinkPlan,
    plan: &Plan,
    queues: &[QueuePlan; 2],
    streams: &Streams,
    mut recorder: Option<&mut Recorder>,
) -> RadioSite {
    let mut link = RadioLink::new(&r.link, streams);
    if recorder.is_some() {
        link.tell_all();
    }
    let ends = [0, 1].map(|end| {
        let [from, to] = [end, 1 - end].map(|end| &plan.nodes[r.nodes[end].0 as usize]);
        let name = format!("{from}->{to}");
        let stream = streams.stream(&format!("{}.queue.{name}", r.link.name));
        let time_for = |bytes| r.link.pace.time_for(bytes + r.link.overhead);
        let (place, interface) = recorder.as_deref_mut().map_or((0, 0), |recorder| {
            (recorder.place(&name), recorder.interface(r.nodes[end], &r.link.name))
        });
        EndSite {
            node: r.nodes[end],
            name,
            queue: queues::build(&queues[end], time_for, stream),
            idle_since: Time::ZERO,
            taken: Taken::default(),
            place,
            interface,
            listeners: Vec::new(),
        }
    });
    RadioSite { link, ends }
}

fn ends(f: &FlowPlan, id: FlowId, streams: &Streams, timers: &mut Timers) -> Result<Ends, BuildError> {
    Ok(match &f.transport {
        Transport::Tcp { scheme, params, config } => Ends::Tcp(Box::new(TcpEnds {
            sender: {
                let parts = (scheme.build)(params, config);
                let mut sender = Sender::new(id, f.from, f.to, config, scheme.asks, parts);
                sender.seed(streams.stream(&format!("{}.sender", f.name)).below(u32::MAX));
                sender
            },
            receiver: Receiver::new(id, f.to, f.from, config, scheme.asks),
            sender_timer: timers.add(),
            receiver_timer: timers.add(),
            spurious: Default::default(),
            lateness: Default::default(),
            fates: LossLedger::default(),
            completed: None,
        })),
        Transport::Udp { bytes } => {
            let stream = streams.stream(&format!("{}.app", f.name));
            let source = Source::new(&f.app, *bytes, stream);
            Ends::Udp(UdpEnds::new(
                *bytes,
                source.ok_or_else(|| BuildError::NotForUdp { flow: f.name.clone() })?,
            ))
        }
    })
}
