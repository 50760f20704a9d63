//! Recoveries by the order of sending: a segment is lost if enough that was sent after it has arrived.

mod esack;
mod lhp;
mod packet_list;

pub use esack::Esack;
pub use lhp::{Lhp, Trigger};
pub use packet_list::{Entry, PacketList};
