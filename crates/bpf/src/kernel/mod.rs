//! What a program finds of the kernel: its structures, its functions, and its configuration.

mod helpers;
mod kconfig;
mod kfuncs;
mod layout;
mod packet;
mod socket;

pub(crate) use helpers::{Helper, Helpers};
pub(crate) use kconfig::value as kconfig;
pub(crate) use kfuncs::{Kfunc, Window};
pub use layout::{Field, Image, Layout};
pub(crate) use packet::SocketBuffer;
pub use packet::Verdict;
pub use socket::Socket;
pub(crate) use socket::{WRITABLE, socket_layout};

/// Timer ticks of a simulated kernel per second (`CONFIG_HZ`).
pub const HZ: u64 = 1000;
