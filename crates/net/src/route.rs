//! Static routes: fewest hops, ties by the name of the next node.

use airhop_base::NodeId;
use std::collections::VecDeque;

/// The way out of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// No way.
    None,
    /// A wired link, by index.
    Link(u16),
    /// A station of a cell sends to another.
    Air {
        /// The cell.
        cell: u16,
        /// The sending station.
        from: u16,
        /// The receiving station.
        to: u16,
    },
}

/// A way from one node to a neighbour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub hop: Hop,
}

/// For every node, the next hop towards `to`. Ties go to the neighbour whose name comes first, so that adding nodes elsewhere
/// changes nothing.
pub(crate) fn towards(to: NodeId, names: &[String], edges: &[Edge]) -> Vec<Hop> {
    let mut hops = vec![Hop::None; names.len()];
    let mut distance = vec![u32::MAX; names.len()];
    let mut into: Vec<Vec<&Edge>> = vec![Vec::new(); names.len()];
    edges.iter().for_each(|e| into[e.to.0 as usize].push(e));
    distance[to.0 as usize] = 0;
    let mut frontier = VecDeque::from([to]);
    let mut via: Vec<Option<NodeId>> = vec![None; names.len()];
    while let Some(node) = frontier.pop_front() {
        let next = distance[node.0 as usize] + 1;
        for e in &into[node.0 as usize] {
            let i = e.from.0 as usize;
            if distance[i] == u32::MAX {
                distance[i] = next;
                frontier.push_back(e.from);
            }
            let better = via[i].is_none_or(|v| names[node.0 as usize] < names[v.0 as usize]);
            if distance[i] == next && better {
                via[i] = Some(node);
                hops[i] = e.hop;
            }
        }
    }
    hops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_hops_win_and_names_break_ties() {
        // s - b - d, s - a - d, s - x - y - d: two shortest ways, "a" comes first.
        let names: Vec<String> = ["s", "b", "a", "d", "x", "y"].iter().map(|s| s.to_string()).collect();
        let pairs = [(0, 1), (1, 3), (0, 2), (2, 3), (0, 4), (4, 5), (5, 3)];
        let edges: Vec<Edge> = pairs
            .iter()
            .enumerate()
            .map(|(i, &(f, t))| Edge { from: NodeId(f), to: NodeId(t), hop: Hop::Link(i as u16) })
            .collect();
        let hops = towards(NodeId(3), &names, &edges);
        assert_eq!(hops[0], Hop::Link(2), "s goes by a");
        assert_eq!(hops[4], Hop::Link(5));
        assert_eq!(hops[3], Hop::None);
        let island = towards(NodeId(0), &names, &edges);
        assert!(island.iter().all(|&h| h == Hop::None), "links are directed");
    }
}
