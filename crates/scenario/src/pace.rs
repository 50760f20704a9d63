//! How fast links between two nodes are: a rate, or a trace in its place.

use crate::fields::Fields;
use crate::problem::Problems;
use airhop_radio::errors::BadLine;
use airhop_radio::pace::{Deliveries, PacePlan};
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

/// The pace of a link that was checked.
pub(crate) fn plan(link: &Fields) -> Option<PacePlan> {
    match trace(link) {
        Some(trace) => Some(PacePlan::Deliveries(Arc::new(trace.ok()?))),
        None => link.rate("rate").map(PacePlan::Rate),
    }
}

fn trace(link: &Fields) -> Option<Result<Deliveries, String>> {
    let file = link.file("deliveries")?;
    let refused = |BadLine { line, what }| format!("{}:{line}: {what}", file.path);
    Some(Deliveries::parse(&file.text).map_err(refused))
}
