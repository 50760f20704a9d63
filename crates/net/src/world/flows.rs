//! Flows opened at run time, for real hosts and for applications.

use crate::agents::MOST_AGENTS;
use crate::build_error::MOST_FLOWS;
use crate::flow::Ends;
use crate::plan::FlowPlan;
use crate::world::World;
use crate::world::build::install;
use airhop_base::FlowId;

impl World {
    /// True if this many further flows may be opened.
    pub(crate) fn has_room_for(&self, flows: usize) -> bool {
        self.flows.len() + flows <= MOST_FLOWS
    }

    /// Returns the number of the flow that is opened next. The number of a flow is never reused.
    pub(crate) fn next_flow(&self) -> FlowId {
        FlowId(self.flows.len() as u16)
    }

    /// Opens a flow with the agents of its plan; `None` if there is no room for the flow. A flow whose agents
    /// have no room has none.
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
        self.flows.push(flow);
        install::listeners(&self.flows, &self.routes, &self.hosted, others, &mut self.links);
        Some(id)
    }
}
