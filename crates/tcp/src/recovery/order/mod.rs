//! Recoveries by sending order. A segment is lost if enough segments sent later have arrived.

mod esack;
mod lhp;
mod packet_list;

pub use esack::EsackRecovery;
pub use lhp::{LhpRecovery, TriggerField};
pub use packet_list::{SendOrderEntry, SendOrderList};
