//! Queues: defaults that follow from other keys, and parameters that contradict each other.

use crate::fields::{Fields, Val};
use crate::problem::Problems;
use airhop_net::plan::QueuePlan;

/// Fills the defaults of a link's queue and checks it.
pub(crate) fn resolve(link: &mut Fields, problems: &mut Problems) {
    let Some(Val::Table(queue)) = link.get_mut("queue") else { return };
    match queue.kind {
        Some("red") => {
            resolve_red(queue, problems);
            check_weight(queue, problems);
        }
        Some("congestion-warning") => {
            fill_threshold(queue);
            check_weight(queue, problems);
        }
        Some("codel" | "fq-codel") => check_target(queue, problems),
        _ => {}
    }
}

fn resolve_red(queue: &mut Fields, problems: &mut Problems) {
    let Some(min) = queue.count("min") else { return };
    queue.fill("max", Val::Count(3 * min));
    if let Some(max) = queue.count("max").filter(|&max| max <= min) {
        let step = format!("{{ kind = \"congestion-warning\", threshold = {max}, weight = 1 }}");
        let what = format!(
            "expected more than min = {min}, got {max}; for marks at a step, as DCTCP wants them, {step}"
        );
        problems.add(queue.at("max"), queue.path_of("max"), what);
    }
}

/// An average in which no arrival weighs anything stays where it begins, at 0.
fn check_weight(queue: &Fields, problems: &mut Problems) {
    if queue.number("weight") == Some(0.0) {
        let what = "expected more than 0: the average would never follow the queue";
        problems.add(queue.at("weight"), queue.path_of("weight"), what);
    }
}

fn fill_threshold(queue: &mut Fields) {
    let packets = queue.count("packets").and_then(|packets| usize::try_from(packets).ok());
    if let Some(QueuePlan::CongestionWarning { threshold, .. }) = packets.map(QueuePlan::congestion_warning) {
        queue.fill("threshold", Val::Count(threshold as u64));
    }
}

/// RFC 8289 §4.2, §4.3: the interval is a round trip, and the target a small part of it.
fn check_target(queue: &Fields, problems: &mut Problems) {
    let (Some(target), Some(interval)) = (queue.span("target"), queue.span("interval")) else { return };
    if target >= interval {
        let what = format!("expected less than interval = \"{interval}\", got \"{target}\"");
        problems.add(queue.at("target"), queue.path_of("target"), what);
    }
}
