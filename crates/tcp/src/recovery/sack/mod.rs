//! Recoveries with a scoreboard, which detect losses by SACK blocks above a segment.

mod delayed;
mod rate_halving;
mod rfc6675;
mod sack_pipe;

pub use delayed::Delayed;
pub use rate_halving::RateHalving;
pub use rfc6675::Rfc6675;
pub use sack_pipe::SackPipe;
