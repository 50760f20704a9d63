//! Interface to real hosts. Datagrams enter the network at some nodes, cross it as packets, and leave it at
//! other nodes.
//!
//! A real TCP connection is two flows, one for each direction of data, because an agent's state refers to one
//! direction. A data segment belongs to the flow of its data. A pure ACK belongs to the flow that it
//! acknowledges, as in simulated flows. If a data segment contains an ACK, the agents of the acknowledged
//! flow also process the ACK. A UDP conversation is two flows, one for each direction. All other traffic from
//! one node to another is one flow.
//!
//! This module does no I/O. The crate that owns the clock and the devices calls
//! [`World::admit`](crate::World::admit) and [`World::departures`](crate::World::take_departures).

mod ends;
mod entering;
mod leaving;
mod seen;

use crate::plan::{FlowPlan, Plan};
use airhop_base::{DepartedDatagram, FlowId, NodeId, NoticeKind};
use airhop_wire::real::ObservedConnection;
pub(crate) use ends::{HalfConnection, RealEndpoints};
pub use seen::{ObservedFlow, ObservedLoad};
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

/// Nodes with real hosts, and the flows that real traffic replaces.
#[derive(Clone, Debug, Default)]
pub struct AttachedHostsPlan {
    /// Nodes where datagrams enter and leave.
    pub host_nodes: Vec<RealHostNode>,
    /// Flows of the plan that real traffic replaces, at least one for each ordered pair of these nodes.
    /// Connections use the services of the first flow of their pair. Traffic other than TCP and UDP counts
    /// under this first flow.
    pub replaced_flows: Vec<FlowId>,
}

/// Node with attached real hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealHostNode {
    /// Number of the node.
    pub node: NodeId,
    /// Addresses reached through the node.
    pub address_scope: AddressScope,
    /// True if the senders at the node listen for ELN and ERSN. A kernel without the listener would process
    /// ELN and ERSN as ACKs.
    pub has_notice_listener: bool,
}

/// Destination addresses that are reached through a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressScope {
    /// A single host with the node's addresses ([`airhop_wire::addressing`]).
    Host,
    /// A network behind an interface: all addresses except those of the hosts at other nodes.
    Network,
}

/// Endpoint of a connection: address and port.
type Endpoint = (IpAddr, u16);

/// State of a world's interface to real hosts.
pub(crate) struct RealHosts {
    ends: Vec<RealHostNode>,
    /// Flows of the plan that real traffic replaces, by entry and exit node.
    stand_ins: HashMap<[NodeId; 2], FlowId>,
    /// Index into `opened` of each TCP connection, by its two endpoints in ascending order.
    connections: HashMap<[Endpoint; 2], usize>,
    opened: Vec<OpenedConnection>,
    /// Flow of each direction of a UDP conversation, by source and destination.
    conversations: HashMap<[Endpoint; 2], FlowId>,
    /// Datagrams scheduled for entry, in order, each with its node.
    entering: VecDeque<(NodeId, Arc<[u8]>)>,
    departures: Vec<DepartedDatagram>,
    /// Number of notices sent to real hosts, by kind. An ACK with the ELN bit counts as one ELN.
    notices: [u64; NoticeKind::ALL.len()],
    /// Number of datagrams without a destination: unknown addresses, broadcasts, and protocols other than IP.
    ignored: u64,
}

/// TCP connection between real hosts.
struct OpenedConnection {
    connection: ObservedConnection,
    /// Endpoints of the connection, starting with the endpoint that opened it.
    ends: [Endpoint; 2],
    /// Number of the connection between these endpoints, because hosts may reuse ports.
    number: u32,
    /// Flow of the data from the opening endpoint, and flow of the opposite data.
    flows: [FlowId; 2],
}

impl RealHosts {
    pub fn new(outside: &AttachedHostsPlan, plan: &Plan) -> Self {
        let mut stand_ins = HashMap::new();
        for &flow in &outside.replaced_flows {
            let FlowPlan { from, to, .. } = plan.flows[usize::from(flow.0)];
            stand_ins.entry([from, to]).or_insert(flow);
        }
        RealHosts {
            ends: outside.host_nodes.clone(),
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

    /// Returns the exit node of a datagram that enters at `node`. `None` if no hosts are attached at `node`,
    /// or if no other node reaches the address.
    fn exit_node(&self, node: NodeId, destination: IpAddr) -> Option<NodeId> {
        if self.ends.iter().all(|end| end.node != node) {
            return None;
        }
        let others = || self.ends.iter().filter(|end| end.node != node);
        if let Some(host) = airhop_wire::addressing::node_of_ip(destination) {
            let end = others().find(|end| end.address_scope == AddressScope::Host && end.node == host);
            if end.is_some() {
                return end.map(|end| end.node);
            }
        }
        if destination.is_multicast() || destination == IpAddr::from([255; 4]) {
            return None;
        }
        others().find(|end| end.address_scope == AddressScope::Network).map(|end| end.node)
    }

    /// True if the senders at the node listen for notices in the form of ACKs.
    fn has_notice_listener(&self, node: NodeId) -> bool {
        self.ends.iter().any(|end| end.node == node && end.has_notice_listener)
    }
}
