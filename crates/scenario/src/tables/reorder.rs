//! `reorder = { … }`: extra delay of some packets on a wired link. Later packets overtake the delayed
//! packets.

use super::each_way::{self, DIRECTION_KEY};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Nothing, Required};
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::Problems;
use airhop_net::links::ReorderPlan;

pub(super) const REORDER: Key = key(
    "reorder",
    ValueKind::Sections(&KEYS),
    Nothing("none; packets keep their order"),
    "reordering: a share of the packets gets additional delay, and later packets overtake them; a list has a table for each direction",
);

static KEYS: [Key; 3] = [
    key(
        "share",
        ValueKind::Probability,
        Required,
        "probability of the additional delay, independent for each packet",
    ),
    key("by", ValueKind::Span { least_ns: 1 }, Required, "delay in addition to `delay`"),
    DIRECTION_KEY,
];

/// Reports tables for directions that the wired link does not have.
pub(super) fn check(wire: &Fields, problems: &mut Problems) {
    if let Some(ends) = wire.ends("ends") {
        each_way::check_tables(wire, "reorder", "table", (ends, false), problems);
    }
}

/// Returns the reordering of each direction of a checked wired link.
pub(super) fn plan(wire: &Fields) -> Option<[Option<ReorderPlan>; 2]> {
    let one = |direction| match each_way::direction_table(wire, "reorder", direction) {
        None => Some(None),
        Some(table) => {
            let plan = ReorderPlan { delayed_share: table.number("share")?, extra_delay: table.span("by")? };
            Some(Some(plan).filter(|plan| plan.delayed_share > 0.0))
        }
    };
    Some([one(0)?, one(1)?])
}
