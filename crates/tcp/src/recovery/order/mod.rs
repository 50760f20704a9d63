//! Recoveries by sending order. A segment is lost if enough segments sent later have arrived.

mod esack;
mod lhp;
mod packet_list;

pub use esack::Esack;
pub use lhp::{Lhp, Trigger};
pub use packet_list::{Entry, PacketList};
