//! Recoveries that count duplicate ACKs to detect losses, without a scoreboard.

mod corrupted;
mod reno;
mod tahoe;
mod vegas;

pub use corrupted::Corrupted;
pub use reno::{Partial, RenoRecovery};
pub use tahoe::Tahoe;
pub use vegas::Vegas;
