//! The discipline of a queue is that of the scenario, or what a service of a flow makes of it.

use super::install;
use crate::plan::Plan;
use crate::queues::QueuePlan;
use crate::routing::{Graph, Hop, Routes};
use crate::services::Kind;

/// The discipline of every queue: what the scenario says, or what a service of a flow makes of it.
pub(super) struct Disciplines {
    /// By direction of wired links.
    pub links: Vec<QueuePlan>,
    /// By cell, then by station.
    pub stations: Vec<Vec<QueuePlan>>,
    /// By radio link, then by end.
    pub radios: Vec<[QueuePlan; 2]>,
}

impl Disciplines {
    pub fn new(plan: &Plan, graph: &Graph, routes: &Routes) -> Self {
        let mut all = Disciplines {
            links: plan.wired.iter().flat_map(|w| [w.queue; 2]).collect(),
            stations: plan.wlans.iter().map(|w| vec![w.queue; w.nodes.len()]).collect(),
            radios: plan.radios.iter().map(|r| [r.queue; 2]).collect(),
        };
        for flow in &plan.flows {
            for service in &flow.services {
                if let Kind::Queue(discipline) = service.kind {
                    let path = routes.path(graph, flow.from, flow.to);
                    install::hosts(plan, &path, flow.to)
                        .into_iter()
                        .for_each(|(_, hop)| all.replace(hop, discipline));
                }
            }
        }
        all
    }

    /// Puts another discipline in the place of a drop-tail queue; what the scenario made another stays.
    fn replace(&mut self, hop: Hop, discipline: fn(usize) -> QueuePlan) {
        let queue = match hop {
            Hop::None => return,
            Hop::Link(i) => &mut self.links[i as usize],
            Hop::Air { cell, from, .. } | Hop::OnDemand { cell, from } => {
                &mut self.stations[cell as usize][from as usize]
            }
            Hop::Radio { link, end } => &mut self.radios[link as usize][end as usize],
        };
        if let QueuePlan::DropTail { packets } = *queue {
            *queue = discipline(packets);
        }
    }
}
