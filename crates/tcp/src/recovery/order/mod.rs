//! Recoveries by sending order, in which a segment is lost if enough segments sent after it have arrived.

mod esack;
mod lhp;
mod packet_list;

pub use esack::Esack;
pub use lhp::{Lhp, Trigger};
pub use packet_list::{Entry, PacketList};
