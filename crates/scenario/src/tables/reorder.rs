//! `reorder = { … }`: packets of a wire that are late, so that others overtake them.

use super::each_way::{self, DIRECTION};
use crate::grammar::fields::Fields;
use crate::grammar::key::Without::{Nothing, Required};
use crate::grammar::key::{Key, Kind, key};
use crate::grammar::problem::Problems;
use airhop_net::links::ReorderPlan;

pub(super) const REORDER: Key = key(
    "reorder",
    Kind::Sections(&KEYS),
    Nothing("packets keep their order"),
    "packets that are late, and are overtaken; a list gives each direction its own",
);

static KEYS: [Key; 3] = [
    key(
        "share",
        Kind::Probability,
        Required,
        "the share of the packets that are late, each by a draw of its own",
    ),
    key("by", Kind::Span { least_ns: 1 }, Required, "how much later than by `delay` each of them arrives"),
    DIRECTION,
];

/// Refuses tables for directions that the wire does not have.
pub(super) fn check(wire: &Fields, problems: &mut Problems) {
    if let Some(ends) = wire.ends("ends") {
        each_way::check_tables(wire, "reorder", "table", (ends, false), problems);
    }
}

/// What each direction of a checked wire makes late.
pub(super) fn plan(wire: &Fields) -> Option<[Option<ReorderPlan>; 2]> {
    let one = |direction| match each_way::table(wire, "reorder", direction) {
        None => Some(None),
        Some(table) => {
            let plan = ReorderPlan { share: table.number("share")?, by: table.span("by")? };
            Some(Some(plan).filter(|plan| plan.share > 0.0))
        }
    };
    Some([one(0)?, one(1)?])
}
