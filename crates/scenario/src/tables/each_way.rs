//! Values for each direction of a link between two nodes. A key has one value for both directions, a table `{
//! "a->b" = …, "b->a" = … }`, or tables with the key `direction`.

use crate::grammar::fields::{Direction, Fields, Val};
use crate::grammar::key::OmittedValue::Nothing;
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::{Problems, SourcePosition, did_you_mean, format_list};
use airhop_base::{Rate, Span};
use std::collections::HashSet;

/// Key `direction` of tables that may apply to one direction of a link between two nodes.
pub(super) const DIRECTION_KEY: Key = key(
    "direction",
    ValueKind::Direction,
    Nothing("both directions"),
    "direction of the link that the table applies to, such as \"a->b\"",
);

/// Directions of a link: 0 from the first node of `ends`, 1 from the second.
pub(super) const DIRECTIONS: [usize; 2] = [0, 1];

/// Returns the names of the sending and of the receiving node of a direction.
pub(super) fn named_direction(link: &Fields, direction: usize) -> Option<Direction> {
    let ends = link.ends("ends")?;
    Some(Direction { from: Some(ends[direction].clone()), to: Some(ends[1 - direction].clone()) })
}

/// Returns the value of a key for a direction.
pub(super) fn direction_value<'a>(link: &'a Fields, key: &str, direction: usize) -> Option<&'a Val> {
    match link.get(key)? {
        Val::EachWay(ways) => {
            let named = named_direction(link, direction)?;
            ways.iter().find(|way| way.direction == named).map(|way| &way.value)
        }
        both => Some(both),
    }
}

/// Returns the duration under a key for one direction.
pub(super) fn direction_span(link: &Fields, key: &str, direction: usize) -> Option<Span> {
    match direction_value(link, key, direction)? {
        Val::Span(span) => Some(*span),
        _ => None,
    }
}

/// Returns the rate under a key for one direction.
pub(super) fn direction_rate(link: &Fields, key: &str, direction: usize) -> Option<Rate> {
    match direction_value(link, key, direction)? {
        Val::Rate(rate) => Some(*rate),
        _ => None,
    }
}

/// True if a table applies to this direction or to both directions of the link.
pub(super) fn is_for_direction(table: &Fields, link: &Fields, direction: usize) -> bool {
    table
        .direction("direction")
        .is_none_or(|given| named_direction(link, direction).is_some_and(|named| *given == named))
}

/// Returns the table in a list that applies to a direction. A table for this direction alone takes precedence
/// over a table for both directions.
pub(super) fn direction_table<'a>(link: &'a Fields, key: &str, direction: usize) -> Option<&'a Fields> {
    let for_it = || link.tables(key).iter().filter(|table| is_for_direction(table, link, direction));
    for_it().find(|table| table.direction("direction").is_some()).or_else(|| for_it().next())
}

/// Reports values for directions that the link does not have.
pub(super) fn check_direction_values(link: &Fields, key: &str, problems: &mut Problems) {
    let (Some(ends), Some(ways)) = (link.ends("ends"), link.each_way(key)) else { return };
    for way in ways {
        let path = format!("{}.{}", link.path_of(key), way.direction);
        check_direction(&way.direction, ends, false, &way.at, &path, problems);
    }
}

/// Reports a key that has a value for one direction only.
pub(super) fn check_both_directions(link: &Fields, key: &str, problems: &mut Problems) {
    let without =
        |direction: &usize| link.each_way(key).is_some() && direction_value(link, key, *direction).is_none();
    if let Some(named) =
        DIRECTIONS.iter().find(|direction| without(direction)).and_then(|d| named_direction(link, *d))
    {
        let what = format!("expected a value for each direction, got none for \"{named}\"");
        problems.add(link.position_of(key), link.path_of(key), what);
    }
}

/// Reports tables for directions that a link between `nodes` does not have, and repeated tables for a
/// direction. If `any` is true, a direction may be from or to all nodes.
pub(super) fn check_tables(
    link: &Fields,
    key: &str,
    what: &str,
    (nodes, any): (&[String], bool),
    problems: &mut Problems,
) {
    let mut directions = HashSet::new();
    for table in link.tables(key) {
        check_table(table, nodes, any, problems);
        if !directions.insert(table.direction("direction")) {
            let what = format!("expected one {what} for each direction, got a second one for this direction");
            problems.add(table.position_of("direction"), table.path_of("direction"), what);
        }
    }
}

/// Reports the table if a link between `nodes` does not have the table's direction. If `any` is true, a
/// direction may be from or to all nodes.
pub(super) fn check_table(table: &Fields, nodes: &[String], any: bool, problems: &mut Problems) {
    if let Some(direction) = table.direction("direction").filter(|_| !nodes.is_empty()) {
        let (at, path) = (table.position_of("direction"), table.path_of("direction"));
        check_direction(direction, nodes, any, at, &path, problems);
    }
}

fn check_direction(
    direction: &Direction,
    nodes: &[String],
    any: bool,
    at: &SourcePosition,
    path: &str,
    problems: &mut Problems,
) {
    for end in [&direction.from, &direction.to].into_iter().flatten().filter(|end| !nodes.contains(end)) {
        let hint = did_you_mean(end, nodes.iter().map(String::as_str));
        let known = format_list(nodes.iter().map(String::as_str));
        problems.add(
            at,
            path,
            format!("\"{end}\" is not a node of this link; expected two of {known}{hint}"),
        );
    }
    if direction.from == direction.to {
        problems.add(at, path, "expected two different nodes");
    } else if !any && (direction.from.is_none() || direction.to.is_none()) {
        problems.add(at, path, "\"*\" is only for wlans; expected the names of the two ends of this link");
    }
}
