//! A service is something that the network does for a flow: agents, queue disciplines and link layers that schemes
//! need.
//!
//! A scheme names what it needs; choosing the scheme installs it. A scenario may name something else for a flow, so that any
//! sender can be tried with any notification (Yun 2009 §5.3).

use crate::agents::{Agent, Ebsn, Eln, Elsn, Nak, Rttn, Snoop, Split};
use crate::plan::FlowPlan;
use crate::queues::QueuePlan;
use airhop_base::{FlowId, NodeId};

/// Something that the network does for a flow.
#[derive(Debug)]
pub struct Service {
    /// Its name, in a scheme's `needs` and in scenario files.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// How it is provided.
    pub kind: Kind,
    /// It tells senders of losses on wireless links, in whatever form: what a flow with notices of its own choice does without.
    pub tells_of_losses: bool,
    /// What it does for flows of real hosts.
    pub on_real: OnReal,
}

/// What a service does for real packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnReal {
    /// The same as for those of Airhop.
    Acts,
    /// It acts; what it tells the sender leaves to those who listen for it: any other kernel would take it for an ACK.
    ToListeners,
    /// It cannot act; says why.
    Cannot(&'static str),
}

/// How a service is provided.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// An agent wherever the data enters a wireless link, where it hears what the link layer does: at the base station on the
    /// way down, at the sending station on the way up.
    AtLink(BuildAgent),
    /// An agent at every station of the wireless networks that the data cross, wherever routing leads them.
    AtStations(BuildAtStation),
    /// An agent at the base station, where the wired and the wireless network meet, in either direction.
    AtBase(BuildAtBase),
    /// An agent that tells of a wireless link, at any [`Place`] that it wants.
    BesideAir(BuildBesideAir),
    /// A discipline, of the capacity given, in place of the drop-tail queues that the flow's data meet.
    Queue(fn(usize) -> QueuePlan),
    /// The simulator tells the sender the truth about its path.
    Oracle,
    /// The link layers themselves do it.
    ByLinks(LinkService),
}

/// Builds an agent for the flow with this number and plan.
pub type BuildAgent = fn(FlowId, &FlowPlan) -> Box<dyn Agent>;

/// The same for one at the station of this node.
pub type BuildAtStation = fn(FlowId, &FlowPlan, NodeId) -> Box<dyn Agent>;

/// The same for one at the base station, which the data crosses that way.
pub type BuildAtBase = fn(FlowId, &FlowPlan, Way) -> Box<dyn Agent>;

/// The same for one at this place, if it wants to be there.
pub type BuildBesideAir = fn(&FlowPlan, Place) -> Option<Box<dyn Agent>>;

/// Where on the path of a flow something can be said of one of its wireless links. A base station is a node at which the data change
/// from one network to another, and at least one of the two is wireless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the source, which is itself wireless.
    Source,
    /// At a base station, from which data go down to a wireless link.
    Down,
    /// At a base station to which data come up by a wireless link, and go on by wire.
    Up,
}

/// Which way data crosses a base station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the wireless link to the wire.
    Up,
    /// From the wire to the wireless link.
    Down,
}

/// What link layers can do for a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkService {
    /// Deliver, marked as damaged, segments that arrived with bit errors behind their headers.
    DamagedFrames,
    /// Send data in fragments that protect its headers, on 802.11; a station that gets those alone delivers the segment, marked as
    /// damaged.
    Fragments,
    /// Add to a header field of its data how long it contended for the medium, hop by hop.
    Contention,
}

