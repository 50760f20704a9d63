//! Routing. Static routes are computed from the graph of the network. With AODV, stations discover routes on
//! demand.

pub(crate) mod aodv;
mod graph;
mod static_routes;

pub use aodv::{AodvPlan, RoutingCounts, Variant};
pub use graph::{Graph, Hop, Joins, Layer, Medium, Stations, hear};
pub use static_routes::Routes;
