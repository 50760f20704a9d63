//! The discipline of a queue is that of the scenario, or what a service of a flow makes of it.

use super::hosts::hosts;
use crate::plan::Plan;
use crate::queues::QueuePlan;
use crate::routing::{Graph, Hop, Routes};
use crate::services::Kind;
use std::collections::HashMap;

/// The disciplines that services of flows put in the place of the scenario's, by the transmitter that a queue is before.
pub(crate) struct Disciplines(HashMap<Hop, QueuePlan>);

impl Disciplines {
    pub fn new(plan: &Plan, graph: &Graph, routes: &Routes) -> Self {
        let mut all = Disciplines(HashMap::new());
        for flow in &plan.flows {
            for service in &flow.services {
                if let Kind::Queue(discipline) = service.kind {
                    let path = routes.path(graph, flow.from, flow.to);
                    hosts(plan, &path, flow.to)
                        .into_iter()
                        .for_each(|(_, hop)| all.replace(plan, hop, discipline));
                }
            }
        }
        all
    }

    /// The discipline before the transmitter of this hop, `scenario` if nobody put another there.
    pub fn of(&self, hop: Hop, scenario: QueuePlan) -> QueuePlan {
        self.0.get(&hop.transmitter()).copied().unwrap_or(scenario)
    }

    /// Puts another discipline in the place of a drop-tail queue; what the scenario made another stays.
    fn replace(&mut self, plan: &Plan, hop: Hop, discipline: fn(usize) -> QueuePlan) {
        let Some(link) = plan.links.of(hop) else { return };
        if let QueuePlan::DropTail { packets } = self.of(hop, link.queue(hop)) {
            self.0.insert(hop.transmitter(), discipline(packets));
        }
    }
}
