//! Timing errors of an emulation, as part of a simulation. Packets reach their hosts late, and hosts answer
//! after a delay.
//!
//! A machine that emulates a network adds delay. A simulation with the measured delay shows the effect of
//! this delay on a result.

use crate::flow::{Endpoints, Flow};
use crate::turnaround::{DelayDistribution, WakeUpQueue};
use crate::world::{Event, World};
use airhop_base::{EmpiricalDistribution, NodeId, Packet, Span, Time};
use airhop_engine::{Id, RandomStreams};
use std::sync::Arc;

/// Measured lateness of an emulator, and measured turnaround of its hosts.
#[derive(Clone, Debug)]
pub struct EmulatorPlan {
    /// Nodes with attached hosts. The plan applies to flows between two of these nodes.
    pub hosts: Vec<NodeId>,
    /// Lateness of a packet at its host, relative to its due time. The distribution was measured on packets
    /// that became due while no other packet was late.
    pub lateness: Arc<EmpiricalDistribution>,
    /// Turnaround of the host at each node: time from the arrival of a data segment to its ACK.
    pub turnaround: Vec<(NodeId, Arc<EmpiricalDistribution>)>,
}

impl EmulatorPlan {
    /// Returns the plan of an emulator that is never late, with hosts that wake up at once. Segments that
    /// arrive at the same time are still processed at a single wake-up.
    #[must_use]
    pub fn without_delays(&self) -> Self {
        let zero = Arc::new(EmpiricalDistribution::new([(Span::ZERO, 1)]));
        let turnaround = self.turnaround.iter().map(|&(node, _)| (node, zero.clone())).collect();
        EmulatorPlan { hosts: self.hosts.clone(), lateness: zero, turnaround }
    }
}

/// State of an emulator that is part of a simulation. One thread delivers all late packets to all hosts, one
/// after the other.
#[derive(Debug)]
pub(crate) struct Emulator {
    hosts: Vec<NodeId>,
    late: WakeUpQueue<(NodeId, Id<Packet>)>,
}

impl Emulator {
    /// Returns the number of packets that the emulator delays.
    pub fn packet_count(&self) -> usize {
        self.late.len()
    }

    fn serves(&self, flow: &Flow) -> bool {
        [flow.plan.from, flow.plan.to].iter().all(|end| self.hosts.contains(end))
    }
}

impl World {
    /// Adds the lateness and turnaround of `plan` to the flows between its hosts. `seed` and `replication`
    /// are those of the world. Must be called before the world runs.
    #[must_use]
    pub fn with_emulator_delays(mut self, plan: &EmulatorPlan, seed: u64, replication: u64) -> World {
        let streams = RandomStreams::new(seed, replication);
        let late = WakeUpQueue::new(
            DelayDistribution::Measured(plan.lateness.clone()),
            streams.stream("emulator.lateness"),
        );
        let emulator = Emulator { hosts: plan.hosts.clone(), late };
        for flow in self.flows.iter_mut().filter(|flow| emulator.serves(flow)) {
            let host = plan.turnaround.iter().find(|(node, _)| *node == flow.plan.to);
            if let (Endpoints::Tcp(tcp), Some((_, takes))) = (&mut flow.endpoints, host) {
                let stream = streams.stream(&format!("{}.turnaround", flow.plan.name));
                tcp.turnaround =
                    Some(Box::new(WakeUpQueue::new(DelayDistribution::Measured(takes.clone()), stream)));
            }
        }
        self.emulator = Some(Box::new(emulator));
        self
    }

    /// Handles a packet that is due at its destination. A packet between emulated hosts waits until the
    /// emulator wakes up. Other packets are delivered.
    #[inline(never)]
    pub(crate) fn deliver_through_emulator(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        let flow = self.arena.get(&id).flow;
        match &mut self.emulator {
            Some(emulator) if emulator.serves(&self.flows[usize::from(flow.0)]) => {
                if let Some(wakes) = emulator.late.push(now, (node, id)) {
                    self.events.push(wakes, Event::Late);
                }
            }
            _ => self.deliver(now, node, id),
        }
    }

    /// Delivers all late packets when the emulator wakes up.
    pub(crate) fn on_emulator_wake_up(&mut self, now: Time) {
        while let Some((node, id)) = self.emulator.as_mut().and_then(|emulator| emulator.late.pop()) {
            self.deliver(now, node, id);
        }
    }
}
