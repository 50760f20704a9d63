//! Real-time operation: the loop and the log with a clock and ports in memory, and real packets if this
//! machine has the required privileges.

#[cfg(target_os = "linux")]
mod bpf;
mod live;
mod log;
mod pace;
mod wire;
