//! TCP as state machines: time is an argument, packets are inputs and outputs, and no module depends on the
//! simulator.
//!
//! Read [`seams`] first: it declares the policies in which senders differ. `sender/` and `receiver.rs`
//! implement the protocol common to all senders, `recovery/` the loss recoveries, `notices/` the reactions to
//! explicit notices, `rto/` the timeout estimators, `kernel_ops/` the interface of Linux's congestion
//! controls, and `schemes/` the named combinations of policies.

mod bbr;
mod closing;
mod config;
mod control;
mod cubic;
pub mod estimators;
mod fault;
pub mod kernel_ops;
mod nagle;
pub mod notices;
mod quick_acks;
mod receiver;
pub mod recovery;
mod rto;
mod sack_ranges;
mod schemes;
pub mod scoreboard;
pub mod seams;
mod sender;
mod sender_state;
mod slow_start;
mod stack;
mod usage;

pub use closing::ConnectionState;
pub use config::{
    Config, CwndValidation, DelayedAck, HalveFrom, IdleRestartWindow, LossDetection, NoticeHandling, Preset,
    RtoConfig, RtoKind, SackRecovery, Turnaround, WindowGrowth,
};
pub use fault::PolicyFault;
pub use receiver::Receiver;
pub use schemes::{
    EchoMode, NameTaken, Param, Params, PolicyBuilder, ReceiverFeatures, SCHEMES, Scheme, add_scheme,
    find_scheme, schemes,
};
pub use sender::{Counters, Sender};
pub use sender_state::SenderState;
pub use usage::WindowUsage;
