//! Recoveries with a scoreboard. A segment is lost if enough data above that segment is SACKed.

mod delayed;
mod rate_halving;
mod rfc6675;
mod sack_pipe;

pub use delayed::DcrRecovery;
pub use rate_halving::RateHalving;
pub use rfc6675::Rfc6675;
pub use sack_pipe::SackPipe;
