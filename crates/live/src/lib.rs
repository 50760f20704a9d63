//! Real packets of real programs through a simulated network, in real time.
//!
//! The world of a simulation does no I/O and has no clock. [`Outside`] is this crate's interface to it: time of the
//! next event, handling of events, entering datagrams, departures. [`drive::Loop`] runs it in real time, over abstract
//! ports and an abstract clock; [`host`] has those of a Linux machine: network namespaces with TUN devices and the
//! programs in them, and existing interfaces. [`Emulation`] puts the two together.
//!
//! A run is evidence only if the emulator kept pace: [`lateness`] and the stalls show that. [`log`] records the
//! entering datagrams, so that the run can be repeated without hosts ([`replay`]).

pub mod clock;
pub mod drive;
mod emulation;
#[cfg(target_os = "linux")]
pub mod host;
mod json;
pub mod lateness;
pub mod log;
mod outside;
pub mod port;
pub mod privileges;
pub mod sockets;
pub mod turnaround;

pub use airhop_base::Departure;
pub use emulation::{
    Command, Control, Emulation, EmulationError, End, EndKind, Ended, Finished, Live, LogTo, Output, Ready,
    Sign,
};
pub use log::{Replayed, replay};
pub use outside::{Outside, Stopped};
