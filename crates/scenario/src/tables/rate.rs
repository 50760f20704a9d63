//! How fast links between two nodes are: a rate that may change, or a trace in its place.

use super::changes;
use crate::grammar::fields::Fields;
use crate::grammar::problem::Problems;
use airhop_base::{Rate, Span};
use airhop_radio::errors::BadLine;
use airhop_radio::link_schedule::LinkSchedule;
use airhop_radio::pace::{Deliveries, LinkRate};
use std::sync::Arc;

/// Refuses a link with two paces or none, and a trace that is none.
pub(crate) fn check(link: &Fields, problems: &mut Problems) {
    match (link.get("rate"), trace(link)) {
        (Some(_), Some(_)) => {
            let what = "expected either `rate` or `deliveries`, got both";
            problems.add(link.at("deliveries"), link.path_of("deliveries"), what);
        }
        (None, Some(Err(what))) => problems.add(link.at("deliveries"), link.path_of("deliveries"), what),
        (None, None) if link.misses("rate") && link.misses("deliveries") => {
            let what = "is missing: rate of each direction; expected a data rate with a unit, such as \"10 Mbit/s\", or `deliveries` in \
                        its place";
            problems.add(&link.at, link.path_of("rate"), what);
        }
        _ => {}
    }
}

/// The pace of a link that was checked, in a run of this duration.
pub(crate) fn plan(link: &Fields, duration: Span) -> Option<LinkRate> {
    let changes = changes::plan(link, duration)?;
    match link.rate("rate") {
        Some(rate) if !changes.is_empty() => {
            Some(LinkRate::Varying(Arc::new(LinkSchedule::new(rate, link.span("delay")?, &changes))))
        }
        _ => unchanged(link),
    }
}

/// The rate that a link never falls below; that of a trace in the mean.
pub(crate) fn lowest_rate(link: &Fields) -> Option<Rate> {
    let first = unchanged(link)?.typical_rate();
    Some(changes::lowest_rate(link).map_or(first, |rate| rate.min(first)))
}

/// The longest delay of a link.
pub(crate) fn longest_delay(link: &Fields) -> Option<Span> {
    link.span("delay").max(changes::longest_delay(link))
}

/// The pace of a link until it changes.
fn unchanged(link: &Fields) -> Option<LinkRate> {
    match trace(link) {
        Some(trace) => Some(LinkRate::Deliveries(Arc::new(trace.ok()?))),
        None => link.rate("rate").map(LinkRate::Rate),
    }
}

fn trace(link: &Fields) -> Option<Result<Deliveries, String>> {
    let file = link.file("deliveries")?;
    let refused = |BadLine { line, what }| format!("{}:{line}: {what}", file.path);
    Some(Deliveries::parse(&file.text).map_err(refused))
}
