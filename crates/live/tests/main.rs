//! The live side: its loop and its log with a clock and ports in memory, and real packets where this machine has what that needs.

#[cfg(target_os = "linux")]
mod bpf;
mod live;
mod log;
mod pace;
mod wire;
