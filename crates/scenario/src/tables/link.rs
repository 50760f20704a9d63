//! Link types: the interface of each type, and keys that several types share. Each type has an entry in
//! [`super::LINK_TYPES`], and a file in this folder with its keys, checks and plan.

use super::{changes, errors, queue, rate};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Derived, Nothing, Required, Value};
use crate::grammar::key::{Key, OmittedValue, ValueKind, key};
use crate::grammar::problem::Problems;
use airhop_base::{NodeId, Span};
use airhop_net::plan::{DrawnFlow, Plan};
use airhop_net::routing::{Hop, LinkNodes};

/// Declaration of a link type.
pub(crate) struct LinkType {
    /// Key of the list with the tables of this type, such as `wired`.
    pub(crate) list_key: &'static str,
    /// Maximum number of links of this type, because link numbers have 16 bits.
    pub(crate) max_links: usize,
    /// Keys that may name nodes of a link.
    pub(crate) node_keys: &'static [&'static str],
    /// Function that sets the defaults of a table, and checks the table for a run of this duration.
    pub(crate) resolve: fn(&mut Fields, Option<Span>, &mut Problems),
    /// Function that sets and checks the values that depend on the largest IP packet on the link. The number
    /// is the packet length in bytes. The boolean is false if an invalid flow or link leaves the length
    /// unknown.
    pub(crate) resolve_for_packet_size: fn(&mut Fields, u32, bool, &mut Problems),
    /// Function that returns the nodes and hops of a valid table. The number is the index of the table.
    pub(crate) resolve_nodes: fn(&Fields, usize, &mut NodeIdResolver<'_>) -> Option<LinkNodes>,
    /// Function that returns the index of the link that a hop uses; `None` if the hop is over a link of
    /// another type.
    pub(crate) link_index: fn(Hop) -> Option<u16>,
    /// Function that returns the minimum transmission times of an IP packet over a hop; `None` if the hop
    /// uses a link of another type. The number is the packet length in bytes.
    pub(crate) hop_time: fn(&Plan, Hop, u32) -> Option<HopServiceTime>,
    /// Function that adds the plan of a valid table to the plan of the world.
    pub(crate) plan: fn(&Fields, LinkContext<'_>, &mut Plan) -> Option<()>,
}

/// Minimum transmission times of an IP packet over a hop.
pub(crate) struct HopServiceTime {
    /// Time for which each packet of a long sequence occupies the medium.
    pub(crate) medium_time: Span,
    /// Time after which a single packet reaches the other end.
    pub(crate) delivery_delay: Span,
}

/// Function that returns the id of the node with this name. A new name creates a node.
pub(crate) type NodeIdResolver<'a> = dyn FnMut(&str) -> NodeId + 'a;

/// Information about a link from outside the link's table.
pub(crate) struct LinkContext<'a> {
    /// Index of the link among links of the same type.
    pub(crate) index: u16,
    /// Duration of the run.
    pub(crate) duration: Span,
    /// Length in bytes of the largest IP packet that a flow sends over the link.
    pub(crate) max_packet_bytes: u32,
    /// Function that returns the id of the named node.
    pub(crate) node_id: &'a dyn Fn(&str) -> Option<NodeId>,
    /// Function that returns the flows between two random stations of the wlan with this name.
    pub(crate) drawn_flows: &'a dyn Fn(&str) -> Vec<DrawnFlow>,
}

/// Returns the two nodes of a link.
pub(super) fn resolve_ends(link: &Fields, node: &mut NodeIdResolver<'_>) -> Option<[NodeId; 2]> {
    Some(link.ends("ends")?.each_ref().map(|name| node(name)))
}

/// Sets and checks the keys that all links between two nodes share.
pub(super) fn resolve(link: &mut Fields, duration: Option<Span>, problems: &mut Problems) {
    queue::resolve(link, problems);
    queue::check(link, problems);
    rate::check(link, problems);
    changes::check(link, duration, problems);
    let ends = link.ends("ends").map_or(Vec::new(), |ends| ends.to_vec());
    errors::reject_cell_models(link, problems);
    errors::check(link, &ends, false, duration, problems);
}

pub(super) const NAME_KEY: Key =
    key("name", ValueKind::Name, Required, "name of the table, for --set and the results");
pub(super) const RATE_KEY: Key = key(
    "rate",
    ValueKind::EachWay(&ValueKind::LinkRate),
    Nothing("required without `deliveries`"),
    "rate of each direction",
);
pub(super) const DELAY_KEY: Key =
    key("delay", ValueKind::EachWay(&ValueKind::Span { least_ns: 0 }), Required, "propagation delay");
pub(super) const DELIVERIES_KEY: Key = key(
    "deliveries",
    ValueKind::EachWay(&ValueKind::File { digest: "deliveries_digest" }),
    Nothing("none; `rate` applies"),
    "delivery trace in place of `rate`, in the format of Mahimahi's `mm-link`: a line with the time, in whole milliseconds, of each \
     opportunity to deliver an IP packet of 1500 B; the trace repeats",
);
pub(super) const DELIVERIES_DIGEST_KEY: Key = key(
    "deliveries_digest",
    ValueKind::EachWay(&ValueKind::Digest),
    Derived("the digest of the file, if a file is given"),
    "digest of the file in `deliveries`; a file with another digest is an error",
);
/// Default queue of a link.
pub(super) const DROP_TAIL: OmittedValue = Value(r#"{ kind = "drop-tail" }"#);
pub(super) const QUEUE_KEY: Key = key(
    "queue",
    ValueKind::Choices(&queue::QUEUE),
    DROP_TAIL,
    "queue of each direction; 50 packets as in Yun 2009 §5.1; a list has a queue for each direction",
);
pub(super) const CHANGES_KEY: Key = key(
    "changes",
    ValueKind::Choices(&changes::CHANGES),
    Nothing("none; the link does not change"),
    "changes of the link at given times: new rates, outages, and handoffs of the mobile, in one direction or both",
);
pub(super) const ERRORS_KEY: Key = key(
    "errors",
    ValueKind::Choices(&errors::ERRORS),
    Value(r#"{ kind = "clean" }"#),
    "error model of the channel; a list has a model for each direction",
);
