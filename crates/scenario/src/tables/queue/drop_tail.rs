use super::{DIRECTION_KEY, FIFO, PACKETS, QueueDiscipline, accept_any_values, packets};
use crate::grammar::key::Variant;
use airhop_net::queues::QueuePlan;

pub(super) static KIND: QueueDiscipline = QueueDiscipline {
    variant: Variant {
        flags: &[FIFO],
        ..Variant::new(
            "drop-tail",
            "FIFO queue that drops packets that arrive at a full queue",
            &[PACKETS, DIRECTION_KEY],
        )
    },
    resolve: accept_any_values,
    plan: |queue| Some(QueuePlan::DropTail { packets: packets(queue)? }),
};
