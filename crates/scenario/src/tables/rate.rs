//! Rate of each direction of a link between two nodes: a rate that may change, or a trace of deliveries.

use super::{changes, each_way};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::problem::Problems;
use airhop_base::Span;
use airhop_radio::errors::LineError;
use airhop_radio::link_rate::{DeliveryTrace, LinkRate};
use airhop_radio::link_schedule::LinkSchedule;
use std::sync::Arc;

/// Reports a direction with both a rate and a trace of deliveries, or with neither. Also reports a file that
/// is not a trace of deliveries.
pub(crate) fn check(link: &Fields, problems: &mut Problems) {
    let before = problems.len();
    ["rate", "deliveries", "delay"]
        .iter()
        .for_each(|key| each_way::check_direction_values(link, key, problems));
    each_way::check_both_directions(link, "delay", problems);
    if problems.len() > before {
        return;
    }
    for direction in each_way::DIRECTIONS {
        check_direction(link, direction, problems);
        if problems.len() > before {
            return; // a problem of both directions is reported once
        }
    }
}

fn check_direction(link: &Fields, direction: usize, problems: &mut Problems) {
    let value = |key| each_way::direction_value(link, key, direction);
    let of = || {
        each_way::named_direction(link, direction).map_or(String::new(), |named| format!(" for \"{named}\""))
    };
    match (value("rate"), delivery_trace(link, direction)) {
        (Some(_), Some(_)) => {
            let of = if is_symmetric(link) { String::new() } else { of() };
            let what = format!("expected either `rate` or `deliveries`{of}, got both");
            problems.add(link.position_of("deliveries"), link.path_of("deliveries"), what);
        }
        (None, Some(Err(what))) => {
            problems.add(link.position_of("deliveries"), link.path_of("deliveries"), what)
        }
        (None, None)
            if link.is_missing_not_misspelt("rate") && link.is_missing_not_misspelt("deliveries") =>
        {
            let what = "is missing: rate of each direction; expected a data rate with a unit, such as \"10 Mbit/s\", or `deliveries` in \
                        its place";
            problems.add(&link.at, link.path_of("rate"), what);
        }
        (None, None) if link.ends("ends").is_some() && link.refused_keys().is_empty() => {
            let key = if link.get("rate").is_some() { "rate" } else { "deliveries" };
            let what =
                format!("expected a value for each direction, got neither `rate` nor `deliveries`{}", of());
            problems.add(link.position_of(key), link.path_of(key), what);
        }
        _ => {}
    }
}

/// True if both directions have the same rate, trace and changes.
fn is_symmetric(link: &Fields) -> bool {
    let is_directed = |change: &Fields| change.direction("direction").is_some();
    ["rate", "deliveries", "delay"].iter().all(|key| link.each_way(key).is_none())
        && !link.tables("changes").iter().any(is_directed)
}

/// Returns the rate of each direction of a checked link, in a run of this duration.
pub(crate) fn plan(link: &Fields, duration: Span) -> Option<[LinkRate; 2]> {
    let there = plan_direction(link, 0, duration)?;
    match is_symmetric(link) {
        true => Some(LinkRate::both_ways(there)),
        false => Some([there, plan_direction(link, 1, duration)?]),
    }
}

fn plan_direction(link: &Fields, direction: usize, duration: Span) -> Option<LinkRate> {
    let changes = changes::plan(link, direction, duration)?;
    match each_way::direction_rate(link, "rate", direction) {
        Some(rate) if !changes.is_empty() => {
            let delay = each_way::direction_span(link, "delay", direction)?;
            Some(LinkRate::Varying(Arc::new(LinkSchedule::new(rate, delay, &changes))))
        }
        _ => initial_rate(link, direction),
    }
}

/// Returns the propagation delay of each direction before the first change.
pub(super) fn initial_delays(link: &Fields) -> Option<[Span; 2]> {
    Some([each_way::direction_span(link, "delay", 0)?, each_way::direction_span(link, "delay", 1)?])
}

/// Returns the lowest rate of a direction, or the mean rate of the trace of deliveries.
pub(super) fn lowest_rate(link: &Fields, direction: usize) -> Option<LinkRate> {
    let first = initial_rate(link, direction)?;
    Some(match changes::lowest_rate(link, direction) {
        Some(rate) => LinkRate::Rate(rate.min(first.typical_rate())),
        None => first,
    })
}

/// Returns the longest delay of a direction.
pub(super) fn longest_delay(link: &Fields, direction: usize) -> Option<Span> {
    each_way::direction_span(link, "delay", direction).max(changes::longest_delay(link, direction))
}

/// Returns the rate of a direction before the first change.
fn initial_rate(link: &Fields, direction: usize) -> Option<LinkRate> {
    match delivery_trace(link, direction) {
        Some(trace) => Some(LinkRate::Deliveries(Arc::new(trace.ok()?))),
        None => each_way::direction_rate(link, "rate", direction).map(LinkRate::Rate),
    }
}

fn delivery_trace(link: &Fields, direction: usize) -> Option<Result<DeliveryTrace, String>> {
    let Val::File(file) = each_way::direction_value(link, "deliveries", direction)? else { return None };
    let refused = |LineError { line, message: what }| format!("{}:{line}: {what}", file.path);
    Some(DeliveryTrace::parse(&file.text).map_err(refused))
}
