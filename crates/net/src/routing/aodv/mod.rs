//! On-demand routing (AODV): the routers of the stations of a cell.
//!
//! A [`Router`] does no I/O. Its inputs are the time, messages of its neighbours, packets that need a next hop, and
//! reports that a neighbour does not answer; its outputs are [`Action`]s for its station, and the time of its next
//! call.

mod action;
mod buffer;
mod plan;
mod repair;
mod router;
mod table;
#[cfg(test)]
mod tests;
mod timing;

pub use action::{Action, Passing, RoutingCounts};
pub use plan::{AodvPlan, Variant};
pub use router::Router;
