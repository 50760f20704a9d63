//! Tables of a scenario file. Each table has a file with its keys, the checks across its keys, and its plan.
//! A table with a `kind` has a folder with one file per kind.

/// Lists the kinds of a table twice: as a [`Choice`](crate::grammar::key::Choice) for the grammar, and as
/// declarations that check and plan each kind.
macro_rules! kinds {
    ($(#[$about:meta])* $choice:ident, $what:literal, $declares:ty: $($file:ident),+) => {
        $(#[$about])*
        pub(super) static $choice: Choice = Choice { what: $what, variants: &[$(&$file::KIND.variant),+] };

        /// Returns the declaration of a table of this choice.
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
mod each_way;
mod errors;
pub(crate) mod flow;
pub(crate) mod layout;
pub(crate) mod link;
mod phy;
pub(crate) mod propagation;
pub(crate) mod queue;
mod radio;
mod rate;
mod reorder;
mod routing;
mod rules;
pub(crate) mod scheme;
pub(crate) mod tcp;
mod wired;
pub(crate) mod wlan;

use crate::grammar::key::OmittedValue::{Nothing, Required, Value};
use crate::grammar::key::{Key, MAX_COPIES, ValueKind, key};
use link::LinkType;

/// Keys of the whole file.
pub(crate) static SCENARIO_KEYS: [Key; 8] = [
    key("name", ValueKind::Title, Required, "the name of the scenario"),
    key("duration", ValueKind::Span { least_ns: 1 }, Required, "simulated duration"),
    key(
        "warmup",
        ValueKind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "first part of the run, excluded from goodput and all counters",
    ),
    key(
        "copies",
        ValueKind::Count { least: 1, most: MAX_COPIES },
        Value("1"),
        "number of copies of every table and station with a `*` in its name; in the copies 1, 2, … replaces the `*`",
    ),
    key("wired", ValueKind::Tables(&wired::WIRED_KEYS), Nothing("no wired links"), "full-duplex wired links"),
    key("wlan", ValueKind::Tables(&wlan::WLAN_KEYS), Nothing("no 802.11 channels"), "802.11 channels"),
    key(
        "radio",
        ValueKind::Tables(&radio::RADIO_KEYS),
        Nothing("no radio links"),
        "full-duplex radio links between two nodes, with link recovery",
    ),
    key("flow", ValueKind::Tables(&flow::FLOW_KEYS), Required, "flows, each one sender and one receiver"),
];

/// Link types in the order in which their nodes are numbered.
pub(crate) static LINK_TYPES: [&LinkType; 3] = [&wired::LINK_TYPE, &radio::LINK_TYPE, &wlan::LINK_TYPE];
