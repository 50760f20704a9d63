use super::{DIRECTION_KEY, DROPS_EARLY, FIFO, MAX_PACKETS, PACKETS, QueueDiscipline, check_weight, packets};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{Derived, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::queues::{QueuePlan, RedPlan};

pub(super) static KIND: QueueDiscipline = QueueDiscipline {
    variant: Variant {
        flags: &[FIFO, DROPS_EARLY],
        ..Variant::new(
            "red",
            "random early detection: drops or marks arriving packets with a probability that increases with the average queue \
             length (Floyd and Jacobson 1993)",
            &KEYS,
        )
    },
    resolve,
    plan,
};

static KEYS: [Key; 9] = [
    PACKETS,
    key(
        "min",
        ValueKind::Count { least: 1, most: MAX_PACKETS },
        Value("5"),
        "minimum threshold: average queue length from which packets are dropped or marked, packets (Floyd 1997)",
    ),
    key(
        "max",
        ValueKind::Count { least: 2, most: 3 * MAX_PACKETS },
        Derived("three times `min` (Floyd 1997)"),
        "maximum threshold: average queue length at which the share of dropped or marked packets is `max_p`, packets; more than `min`",
    ),
    key(
        "max_p",
        ValueKind::Probability,
        Value("0.1"),
        "share of packets dropped or marked at an average queue length just below `max` (Floyd 1997)",
    ),
    key(
        "weight",
        ValueKind::Probability,
        Value("0.002"),
        "weight of one arrival in the average queue length (Floyd and Jacobson 1993 §6)",
    ),
    key(
        "gentle",
        ValueKind::Flag,
        Value("true"),
        "gentle mode: true = the share grows from `max_p` at `max` to 1 at twice `max` (Floyd 2000); false = the share is 1 from `max` on",
    ),
    key(
        "ecn",
        ValueKind::Flag,
        Value("false"),
        "true = set CE on ECN-capable packets instead of dropping them, unless the share is 1 (RFC 3168 §5, §7)",
    ),
    key(
        "mean_packet",
        ValueKind::Bytes { least: 1, most: 65_000 },
        Value(r#""500 B""#),
        "typical packet length: while the link is idle, the average queue length decays by one weight per transmission time of such a \
         packet (ns-2 mean_pktsize_)",
    ),
    DIRECTION_KEY,
];

fn resolve(queue: &mut Fields, problems: &mut Problems) {
    if let Some(min) = queue.count("min") {
        queue.set_default("max", Val::Count(3 * min));
        check_max(min, queue, problems);
    }
    check_weight(queue, problems);
}

fn check_max(min: u64, queue: &Fields, problems: &mut Problems) {
    if let Some(max) = queue.count("max").filter(|&max| max <= min) {
        let step = format!("{{ kind = \"congestion-warning\", threshold = {max}, weight = 1 }}");
        let what =
            format!("expected more than min = {min}, got {max}; step marking, as for DCTCP, is {step}");
        problems.add(queue.position_of("max"), queue.path_of("max"), what);
    }
}

fn plan(queue: &Fields) -> Option<QueuePlan> {
    Some(QueuePlan::Red(RedPlan {
        capacity_packets: packets(queue)?,
        min_threshold: queue.count("min")? as f64,
        max_threshold: queue.count("max")? as f64,
        max_p: queue.number("max_p")?,
        weight: queue.number("weight")?,
        gentle: queue.flag("gentle")?,
        ecn: queue.flag("ecn")?,
        mean_packet_bytes: u32::try_from(queue.bytes("mean_packet")?).ok()?,
    }))
}
