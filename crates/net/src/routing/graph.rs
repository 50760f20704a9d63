//! Graph of the nodes and of the hops between them. Shortest paths have the minimum number of hops. Among
//! several shortest paths, the first next node by name is chosen.

use airhop_base::NodeId;
use std::collections::{HashMap, VecDeque};

/// Outgoing hop of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hop {
    /// No route.
    None,
    /// One direction of a wired link. For link `i`, `2 i` leads from `ends[0]` to `ends[1]`, and `2 i + 1`
    /// leads back.
    Link(u16),
    /// Hop between two stations of a link layer: in a cell, or between the ends of a radio link.
    Layer {
        /// The link layer.
        layer: LinkLayerId,
        /// The sending station.
        from: u16,
        /// The receiving station.
        to: u16,
    },
    /// Hop from a station of a cell with on-demand routing. The next station is not known in advance.
    OnDemand {
        /// Index of the cell.
        cell: u16,
        /// The sending station.
        from: u16,
    },
}

/// Link layer of a wireless network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkLayerId {
    /// Cell with this index.
    Cell(u16),
    /// Radio link with this index; its ends are stations 0 and 1.
    Radio(u16),
}

impl LinkLayerId {
    /// Returns the index of the layer among the layers of its type.
    pub fn index(self) -> u16 {
        let (LinkLayerId::Cell(number) | LinkLayerId::Radio(number)) = self;
        number
    }

    /// True if the layer is a cell. The stations of a cell share a medium.
    pub fn is_cell(self) -> bool {
        matches!(self, LinkLayerId::Cell(_))
    }
}

/// Transmission medium for one transmission at a time: one direction of a link between two nodes, or a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Medium {
    /// One direction of a link, identified by its hop.
    Direction(Hop),
    /// Cell with this index.
    Cell(u16),
}

impl Hop {
    /// Returns the index of the hop's cell; `None` for other links.
    pub fn cell(self) -> Option<u16> {
        match self {
            Hop::Layer { layer: LinkLayerId::Cell(cell), .. } | Hop::OnDemand { cell, .. } => Some(cell),
            Hop::None | Hop::Link(_) | Hop::Layer { layer: LinkLayerId::Radio(_), .. } => None,
        }
    }

    /// True if the hop is in a cell or over a radio link.
    pub fn is_wireless(self) -> bool {
        matches!(self, Hop::Layer { .. } | Hop::OnDemand { .. })
    }

    /// Returns the medium that the hop uses.
    pub fn medium(self) -> Medium {
        self.cell().map_or(Medium::Direction(self), Medium::Cell)
    }

    /// Returns a hop that identifies the transmitter. The result is the same for all hops from one station of
    /// a cell.
    pub(crate) fn transmitter_key(self) -> Hop {
        match self {
            Hop::Layer { layer: LinkLayerId::Cell(cell), from, .. } => Hop::OnDemand { cell, from },
            one_way => one_way,
        }
    }

    /// Returns the hop in the opposite direction; [`Hop::None`] if the hop has no fixed end.
    pub(crate) fn reverse(self) -> Hop {
        match self {
            Hop::None | Hop::OnDemand { .. } => Hop::None,
            Hop::Link(i) => Hop::Link(i ^ 1),
            Hop::Layer { layer, from, to } => Hop::Layer { layer, from: to, to: from },
        }
    }
}

/// Nodes that a link connects, with their hops.
#[derive(Clone, Debug)]
pub enum LinkNodes {
    /// Two nodes, each with its hop to the other.
    Ends([(NodeId, Hop); 2]),
    /// Stations of a cell. Cells are numbered in the order in which they are added.
    Stations(CellStations),
}

impl LinkNodes {
    /// Returns the two nodes of the wired link with index `number`, and their hops.
    pub fn from_wired_link([a, b]: [NodeId; 2], number: usize) -> LinkNodes {
        LinkNodes::Ends([(a, Hop::Link((2 * number) as u16)), (b, Hop::Link((2 * number + 1) as u16))])
    }

