//! On-demand routing (AODV) by the routers of a cell's stations.
//!
//! A [`Router`] does no I/O. Its inputs are the time, messages of neighbours, packets that need a next hop,
//! and reports of unreachable neighbours. Its outputs are [`AodvAction`]s for its station, and the time of its
//! next call.

mod action;
mod buffer;
mod plan;
mod repair;
mod router;
mod table;
#[cfg(test)]
mod tests;
mod timing;

pub use action::{AodvAction, RoutedPacket, RoutingCounts};
pub use plan::{AodvPlan, Variant};
pub use router::Router;
