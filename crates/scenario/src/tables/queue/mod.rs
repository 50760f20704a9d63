//! `queue = { … }`: discipline of the queue before a link. Each discipline has an entry in the list, and a
//! file in this folder with its keys, the checks across its keys, and its plan.

mod biased;
mod codel;
mod congestion_warning;
mod drop_tail;
mod fq;
mod fq_codel;
mod pie;
mod red;

use super::each_way::{self, DIRECTION_KEY};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::{Choice, Key, OmittedValue, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::queues::QueuePlan;
use airhop_net::routing::{Hop, LinkLayerId};

/// Declaration of a queue discipline.
struct QueueDiscipline {
    variant: Variant,
    /// Function that sets the defaults derived from other keys, and reports keys that contradict each other.
    resolve: fn(&mut Fields, &mut Problems),
    plan: fn(&Fields) -> Option<QueuePlan>,
}

super::kinds! {
    /// List of the disciplines.
    QUEUE, "queue", QueueDiscipline:
    drop_tail, red, congestion_warning, biased, codel, fq_codel, pie, fq
}

/// Flag of disciplines that keep packets in order.
const FIFO: &str = "fifo";
/// Flag of the disciplines that drop packets although the queue has room (active queue management, RFC 7567).
const DROPS_EARLY: &str = "drops-early";

/// Maximum length of a queue in packets.
const MAX_PACKETS: u64 = 1_000_000;

const PACKETS: Key = capacity("50", "queue capacity, packets, without the packet in service");

const fn capacity(packets: &'static str, about: &'static str) -> Key {
    key("packets", ValueKind::Count { least: 1, most: MAX_PACKETS }, OmittedValue::Value(packets), about)
}

const QUANTUM: Key = key(
    "quantum",
    ValueKind::Bytes { least: 256, most: 65_535 },
    OmittedValue::Value(r#""1514 B""#),
    "quantum of deficit round robin, bytes per flow and round: an Ethernet frame (RFC 8290 §5.2.4)",
);

/// Sets the defaults of a link's queues, and checks each queue.
pub(crate) fn resolve(link: &mut Fields, problems: &mut Problems) {
    let queues = match link.get_mut("queue") {
        Some(Val::Table(queue)) => std::slice::from_mut(queue),
        Some(Val::Tables(queues)) => queues.as_mut_slice(),
        _ => return,
    };
    for queue in queues {
        if let Some(discipline) = declared(queue) {
            (discipline.resolve)(queue, problems);
        }
    }
}

/// Reports a direction of a link between two nodes that has no queue or several queues.
pub(super) fn check(link: &Fields, problems: &mut Problems) {
    let (Some(ends), before) = (link.ends("ends"), problems.len()) else { return };
    each_way::check_tables(link, "queue", "queue", (ends, false), problems);
    let without = |direction: &usize| each_way::direction_table(link, "queue", *direction).is_none();
    if problems.len() == before
        && let Some(queue) = link.tables("queue").first()
        && let Some(named) =
            each_way::DIRECTIONS.into_iter().find(without).and_then(|d| each_way::named_direction(link, d))
    {
        let what = format!("expected a queue for each direction, got none for \"{named}\"");
        problems.add(queue.position_of("direction"), queue.path_of("direction"), what);
    }
}

/// Returns the table of the queue before the transmitter of this hop.
pub(crate) fn queue_before_hop(link: &Fields, hop: Hop) -> Option<&Fields> {
    match hop {
        Hop::Link(number) => each_way::direction_table(link, "queue", usize::from(number % 2)),
        Hop::Layer { layer: LinkLayerId::Radio(_), from, .. } => {
            each_way::direction_table(link, "queue", usize::from(from))
        }
        _ => link.table("queue"),
    }
}

/// Returns the plans of the queues at both ends of a link.
pub(super) fn plan_both_ends(link: &Fields) -> Option<[QueuePlan; 2]> {
    let one = |direction| plan(each_way::direction_table(link, "queue", direction)?);
    Some([one(0)?, one(1)?])
}

/// Returns the plan of a queue.
pub(crate) fn plan(queue: &Fields) -> Option<QueuePlan> {
    (declared(queue)?.plan)(queue)
}

/// Accepts any values: the keys of the discipline need no further checks.
fn accept_any_values(_: &mut Fields, _: &mut Problems) {}

fn packets(queue: &Fields) -> Option<usize> {
    usize::try_from(queue.count("packets")?).ok()
}

/// Checks that the weight of an arrival is not zero. With zero weight, the average would stay at 0.
fn check_weight(queue: &Fields, problems: &mut Problems) {
    if queue.number("weight") == Some(0.0) {
        let what = "expected more than 0: with 0 the average never changes";
        problems.add(queue.position_of("weight"), queue.path_of("weight"), what);
    }
}
