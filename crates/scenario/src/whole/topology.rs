//! Topology: nodes, routes between nodes, and links on a route.

use crate::grammar::fields::Fields;
use crate::tables::LINK_TYPES;
use crate::tables::link::LinkType;
use airhop_base::NodeId;
use airhop_net::routing::{Graph, Hop, StaticRoutes};
use indexmap::IndexSet;

/// Link, identified by the index of its type in [`LINK_TYPES`] and the index among the links of this type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) type_index: usize,
    pub(crate) index: usize,
}

impl Link {
    /// Returns the links of a scenario with their tables.
    pub(crate) fn all(root: &Fields) -> impl Iterator<Item = (Link, &Fields)> {
        let of_type = |(of, ty): (usize, &&LinkType)| {
            (0..)
                .zip(root.tables(ty.list_key))
                .map(move |(index, table)| (Link { type_index: of, index }, table))
        };
        LINK_TYPES.iter().enumerate().flat_map(of_type)
    }

    /// Returns the link that a hop uses; `None` if the hop uses no link.
    pub(crate) fn from_hop(hop: Hop) -> Option<Link> {
        let number = |(of, ty): (usize, &&LinkType)| {
            (ty.link_index)(hop).map(|index| Link { type_index: of, index: usize::from(index) })
        };
        LINK_TYPES.iter().enumerate().find_map(number)
    }
}

/// Nodes of a scenario and the routes between nodes.
pub(crate) struct Topology {
    /// Names of the nodes in the order of first occurrence.
    pub(crate) nodes: IndexSet<String>,
    graph: Graph,
    routes: StaticRoutes,
}

impl Topology {
    /// Creates the topology from the valid links of a scenario.
    pub(crate) fn new(root: &Fields) -> Self {
        let mut nodes = IndexSet::new();
        let mut id = |name: &str| NodeId(nodes.insert_full(name.to_string()).0 as u16);
        let joins =
            |(Link { type_index: of, index }, table)| (LINK_TYPES[of].resolve_nodes)(table, index, &mut id);
        let joins: Vec<_> = Link::all(root).filter_map(joins).collect();
        let graph = Graph::new(nodes.iter().cloned(), joins);
        let ends = root.tables("flow").iter().flat_map(|flow| ["from", "to"].map(|end| flow.text(end)));
        let ends = ends
            .flatten()
            .filter_map(|end| nodes.get_index_of(end))
            .filter_map(|node| node.try_into().ok().map(NodeId));
        let routes = StaticRoutes::new(&graph, ends);
        Topology { nodes, graph, routes }
    }

    /// Returns the id of a node; `None` if no node has this name.
    pub(crate) fn node_id(&self, name: &str) -> Option<NodeId> {
        self.nodes.get_index_of(name).and_then(|node| u16::try_from(node).ok()).map(NodeId)
    }

    /// Returns the name of the receiving node of a hop; `None` for an on-demand hop.
    pub(crate) fn receiving_node(&self, hop: Hop) -> Option<&str> {
        let node = self.graph.receiving_node(hop)?;
        self.nodes.get_index(usize::from(node.0)).map(String::as_str)
    }

    /// Returns the links on the route from one node to another; `None` if there is no route.
    pub(crate) fn links(&self, from: &str, to: &str) -> Option<Vec<Link>> {
        self.hops(from, to)?.into_iter().map(Link::from_hop).collect()
    }

    /// Returns the hops of the route from one node to another; `None` if there is no route.
    pub(crate) fn hops(&self, from: &str, to: &str) -> Option<Vec<Hop>> {
        let (mut node, to) = (self.node_id(from)?, self.node_id(to)?);
        let mut hops = Vec::new();
        while node != to {
            let hop = *self.routes.next_hop(node, to);
            hops.push(hop);
            node = self.graph.receiving_node(hop)?;
        }
        Some(hops)
    }
}
