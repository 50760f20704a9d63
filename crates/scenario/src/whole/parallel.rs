//! Parallel links between the same two nodes. Routes use only one of the links, so the others carry no
//! packets.

use super::topology::{Link, Topology};
use crate::grammar::fields::Fields;
use crate::grammar::problem::Problems;
use crate::tables::LINK_TYPES;
use airhop_base::NodeId;
use airhop_net::routing::LinkNodes;
use std::collections::HashMap;

/// Reports the second of two links between the same two nodes. Links are wired links, radio links, and wlans
/// of two stations.
pub(super) fn check(root: &Fields, topology: &Topology, problems: &mut Problems) {
    let mut first: HashMap<[NodeId; 2], (&str, &Fields)> = HashMap::new();
    for (link, table) in Link::all(root) {
        let ty = LINK_TYPES[link.type_index];
        let Some(pair) = pair(link, table, topology) else { continue };
        if let Some((list, other)) = first.get(&pair) {
            let [a, b] = pair.map(|node| &topology.nodes[usize::from(node.0)]);
            let what = format!(
                "expected other nodes: [[{list}]] \"{}\" also joins \"{a}\" and \"{b}\", and routes would never use this link; one link \
                 can have a rate for each direction: rate = {{ \"{a}->{b}\" = \"10 Mbit/s\", \"{b}->{a}\" = \"1 Mbit/s\" }}",
                other.text("name").unwrap_or_default(),
            );
            let written = |key: &&&str| table.get(key).is_some();
            let key = ty.node_keys.iter().find(written).copied().unwrap_or("name");
            problems.add(table.position_of(key), table.path_of(key), what);
        } else {
            first.insert(pair, (ty.list_key, table));
        }
    }
}

/// Returns the two nodes of a link in ascending order; `None` if the link has more than two nodes.
fn pair(link: Link, table: &Fields, topology: &Topology) -> Option<[NodeId; 2]> {
    let mut node = |name: &str| topology.node_id(name).unwrap_or(NodeId::BROADCAST);
    let [a, b] = match (LINK_TYPES[link.type_index].resolve_nodes)(table, link.index, &mut node)? {
        LinkNodes::Ends(ends) => ends.map(|(node, _)| node),
        LinkNodes::Stations(stations) => match stations.positions[..] {
            [(a, _), (b, _)] => [a, b],
            _ => return None,
        },
    };
    Some(if a.0 < b.0 { [a, b] } else { [b, a] })
}
