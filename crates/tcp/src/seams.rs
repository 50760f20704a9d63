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
//! counters. A [`Recovery`] detects losses and selects the next bytes to send. A [`CongestionControl`] sets
//! the window. A [`NoticePolicy`] determines the reaction to an explicit notice. An [`RtoPolicy`] computes
//! the timeout from RTT samples. The sender's `StackRules` (`stack/`) implements the remaining differences between
//! the RFCs, Linux and ns-2.

mod control;
mod notices;
mod recovery;
mod run;

pub use crate::rto::RtoPolicy;
pub use control::{
    Ack, CongestionControl, CongestionSignal, Delivery, IdlePeriod, Loss, LossClass, LossClassification,
    PathTruth, Window,
};
pub use notices::{NoticePolicy, NoticeReaction};
pub use recovery::{
    AdvanceOutcome, DetectionOutcome, NextSegment, Ns2Agent, Recovery, RepairKind, TransmissionCause,
    UndoEvidence,
};
pub use run::{ConnectionEnds, RunState};

/// Policies of one sender.
#[derive(Debug)]
pub struct SenderPolicies {
    /// Policy that sets the window.
    pub control: Box<dyn CongestionControl>,
    /// Policy that detects and repairs losses.
    pub recovery: Box<dyn Recovery>,
    /// Policy for explicit notices.
    pub notices: Box<dyn NoticePolicy>,
}
