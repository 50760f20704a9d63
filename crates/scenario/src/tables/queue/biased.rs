use super::{DIRECTION_KEY, FIFO, PACKETS, QueueDiscipline, accept_any_values, packets};
use crate::grammar::key::Variant;
use airhop_net::queues::QueuePlan;

pub(super) static KIND: QueueDiscipline = QueueDiscipline {
    variant: Variant {
        flags: &[FIFO],
        ..Variant::new(
            "biased",
            "biased queue management: at a full queue, an arriving packet that its sender marked \"in\" replaces the newest packet marked \
             \"out\" (Biaz and Vaidya 2005)",
            &[PACKETS, DIRECTION_KEY],
        )
    },
    resolve: accept_any_values,
    plan: |queue| Some(QueuePlan::Biased { packets: packets(queue)? }),
};
