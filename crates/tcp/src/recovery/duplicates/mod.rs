//! Recoveries that count duplicate ACKs to detect losses, without a scoreboard.

mod corrupted;
mod reno;
mod tahoe;
mod vegas;

pub use corrupted::TcpClRecovery;
pub use reno::{PartialAckReaction, RenoRecovery};
pub use tahoe::TahoeRecovery;
pub use vegas::VegasRecovery;
