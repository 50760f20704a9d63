//! Plan of a world: all parameters of a scenario as validated numbers.

use crate::apps::AppPlan;
use crate::links::Links;
use crate::routing::AodvPlan;
use crate::services::{LinkService, Service, ServiceKind};
use airhop_base::{AccessCategory, FlowId, NodeId, Span, Time};
use airhop_tcp::{Config, Scheme};
use std::sync::Arc;

/// Complete scenario as numbers. Names are used only for random streams, traces and messages.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the scenario.
    pub name: String,
    /// Simulated time.
    pub duration: Span,
    /// Warm-up at the start of the run, excluded from the results. Less than `duration`.
    pub warmup: Span,
    /// Names of the nodes, by [`NodeId`].
    pub nodes: Vec<String>,
    /// Links, by type.
    pub links: Links,
    /// Flows, by `FlowId`.
    pub flows: Vec<FlowPlan>,
}

/// Properties of a wlan that are drawn at random for each replication (see [`crate::placement`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomDraws {
    /// Area for random placement of the stations; `None` for the positions in the plan.
    pub area: Option<Area>,
    /// Flows between random stations of the wlan. The endpoints of these flows in the plan are ignored.
    pub drawn_flows: Vec<DrawnFlow>,
}

/// Rectangle with a corner at [0, 0]. Positions are uniformly distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Extent along x in metres.
    pub width: f64,
    /// Extent along y in metres.
    pub height: f64,
    /// True if a placement must have a path between any two stations.
    pub must_be_connected: bool,
}

/// Flow between two random stations of a wlan. No two flows of the wlan have the same pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnFlow {
    /// Flow.
    pub flow: FlowId,
    /// Number of hops on the shortest path between the two stations; `None` for any number.
    pub hops: Option<u32>,
}

/// Routing between the stations of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RoutingPlan {
    /// Static shortest routes.
    #[default]
    Static,
    /// On-demand routes (AODV).
    Aodv(AodvPlan),
}

/// Plan of a flow.
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
    /// Application.
    pub app: Arc<dyn AppPlan>,
    /// Start time.
    pub start: Time,
    /// Services that the network provides for the flow, such as notices of losses.
    pub services: Vec<&'static Service>,
    /// Access category of the flow's packets in both directions, used in cells with EDCA.
    pub access_category: AccessCategory,
    /// Class of the flow.
    pub class: FlowClass,
}

/// Class of a flow. Results are grouped by class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowClass {
    /// Class name from the scenario.
    Named(Arc<str>),
    /// Class named after the kind of the flow's application. For a flow over a wireless link, the name also
    /// contains the direction of the data.
    OfKind(&'static str),
}

impl FlowPlan {
    /// True if the link layer provides this service for the flow.
    pub fn has_service(&self, wanted: LinkService) -> bool {
        self.services.iter().any(|s| matches!(s.kind, ServiceKind::ByLinks(service) if service == wanted))
    }

    /// True if a proxy on the path terminates the sender's connection.
    pub fn has_proxy(&self) -> bool {
        self.services.iter().any(|s| matches!(s.kind, ServiceKind::Proxy(_)))
    }
}

/// Transport of a flow.
#[derive(Clone, Debug)]
pub enum Transport {
    /// TCP connection.
    Tcp {
        /// The scheme.
        scheme: &'static Scheme,
        /// All parameters of the scheme, by name.
        params: airhop_tcp::Params,
        /// Configuration of the connection.
        config: Config,
    },
    /// UDP datagrams.
    Udp {
        /// Payload of a datagram in bytes.
        bytes: u32,
    },
}
