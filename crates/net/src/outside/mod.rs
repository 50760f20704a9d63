//! Boundary to real hosts: their datagrams enter the network at some nodes, cross it as packets, and leave it
//! at other nodes.
//!
//! A real TCP connection is two flows from its first segment on, one flow per direction of its data, because
//! an agent's state refers to one direction. A data segment belongs to the flow of its data, and a pure ACK
//! to the flow that it acknowledges, as in simulated flows. Agents of the acknowledged flow also process the
//! ACK in a data segment. A UDP conversation is two flows, one per direction. All other traffic from one node
//! to another is one flow.
//!
//! This module does no I/O: the owner of clock and devices calls [`World::admit`] and [`World::departures`].

mod ends;
mod entering;
mod leaving;
mod seen;

use crate::plan::{FlowPlan, Plan};
use airhop_base::{Departure, FlowId, NodeId, NoticeKind};
use airhop_wire::real::Connection;
pub(crate) use ends::{HalfConnection, RealEnds};
pub use seen::{ObservedFlow, ObservedLoad};
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

/// Nodes of a scenario that real hosts use, and the flows that their traffic replaces.
#[derive(Clone, Debug, Default)]
pub struct OutsidePlan {
    /// Nodes at which datagrams enter and leave.
    pub ends: Vec<OutsideEnd>,
    /// Flows of the plan that real traffic replaces, at least one for each ordered pair of these nodes. The
    /// services of the first flow of a pair apply to connections in its direction. Protocols other than TCP
    /// and UDP count for this flow.
    pub flows: Vec<FlowId>,
}

/// Node that real hosts use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutsideEnd {
    /// Node that the hosts use.
    pub node: NodeId,
    /// Addresses behind the node.
    pub reach: Reach,
    /// True if the senders of the node listen for ELN and ERSN. Both have the form of an ACK, and any other
    /// kernel would process them as ACKs.
    pub hears: bool,
}

/// Destination addresses behind a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A host with the node's addresses ([`airhop_wire::addressing`]).
    Host,
    /// A network behind an interface: all addresses that are not those of another node's host.
    Network,
}

/// Address and port.
type Endpoint = (IpAddr, u16);

/// Boundary of a world to real hosts.
pub(crate) struct Outside {
    ends: Vec<OutsideEnd>,
    /// Replaced flows, by the nodes at which their packets enter and leave.
    stand_ins: HashMap<[NodeId; 2], FlowId>,
    /// Indices into `opened` of TCP connections, by their endpoints, the smaller endpoint first.
    connections: HashMap<[Endpoint; 2], usize>,
    opened: Vec<Opened>,
    /// UDP conversations, by source and destination.
    conversations: HashMap<[Endpoint; 2], FlowId>,
    /// Datagrams that are scheduled to enter.
    entering: VecDeque<(NodeId, Arc<[u8]>)>,
    departures: Vec<Departure>,
    /// Number of notices sent to real hosts, by kind. An ACK with the ELN bit counts as an ELN.
    notices: [u64; NoticeKind::ALL.len()],
    /// Number of datagrams without a destination: unknown addresses, broadcasts, protocols other than IP.
    ignored: u64,
}

/// TCP connection.
struct Opened {
    connection: Connection,
    /// Endpoints of the connection, the endpoint that opened it first.
    ends: [Endpoint; 2],
    /// Ordinal number of the connection between these endpoints, because hosts may reuse ports.
    number: u32,
    /// Flow of the data from the endpoint that opened the connection, and flow of the opposite data.
    flows: [FlowId; 2],
}

impl Outside {
    pub fn new(outside: &OutsidePlan, plan: &Plan) -> Self {
        let mut stand_ins = HashMap::new();
        for &flow in &outside.flows {
            let FlowPlan { from, to, .. } = plan.flows[usize::from(flow.0)];
            stand_ins.entry([from, to]).or_insert(flow);
        }
        Outside {
            ends: outside.ends.clone(),
            stand_ins,
            connections: HashMap::new(),
            opened: Vec::new(),
            conversations: HashMap::new(),
            entering: VecDeque::new(),
            departures: Vec::new(),
            notices: Default::default(),
            ignored: 0,
        }
    }

    /// Returns the node at which a datagram to this address leaves after it entered at `node`; `None` unless
    /// both nodes have hosts.
    fn exit(&self, node: NodeId, destination: IpAddr) -> Option<NodeId> {
        if self.ends.iter().all(|end| end.node != node) {
            return None;
        }
        let others = || self.ends.iter().filter(|end| end.node != node);
        if let Some(host) = airhop_wire::addressing::host(destination) {
            let end = others().find(|end| end.reach == Reach::Host && end.node == host);
            if end.is_some() {
                return end.map(|end| end.node);
            }
        }
        if destination.is_multicast() || destination == IpAddr::from([255; 4]) {
            return None;
        }
        others().find(|end| end.reach == Reach::Network).map(|end| end.node)
    }

    /// True if senders at the node listen for notices in the form of ACKs.
    fn hears(&self, node: NodeId) -> bool {
        self.ends.iter().any(|end| end.node == node && end.hears)
    }
}
