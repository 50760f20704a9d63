use super::{DIRECTION_KEY, FIFO, MAX_PACKETS, PACKETS, QueueDiscipline, check_weight, packets};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{Derived, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::queues::QueuePlan;

pub(super) static KIND: QueueDiscipline = QueueDiscipline {
    variant: Variant {
        flags: &[FIFO],
        ..Variant::new(
            "congestion-warning",
            "congestion warning: sets CE on every ECN-capable packet while the average queue length is at or above a threshold, and drops \
             packets that arrive at a full queue (Xu, Tian and Ansari 2004)",
            &KEYS,
        )
    },
    resolve,
    plan,
};

static KEYS: [Key; 4] = [
    PACKETS,
    key(
        "threshold",
        ValueKind::Count { least: 1, most: MAX_PACKETS },
        Derived("a quarter of `packets`"),
        "average queue length from which packets are marked, packets; the default is Airhop's choice",
    ),
    key(
        "weight",
        ValueKind::Probability,
        Value("0.2"),
        "weight of one arrival in the average queue length; the default is Airhop's choice. 1 selects the instantaneous queue length, as \
         in the step marking of DCTCP's switches (RFC 8257 §3.1)",
    ),
    DIRECTION_KEY,
];

fn resolve(queue: &mut Fields, problems: &mut Problems) {
    if let Some(QueuePlan::CongestionWarning { threshold, .. }) =
        packets(queue).map(QueuePlan::congestion_warning)
    {
        queue.set_default("threshold", Val::Count(threshold as u64));
    }
    check_weight(queue, problems);
}

fn plan(queue: &Fields) -> Option<QueuePlan> {
    Some(QueuePlan::CongestionWarning {
        packets: packets(queue)?,
        threshold: queue.count("threshold")? as f64,
        weight: queue.number("weight")?,
    })
}
