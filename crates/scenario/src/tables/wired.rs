//! `[[wired]]`: full-duplex wired links.

use super::{CHANGES_KEY, Context, DELIVERIES, DELIVERIES_DIGEST, ERRORS_KEY, NAME, QUEUE_KEY, RATE};
use super::{changes, errors, queue, rate};
use crate::grammar::fields::Fields;
use crate::grammar::key::Without::Required;
use crate::grammar::key::{Key, Kind, key};
use crate::grammar::problem::Problems;
use airhop_base::Span;
use airhop_net::plan::WiredPlan;

/// `[[wired]]`.
pub(super) static WIRED: [Key; 9] = [
    NAME,
    key("ends", Kind::Ends, Required, "its two nodes; nodes exist by being named"),
    RATE,
    DELIVERIES,
    DELIVERIES_DIGEST,
    key("delay", Kind::Span { least_ns: 0 }, Required, "propagation delay"),
    CHANGES_KEY,
    QUEUE_KEY,
    ERRORS_KEY,
];

/// Checks what a link between two nodes says of itself, in a run of this duration.
pub(crate) fn check(link: &Fields, duration: Option<Span>, problems: &mut Problems) {
    rate::check(link, problems);
    changes::check(link, duration, problems);
    let ends = link.ends("ends").map_or(Vec::new(), |ends| ends.to_vec());
    errors::check(link, &ends, false, duration, problems);
}

/// The plan of a wired link.
pub(crate) fn plan(w: &Fields, context: &Context<'_>) -> Option<WiredPlan> {
    let [a, b] = w.ends("ends")?;
    Some(WiredPlan {
        name: w.text("name")?.to_string(),
        ends: [(context.node)(a)?, (context.node)(b)?],
        pace: rate::plan(w, context.duration)?,
        delay: w.span("delay")?,
        queue: queue::plan(w)?,
        errors: errors::between(w, context.duration, context.largest)?,
    })
}
