//! Queue discipline of each hop: that of the scenario, or that of a service.

use super::hosts::hosts;
use crate::plan::Plan;
use crate::queues::QueuePlan;
use crate::routing::{Graph, Hop, Routes};
use crate::services::Kind;
use std::collections::HashMap;

/// Queue disciplines that services of flows require, by the hop to which the queue belongs.
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

    /// Returns the discipline of the queue before the transmitter of this hop. It is the discipline that a
    /// service requires, or `scenario` if no service requires one.
    pub fn of(&self, hop: Hop, scenario: QueuePlan) -> QueuePlan {
        self.0.get(&hop.transmitter()).copied().unwrap_or(scenario)
    }

    /// Replaces the queue of a hop by a discipline that a service requires, if the scenario has a drop-tail
    /// queue there. Other disciplines of the scenario are kept.
    fn replace(&mut self, plan: &Plan, hop: Hop, discipline: fn(usize) -> QueuePlan) {
        let Some(link) = plan.links.of(hop) else { return };
        if let QueuePlan::DropTail { packets } = self.of(hop, link.queue(hop)) {
            self.0.insert(hop.transmitter(), discipline(packets));
        }
    }
}
