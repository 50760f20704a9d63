//! `[[wired]]`: full-duplex wired links.

use super::link::{
    self, CHANGES_KEY, Context, DELAY, DELIVERIES, DELIVERIES_DIGEST, ERRORS_KEY, HopTime, LinkType, NAME,
    QUEUE_KEY, RATE,
};
use super::reorder::{self, REORDER};
use super::{errors, queue, rate};
use crate::grammar::fields::Fields;
use crate::grammar::key::Without::Required;
use crate::grammar::key::{Key, Kind, key};
use airhop_net::links::WiredPlan;
use airhop_net::plan::Plan;
use airhop_net::routing::{Hop, Joins};

pub(super) static TYPE: LinkType = LinkType {
    list: "wired",
    most: u16::MAX as usize / 2, // each direction of a wire has a number
    nodes: &["ends"],
    resolve: |wire, duration, problems| {
        link::resolve(wire, duration, problems);
        reorder::check(wire, problems);
    },
    resolve_crossed: |_, _, _, _| {},
    joins: |w, number, node| Some(Joins::wire(link::ends(w, node)?, number)),
    crossed_by: |hop| match hop {
        Hop::Link(direction) => Some(direction / 2),
        _ => None,
    },
    time_for: |world, hop, bytes| match hop {
        Hop::Link(number) => {
            let (wired, direction) = (&world.links.wired[usize::from(number / 2)], usize::from(number % 2));
            let occupied = wired.pace[direction].time_for(bytes);
            Some(HopTime { occupied, alone: occupied + wired.delay[direction] })
        }
        _ => None,
    },
    plan,
};

/// Keys of `[[wired]]`.
pub(super) static WIRED: [Key; 10] = [
    NAME,
    key(
        "ends",
        Kind::Ends,
        Required,
        "the two nodes at the ends of the wire; a node needs no other declaration",
    ),
    RATE,
    DELIVERIES,
    DELIVERIES_DIGEST,
    DELAY,
    CHANGES_KEY,
    QUEUE_KEY,
    ERRORS_KEY,
    REORDER,
];

fn plan(w: &Fields, context: Context<'_>, world: &mut Plan) -> Option<()> {
    let [a, b] = w.ends("ends")?;
    world.links.wired.push(WiredPlan {
        name: w.text("name")?.to_string(),
        ends: [(context.node)(a)?, (context.node)(b)?],
        pace: rate::plan(w, context.duration)?,
        delay: rate::delays(w)?,
        queue: queue::each_way(w)?,
        errors: errors::between(w, context.duration, context.largest)?,
        reorder: reorder::plan(w)?,
    });
    Some(())
}
