//! Services that the network provides for a flow: agents, queue disciplines, and link-layer functions.
//!
//! A scheme lists the services that it requires, and its flows get these services by default. A scenario may
//! list other services for a flow, to combine any sender with any kind of notification (Yun 2009 §5.3).

use crate::agents::{Agent, EbsnAgent, ElnAgent, ElsnAgent, NakAgent, RttnAgent, SnoopAgent, SplitProxy};
use crate::plan::FlowPlan;
use crate::queues::QueuePlan;
use airhop_base::{FlowId, NodeId};

/// Service that the network provides for a flow.
#[derive(Debug)]
pub struct Service {
    /// Name in the list `needs` of a scheme, and in scenario files.
    pub name: &'static str,
    /// Description of the service, one sentence.
    pub about: &'static str,
    /// Implementation of the service.
    pub kind: ServiceKind,
    /// True if the service notifies senders of losses on wireless links. A flow with the scenario key
    /// `notices` does not get such services by default.
    pub notifies_of_losses: bool,
    /// Effect on flows of real hosts.
    pub real_host_effect: RealHostEffect,
}

/// Effect of a service on packets of real hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealHostEffect {
    /// The service has its full effect on real packets.
    Acts,
    /// The service has its full effect, but sends notices only to hosts with a listener. Any other kernel
    /// would process the notices as ACKs.
    ToListeners,
    /// The service has no effect, for the given reason.
    Cannot(&'static str),
}

/// Implementation of a service.
#[derive(Clone, Copy, Debug)]
pub enum ServiceKind {
    /// Agent at each node where data enters a wireless link, with access to the events of the link layer. The
    /// node is the base station for the downlink, and the sending station for the uplink.
    AtLink(AgentConstructor),
    /// Agent at every station of the wireless networks that the data crosses.
    AtStations(StationAgentConstructor),
    /// Agent at the base station, where the wired and the wireless network meet, for both directions.
    AtBase(BaseStationAgentConstructor),
    /// Proxy at the base station (split TCP). The proxy terminates the sender's connection, and opens a
    /// second connection to the receiver.
    Proxy(BaseStationAgentConstructor),
    /// Agent that reports events of a wireless link. The constructor returns an agent for each [`AgentPlace`]
    /// that needs one.
    BesideAir(LinkEndAgentConstructor),
    /// Queue discipline that replaces the drop-tail queues on the path of the flow's data. The argument is
    /// the capacity in packets.
    Queue(fn(usize) -> QueuePlan),
    /// Report of true properties of the path to the sender. Only the simulator knows these properties.
    Oracle,
    /// Function of the link layers.
    ByLinks(LinkService),
}

/// Constructor of an agent for the flow with this id and plan.
pub type AgentConstructor = fn(FlowId, &FlowPlan) -> Box<dyn Agent>;

/// Constructor of an agent at a station; the argument is the station's node.
pub type StationAgentConstructor = fn(FlowId, &FlowPlan, NodeId) -> Box<dyn Agent>;

/// Constructor of an agent at the base station. [`DataDirection`] is the direction of the data across the base station.
pub type BaseStationAgentConstructor = fn(FlowId, &FlowPlan, DataDirection) -> Box<dyn Agent>;

/// Constructor of an agent at this place; `None` if the flow needs no agent there.
pub type LinkEndAgentConstructor = fn(&FlowPlan, AgentPlace) -> Option<Box<dyn Agent>>;

/// Place of an agent on the path of a flow, at one end of a wireless link. A base station connects two
/// networks, at least one of them wireless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// Source of the flow, if it sends over a wireless link.
    Source,
    /// Base station that sends the data over a wireless link.
    Down,
    /// Base station that receives the data over a wireless link and forwards it over a wired link.
    Up,
}

/// Direction in which data crosses a base station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataDirection {
    /// From the wireless link to the wired link.
    Up,
    /// From the wired link to the wireless link.
    Down,
}

/// Functions that link layers perform for a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkService {
    /// Delivery of segments with intact headers and bit errors in the payload. These segments are marked as
    /// damaged.
    DamagedFrames,
    /// Fragmentation in 802.11 that protects a segment's headers (LHP). If only the headers arrive, the
    /// segment is delivered and marked as damaged.
    Fragments,
    /// Contention times of the data, summed over all hops in a header field.
    Contention,
}

