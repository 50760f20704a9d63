//! The policies in which senders differ. Read this first.
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
//! The sender owns the sequence space, the clock work (one retransmission timer, one RTT being timed) and the counters.
//! A [`Recovery`] decides the next bytes and the meaning of a duplicate ACK; a [`CongestionControl`] sets the window; a
//! [`NoticePolicy`] decides the reaction to an explicit notification; an [`RtoPolicy`] turns RTT samples into a
//! timeout. The remaining differences between the RFCs, Linux and ns-2 are in the sender's `Stack` (`stack/`).

mod control;
mod notices;
mod recovery;
mod run;

pub use crate::rto::RtoPolicy;
pub use control::{
    Ack, CongestionControl, Delivery, Judged, Loss, LossClassification, Signal, Truth, Window,
};
pub use notices::{NoticePolicy, Reaction};
pub use recovery::{Advance, Agent, Cause, Detect, Evidence, Next, Recovery, Repair};
pub use run::{Connected, Run};

/// The policies of one sender.
#[derive(Debug)]
pub struct Parts {
    /// Moves the window.
    pub control: Box<dyn CongestionControl>,
    /// Repairs losses.
    pub recovery: Box<dyn Recovery>,
    /// Reacts to notices.
    pub notices: Box<dyn NoticePolicy>,
}
