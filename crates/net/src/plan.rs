//! What a world is built from: plain numbers, checked by whoever made them.

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
    /// What goes by before anything is counted; less than `duration`.
    pub warmup: Span,
    /// Names of the nodes; a [`NodeId`] is an index.
    pub nodes: Vec<String>,
    /// Links, by their types.
    pub links: Links,
    /// Flows; a `FlowId` is an index.
    pub flows: Vec<FlowPlan>,
}

/// What of a wlan is drawn anew for each replication (see [`crate::placement`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draws {
    /// Where its stations are; their places in the plan mean nothing then.
    pub area: Option<Area>,
    /// Flows between two of its stations; what the plan has for their ends means nothing.
    pub pairs: Vec<Pair>,
}

/// A rectangle with a corner at [0, 0], in which each place is as likely as any other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its extent in x, metres.
    pub width: f64,
    /// Its extent in y, metres.
    pub height: f64,
    /// Only places from each of which there is a way to each other are taken.
    pub connected: bool,
}

/// A flow between two stations that are drawn; no two flows of a wlan get the same pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The flow.
    pub flow: FlowId,
    /// Transmissions on the shortest way from one to the other in this wlan; any number if `None`.
    pub hops: Option<u32>,
}

/// How the stations of a cell find routes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RoutingPlan {
    /// The shortest routes are known from the beginning.
    #[default]
    Static,
    /// They ask each other (AODV).
    Aodv(AodvPlan),
}

/// A flow.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Its name.
    pub name: String,
    /// The sending node.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// TCP or UDP.
    pub transport: Transport,
    /// What is sent.
    pub app: AppPlan,
    /// When it starts.
    pub start: Time,
    /// What the network does for it.
    pub services: Vec<&'static Service>,
}

impl FlowPlan {
    /// True if link layers do this for it.
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
        /// Its parameters, by name, all of them.
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
