//! Nodes that the data of a flow may pass: the nodes of its path, or all stations of a cell with unknown
//! routes.

use crate::links::LinkPlan;
use crate::plan::Plan;
use crate::routing::Hop;
use airhop_base::NodeId;

/// Returns the cell of this hop and its index, if the cell's stations discover their routes on demand.
pub(crate) fn on_demand_cell(plan: &Plan, hop: Hop) -> Option<(u16, &dyn LinkPlan)> {
    let link = plan.links.of(hop).filter(|link| link.is_on_demand())?;
    Some((hop.cell()?, link))
}

/// Returns the nodes that data to node `to` may pass, each with its hop: the path, or all stations of a cell
/// with unknown routes.
pub(crate) fn hosts(plan: &Plan, path: &[(NodeId, Hop)], to: NodeId) -> Vec<(NodeId, Hop)> {
    let Some((cell, wlan)) = path.iter().find_map(|&(_, hop)| on_demand_cell(plan, hop)) else {
        return path.to_vec();
    };
    let stations = wlan.nodes().iter().zip(0..).filter(|(node, _)| **node != to);
    stations.map(|(&node, from)| (node, Hop::OnDemand { cell, from })).collect()
}
