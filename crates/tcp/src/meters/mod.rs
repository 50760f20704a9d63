//! What senders measure on their path, for schemes to build on.

mod send_times;

pub use send_times::SendTimes;
