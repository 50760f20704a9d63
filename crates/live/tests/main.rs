//! Operation in real time: the emulator's loop and log, with a clock and ports in memory; and real packets,
//! if this process has the privileges.

#[cfg(target_os = "linux")]
mod bpf;
mod live;
mod log;
mod pace;
mod wire;
