use super::{DIRECTION, Discipline, FIFO, PACKETS, accept_any_values, packets};
use crate::grammar::key::Variant;
use airhop_net::queues::QueuePlan;

pub(super) static KIND: Discipline = Discipline {
    variant: Variant {
        flags: &[FIFO],
        ..Variant::new(
            "drop-tail",
            "FIFO queue that drops packets that arrive at a full queue",
            &[PACKETS, DIRECTION],
        )
    },
    resolve: accept_any_values,
    plan: |queue| Some(QueuePlan::DropTail { packets: packets(queue)? }),
};
