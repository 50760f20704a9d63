//! Simulated kernel: structures, functions and configuration that programs use.

mod cubictcp;
mod helpers;
mod kconfig;
mod kfuncs;
mod layout;
mod options;
mod packet;
mod print;
mod printer;
mod socket;

pub(crate) use helpers::{Helper, HelperContext};
pub(crate) use kconfig::{KCONFIG_OPTIONS, option_value as kconfig};
pub(crate) use kfuncs::{Kfunc, WindowFields};
pub(crate) use layout::WRITABLE_MEMBERS;
pub use layout::{Field, Layout, StructImage};
pub(crate) use packet::SocketBuffer;
pub use packet::Verdict;
pub(crate) use printer::Printer;
pub use socket::Socket;
pub(crate) use socket::{NESTED_STRUCTURES as SOCKETS, socket_layout};

/// Returns the helpers that programs may call, with number and name.
pub fn simulated_helpers() -> Vec<(i32, &'static str)> {
    Helper::simulated()
}

/// Returns the kernel functions that programs may call.
pub fn simulated_kfuncs() -> Vec<&'static str> {
    Kfunc::ALL.map(Kfunc::name).to_vec()
}

/// Timer ticks of a simulated kernel per second (`CONFIG_HZ`).
pub const HZ: u64 = 1000;