    /// Returns the two nodes of the radio link with index `number`, and their hops.
    pub fn from_radio_link([a, b]: [NodeId; 2], number: usize) -> LinkNodes {
        let layer = LinkLayerId::Radio(number as u16);
        let [there, back] = [(0, 1), (1, 0)].map(|(from, to)| Hop::Layer { layer, from, to });
        LinkNodes::Ends([(a, there), (b, back)])
    }
}

/// Graph of the nodes and of the hops between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    /// Receiving node of each hop between two nodes, except hops in cells.
    ends: HashMap<Hop, NodeId>,
    cells: Vec<CellStations>,
}

/// Stations of a cell: node and position (metres) of each station, and the receive range.
#[derive(Clone, Debug)]
pub struct CellStations {
    /// Node and position of each station.
    pub positions: Vec<(NodeId, [f64; 2])>,
    /// Receive range in metres; `None` if unlimited.
    pub receive_range_m: Option<f64>,
}

#[derive(Clone, Debug)]
struct Node {
    name: String,
    ports: Vec<Port>,
}

/// Interface by which packets enter a node.
#[derive(Clone, Copy, Debug)]
enum Port {
    /// Receiving end of `hop`, the hop from `node`. Only packets from `node` enter here.
    From { node: NodeId, hop: Hop },
    /// Station of a cell. Packets from every station in range enter here.
    Air { cell: usize, station: usize },
}

impl Graph {
    /// Creates the graph of nodes and links. `names`: names of the nodes by [`NodeId`].
    pub fn new(names: impl IntoIterator<Item = String>, links: impl IntoIterator<Item = LinkNodes>) -> Graph {
        let nodes = names.into_iter().map(|name| Node { name, ports: Vec::new() }).collect();
        let mut graph = Graph { nodes, ..Graph::default() };
        links.into_iter().for_each(|link| graph.add_link(link));
        graph
    }

