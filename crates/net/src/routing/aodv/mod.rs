//! On-demand routing (AODV) by the routers of the stations of a cell.
//!
//! A [`Router`] does no I/O. Inputs: the time, messages of neighbours, packets that need a next hop, and
//! reports of unreachable neighbours. Outputs: [`Action`]s for its station, and the time of its next call.

mod action;
mod buffer;
mod plan;
mod repair;
mod router;
mod table;
#[cfg(test)]
mod tests;
mod timing;

pub use action::{Action, RoutedPacket, RoutingCounts};
pub use plan::{AodvPlan, Variant};
pub use router::Router;
