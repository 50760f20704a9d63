//! Which nodes there are, who reaches whom, and which links a flow crosses.

use crate::fields::Fields;
use airhop_base::NodeId;
use indexmap::IndexSet;
use std::collections::VecDeque;

/// A link, by its place among the `[[wired]]` or the `[[wlan]]` tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Wired(usize),
    Wlan(usize),
}

/// The nodes of a scenario and the hops between them.
pub(crate) struct Topology {
    /// Names, in the order in which they are named first.
    pub(crate) nodes: IndexSet<String>,
    /// For every node, its neighbours.
    hops: Vec<Vec<(usize, Link)>>,
}

impl Topology {
    /// The topology of the links that could be read.
    pub(crate) fn new(wired: &[Fields], wlans: &[Fields]) -> Self {
        let mut topology = Topology { nodes: IndexSet::new(), hops: Vec::new() };
        for (i, link) in wired.iter().enumerate() {
            if let Some([a, b]) = link.ends("ends") {
                let (a, b) = (topology.add(a), topology.add(b));
                topology.join(a, b, Link::Wired(i));
            }
        }
        for (i, wlan) in wlans.iter().enumerate() {
            let stations = wlan.stations("stations").unwrap_or_default();
            let nodes: Vec<_> = stations.iter().map(|(name, _)| topology.add(name)).collect();
            let reach = reach(wlan);
            for (k, (_, here)) in stations.iter().enumerate() {
                for (j, (_, there)) in stations.iter().enumerate().take(k) {
                    if hear(*here, *there, reach) {
                        topology.join(nodes[k], nodes[j], Link::Wlan(i));
                    }
                }
            }
        }
        topology
    }

    fn add(&mut self, name: &str) -> usize {
        let (node, new) = self.nodes.insert_full(name.to_string());
        if new {
            self.hops.push(Vec::new());
        }
        node
    }

    fn join(&mut self, a: usize, b: usize, link: Link) {
        self.hops[a].push((b, link));
        self.hops[b].push((a, link));
    }

    /// The id of a node.
    pub(crate) fn id(&self, name: &str) -> Option<NodeId> {
        self.nodes.get_index_of(name).and_then(|node| u16::try_from(node).ok()).map(NodeId)
    }

    /// The links from one node to another, by the rule of the routes: fewest hops, ties to the next node whose name comes
    /// first. `None` if there is no way.
    pub(crate) fn way(&self, from: &str, to: &str) -> Option<Vec<Link>> {
        let (from, to) = (self.nodes.get_index_of(from)?, self.nodes.get_index_of(to)?);
        let distance = self.distances(to);
        let mut node = from;
        let mut links = Vec::new();
        while node != to {
            let closer = self.hops[node]
                .iter()
                .filter(|(next, _)| distance[*next].is_some() && distance[*next] < distance[node]);
            let &(next, link) = closer.min_by_key(|(next, _)| &self.nodes[*next])?;
            links.push(link);
            node = next;
        }
        Some(links)
    }

    fn distances(&self, to: usize) -> Vec<Option<u32>> {
        let mut distance = vec![None; self.nodes.len()];
        distance[to] = Some(0);
        let mut frontier = VecDeque::from([to]);
        while let Some(node) = frontier.pop_front() {
            for &(next, _) in &self.hops[node] {
                if distance[next].is_none() {
                    distance[next] = distance[node].map(|d| d + 1);
                    frontier.push_back(next);
                }
            }
        }
        distance
    }
}

/// The receive range of a wlan; infinite if it has none.
fn reach(wlan: &Fields) -> f64 {
    wlan.table("range").and_then(|range| range.metres("receive")).unwrap_or(f64::INFINITY)
}

fn hear([ax, ay]: [f64; 2], [bx, by]: [f64; 2], reach: f64) -> bool {
    (ax - bx) * (ax - bx) + (ay - by) * (ay - by) <= reach * reach
}

/// Stations of a wlan that no other station hears, each with the distance to the nearest.
pub(crate) fn lonely(wlan: &Fields) -> Vec<(String, f64)> {
    let stations = wlan.stations("stations").unwrap_or_default();
    let reach = reach(wlan);
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
