//! Hint about queues that are too small to keep the link busy after a window reduction.

use super::path::FlowPath;
use super::{Occurrence, ScenarioView};
use crate::tables::queue;
use crate::whole::topology::Link;
use airhop_net::plan::Transport;
use airhop_net::routing::{Hop, Medium};
use std::collections::HashMap;

/// Threshold for buffers that are too small, as a fraction of the required buffer. With this fraction of the
/// bandwidth-delay product, a single Reno sender leaves more than a third of the bottleneck's rate unused
/// just after a window reduction. The average is a seventh.
const MIN_BUFFER_FRACTION: f64 = 0.25;

/// TCP flows that share a bottleneck. The bottleneck is one direction of a link, or a channel.
struct BottleneckFlows {
    hop: Hop,
    flows: usize,
    /// Smallest bandwidth-delay product of the flows' paths, in full segments.
    product: f64,
}

/// Finds bottleneck queues of TCP flows with less than a quarter of the required buffer. A single flow
/// requires the bandwidth-delay product. With n flows, the required buffer is this product divided by the
/// square root of n (Appenzeller, Keslassy and McKeown 2004, equation 1 and section 3).
pub(super) fn short_queues(look: &ScenarioView<'_>) -> Vec<Occurrence> {
    let flows = look.plan.flows.iter().zip(look.root.tables("flow"));
    let paths: Vec<_> = flows
        .filter_map(|(plan, table)| match &plan.transport {
            Transport::Tcp { config, .. } => Some((config, FlowPath::from_flow(look, table, config)?)),
            Transport::Udp { .. } => None,
        })
        .collect();
    let mut shared: HashMap<Medium, usize> = HashMap::new();
    for (hop, _) in paths.iter().flat_map(|(_, path)| &path.medium_secs_per_segment) {
        *shared.entry(hop.medium()).or_default() += 1;
    }
    let flows_over = |hop: Hop| shared[&hop.medium()];
    let mut crossings: Vec<BottleneckFlows> = Vec::new();
    for (config, path) in &paths {
        let load = |(hop, time): &(Hop, f64)| time * flows_over(*hop) as f64;
        let Some((hop, time)) =
            path.medium_secs_per_segment.iter().copied().max_by(|a, b| load(a).total_cmp(&load(b)))
        else {
            continue;
        };
        // A receive window below the bandwidth-delay product limits the flow, and then takes the place of the
        // product. Such a window has a hint of its own.
        let window = config.receive_window as f64 / f64::from(config.mss);
        let product = (path.round_trip.secs_f64() / time).min(window);
        match crossings.iter_mut().find(|crossing| crossing.hop.medium() == hop.medium()) {
            Some(known) => known.product = known.product.min(product),
            None => crossings.push(BottleneckFlows { hop, flows: flows_over(hop), product }),
        }
    }
    crossings.iter().filter_map(|crossing| short_queue_hint(look, crossing)).collect()
}

fn short_queue_hint(look: &ScenarioView<'_>, crossing: &BottleneckFlows) -> Option<Occurrence> {
    let crossed = Link::from_hop(crossing.hop)?;
    let (_, table) = Link::all(look.root).find(|(link, _)| *link == crossed)?;
    let queue = queue::queue_before_hop(table, crossing.hop)?;
    let below = queue.path.strip_prefix(&table.path)?.trim_start_matches('.');
    let packets = queue.count("packets")?;
    let needed = crossing.product / (crossing.flows as f64).sqrt();
    if packets as f64 >= MIN_BUFFER_FRACTION * needed {
        return None;
    }
    let whole = needed.ceil();
    let of = if crossing.flows == 1 { "" } else { " by the root of the number of flows" };
    Some(Occurrence {
        about: table.path.clone(),
        text: format!(
            "can queue {packets} packets, {:.2} of the bandwidth-delay product{of} ({whole} packets): a window reduction leaves \
             the link idle, and the buffer dominates the differences between schemes and between queues",
            packets as f64 / needed
        ),
        set: Some((table.path.clone(), format!("{below}.packets={whole}"))),
    })
}
