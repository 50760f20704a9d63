//! Simulated network: nodes, links, queues, agents, applications, and the event loop.
//!
//! Read `world/mod.rs` first: its functions are in the order of a packet's path.

pub mod agents;
pub mod apps;
mod build_error;
mod delays;
mod flow;
mod ground_truth;
mod link;
mod link_fades;
pub mod links;
pub mod outside;
pub mod placement;
pub mod plan;
pub mod queues;
mod report;
pub mod routing;
pub mod services;
mod transit;
mod turnaround;
mod world;

pub use build_error::{BuildError, DRAWS};
pub use delays::Delay;
pub use ground_truth::lateness::Lateness;
pub use ground_truth::loss_ledger::{Confusion, TRUE_CAUSES};
pub use link_fades::{LinkFades, fades};
pub use report::{
    ClassQuality, ClassReport, Column, ConnectionCounts, FlowAggregation, FlowReport, Marks, QueueReport,
    Report, RoundTrips, StationReport, Value, Wait, class_columns, flow_columns, queue_columns, run_columns,
    station_columns,
};
pub use routing::RoutingCounts;
pub use transit::Completion;
pub use world::{EmulatorPlan, Interrupted, World, WorldSchedule, classes};
