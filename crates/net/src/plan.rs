//! Specification of a world: plain numbers, checked by their maker.

use crate::links::Links;
use crate::routing::AodvPlan;
use crate::services::{Kind, LinkService, Service};
use airhop_base::{FlowId, NodeId, Rate, Span, Time};
use airhop_tcp::{Config, Scheme};

/// A whole scenario, resolved: names only for streams, traces and messages.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the scenario.
    pub name: String,
    /// Simulated time.
    pub duration: Span,
    /// Warm-up: time before anything is counted; less than `duration`.
    pub warmup: Span,
    /// Names of the nodes; a [`NodeId`] is an index.
    pub nodes: Vec<String>,
    /// Links, by their types.
    pub links: Links,
    /// Flows; a `FlowId` is an index.
    pub flows: Vec<FlowPlan>,
}

/// Properties of a wlan that each replication draws anew (see [`crate::placement`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draws {
    /// Area of its stations; if given, their places in the plan have no meaning.
    pub area: Option<Area>,
    /// Flows between two of its stations, whose ends in the plan have no meaning.
    pub pairs: Vec<Pair>,
}

/// Rectangle with a corner at [0, 0], in which each place is equally likely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Extent in x, metres.
    pub width: f64,
    /// Extent in y, metres.
    pub height: f64,
    /// True to accept only places from each of which there is a path to each other.
    pub connected: bool,
}

/// Flow between two drawn stations; no two flows of a wlan have the same pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Flow.
    pub flow: FlowId,
    /// Number of transmissions on the shortest path between them in this wlan; any number if `None`.
    pub hops: Option<u32>,
}

/// Routing between the stations of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RoutingPlan {
    /// Shortest routes, known from the beginning.
    #[default]
    Static,
    /// Routes on demand (AODV).
    Aodv(AodvPlan),
}

/// Flow.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Name of the flow.
    pub name: String,
    /// The sending node.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// TCP or UDP.
    pub transport: Transport,
    /// Application that sends.
    pub app: AppPlan,
    /// Start time.
    pub start: Time,
    /// Services of the network for it.
    pub services: Vec<&'static Service>,
}

impl FlowPlan {
    /// True if link layers provide this service for it.
    pub fn is_served_by(&self, wanted: LinkService) -> bool {
        self.services.iter().any(|s| matches!(s.kind, Kind::ByLinks(service) if service == wanted))
    }
}

/// The transport of a flow.
#[derive(Clone, Debug)]
pub enum Transport {
    /// A TCP connection.
    Tcp {
        /// The scheme.
        scheme: &'static Scheme,
        /// Parameters of the scheme by name, all of them.
        params: airhop_tcp::Params,
        /// The connection's configuration.
        config: Config,
    },
    /// UDP datagrams of this many payload bytes.
    Udp {
        /// Payload of a datagram, bytes.
        bytes: u32,
    },
}

/// An application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AppPlan {
    /// Always has data to send (FTP of an endless file).
    Bulk,
    /// Sends this many bytes and stops (TCP only).
    Transfer {
        /// Size in bytes.
        bytes: u64,
    },
    /// A constant bit rate of payload (UDP only).
    Cbr {
        /// Payload rate.
        rate: Rate,
    },
    /// A constant bit rate of payload while it is on; on and off periods have Pareto distributions (UDP only).
    ParetoOnOff {
        /// Payload rate while it is on.
        peak: Rate,
        /// Mean of the on periods.
        on: Span,
        /// Mean of the off periods.
        off: Span,
        /// Exponent of both distributions' tails, more than 1.
        shape: f64,
    },
}
