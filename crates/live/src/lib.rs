//! Real packets of real programs in a simulated network, in real time.
//!
//! A simulated world does no I/O and has no clock. [`SimulatedNetwork`] is the interface of this crate to the world:
//! the time of the next event, the handling of events, entering datagrams, and departures. [`drive::RealTimeLoop`]
//! runs the world in real time, with an abstract clock and abstract ports. [`host`] implements the ports for
//! a Linux machine: network namespaces with TUN devices and programs, and existing interfaces. [`Emulation`]
//! combines loop and host.
//!
//! A run represents its network only if the emulator was not late; see [`lateness`] and the stalls. [`log`]
//! records the datagrams that enter, so that a run can be repeated without hosts ([`replay`]).

pub mod clock;
pub mod drive;
mod emulation;
#[cfg(target_os = "linux")]
pub mod host;
mod json;
pub mod lateness;
pub mod link_events;
pub mod log;
mod outside;
pub mod port;
pub mod privileges;
pub mod sockets;
pub mod turnaround;

pub use airhop_base::DepartedDatagram;
pub use emulation::{
    Command, CommandOutput, CommandResult, Emulation, EmulationError, EmulationResult, EndReason, Endpoint,
    EndpointKind, LogDestination, NodeCongestionControl, NodeReadiness, ReadyCondition,
};
pub use log::{ReplaySummary, replay};
pub use outside::{SimulatedNetwork, WorldStopped};
