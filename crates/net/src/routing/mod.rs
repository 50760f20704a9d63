//! Routing. Static routes are computed from the graph of the network. With AODV, stations discover routes on
//! demand.

pub(crate) mod aodv;
mod graph;
mod static_routes;

pub use aodv::{AodvPlan, RoutingCounts, Variant};
pub use graph::{CellStations, Graph, Hop, LinkLayerId, LinkNodes, Medium, are_in_range};
pub use static_routes::StaticRoutes;
