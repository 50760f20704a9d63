//! The network: nodes, links, queues, agents, applications, and the loop that runs them.
//!
//! Start with `world.rs`: it reads in the order of a packet's walk.

pub mod agents;
mod air;
mod build;
mod courses;
mod fades;
mod fates;
mod flow;
mod hosting;
mod install;
mod label;
mod lateness;
pub mod layout;
mod link;
pub mod plan;
pub mod queues;
mod radio;
mod record;
mod report;
mod results;
pub mod route;
mod routed;
pub mod routes;
mod routing;
mod schedule;
pub mod services;
mod site;
mod source;
mod spurious;
mod truth;
mod wired;
mod world;

pub use build::BuildError;
pub use fades::{LinkFades, fades};
pub use fates::{Confusion, TRUE_CAUSES};
pub use lateness::Lateness;
pub use report::{FlowReport, Report};
pub use routing::RoutingCounts;
pub use schedule::Schedule;
pub use world::{Interrupted, World};
