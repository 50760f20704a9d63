use super::{DIRECTION_KEY, DROPS_EARLY, FIFO, QueueDiscipline, accept_any_values, capacity, packets};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_net::queues::{PiePlan, QueuePlan};

pub(super) static KIND: QueueDiscipline = QueueDiscipline {
    variant: Variant {
        flags: &[FIFO, DROPS_EARLY],
        ..Variant::new(
            "pie",
            "PIE: drops or marks arriving packets with a probability that a proportional-integral controller computes from the \
             queueing delay (RFC 8033)",
            &KEYS,
        )
    },
    resolve: accept_any_values,
    plan,
};

static KEYS: [Key; 5] = [
    capacity("1000", "queue capacity, packets, without the packet in service (Linux 6)"),
    key(
        "target",
        ValueKind::Span { least_ns: 1 },
        Value(r#""15 ms""#),
        "target queueing delay (RFC 8033 §4.2)",
    ),
    key(
        "burst",
        ValueKind::Span { least_ns: 0 },
        Value(r#""150 ms""#),
        "burst allowance: time without drops or marks when a burst follows a period without congestion, rounded up to whole update \
         intervals of 15 ms (RFC 8033 §4.4)",
    ),
    key(
        "ecn",
        ValueKind::Flag,
        Value("false"),
        "true = set CE on ECN-capable packets instead of dropping them while the drop probability is below 10 % (RFC 8033 §5.1)",
    ),
    DIRECTION_KEY,
];

fn plan(queue: &Fields) -> Option<QueuePlan> {
    Some(QueuePlan::Pie(PiePlan {
        capacity_packets: packets(queue)?,
        target_delay: queue.span("target")?,
        burst_allowance: queue.span("burst")?,
        ecn: queue.flag("ecn")?,
    }))
}
