//! Routing: static routes, computed from the graph of the network, and AODV, by which stations discover
//! routes on demand.

pub(crate) mod aodv;
mod graph;
mod static_routes;

pub use aodv::{AodvPlan, RoutingCounts, Variant};
pub use graph::{Graph, Hop, Joins, Layer, Medium, Stations, hear};
pub use static_routes::Routes;
