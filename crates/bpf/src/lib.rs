//! Congestion controls in the form that Linux loads: BPF objects, with programs called as the kernel calls
//! them.
//!
//! [`Object::read`] parses the file that clang made. Each `struct tcp_congestion_ops` in the object is a
//! [`CongestionControl`]. A [`VirtualMachine`] is the object's state in one run: maps and global variables. A
//! [`Socket`] is a flow's `struct tcp_sock`, laid out as in the object's own types (BTF). The owner of the
//! flow sets the socket's members, calls [`VirtualMachine::call`] for the program of a [`Callback`], and reads the
//! changed members. [`VirtualMachine::run_filter`] runs tc programs that receive notices for a congestion control.
//!
//! A faulty or hostile object can only end in an error. The object is checked when it is read, and every
//! memory access of a program is checked when it is executed. A call ends after at most a million
//! instructions. An [`ObjectError`] or a [`ProgramFault`] names the function, the instruction and the source line.
//! Results do not depend on the time of day or on other runs.
//!
//! Airhop has its own interpreter. `rbpf` 0.4 passes host addresses to programs, allocates a stack per call,
//! and does not support ELF, BTF or maps. Helpers of `rbpf` have no state (`fn(u64, u64, u64, u64, u64) ->
//! u64`), whereas a kfunc needs the socket of the call. For an access outside packet and stack, `rbpf` checks
//! only the first byte. The fork `solana_rbpf` checks regions, but supports only Solana's dialect of object
//! files and instructions. Each of these crates would replace only the loop over the instructions, the
//! smallest part of this crate.

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

pub use congestion::{Callback, CongestionControl, ProgramId};
pub use connection::LoadedCongestionControl;
pub use error::{ObjectError, ObjectProblem};
pub use fault::{FaultCause, InstructionLocation, ProgramFault};
pub use kernel::{Field, HZ, Layout, Socket, StructImage, Verdict, simulated_helpers, simulated_kfuncs};
pub use machine::{Argument, MAX_ARGUMENTS, VirtualMachine};
pub use members::{SimulatedMember, ack_sample_values, rate_sample_values, simulated_members, socket_values};
pub use memory::{Access, AccessError};
pub use object::{Filter, Object};
