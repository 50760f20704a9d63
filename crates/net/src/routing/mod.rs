//! Routes: static routes from the network's graph, and AODV routes, which stations discover on demand.

pub(crate) mod aodv;
mod graph;
mod static_routes;

pub use aodv::{AodvPlan, RoutingCounts, Variant};
pub use graph::{Graph, Hop, Joins, Layer, Medium, Stations, hear};
pub use static_routes::Routes;
