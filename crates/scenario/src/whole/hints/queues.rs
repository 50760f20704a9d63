//! Traps of queues: a buffer that cannot keep its link busy while a window grows back.

use super::path::Path;
use super::{Caught, Look};
use crate::grammar::fields::{Fields, Val};
use crate::whole::topology::Link;
use airhop_net::plan::Transport;
use std::collections::HashMap;

/// Share of the bandwidth-delay product below which a buffer is short. After each cut a lone Reno sender then leaves its bottleneck idle
/// for more than a third of the rate at first, and for a seventh in the mean.
const SHORT: f64 = 0.25;

/// The TCP flows that have one link as their bottleneck.
struct Crossing {
    link: Link,
    flows: usize,
    /// The least bandwidth-delay product of their paths, in full segments.
    product: f64,
}

/// A queue before the bottleneck of TCP flows, with less than a quarter of the bandwidth-delay product. One flow needs the product, n
/// flows the product by the root of n (Appenzeller, Keslassy and McKeown 2004, equation 1 and section 3).
pub(super) fn short(look: &Look<'_>) -> Vec<Caught> {
    let flows = look.plan.flows.iter().zip(look.root.tables("flow"));
    let paths: Vec<_> = flows
        .filter_map(|(plan, table)| match &plan.transport {
            Transport::Tcp { config, .. } => Some((config, Path::of(look, table, config)?)),
            Transport::Udp { .. } => None,
        })
        .collect();
    let mut shared: HashMap<(usize, usize), usize> = HashMap::new();
    for (link, _) in paths.iter().flat_map(|(_, path)| &path.busy) {
        *shared.entry((link.of, link.index)).or_default() += 1;
    }
    let flows_over = |link: Link| shared[&(link.of, link.index)];
    let mut crossings: Vec<Crossing> = Vec::new();
    for (config, path) in &paths {
        let load = |(link, time): &(Link, f64)| time * flows_over(*link) as f64;
        let Some((link, time)) = path.busy.iter().copied().max_by(|a, b| load(a).total_cmp(&load(b))) else {
            continue;
        };
        // A receive window below the product is a trap of its own.
        let window = config.receive_window as f64 / f64::from(config.mss);
        let product = (path.round_trip.secs_f64() / time).min(window);
        match crossings.iter_mut().find(|crossing| crossing.link == link) {
            Some(known) => known.product = known.product.min(product),
            None => crossings.push(Crossing { link, flows: flows_over(link), product }),
        }
    }
    crossings.iter().filter_map(|crossing| caught(look, crossing)).collect()
}

fn caught(look: &Look<'_>, crossing: &Crossing) -> Option<Caught> {
    let (_, table) = Link::all(look.root).find(|(link, _)| *link == crossing.link)?;
    let (queue, packets) = smallest(table)?;
    let needed = crossing.product / (crossing.flows as f64).sqrt();
    if packets as f64 >= SHORT * needed {
        return None;
    }
    let whole = needed.ceil();
    let of = if crossing.flows == 1 { "" } else { " by the root of the number of flows" };
    Some(Caught {
        about: table.path.clone(),
        text: format!(
            "can queue {packets} packets, {:.2} of the bandwidth-delay product{of} ({whole} packets): a window that a loss cuts leaves the link \
             idle, and schemes and queues differ by the buffer",
            packets as f64 / needed
        ),
        set: Some((table.path.clone(), format!("{queue}.packets={whole}"))),
    })
}

/// The queue of a link that holds the fewest packets: its path below the link's, and its capacity.
fn smallest(link: &Fields) -> Option<(String, u64)> {
    let queues = match link.get("queue")? {
        Val::Table(one) => std::slice::from_ref(one),
        Val::Tables(many) => many.as_slice(),
        _ => return None,
    };
    let below =
        |queue: &Fields| Some(queue.path.strip_prefix(&link.path)?.trim_start_matches('.').to_string());
    queues
        .iter()
        .filter_map(|queue| Some((below(queue)?, queue.count("packets")?)))
        .min_by_key(|(_, packets)| *packets)
}
