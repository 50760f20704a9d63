//! The words that every part of Airhop speaks: time, units, packets, notices, routing messages.
//!
//! Nothing here knows of queues, links or senders. Depends on nothing.

mod notice;
mod packet;
mod routing;
mod time;
pub mod units;

pub use notice::{Notice, NoticeKind};
pub use packet::{
    Arrival, Body, Datagram, Drop, Ecn, Eln, Flags, FlowId, HEADER_BYTES, MAX_OPTION_BYTES, Naks, NodeId,
    Packet, Profile, Sack, SackBlock, Segment, Timestamps, UDP_HEADER_BYTES,
};
pub use routing::{RouteReply, RouteRequest, Routing, Unreachable};
pub use time::{Rate, Span, Time};
