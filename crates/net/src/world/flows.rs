//! Flows that real hosts and applications open at run time.

use crate::agents::MAX_AGENTS;
use crate::build_error::MAX_FLOWS;
use crate::flow::Endpoints;
use crate::plan::FlowPlan;
use crate::world::World;
use crate::world::build::install;
use airhop_base::FlowId;

impl World {
    /// True if `flows` more flows can open within the maximum number of flows.
    pub(crate) fn has_room_for(&self, flows: usize) -> bool {
        self.flows.len() + flows <= MAX_FLOWS
    }

    /// Returns the number of the next flow to be opened. Numbers are never reused.
    pub(crate) fn next_flow_id(&self) -> FlowId {
        FlowId(self.flows.len() as u16)
    }

    /// Opens a flow with the agents that its plan requires; `None` if the run has reached its maximum number
    /// of flows. If there would be too many agents in the world, the flow gets no agents.
    pub(crate) fn open_flow(&mut self, plan: FlowPlan, ends: Endpoints) -> Option<FlowId> {
        if !self.has_room_for(1) {
            return None;
        }
        let id = self.next_flow_id();
        let others = self.hosted_agents.len();
        let mut flow =
            self.build_context.build_flow(&plan, id, ends, &mut self.timers, &mut self.hosted_agents);
        if self.hosted_agents.len() > MAX_AGENTS {
            self.hosted_agents.truncate(others);
            flow.agents.clear();
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.add_flow(&plan.name);
        }
        self.has_agents.push(!flow.agents.is_empty());
        self.sums_contention |= flow.adds_contention_time;
        self.flows.push(flow);
        install::subscribe_to_fades(&self.flows, &self.routes, &self.hosted_agents, others, &mut self.links);
        Some(id)
    }
}
