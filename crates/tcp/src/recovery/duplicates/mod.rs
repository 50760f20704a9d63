//! Recoveries without a scoreboard, which detect losses by counting duplicate ACKs.

mod corrupted;
mod reno;
mod tahoe;
mod vegas;

pub use corrupted::Corrupted;
pub use reno::{Partial, RenoRecovery};
pub use tahoe::Tahoe;
pub use vegas::Vegas;
