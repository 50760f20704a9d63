//! Error models of the directions of a link.

use super::{LinkProperties, check_model, plan};
use crate::grammar::fields::Fields;
use crate::grammar::problem::Problems;
use crate::tables::{changes, each_way};
use airhop_base::Span;
use airhop_radio::errors::ErrorPlan;

/// Checks the error models of a link between `nodes` in a run of this duration. If `any` is true, a direction
/// may be from or to all nodes.
pub(in crate::tables) fn check(
    link: &Fields,
    nodes: &[String],
    any: bool,
    duration: Option<Span>,
    problems: &mut Problems,
) {
    link.tables("errors").iter().for_each(|model| check_model(model, duration, problems));
    each_way::check_tables(link, "errors", "error model", (nodes, any), problems);
}

/// Returns the error models of both directions of a link between two nodes. `largest` is the length of the
/// longest data frame in bytes.
pub(in crate::tables) fn plan_both_directions(
    link: &Fields,
    duration: Span,
    largest: u32,
) -> Option<[ErrorPlan; 2]> {
    let channel = LinkProperties { max_frame_bytes: largest, modes: None };
    let one_way = |direction| {
        let model = each_way::direction_table(link, "errors", direction);
        let otherwise = model.map_or(Some(ErrorPlan::Clean), |m| plan(m, &channel))?;
        Some(otherwise.with_outages(changes::loss_outages(link, direction, duration)))
    };
    Some([one_way(0)?, one_way(1)?])
}
