//! Queue discipline of each hop: that of the scenario, or that of a service.

use super::hosts::possible_path_nodes;
use crate::plan::Plan;
use crate::queues::QueuePlan;
use crate::routing::{Graph, Hop, StaticRoutes};
use crate::services::ServiceKind;
use std::collections::HashMap;

/// Queue disciplines that services of flows require, by hop.
pub(crate) struct RequiredQueueDisciplines(HashMap<Hop, QueuePlan>);

impl RequiredQueueDisciplines {
    pub fn new(plan: &Plan, graph: &Graph, routes: &StaticRoutes) -> Self {
        let mut all = RequiredQueueDisciplines(HashMap::new());
        for flow in &plan.flows {
            for service in &flow.services {
                if let ServiceKind::Queue(discipline) = service.kind {
                    let path = routes.path(graph, flow.from, flow.to);
                    possible_path_nodes(plan, &path, flow.to)
                        .into_iter()
                        .for_each(|(_, hop)| all.replace(plan, hop, discipline));
                }
            }
        }
        all
    }

    /// Returns the queue discipline before the transmitter of this hop: the discipline that a service
    /// requires, or else `scenario`.
    pub fn discipline_of_hop(&self, hop: Hop, scenario: QueuePlan) -> QueuePlan {
        self.0.get(&hop.transmitter_key()).copied().unwrap_or(scenario)
    }

    /// Replaces a drop-tail queue of the scenario by the discipline that a service requires. Other
    /// disciplines of the scenario are kept.
    fn replace(&mut self, plan: &Plan, hop: Hop, discipline: fn(usize) -> QueuePlan) {
        let Some(link) = plan.links.link_of_hop(hop) else { return };
        if let QueuePlan::DropTail { packets } = self.discipline_of_hop(hop, link.queue(hop)) {
            self.0.insert(hop.transmitter_key(), discipline(packets));
        }
    }
}
