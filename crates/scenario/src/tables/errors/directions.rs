//! Which error model each direction of a link has.

use super::{check_one, plan};
use crate::grammar::fields::{Direction, Fields};
use crate::grammar::problem::{Problems, did_you_mean, some_of};
use crate::tables::changes;
use airhop_base::Span;
use airhop_radio::errors::ErrorPlan;
use std::collections::HashSet;

/// Checks the error models of a link between `nodes`, in a run of this duration; `any`: a direction may be from or to all of them.
pub(in crate::tables) fn check(
    link: &Fields,
    nodes: &[String],
    any: bool,
    duration: Option<Span>,
    problems: &mut Problems,
) {
    let mut directions = HashSet::new();
    for model in link.tables("errors") {
        check_one(model, duration, problems);
        let direction = model.direction("direction").cloned().unwrap_or_default();
        if !nodes.is_empty() {
            check_direction(model, &direction, nodes, any, problems);
        }
        if !directions.insert(direction) {
            let what = "expected one error model for a direction, but one above has the same";
            problems.add(model.at("direction"), model.path_of("direction"), what);
        }
    }
}

fn check_direction(
    model: &Fields,
    direction: &Direction,
    nodes: &[String],
    any: bool,
    problems: &mut Problems,
) {
    let path = model.path_of("direction");
    let at = model.at("direction");
    for end in [&direction.from, &direction.to].into_iter().flatten().filter(|end| !nodes.contains(end)) {
        let hint = did_you_mean(end, nodes.iter().map(String::as_str));
        let known = some_of(nodes.iter().map(String::as_str));
        problems.add(at, &path, format!("\"{end}\" is not on this link; expected two of {known}{hint}"));
    }
    let given = model.direction("direction").is_some();
    if given && direction.from == direction.to {
        problems.add(at, &path, "expected two different nodes");
    } else if given && !any && (direction.from.is_none() || direction.to.is_none()) {
        problems.add(at, &path, "\"*\" is for wlans; this link has two ends: name them");
    }
}

/// The errors of a link between two nodes, from each of them; `largest` is that of its data frames.
pub(in crate::tables) fn between(link: &Fields, duration: Span, largest: u32) -> Option<[ErrorPlan; 2]> {
    let [a, b] = link.ends("ends")?;
    let models = link.tables("errors");
    let one_way = |from: &String, to: &String| {
        // A model for this direction goes before one for both.
        let exact = Direction { from: Some(from.clone()), to: Some(to.clone()) };
        let for_direction = models.iter().find(|m| m.direction("direction") == Some(&exact));
        let model = for_direction.or_else(|| models.iter().find(|m| m.direction("direction").is_none()));
        let otherwise = model.map_or(Some(ErrorPlan::Clean), |m| plan(m, largest))?;
        Some(otherwise.with_outages(changes::losses(link, duration)))
    };
    Some([one_way(a, b)?, one_way(b, a)?])
}
