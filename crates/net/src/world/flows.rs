//! Flows that real hosts and applications open at run time.

use crate::agents::MOST_AGENTS;
use crate::build_error::MOST_FLOWS;
use crate::flow::Ends;
use crate::plan::FlowPlan;
use crate::world::World;
use crate::world::build::install;
use airhop_base::FlowId;

impl World {
    /// True if `flows` more flows can open within the maximum number of flows.
    pub(crate) fn has_room_for(&self, flows: usize) -> bool {
        self.flows.len() + flows <= MOST_FLOWS
    }

    /// Returns the number of the next flow to be opened. Numbers are never reused.
    pub(crate) fn next_flow(&self) -> FlowId {
        FlowId(self.flows.len() as u16)
    }

    /// Opens a flow with the agents that its plan requires; `None` if the run has reached its maximum number
    /// of flows. If there would be too many agents in the world, the flow gets no agents.
    pub(crate) fn open_flow(&mut self, plan: FlowPlan, ends: Ends) -> Option<FlowId> {
        if !self.has_room_for(1) {
            return None;
        }
        let id = self.next_flow();
        let others = self.hosted.len();
        let mut flow = self.ground.flow(&plan, id, ends, &mut self.timers, &mut self.hosted);
        if self.hosted.len() > MOST_AGENTS {
            self.hosted.truncate(others);
            flow.agents.clear();
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.flow(&plan.name);
        }
        self.watched.push(!flow.agents.is_empty());
        self.sums_contention |= flow.adds_contention;
        self.flows.push(flow);
        install::listeners(&self.flows, &self.routes, &self.hosted, others, &mut self.links);
        Some(id)
    }
}
