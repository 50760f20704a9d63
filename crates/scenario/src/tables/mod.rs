//! The tables of a scenario file, one file each: its keys, what they say together, and what a sound one becomes. A table with a `kind` is
//! a folder with a file for each kind.

/// Lists the kinds of a choice: for the grammar as a [`Choice`](crate::grammar::key::Choice), and as what Airhop makes of each.
macro_rules! kinds {
    ($(#[$about:meta])* $choice:ident, $what:literal, $declares:ty: $($file:ident),+) => {
        $(#[$about])*
        pub(super) static $choice: Choice = Choice { what: $what, variants: &[$(&$file::KIND.variant),+] };

        /// The declaration of a table of this choice.
        fn declared(table: &Fields) -> Option<&'static $declares> {
            KINDS.iter().find(|declared| Some(declared.variant.kind) == table.kind).copied()
        }

        static KINDS: &[&$declares] = &[$(&$file::KIND),+];
    };
}
use kinds;

mod app;
mod arq;
mod changes;
mod errors;
pub(crate) mod flow;
pub(crate) mod layout;
mod phy;
pub(crate) mod propagation;
mod queue;
pub(crate) mod radio;
mod rate;
mod routing;
mod rules;
pub(crate) mod scheme;
pub(crate) mod tcp;
pub(crate) mod wired;
pub(crate) mod wlan;

pub(crate) use queue::resolve as resolve_queue;

use crate::grammar::key::Without::{Derived, Nothing, Required, Value};
use crate::grammar::key::{Key, Kind, MAX_COPIES, key};
use airhop_base::{NodeId, Span};

/// What a link's own table does not say of it.
pub(crate) struct Context<'a> {
    /// Its place among the tables of its type.
    pub(crate) index: u16,
    /// How long the run is.
    pub(crate) duration: Span,
    /// The largest IP datagram that a flow sends over it, bytes.
    pub(crate) largest: u32,
    /// The node of a name.
    pub(crate) node: &'a dyn Fn(&str) -> Option<NodeId>,
}

/// The whole file.
pub(crate) static SCENARIO: [Key; 8] = [
    key("name", Kind::Title, Required, "the name of the scenario"),
    key("duration", Kind::Span { least_ns: 1 }, Required, "simulated time"),
    key(
        "warmup",
        Kind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "the first part of it, left out of goodput and all counters",
    ),
    key(
        "copies",
        Kind::Count { least: 1, most: MAX_COPIES },
        Value("1"),
        "so often is every table and station with a `*` in its name repeated, with 1, 2, … in its place",
    ),
    key("wired", Kind::Tables(&wired::WIRED), Nothing("no wired links"), "full-duplex wired links"),
    key("wlan", Kind::Tables(&wlan::WLAN), Nothing("no 802.11 channels"), "802.11 channels"),
    key(
        "radio",
        Kind::Tables(&radio::RADIO),
        Nothing("no radio links"),
        "full-duplex radio links between two nodes, with link recovery",
    ),
    key("flow", Kind::Tables(&flow::FLOW), Required, "flows, each one sender and one receiver"),
];

const NAME: Key = key("name", Kind::Name, Required, "its name, by which --set and the results call it");
const RATE: Key =
    key("rate", Kind::LinkRate, Nothing("`deliveries` says how fast it is"), "rate of each direction");
const DELIVERIES: Key = key(
    "deliveries",
    Kind::File { digest: "deliveries_digest" },
    Nothing("it has a `rate`"),
    "in place of `rate`, for both directions: a trace of Mahimahi's `mm-link`, a line of whole milliseconds for each 1504 B that can be delivered then; it repeats",
);
const DELIVERIES_DIGEST: Key = key(
    "deliveries_digest",
    Kind::Digest,
    Derived("that of the file, if there is one"),
    "of the content of that file; with another content it is refused",
);
const QUEUE_KEY: Key = key(
    "queue",
    Kind::Choice(&queue::QUEUE),
    Value(r#"{ kind = "drop-tail" }"#),
    "the queue at each end; 50 packets as in Yun 2009 §5.1",
);
const CHANGES_KEY: Key = key(
    "changes",
    Kind::Choices(&changes::CHANGES),
    Nothing("it stays as it is"),
    "other rates, outages, and handoffs of the mobile, each at its time",
);
const ERRORS_KEY: Key = key(
    "errors",
    Kind::Choices(&errors::ERRORS),
    Value(r#"{ kind = "clean" }"#),
    "what the channel does to frames; a list gives each direction its own",
);
