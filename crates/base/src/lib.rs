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
pub use empirical::EmpiricalDistribution;
pub use mac_header::{Fragment, MacHeader};
pub use notice::{Notice, NoticeKind};
pub use original::{DepartedDatagram, OriginalDatagram};
pub use packet::{
    Body, Datagram, DropCause, Ecn, FlowId, NodeId, Packet, Profile, TCP_IP_HEADER_BYTES, UDP_IP_HEADER_BYTES,
};
pub use routing::{AodvMessage, RouteReply, RouteRequest, UnreachableDestination};
pub use segment::{
    Eln, Flags, MAX_OPTION_BYTES, Naks, Options, RareOptions, Sack, SackBlock, Segment, SegmentArrival,
    Timestamps,
};
pub use split_mix::{SplitMix64, split_mix, uniform_from_bits};
pub use time::{Rate, Span, Time};