/// All services.
pub static SERVICES: &[Service] = &[
    Service {
        name: "snoop",
        about: "an agent before the wireless link repairs losses from its own copies",
        kind: Kind::AtLink(|_, _| Box::new(Snoop::new())),
        tells_of_losses: false,
        on_real: OnReal::Acts,
    },
    Service {
        name: "elsn",
        about: "the link layer tells the sender what it repeats (ERSN) and what it gives up (ELN)",
        kind: Kind::AtLink(|_, _| Box::new(Elsn)),
        tells_of_losses: true,
        on_real: OnReal::ToListeners,
    },
    Service {
        name: "ebsn",
        about: "the base station tells the sender of each attempt on the way down to a mobile that failed (EBSN)",
        kind: Kind::BesideAir(|plan, place| Some(Box::new(Ebsn::at(plan, place)?))),
        tells_of_losses: false,
        on_real: OnReal::Acts,
    },
    Service {
        name: "rttn",
        about: "base stations measure fades and tell the sender what delay to expect from them (RTTN, a reconstruction)",
        kind: Kind::BesideAir(|plan, place| (place != Place::Source).then(|| Box::new(Rttn::new(plan)) as _)),
        tells_of_losses: false,
        on_real: OnReal::Acts,
    },
    Service {
        name: "nak",
        about: "a MAC that drops a segment says so on the next ACK of the flow, and spares the route (Cheng & Lin 2008)",
        kind: Kind::AtStations(|_, plan, node| Box::new(Nak::new(plan, node))),
        tells_of_losses: true,
        on_real: OnReal::Acts,
    },
    Service {
        name: "congestion-warning",
        about: "routers mark every capable packet while their averaged queue is long (Xu, Tian and Ansari 2004), \
                in place of drop-tail queues",
        kind: Kind::Queue(QueuePlan::congestion_warning),
        tells_of_losses: false,
        on_real: OnReal::Acts,
    },
    Service {
        name: "step-marking",
        about: "routers mark every capable packet that finds a quarter of the places taken (RFC 8257 §3.1), in place of drop-tail \
                queues",
        kind: Kind::Queue(QueuePlan::step_marking),
        tells_of_losses: false,
        on_real: OnReal::Acts,
    },
    Service {
        name: "biased-queue",
        about: "full routers drop packets that the sender marks \"out\" first (Biaz and Vaidya 2005), \
                in place of drop-tail queues",
        kind: Kind::Queue(|packets| QueuePlan::Biased { packets }),
        tells_of_losses: false,
        on_real: OnReal::Cannot("no kernel marks its packets as \"in\" or \"out\""),
    },
    Service {
        name: "truth",
        about: "the simulator tells the sender its share of the bottleneck and the round trip with empty queues",
        kind: Kind::Oracle,
        tells_of_losses: false,
        on_real: OnReal::Cannot("no kernel can be told its share of the bottleneck"),
    },
    Service {
        name: "eln",
        about: "the base station marks duplicate ACKs for segments that the wireless link lost",
        kind: Kind::AtBase(|_, _, way| match way {
            Way::Up => Box::new(Eln::uplink()),
            Way::Down => Box::new(Eln::downlink()),
        }),
        tells_of_losses: true,
        on_real: OnReal::ToListeners,
    },
    Service {
        name: "split",
        about: "the connection ends at the base station, and another one goes on from there",
        kind: Kind::AtBase(|flow, plan, way| Box::new(Split::new(flow, plan, way))),
        tells_of_losses: false,
        on_real: OnReal::Cannot(
            "its proxy is a TCP of Airhop, which has none of the data that it would acknowledge",
        ),
    },
    Service {
        name: "damaged-frames",
        about: "link layers deliver segments with a damaged payload and intact headers",
        kind: Kind::ByLinks(LinkService::DamagedFrames),
        tells_of_losses: true,
        on_real: OnReal::Cannot("a kernel drops what fails its checksum"),
    },
    Service {
        name: "fragments",
        about: "802.11 sends data in fragments, the headers first, and delivers the headers if nothing else arrives",
        kind: Kind::ByLinks(LinkService::Fragments),
        tells_of_losses: true,
        on_real: OnReal::Cannot("a kernel does not take the headers of a segment without its payload"),
    },
    Service {
        name: "contention",
        about: "802.11 adds up in a header field of the data how long they contended for the medium",
        kind: Kind::ByLinks(LinkService::Contention),
        tells_of_losses: false,
        on_real: OnReal::Cannot("a real segment has no field for the time that it contended"),
    },
];

/// The names of all services.
pub fn names() -> Vec<&'static str> {
    SERVICES.iter().map(|s| s.name).collect()
}

/// The service called `name`.
pub fn find(name: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|s| s.name == name)
}
