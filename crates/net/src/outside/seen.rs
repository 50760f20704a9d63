//! Observed traffic of real hosts, by flow. Used to configure a simulation of the same traffic.

use crate::flow::Endpoints;
use crate::world::World;
use airhop_base::{NodeId, Time};

/// Data of one direction of a TCP connection or UDP conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedFlow {
    /// Name of the flow.
    pub name: String,
    /// Node of the sender.
    pub from: NodeId,
    /// Node of the receiver.
    pub to: NodeId,
    /// Opening time of the flow.
    pub start: Time,
    /// Load of the flow.
    pub load: ObservedLoad,
}

/// Load of a flow of real hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedLoad {
    /// TCP.
    Tcp {
        /// Payload bytes that the receiver acknowledged.
        bytes: u64,
    },
    /// UDP: datagrams that entered the network.
    Udp {
        /// Number of datagrams.
        datagrams: u64,
        /// Total payload of these datagrams in bytes.
        bytes: u64,
    },
}

impl World {
    /// Returns the flows of real hosts that have opened so far, in the order of their opening.
    pub fn observed_flows(&self) -> Vec<ObservedFlow> {
        let opened = self.flows.iter().skip(self.build_context.plan.flows.len());
        let seen = opened.filter_map(|flow| {
            let Endpoints::Real(real) = &flow.endpoints else { return None };
            let load = match &real.tcp {
                Some(half) => ObservedLoad::Tcp { bytes: half.delivered_bytes() },
                None => {
                    ObservedLoad::Udp { datagrams: real.datagrams.sent, bytes: real.datagrams.sent_bytes }
                }
            };
            let plan = &flow.plan;
            Some(ObservedFlow {
                name: plan.name.clone(),
                from: plan.from,
                to: plan.to,
                start: plan.start,
                load,
            })
        });
        seen.collect()
    }
}
