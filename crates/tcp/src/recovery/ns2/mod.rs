//! Recoveries of ns-2.35's agents that differ from their papers.

mod linux;
mod vegas;

pub use linux::Ns2LinuxRecovery;
pub use vegas::Ns2VegasRecovery;
