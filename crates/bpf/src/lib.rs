//! Congestion controls as Linux loads them: the very BPF object, its programs called as the kernel calls them.
//!
//! [`Object::read`] takes the file that clang made, whose `struct tcp_congestion_ops` are its [`CongestionControl`]s. A
//! [`Machine`] is the object in one run, with its maps and global variables; a [`Socket`] is a flow's
//! `struct tcp_sock`, laid out by the object's own types (BTF). The owner of the flow fills it in, calls
//! [`Machine::call`] for a [`Callback`]'s program, and reads back the changes. [`Machine::filter`] runs programs of tc
//! that receive notices for a congestion control.
//!
//! No object, however wrong or hostile, can do more than fail: it is checked when it is read, every access to memory is, and a call that does
//! not end is ended after a million instructions. An [`ObjectError`] or a [`Fault`] names the function, the instruction and the line.
//! Nothing depends on the time of day or on other runs.
//!
//! The interpreter is our own. `rbpf` 0.4 hands programs the machine's own addresses, has helpers without state (`fn(u64, u64, u64, u64, u64)
//! -> u64`, where a kfunc needs the socket that it is called for), allocates a stack per call, and knows no ELF, BTF or maps; of an access to
//! a region that is neither packet nor stack it checks the first byte alone. `solana_rbpf`, its fork, checks regions, but is bound to Solana's
//! own dialect of object files and instructions. What either would save is the loop over the instructions, the smallest part.

mod accesses;
mod bitfields;
mod btf;
mod check;
mod congestion;
mod connection;
mod elf;
mod error;
mod fault;
mod instruction;
mod interpreter;
mod kernel;
mod linking;
mod listener;
pub mod loading;
mod machine;
mod maps;
mod members;
mod memory;
mod object;
mod program;
mod stack;

pub use congestion::{Callback, CongestionControl, Program};
pub use connection::Loaded;
pub use error::{ObjectError, Problem};
pub use fault::{Cause, Fault, Place};
pub use kernel::{Field, HZ, Image, Layout, Socket, Verdict, simulated_helpers, simulated_kfuncs};
pub use machine::{Argument, MOST_ARGUMENTS, Machine};
pub use members::{SimulatedMember, ack_sample_values, rate_sample_values, simulated_members, socket_values};
pub use memory::{Access, Denied};
pub use object::{Filter, Object};
