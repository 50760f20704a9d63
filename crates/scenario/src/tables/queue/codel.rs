use super::{DIRECTION_KEY, DROPS_EARLY, FIFO, QueueDiscipline, capacity, packets};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::queues::{CodelPlan, QueuePlan};

pub(super) static KIND: QueueDiscipline = QueueDiscipline {
    variant: Variant {
        flags: &[FIFO, DROPS_EARLY],
        ..Variant::new(
            "codel",
            "controlled delay (CoDel): drops or marks packets at the head of the queue, at an increasing rate, while the sojourn time \
             stays above `target` (RFC 8289)",
            &KEYS,
        )
    },
    resolve: check_target,
    plan: |queue| plan(queue).map(QueuePlan::Codel),
};

pub(super) const TARGET: Key = key(
    "target",
    ValueKind::Span { least_ns: 1 },
    Value(r#""5 ms""#),
    "acceptable standing queueing delay; less than `interval` (RFC 8289 §4.3)",
);

pub(super) const INTERVAL: Key = key(
    "interval",
    ValueKind::Span { least_ns: 1 },
    Value(r#""100 ms""#),
    "time for which the sojourn time must stay above `target` before the first drop or mark; about the longest round trip (RFC 8289 §4.2)",
);

static KEYS: [Key; 5] = [
    capacity("1000", "queue capacity, packets, without the packet in service (Linux 6)"),
    TARGET,
    INTERVAL,
    key(
        "ecn",
        ValueKind::Flag,
        Value("false"),
        "true = set CE on ECN-capable packets instead of dropping them (off as in Linux 6)",
    ),
    DIRECTION_KEY,
];

/// Checks that the target is less than the interval. The interval is roughly a round-trip time, and the
/// target a small fraction of the interval (RFC 8289 §4.2, §4.3).
pub(super) fn check_target(queue: &mut Fields, problems: &mut Problems) {
    let (Some(target), Some(interval)) = (queue.span("target"), queue.span("interval")) else { return };
    if target >= interval {
        let what = format!("expected less than interval = \"{interval}\", got \"{target}\"");
        problems.add(queue.position_of("target"), queue.path_of("target"), what);
    }
}

pub(super) fn plan(queue: &Fields) -> Option<CodelPlan> {
    Some(CodelPlan {
        capacity_packets: packets(queue)?,
        target_delay: queue.span("target")?,
        interval: queue.span("interval")?,
        ecn: queue.flag("ecn")?,
    })
}
