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

pub use build_error::{BuildError, MAX_PLACEMENTS};
pub use delays::DelaySummary;
pub use ground_truth::lateness::NoticeLateness;
pub use ground_truth::loss_ledger::{Confusion, TRUE_CAUSES};
pub use link_fades::{LinkFades, compute_fades};
pub use report::{
    ClassQuality, ClassReport, Column, ConnectionCounts, EcnCounts, FlowAggregation, FlowReport, QueueReport,
    Report, ReportValue, RttSummary, SojournSummary, StationReport, class_columns, flow_columns,
    queue_columns, run_columns, station_columns,
};
pub use routing::RoutingCounts;
pub use transit::CompletionSummary;
pub use world::{EmulatorPlan, RunInterrupted, World, WorldSchedule, flow_classes};
