//! Real packets of real programs through a simulated network, in real time.
//!
//! The world of a simulation does no I/O and has no clock. [`Outside`] is all that this crate wants of it: what happens next, let it
//! happen, let this datagram in, what has left. [`drive::Loop`] turns that into real time, over ports and a clock that it does not know;
//! [`host`] has those of a Linux machine: network namespaces with TUN devices and the programs in them, and existing interfaces.
//! [`Emulation`] puts the two together.
//!
//! A run is evidence only if the emulator kept pace: [`lateness`] and the stalls show that. [`log`] writes down what entered, so that the
//! same run can be had again without any of this ([`replay`]).

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
