//! The outside: datagrams of real hosts enter the network at some nodes, cross it as packets, and leave it at
//! others.
//!
//! From its first segment on a real TCP connection is two flows, one for the data of each direction, since
//! the state of an agent concerns one direction. A segment with data belongs to the flow of that data, a pure
//! ACK to the flow that it acknowledges, as in a simulated flow; an ACK on data is also shown to the agents
//! of the acknowledged flow. Each UDP conversation is two flows, one per direction; all other traffic from
//! one node to another is one flow.
//!
//! The owner of the clock and the devices calls [`World::admit`] and [`World::departures`]; this module does
//! no I/O.

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

/// Nodes of a scenario that are open to real hosts, and the flows replaced by real traffic.
#[derive(Clone, Debug, Default)]
pub struct OutsidePlan {
    /// Nodes at which datagrams enter and leave.
    pub ends: Vec<OutsideEnd>,
    /// Flows of the plan that real traffic replaces, at least one from each of these nodes to each other. The
    /// services of the first apply to the connections in its direction; it also counts protocols other than
    /// TCP and UDP.
    pub flows: Vec<FlowId>,
}

/// Node with real hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutsideEnd {
    /// Node.
    pub node: NodeId,
    /// Addresses behind the node.
    pub reach: Reach,
    /// True if the node's senders listen for ELN and ERSN, which have the form of an ACK; any other kernel
    /// would process them as ACKs.
    pub hears: bool,
}

/// Destinations behind a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Host with the addresses of the node ([`airhop_wire::addressing`]).
    Host,
    /// All addresses that belong to no other node's host: a network behind an interface.
    Network,
}

/// Address and port.
type Endpoint = (IpAddr, u16);

/// Boundary of a world to real hosts.
pub(crate) struct Outside {
    ends: Vec<OutsideEnd>,
    /// Replaced flows, by the nodes at which real packets enter and leave.
    stand_ins: HashMap<[NodeId; 2], FlowId>,
    /// Connections by their ends, the smaller first; index into `opened`.
    connections: HashMap<[Endpoint; 2], usize>,
    opened: Vec<Opened>,
    /// UDP conversations, by source and destination.
    conversations: HashMap<[Endpoint; 2], FlowId>,
    /// Datagrams whose entry is scheduled.
    entering: VecDeque<(NodeId, Arc<[u8]>)>,
    departures: Vec<Departure>,
    /// Notices sent to real hosts, by kind; ACKs sent with the ELN bit count as ELNs.
    notices: [u64; NoticeKind::ALL.len()],
    /// Number of datagrams without a destination: unknown addresses, broadcasts, protocols other than IP.
    ignored: u64,
}

/// TCP connection.
struct Opened {
    connection: Connection,
    /// Ends of the connection, the opener's first.
    ends: [Endpoint; 2],
    /// Ordinal number of the connection between these ends, as hosts may reuse ports.
    number: u32,
    /// Flows of the opener's data and of the other end's data.
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

    /// Returns the node at which a datagram to this address, entered at `node`, leaves; `None` without a host
    /// at both.
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

    /// True if senders at a node listen for notices in the form of ACKs.
    fn hears(&self, node: NodeId) -> bool {
        self.ends.iter().any(|end| end.node == node && end.hears)
    }
}
