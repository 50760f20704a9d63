//! Static routes of a world.

use super::graph::{Graph, Hop};
use airhop_base::NodeId;
use std::collections::HashMap;

/// Next hops of every node towards the end nodes of flows.
///
/// A node with a single wire shares the table of its anchor, the node at the other end of the wire. Memory
/// therefore grows with the number of nodes that have a choice of routes, and not with the square of the
/// number of hosts.
#[derive(Clone, Debug)]
pub struct StaticRoutes {
    /// Concatenated tables. Each table has the next hop of every node towards one destination.
    hops: Vec<Hop>,
    /// Routes by destination; `None` for a node that is not a destination.
    ways: Vec<Option<StaticRoute>>,
}

/// Route to a destination: a table of hops to its anchor, then the last hop.
#[derive(Clone, Copy, Debug)]
struct StaticRoute {
    /// Index in `hops` of the first entry of the table.
    table: u32,
    anchor: NodeId,
    last: Hop,
}

impl StaticRoutes {
    /// Creates the routes of `graph` towards these nodes.
    pub fn new(graph: &Graph, ends: impl IntoIterator<Item = NodeId>) -> StaticRoutes {
        let mut routes = StaticRoutes { hops: Vec::new(), ways: vec![None; graph.node_count()] };
        let mut known = HashMap::new();
        for end in ends {
            if routes.ways[usize::from(end.0)].is_none() {
                let (anchor, last) = graph.only_wired_neighbour(end).unwrap_or((end, Hop::None));
                let table = *known.entry(anchor.0).or_insert_with(|| {
                    routes.hops.extend(graph.next_hops_towards(anchor));
                    (routes.hops.len() - graph.node_count()) as u32
                });
                routes.ways[usize::from(end.0)] = Some(StaticRoute { table, anchor, last });
            }
        }
        routes
    }

    /// Returns the next hop from `node` towards `to`. `Hop::None` at `to` itself, and for nodes that are not
    /// destinations.
    #[inline]
    pub fn next_hop(&self, node: NodeId, to: NodeId) -> &Hop {
        match &self.ways[usize::from(to.0)] {
            Some(way) if node == way.anchor => &way.last,
            Some(way) if node != to => &self.hops[way.table as usize + usize::from(node.0)],
            _ => &Hop::None,
        }
    }

    /// Returns the path from `from` towards `to`: each node with its hop, until no further route exists.
    pub fn path(&self, graph: &Graph, from: NodeId, to: NodeId) -> Vec<(NodeId, Hop)> {
        let step = |&(_, hop): &(NodeId, Hop)| {
            let node = graph.receiving_node(hop)?;
            (node != to).then(|| (node, *self.next_hop(node, to)))
        };
        let first = (from != to).then(|| (from, *self.next_hop(from, to)));
        std::iter::successors(first, step).filter(|(_, hop)| *hop != Hop::None).collect()
    }

    /// Replaces each hop by the result of `other` for the hop.
    pub fn map_hops(&mut self, other: impl Fn(Hop) -> Hop) {
        for hop in &mut self.hops {
            *hop = other(*hop);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::LinkNodes;
    use super::*;

    // Hosts a and b are attached to router r, and host c to router q. Two paths, through x and through y,
    // join r and q. The hosts at r use the routes of r.
    #[test]
    fn hosts_use_the_routes_of_their_router() {
        let names = ["a", "b", "r", "q", "c", "y", "x"].map(String::from);
        let pairs = [(0, 2), (1, 2), (3, 4), (2, 5), (5, 3), (2, 6), (6, 3)];
        let wired =
            pairs.iter().zip(0..).map(|(&(a, b), i)| LinkNodes::from_wired_link([NodeId(a), NodeId(b)], i));
        let graph = Graph::new(names, wired);
        let routes = StaticRoutes::new(&graph, (0..7).map(NodeId));
        assert_eq!(routes.hops.len(), 4 * 7, "one for each of r, q, x and y");
        for to in (0..7).map(NodeId) {
            let hops = graph.next_hops_towards(to);
            let same: Vec<Hop> = (0..7).map(|node| *routes.next_hop(NodeId(node), to)).collect();
            assert_eq!(same, hops, "towards {to:?}");
        }
    }

    #[test]
    fn a_host_on_a_wire_routes_directly_to_its_peer() {
        let graph =
            Graph::new(["a", "b"].map(String::from), [LinkNodes::from_wired_link([NodeId(0), NodeId(1)], 0)]);
        let routes = StaticRoutes::new(&graph, [NodeId(1)]);
        let hops = [0, 1].map(|node| *routes.next_hop(NodeId(node), NodeId(1)));
        assert_eq!(hops, [Hop::Link(0), Hop::None]);
        assert_eq!(*routes.next_hop(NodeId(1), NodeId(0)), Hop::None, "no route leads there");
    }
}
