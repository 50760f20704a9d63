use super::{DIRECTION_KEY, QUANTUM, QueueDiscipline, accept_any_values, capacity, packets};
use crate::grammar::key::Variant;
use airhop_net::queues::QueuePlan;

pub(super) static KIND: QueueDiscipline = QueueDiscipline {
    variant: Variant::new(
        "fq",
        "fair queueing: a queue for each flow, served by deficit round robin; if the shared capacity is exhausted, the newest packet of \
         the longest queue is dropped (Shreedhar and Varghese 1995)",
        &[
            capacity("50", "capacity of all queues together, packets, without the packet in service"),
            QUANTUM,
            DIRECTION_KEY,
        ],
    ),
    resolve: accept_any_values,
    plan: |queue| {
        let quantum = u32::try_from(queue.bytes("quantum")?).ok()?;
        Some(QueuePlan::Fq { packets: packets(queue)?, quantum })
    },
};
