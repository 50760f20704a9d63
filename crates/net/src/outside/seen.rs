//! What real hosts sent, flow by flow, for a simulation of the same.

use crate::flow::Ends;
use crate::world::World;
use airhop_base::{NodeId, Time};

/// A TCP connection's data of one side, or a UDP conversation's of one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFlow {
    /// Its name.
    pub name: String,
    /// The node of the sender.
    pub from: NodeId,
    /// The node of the receiver.
    pub to: NodeId,
    /// When it opened.
    pub start: Time,
    /// What it carried.
    pub load: SeenLoad,
}

/// What a flow of real hosts carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenLoad {
    /// Bytes of a TCP connection that its receiver acknowledged.
    Tcp {
        /// Payload, bytes.
        bytes: u64,
    },
    /// Datagrams that entered.
    Udp {
        /// How many.
        datagrams: u64,
        /// Their payload, bytes.
        bytes: u64,
    },
}

impl World {
    /// The flows of real hosts that opened so far, in the order of their opening.
    pub fn seen(&self) -> Vec<SeenFlow> {
        let Some(outside) = &self.outside else { return Vec::new() };
        let opened = self.flows.iter().skip(outside.plan.flows.len());
        let seen = opened.filter_map(|flow| {
            let Ends::Real(real) = &flow.ends else { return None };
            let load = match &real.tcp {
                Some(half) => SeenLoad::Tcp { bytes: half.delivered() },
                None => SeenLoad::Udp { datagrams: real.datagrams.sent, bytes: real.datagrams.sent_bytes },
            };
            let plan = &flow.plan;
            Some(SeenFlow { name: plan.name.clone(), from: plan.from, to: plan.to, start: plan.start, load })
        });
        seen.collect()
    }
}
