//! Types used by every crate of Airhop: time, units, packets, notices, routing messages and SplitMix64.
//!
//! The crate has no queues, links or senders, and no dependencies.

mod access_category;
mod empirical;
mod mac_header;
mod notice;
mod original;
mod packet;
mod routing;
mod segment;
mod split_mix;
mod time;
pub mod units;

pub use access_category::AccessCategory;
pub use empirical::Empirical;
pub use mac_header::{Fragment, MacHeader};
pub use notice::{Notice, NoticeKind};
pub use original::{Departure, Original};
pub use packet::{
    Body, Datagram, Drop, Ecn, FlowId, HEADER_BYTES, NodeId, Packet, Profile, UDP_HEADER_BYTES,
};
pub use routing::{RouteReply, RouteRequest, Routing, Unreachable};
pub use segment::{
    Arrival, Eln, Flags, MAX_OPTION_BYTES, Naks, Options, RareOptions, Sack, SackBlock, Segment, Timestamps,
};
pub use split_mix::{SplitMix64, split_mix, unit};
pub use time::{Rate, Span, Time};
