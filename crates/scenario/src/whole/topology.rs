//! Which nodes there are, who reaches whom, and which links a flow crosses.

use crate::grammar::fields::Fields;
use crate::tables::layout;
use crate::tables::propagation::reach;
use airhop_base::NodeId;
use airhop_net::route::{Graph, Hop, Stations};
use airhop_net::routes::Routes;
use indexmap::IndexSet;

/// A link, by its place among the `[[wired]]`, the `[[wlan]]` or the `[[radio]]` tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Wired(usize),
    Wlan(usize),
    Radio(usize),
}

/// The nodes of a scenario and the hops between them.
pub(crate) struct Topology {
    /// Names, in the order in which they are named first.
    pub(crate) nodes: IndexSet<String>,
    graph: Graph,
    routes: Routes,
}

impl Topology {
    /// The topology of the links of a scenario that could be read.
    pub(crate) fn new(root: &Fields) -> Self {
        let mut nodes = IndexSet::new();
        let mut id = |name: &String| NodeId(nodes.insert_full(name.clone()).0 as u16);
        let mut between = |list: &str| {
            let ends = root.tables(list).iter().filter_map(|link| link.ends("ends"));
            ends.map(|ends| ends.each_ref().map(&mut id)).collect()
        };
        let (wired, radios) = (between("wired"), between("radio"));
        let cell = |wlan: &Fields| {
            let stations = layout::stations(wlan).unwrap_or_default();
            let places = stations.iter().map(|(name, place)| (id(name), *place)).collect();
            // Places that are drawn are all the same until then: there will be a way, or the run says that there is none.
            Stations { places, reach: reach(wlan) }
        };
        let cells = root.tables("wlan").iter().map(cell).collect();
        let graph = Graph::new(nodes.iter().cloned(), wired, radios, cells);
        let ends = root.tables("flow").iter().flat_map(|flow| ["from", "to"].map(|end| flow.text(end)));
        let ends = ends
            .flatten()
            .filter_map(|end| nodes.get_index_of(end))
            .filter_map(|node| node.try_into().ok().map(NodeId));
        let routes = Routes::new(&graph, ends);
        Topology { nodes, graph, routes }
    }

    /// The id of a node.
    pub(crate) fn id(&self, name: &str) -> Option<NodeId> {
        self.nodes.get_index_of(name).and_then(|node| u16::try_from(node).ok()).map(NodeId)
    }

    /// The links from one end of a flow to another, as packets are routed. `None` if there is no way.
    pub(crate) fn way(&self, from: &str, to: &str) -> Option<Vec<Link>> {
        let (mut node, to) = (self.id(from)?, self.id(to)?);
        let mut links = Vec::new();
        while node != to {
            let hop = self.routes.hop(node, to);
            links.push(match hop {
                Hop::None | Hop::OnDemand { .. } => return None,
                Hop::Link(link) => Link::Wired(usize::from(link / 2)),
                Hop::Radio { link, .. } => Link::Radio(usize::from(link)),
                Hop::Air { cell, .. } => Link::Wlan(usize::from(cell)),
            });
            node = self.graph.end(hop)?;
        }
        Some(links)
    }
}
