//! What senders measure on their path, for schemes to build on.

mod ack_credit;
mod backlog;
mod bandwidth;
mod send_times;

pub use ack_credit::AckCredit;
pub use backlog::{Backlog, queued};
pub use bandwidth::{PerAck, PerRound, Smoothing, Stages};
pub use send_times::SendTimes;
