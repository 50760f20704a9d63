//! Recoveries without a scoreboard: losses are detected by counting duplicate ACKs.

mod corrupted;
mod reno;
mod tahoe;
mod vegas;

pub use corrupted::Corrupted;
pub use reno::{Partial, RenoRecovery};
pub use tahoe::Tahoe;
pub use vegas::Vegas;
