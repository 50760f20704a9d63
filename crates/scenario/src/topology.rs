//! Which nodes there are, who reaches whom, and which links a flow crosses.

use crate::fields::Fields;
use crate::layout;
use crate::propagation;
use airhop_base::NodeId;
use airhop_net::routing::{Graph, Hop, Routes, Stations, hear};
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

/// The receive range of a wlan, if it has one.
pub(crate) fn reach(wlan: &Fields) -> Option<f64> {
    propagation::range(wlan).map(|range| range.receive)
}

/// Stations of a wlan that no other station hears, each with the distance to the nearest.
pub(crate) fn lonely(wlan: &Fields) -> Vec<(String, f64)> {
    let (Some(stations), Some(reach)) = (wlan.stations("stations"), reach(wlan)) else { return Vec::new() };
    let mut lonely = Vec::new();
    for (i, (name, here)) in stations.iter().enumerate() {
        let others = || stations.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, (_, there))| *there);
        if others().next().is_some() && !others().any(|there| hear(*here, there, reach)) {
            let distance = |there: [f64; 2]| (here[0] - there[0]).hypot(here[1] - there[1]);
            lonely.push((name.clone(), others().map(distance).fold(f64::INFINITY, f64::min)));
        }
    }
    lonely
}
