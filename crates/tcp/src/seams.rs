//! Policies in which senders differ. Read this module first.
//!
//! ```text
//!            segment                       notice
//!               │                             │
//!   Sender ── Recovery ── Detect::Lost ── NoticePolicy ── Reaction
//!               │   │                         │
//!               │   └── CongestionControl     └── retransmit, hold, freeze; restart or prolong the timer
//!               └── next(): which bytes go out now
//! ```
//!
//! The sender owns the sequence space, the timers (one retransmission timer, one RTT being timed) and the
//! counters. A [`Recovery`] selects the next bytes and interprets duplicate ACKs; a [`CongestionControl`]
//! sets the window; a [`NoticePolicy`] decides the reaction to an explicit notice; an [`RtoPolicy`] computes
//! a timeout from RTT samples. The remaining differences between the RFCs, Linux and ns-2 are in the sender's
//! `Stack` (`stack/`).

mod control;
mod notices;
mod recovery;
mod run;

pub use crate::rto::RtoPolicy;
pub use control::{
    Ack, CongestionControl, Delivery, Idle, Loss, LossClass, LossClassification, Signal, Truth, Window,
};
pub use notices::{NoticePolicy, Reaction};
pub use recovery::{Advance, Agent, Cause, Detect, Evidence, Next, Recovery, Repair};
pub use run::{Connected, Run};

/// Policies of one sender.
#[derive(Debug)]
pub struct Parts {
    /// Policy that sets the window.
    pub control: Box<dyn CongestionControl>,
    /// Policy that detects and repairs losses.
    pub recovery: Box<dyn Recovery>,
    /// Policy for explicit notices.
    pub notices: Box<dyn NoticePolicy>,
}
