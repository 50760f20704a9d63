//! What a world is built from: plain numbers, checked by whoever made them.

use crate::services::{Kind, LinkService, Service};
use airhop_base::{NodeId, Rate, Span, Time};
use airhop_radio::cell::CellPlan;
use airhop_radio::errors::ErrorPlan;
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
    /// Wired links.
    pub wired: Vec<WiredPlan>,
    /// 802.11 channels.
    pub wlans: Vec<WlanPlan>,
    /// Flows; a `FlowId` is an index.
    pub flows: Vec<FlowPlan>,
}

/// A full-duplex wired link.
#[derive(Clone, Debug)]
pub struct WiredPlan {
    /// Its name.
    pub name: String,
    /// The two ends.
    pub ends: [NodeId; 2],
    /// Rate of each direction.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// The queue at each end.
    pub queue: QueuePlan,
    /// Errors from `ends[0]` to `ends[1]` and back.
    pub errors: [ErrorPlan; 2],
}

/// One 802.11 channel.
#[derive(Clone, Debug)]
pub struct WlanPlan {
    /// The channel itself; station `i` is node `nodes[i]`.
    pub cell: CellPlan,
    /// The node of each station.
    pub nodes: Vec<NodeId>,
    /// The interface queue of each station.
    pub queue: QueuePlan,
}

/// A queue discipline with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueuePlan {
    /// First in, first out; what finds `packets` waiting is dropped. The packet in service is not counted.
    DropTail {
        /// Capacity in packets.
        packets: usize,
    },
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
}