    fn add_link(&mut self, link: LinkNodes) {
        match link {
            LinkNodes::Ends([a, b]) => {
                for ((from, hop), (to, _)) in [(a, b), (b, a)] {
                    self.nodes[index(to)].ports.push(Port::From { node: from, hop });
                    self.ends.insert(hop, to);
                }
            }
            LinkNodes::Stations(stations) => {
                let cell = self.cells.len();
                for (station, (node, _)) in stations.positions.iter().enumerate() {
                    self.nodes[index(*node)].ports.push(Port::Air { cell, station });
                }
                self.cells.push(stations);
            }
        }
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the next hop of every node towards `to`. Among several shortest paths, the first neighbour by
    /// name is chosen. Additional nodes elsewhere therefore do not change the routes.
    pub fn next_hops_towards(&self, to: NodeId) -> Vec<Hop> {
        let mut search = Search::new(self, to);
        while let Some(node) = search.frontier.pop_front() {
            for &port in &self.nodes[index(node)].ports {
                match port {
                    Port::From { node: from, hop } => search.reach(from, node, hop),
                    Port::Air { cell, station } => search.reach_stations(node, cell, station),
                }
            }
        }
        search.hops
    }

    /// Returns the receiving node of a hop; `None` for an on-demand hop.
    pub fn receiving_node(&self, hop: Hop) -> Option<NodeId> {
        match hop {
            Hop::Layer { layer: LinkLayerId::Cell(cell), to, .. } => {
                Some(self.cells[usize::from(cell)].positions[usize::from(to)].0)
            }
            other => self.ends.get(&other).copied(),
        }
    }

    /// Returns the only neighbour of `node`, and the hop from the neighbour to `node`. `None` if the node has
    /// several interfaces, or an interface that is not wired.
    pub fn only_wired_neighbour(&self, node: NodeId) -> Option<(NodeId, Hop)> {
        match self.nodes[index(node)].ports[..] {
            [Port::From { node, hop: hop @ Hop::Link(_) }] => Some((node, hop)),
            _ => None,
        }
    }
}

/// State of a breadth-first search that starts at the destination.
struct Search<'a> {
    graph: &'a Graph,
    hops: Vec<Hop>,
    distance: Vec<u32>,
    via: Vec<Option<NodeId>>,
    /// For each cell, number of hops from the destination to the first reached station.
    cells: Vec<u32>,
    frontier: VecDeque<NodeId>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, to: NodeId) -> Self {
        let nodes = graph.nodes.len();
        let mut distance = vec![u32::MAX; nodes];
        distance[index(to)] = 0;
        Search {
            graph,
            hops: vec![Hop::None; nodes],
            distance,
            via: vec![None; nodes],
            cells: vec![u32::MAX; graph.cells.len()],
            frontier: VecDeque::from([to]),
        }
    }

    /// Records that `from` can send to `node` by `hop`.
    fn reach(&mut self, from: NodeId, node: NodeId, hop: Hop) {
        let (i, next) = (index(from), self.distance[index(node)] + 1);
        if self.distance[i] == u32::MAX {
            self.distance[i] = next;
            self.frontier.push_back(from);
        }
        let name = |node: NodeId| &self.graph.nodes[index(node)].name;
        if self.distance[i] == next && self.via[i].is_none_or(|via| name(node) < name(via)) {
            self.via[i] = Some(node);
            self.hops[i] = hop;
        }
    }

    /// Marks all stations in receive range of `node` as reached. `station`: station of `node` in the cell.
    fn reach_stations(&mut self, node: NodeId, cell: usize, station: usize) {
        let stations = &self.graph.cells[cell];
        let here = self.distance[index(node)];
        // If all stations of a cell receive each other, the first station that was reached has already
        // reached all others. Without this check, the time would grow with the square of the number of
        // stations.
        if stations.receive_range_m.is_none() && self.cells[cell] < here {
            return;
        }
        self.cells[cell] = self.cells[cell].min(here);
        for (from, (other, _)) in stations.positions.iter().enumerate() {
            if from != station && stations.are_in_range(from, station) {
                let layer = LinkLayerId::Cell(cell as u16);
                let hop = Hop::Layer { layer, from: from as u16, to: station as u16 };
                self.reach(*other, node, hop);
            }
        }
    }
}

impl CellStations {
    fn are_in_range(&self, a: usize, b: usize) -> bool {
        self.receive_range_m.is_none_or(|reach| are_in_range(self.positions[a].1, self.positions[b].1, reach))
    }
}

/// True if stations at these positions in metres receive each other's frames. `reach`: receive range in
/// metres.
pub fn are_in_range([ax, ay]: [f64; 2], [bx, by]: [f64; 2], reach: f64) -> bool {
    (ax - bx) * (ax - bx) + (ay - by) * (ay - by) <= reach * reach
}

