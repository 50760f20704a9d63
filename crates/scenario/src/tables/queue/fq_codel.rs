use super::codel::{self, INTERVAL, TARGET, check_target};
use super::{DIRECTION_KEY, DROPS_EARLY, QUANTUM, QueueDiscipline, capacity};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_net::queues::{FqCodelPlan, QueuePlan};

pub(super) static KIND: QueueDiscipline = QueueDiscipline {
    variant: Variant {
        flags: &[DROPS_EARLY],
        ..Variant::new(
            "fq-codel",
            "FQ-CoDel: a queue with CoDel for each flow, served by deficit round robin, with priority for flows that build no queue \
             (sparse flows; RFC 8290)",
            &KEYS,
        )
    },
    resolve: check_target,
    plan,
};

static KEYS: [Key; 7] = [
    capacity(
        "10240",
        "capacity of all queues together, packets, without the packet in service (RFC 8290 §5.2.3)",
    ),
    TARGET,
    INTERVAL,
    QUANTUM,
    key(
        "flows",
        ValueKind::Count { least: 1, most: u16::MAX as u64 },
        Value("1024"),
        "number of queues; a larger number of flows shares queues (RFC 8290 §5.2.5)",
    ),
    key(
        "ecn",
        ValueKind::Flag,
        Value("true"),
        "true = set CE on ECN-capable packets instead of dropping them (RFC 8290 §5.2.6)",
    ),
    DIRECTION_KEY,
];

fn plan(queue: &Fields) -> Option<QueuePlan> {
    Some(QueuePlan::FqCodel(FqCodelPlan {
        codel: codel::plan(queue)?,
        quantum_bytes: u32::try_from(queue.bytes("quantum")?).ok()?,
        queue_count: u16::try_from(queue.count("flows")?).ok()?,
    }))
}
