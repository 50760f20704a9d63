//! Nodes that the data of a flow may cross: those of its path, or all stations of a cell with on-demand
//! routing.

use crate::links::LinkPlan;
use crate::plan::Plan;
use crate::routing::Hop;
use airhop_base::NodeId;

/// Returns the cell of this hop and the cell's index; `None` if the hop is not in a cell with on-demand
/// routing.
pub(crate) fn on_demand_cell(plan: &Plan, hop: Hop) -> Option<(u16, &dyn LinkPlan)> {
    let link = plan.links.link_of_hop(hop).filter(|link| link.is_on_demand())?;
    Some((hop.cell()?, link))
}

/// Returns the nodes that data to the node `to` may cross, each with its next hop. These are the nodes of the
/// path, or all stations of a cell with on-demand routing.
pub(crate) fn possible_path_nodes(plan: &Plan, path: &[(NodeId, Hop)], to: NodeId) -> Vec<(NodeId, Hop)> {
    let Some((cell, wlan)) = path.iter().find_map(|&(_, hop)| on_demand_cell(plan, hop)) else {
        return path.to_vec();
    };
    let stations = wlan.nodes().iter().zip(0..).filter(|(node, _)| **node != to);
    stations.map(|(&node, from)| (node, Hop::OnDemand { cell, from })).collect()
}
