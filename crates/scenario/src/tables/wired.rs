//! `[[wired]]`: full-duplex wired links.

use super::link::{
    self, CHANGES_KEY, DELAY_KEY, DELIVERIES_DIGEST_KEY, DELIVERIES_KEY, ERRORS_KEY, HopServiceTime,
    LinkContext, LinkType, NAME_KEY, QUEUE_KEY, RATE_KEY,
};
use super::reorder::{self, REORDER};
use super::{errors, queue, rate};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{Key, ValueKind, key};
use airhop_net::links::WiredPlan;
use airhop_net::plan::Plan;
use airhop_net::routing::{Hop, LinkNodes};

pub(super) static LINK_TYPE: LinkType = LinkType {
    list_key: "wired",
    max_links: u16::MAX as usize / 2, // each direction of a wire has a number
    node_keys: &["ends"],
    resolve: |wire, duration, problems| {
        link::resolve(wire, duration, problems);
        reorder::check(wire, problems);
    },
    resolve_for_packet_size: |_, _, _, _| {},
    resolve_nodes: |w, number, node| Some(LinkNodes::from_wired_link(link::resolve_ends(w, node)?, number)),
    link_index: |hop| match hop {
        Hop::Link(direction) => Some(direction / 2),
        _ => None,
    },
    hop_time: |world, hop, bytes| match hop {
        Hop::Link(number) => {
            let (wired, direction) = (&world.links.wired[usize::from(number / 2)], usize::from(number % 2));
            let occupied = wired.rates[direction].serialisation_time(bytes);
            Some(HopServiceTime { medium_time: occupied, delivery_delay: occupied + wired.delay[direction] })
        }
        _ => None,
    },
    plan,
};

/// Keys of `[[wired]]`.
pub(super) static WIRED_KEYS: [Key; 10] = [
    NAME_KEY,
    key(
        "ends",
        ValueKind::Ends,
        Required,
        "the two nodes at the ends of the wire; a node needs no other declaration",
    ),
    RATE_KEY,
    DELIVERIES_KEY,
    DELIVERIES_DIGEST_KEY,
    DELAY_KEY,
    CHANGES_KEY,
    QUEUE_KEY,
    ERRORS_KEY,
    REORDER,
];

fn plan(w: &Fields, context: LinkContext<'_>, world: &mut Plan) -> Option<()> {
    let [a, b] = w.ends("ends")?;
    world.links.wired.push(WiredPlan {
        name: w.text("name")?.to_string(),
        ends: [(context.node_id)(a)?, (context.node_id)(b)?],
        rates: rate::plan(w, context.duration)?,
        delay: rate::initial_delays(w)?,
        queue: queue::plan_both_ends(w)?,
        errors: errors::plan_both_directions(w, context.duration, context.max_packet_bytes)?,
        reorder: reorder::plan(w)?,
    });
    Some(())
}
