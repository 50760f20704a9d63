//! What all types of links have in common: what a scenario asks of each, and the keys that they share. A type is a file here, with its
//! keys, its checks and its plan, and a word in [`super::LINKS`].

use super::{changes, errors, queue, rate};
use crate::grammar::fields::Fields;
use crate::grammar::key::Without::{Derived, Nothing, Required, Value};
use crate::grammar::key::{Key, Kind, Without, key};
use crate::grammar::problem::Problems;
use airhop_base::{NodeId, Span};
use airhop_net::plan::{Pair, Plan};
use airhop_net::routing::{Hop, Joins};

/// A type of link as a file declares it.
pub(crate) struct LinkType {
    /// The key of its tables: `wired`.
    pub(crate) list: &'static str,
    /// So many of them at most: links are numbered with 16 bits.
    pub(crate) most: usize,
    /// The keys that may say which nodes one joins.
    pub(crate) nodes: &'static [&'static str],
    /// Fills the defaults of a table, and refuses what it says wrong of itself in a run of this duration.
    pub(crate) resolve: fn(&mut Fields, Option<Span>, &mut Problems),
    /// The same for what depends on the largest IP datagram that crosses it, bytes. With a flow or a link refused (`false`), nobody can
    /// say which that is.
    pub(crate) resolve_crossed: fn(&mut Fields, u32, bool, &mut Problems),
    /// How a table that could be read, the one of this number, joins which nodes.
    pub(crate) joins: fn(&Fields, usize, &mut NodeOf<'_>) -> Option<Joins>,
    /// The number of the link among those of its type, if the hop is over one.
    pub(crate) crossed_by: fn(Hop) -> Option<u16>,
    /// How long a datagram of so many bytes keeps the medium of a hop over one of the plan's busy at best, and its propagation delay.
    pub(crate) time_for: fn(&Plan, Hop, u32) -> Option<(Span, Span)>,
    /// Adds the plan of a sound table.
    pub(crate) plan: fn(&Fields, Context<'_>, &mut Plan) -> Option<()>,
}

/// The node of a name, which exists by being named.
pub(crate) type NodeOf<'a> = dyn FnMut(&str) -> NodeId + 'a;

/// What a link's own table does not say of it.
pub(crate) struct Context<'a> {
    /// Its number among those of its type.
    pub(crate) index: u16,
    /// How long the run is.
    pub(crate) duration: Span,
    /// The largest IP datagram that a flow sends over it, bytes.
    pub(crate) largest: u32,
    /// The node of a name.
    pub(crate) node: &'a dyn Fn(&str) -> Option<NodeId>,
    /// The flows between two stations of the link of this name that are drawn.
    pub(crate) pairs: &'a dyn Fn(&str) -> Vec<Pair>,
}

/// The nodes at the ends of a link between two.
pub(super) fn ends(link: &Fields, node: &mut NodeOf<'_>) -> Option<[NodeId; 2]> {
    Some(link.ends("ends")?.each_ref().map(|name| node(name)))
}

/// Resolves what links between two nodes have in common.
pub(super) fn resolve(link: &mut Fields, duration: Option<Span>, problems: &mut Problems) {
    queue::resolve(link, problems);
    queue::check(link, problems);
    rate::check(link, problems);
    changes::check(link, duration, problems);
    let ends = link.ends("ends").map_or(Vec::new(), |ends| ends.to_vec());
    errors::check(link, &ends, false, duration, problems);
}

pub(super) const NAME: Key =
    key("name", Kind::Name, Required, "its name, by which --set and the results call it");
pub(super) const RATE: Key = key(
    "rate",
    Kind::EachWay(&Kind::LinkRate),
    Nothing("`deliveries` says how fast it is"),
    "rate of each direction",
);
pub(super) const DELAY: Key =
    key("delay", Kind::EachWay(&Kind::Span { least_ns: 0 }), Required, "propagation delay");
pub(super) const DELIVERIES: Key = key(
    "deliveries",
    Kind::EachWay(&Kind::File { digest: "deliveries_digest" }),
    Nothing("it has a `rate`"),
    "in place of `rate`: a trace of Mahimahi's `mm-link`, a line of whole milliseconds for each IP packet of 1500 B that can be delivered then; it repeats",
);
pub(super) const DELIVERIES_DIGEST: Key = key(
    "deliveries_digest",
    Kind::EachWay(&Kind::Digest),
    Derived("that of the file, if there is one"),
    "of the content of that file; with another content it is refused",
);
/// The queue where a file has none.
pub(super) const DROP_TAIL: Without = Value(r#"{ kind = "drop-tail" }"#);
pub(super) const QUEUE_KEY: Key = key(
    "queue",
    Kind::Choices(&queue::QUEUE),
    DROP_TAIL,
    "the queue at each end; 50 packets as in Yun 2009 §5.1; a list gives each direction its own",
);
pub(super) const CHANGES_KEY: Key = key(
    "changes",
    Kind::Choices(&changes::CHANGES),
    Nothing("it stays as it is"),
    "other rates, outages, and handoffs of the mobile, each at its time, of both directions or one",
);
pub(super) const ERRORS_KEY: Key = key(
    "errors",
    Kind::Choices(&errors::ERRORS),
    Value(r#"{ kind = "clean" }"#),
    "what the channel does to frames; a list gives each direction its own",
);