/// All services.
pub static SERVICES: &[Service] = &[
    Service {
        name: "snoop",
        about: "an agent before the wireless link retransmits lost segments from its own copies",
        kind: ServiceKind::AtLink(|_, _| Box::new(SnoopAgent::new())),
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Acts,
    },
    Service {
        name: "elsn",
        about: "the link layer notifies the sender of segments that it retransmits (ERSN) or discards (ELN)",
        kind: ServiceKind::AtLink(|_, _| Box::new(ElsnAgent)),
        notifies_of_losses: true,
        real_host_effect: RealHostEffect::ToListeners,
    },
    Service {
        name: "ebsn",
        about: "the base station notifies the sender of each failed attempt on the way down to a mobile (EBSN)",
        kind: ServiceKind::BesideAir(|plan, place| Some(Box::new(EbsnAgent::from_place(plan, place)?))),
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Acts,
    },
    Service {
        name: "rttn",
        about: "base stations measure fades and notify the sender of the expected delay (RTTN, a reconstruction)",
        kind: ServiceKind::BesideAir(|plan, place| {
            (place != AgentPlace::Source).then(|| Box::new(RttnAgent::new(plan)) as _)
        }),
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Acts,
    },
    Service {
        name: "nak",
        about: "a MAC that drops a segment writes its number into the next ACK of the flow, and reports no link \
                failure to routing (Cheng & Lin 2008)",
        kind: ServiceKind::AtStations(|_, plan, node| Box::new(NakAgent::new(plan, node))),
        notifies_of_losses: true,
        real_host_effect: RealHostEffect::Acts,
    },
    Service {
        name: "congestion-warning",
        about: "routers mark every ECN-capable packet while the average queue length is at or above a threshold (Xu, Tian \
                and Ansari 2004), in place of drop-tail queues",
        kind: ServiceKind::Queue(QueuePlan::congestion_warning),
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Acts,
    },
    Service {
        name: "step-marking",
        about: "routers mark every ECN-capable packet that finds the queue at least a quarter full (RFC 8257 §3.1), \
                in place of drop-tail queues",
        kind: ServiceKind::Queue(QueuePlan::step_marking),
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Acts,
    },
    Service {
        name: "biased-queue",
        about: "full routers drop packets that the sender marks \"out\" first (Biaz and Vaidya 2005), \
                in place of drop-tail queues",
        kind: ServiceKind::Queue(|packets| QueuePlan::Biased { packets }),
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Cannot("no kernel marks its packets as \"in\" or \"out\""),
    },
    Service {
        name: "truth",
        about: "the simulator informs the sender of its share of the bottleneck and of the round trip with empty queues",
        kind: ServiceKind::Oracle,
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Cannot("a kernel has no interface for its share of the bottleneck"),
    },
    Service {
        name: "eln",
        about: "the base station marks duplicate ACKs for segments that the wireless link lost",
        kind: ServiceKind::AtBase(|_, _, way| match way {
            DataDirection::Up => Box::new(ElnAgent::uplink()),
            DataDirection::Down => Box::new(ElnAgent::downlink()),
        }),
        notifies_of_losses: true,
        real_host_effect: RealHostEffect::ToListeners,
    },
    Service {
        name: "split",
        about: "the connection ends at the base station, and a second connection continues from there",
        kind: ServiceKind::Proxy(|flow, plan, way| Box::new(SplitProxy::new(flow, plan, way))),
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Cannot(
            "the proxy is a simulated TCP and does not store the payload",
        ),
    },
    Service {
        name: "damaged-frames",
        about: "link layers deliver segments with a damaged payload and intact headers",
        kind: ServiceKind::ByLinks(LinkService::DamagedFrames),
        notifies_of_losses: true,
        real_host_effect: RealHostEffect::Cannot("a kernel drops packets with a wrong checksum"),
    },
    Service {
        name: "fragments",
        about: "802.11 sends data in fragments, the headers first, and delivers the headers if nothing else arrives",
        kind: ServiceKind::ByLinks(LinkService::Fragments),
        notifies_of_losses: true,
        real_host_effect: RealHostEffect::Cannot(
            "a kernel does not take the headers of a segment without its payload",
        ),
    },
    Service {
        name: "contention",
        about: "802.11 adds up the contention time of a data packet in a header field",
        kind: ServiceKind::ByLinks(LinkService::Contention),
        notifies_of_losses: false,
        real_host_effect: RealHostEffect::Cannot("a real segment has no field for its contention time"),
    },
];

/// Returns the names of all services.
pub fn names() -> Vec<&'static str> {
    SERVICES.iter().map(|s| s.name).collect()
}

/// Returns the service with this name; `None` for other names.
pub fn find(name: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|s| s.name == name)
}
