//! Real packets of real programs in a simulated network, in real time.
//!
//! The world of a simulation does no I/O and has no clock. [`Outside`] is this crate's interface to the
//! world: time of the next event, handling of events, entering datagrams, departures. [`drive::Loop`] runs
//! the world in real time, with abstract ports and an abstract clock; [`host`] implements them for a Linux
//! machine: network namespaces with TUN devices and programs, and existing interfaces. [`Emulation`] combines
//! loop and host.
//!
//! A run is evidence only if the emulator was not late, which [`lateness`] and the stalls show. [`log`]
//! records the entering datagrams, so that a run can be repeated without hosts ([`replay`]).

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

pub use airhop_base::Departure;
pub use emulation::{
    Command, Control, Emulation, EmulationError, End, EndKind, Ended, Finished, Live, LogTo, Output, Ready,
    ReadyCondition,
};
pub use log::{Replayed, replay};
pub use outside::{Outside, Stopped};