fn index(node: NodeId) -> usize {
    usize::from(node.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::StaticRoutes;

    fn names<const N: usize>(names: [&str; N]) -> [String; N] {
        names.map(String::from)
    }

    #[test]
    fn routes_have_the_fewest_hops_and_names_break_ties() {
        // Paths s - b - d, s - a - d, s - x - y - d: of the two shortest paths, that through "a" is chosen.
        let pairs = [(0, 1), (1, 3), (0, 2), (2, 3), (0, 4), (4, 5), (5, 3)];
        let wired =
            pairs.iter().zip(0..).map(|(&(a, b), i)| LinkNodes::from_wired_link([NodeId(a), NodeId(b)], i));
        let graph = Graph::new(names(["s", "b", "a", "d", "x", "y", "island"]), wired);
        let hops = graph.next_hops_towards(NodeId(3));
        assert_eq!(hops[0], Hop::Link(4), "the route of s is over a");
        assert_eq!(hops[5], Hop::Link(12));
        assert_eq!([hops[3], hops[6]], [Hop::None, Hop::None]);
        assert_eq!(
            graph.next_hops_towards(NodeId(0))[3],
            Hop::Link(7),
            "the reverse route of d is over a, over the link from a"
        );
        assert_eq!(graph.receiving_node(Hop::Link(7)), Some(NodeId(2)));
        let routes = StaticRoutes::new(&graph, [NodeId(3)]);
        let path = routes.path(&graph, NodeId(0), NodeId(3));
        assert_eq!(path, [(NodeId(0), Hop::Link(4)), (NodeId(2), Hop::Link(6))]);
        assert_eq!(routes.path(&graph, NodeId(6), NodeId(3)), [], "no route from the island");
    }

    /// Node s is connected to two base stations of a cell, and a chain of nodes follows the cell. A path
    /// exists through each base station. Each path crosses the cell in one hop.
    #[test]
    fn a_route_crosses_a_cell_in_one_hop() {
        let wired = [
            LinkNodes::from_wired_link([NodeId(0), NodeId(1)], 0),
            LinkNodes::from_wired_link([NodeId(0), NodeId(2)], 1),
        ];
        let place = |node, x| (NodeId(node), [x, 0.0]);
        let everyone = CellStations {
            positions: vec![place(1, 0.0), place(2, 1.0), place(3, 2.0), place(4, 3.0)],
            receive_range_m: None,
        };
        let chain = CellStations {
            positions: vec![place(4, 0.0), place(5, 30.0), place(6, 60.0)],
            receive_range_m: Some(40.0),
        };
        let cells = [everyone, chain].map(LinkNodes::Stations);
        let graph = Graph::new(names(["s", "q", "p", "d", "e", "f", "g"]), wired.into_iter().chain(cells));
        let up = graph.next_hops_towards(NodeId(0));
        assert_eq!(
            up[3],
            Hop::Layer { layer: LinkLayerId::Cell(0), from: 2, to: 1 },
            "the route of d is over p"
        );
        assert_eq!(up[6], Hop::Layer { layer: LinkLayerId::Cell(1), from: 2, to: 1 }, "g does not receive e");
        let down = graph.next_hops_towards(NodeId(6));
        assert_eq!(
            [down[3], down[0]],
            [Hop::Layer { layer: LinkLayerId::Cell(0), from: 2, to: 3 }, Hop::Link(2)]
        );
    }

    /// m - b is a radio link and b - s a wired link. A second radio link with its ends in opposite order is
    /// not a shorter path.
    #[test]
    fn a_radio_link_counts_as_one_hop() {
        let radios = [[0, 1], [3, 2], [3, 0]].map(|ends| ends.map(NodeId));
        let radios = radios.into_iter().zip(0..).map(|(ends, i)| LinkNodes::from_radio_link(ends, i));
        let wire = LinkNodes::from_wired_link([NodeId(1), NodeId(2)], 0);
        let graph = Graph::new(names(["m", "b", "s", "t"]), std::iter::once(wire).chain(radios));
        let towards_s = graph.next_hops_towards(NodeId(2));
        let radio = |link, from| Hop::Layer { layer: LinkLayerId::Radio(link), from, to: 1 - from };
        let first = radio(0, 0);
        assert_eq!(towards_s[..2], [first, Hop::Link(0)], "over b, whose name precedes t");
        assert_eq!(towards_s[3], radio(1, 0));
        assert_eq!(
            [graph.receiving_node(first), graph.receiving_node(towards_s[3])],
            [Some(NodeId(1)), Some(NodeId(2))]
        );
        let path = StaticRoutes::new(&graph, [NodeId(0)]).path(&graph, NodeId(2), NodeId(0));
        assert_eq!(path, [(NodeId(2), Hop::Link(1)), (NodeId(1), radio(0, 1))]);
        assert!(path[1].1.is_wireless() && !path[0].1.is_wireless());
    }
}
