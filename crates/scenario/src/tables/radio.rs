//! `[[radio]]`: full-duplex radio links between two nodes, with link recovery.

use super::link::{
    self, CHANGES_KEY, DELAY, DELIVERIES, DELIVERIES_DIGEST, ERRORS_KEY, HopTime, LinkContext, LinkType,
    NAME, QUEUE_KEY, RATE,
};
use super::{arq, errors, queue, rate};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Derived, Required, Value};
use crate::grammar::key::{Key, Kind, key};
use crate::grammar::problem::Problems;
use airhop_net::links::RadioLinkPlan;
use airhop_net::plan::Plan;
use airhop_net::routing::{Hop, Layer, LinkNodes};
use airhop_radio::link::RadioPlan;

pub(super) static TYPE: LinkType = LinkType {
    list_key: "radio",
    max_links: u16::MAX as usize,
    nodes: &["ends"],
    resolve: link::resolve,
    resolve_for_packet_size: resolve_recovery,
    joins: |r, number, node| Some(LinkNodes::from_radio_link(link::ends(r, node)?, number)),
    link_index: |hop| match hop {
        Hop::Layer { layer: Layer::Radio(link), .. } => Some(link),
        _ => None,
    },
    hop_time: |world, hop, bytes| match hop {
        Hop::Layer { layer: Layer::Radio(link), from, .. } => {
            let (radio, end) = (&world.links.radios[usize::from(link)].link, usize::from(from));
            let occupied = radio.rates[end].time_for(bytes + radio.overhead_bytes);
            Some(HopTime { occupied, delivery_delay: occupied + radio.delay[end] })
        }
        _ => None,
    },
    plan,
};

/// Keys of `[[radio]]`.
pub(super) static RADIO: [Key; 12] = [
    NAME,
    key("ends", Kind::Ends, Required, "the two nodes at the ends of the link; each has a transmitter"),
    RATE,
    DELIVERIES,
    DELIVERIES_DIGEST,
    DELAY,
    CHANGES_KEY,
    key(
        "overhead",
        Kind::Bytes { least: 0, most: 1000 },
        Value(r#""0 B""#),
        "bytes of headers and trailer that a data frame adds to its IP packet; 0 in Kounavis 1996",
    ),
    key(
        "arq",
        Kind::Choice(&arq::ARQ),
        Value(r#"{ kind = "none" }"#),
        "ARQ of frames from the first of `ends` to the second",
    ),
    key(
        "arq_back",
        Kind::Choice(&arq::ARQ),
        Derived("as `arq`"),
        "ARQ of frames from the second of `ends` to the first",
    ),
    QUEUE_KEY,
    ERRORS_KEY,
];

/// Sets and checks the recovery of a radio link. `largest` is the length in bytes of the largest IP packet.
/// An invalid flow or link (`all_sound` is false) leaves this length unknown, and with it the minimum
/// timeouts.
fn resolve_recovery(link: &mut Fields, largest: u32, all_sound: bool, problems: &mut Problems) {
    arq::fill(link, largest);
    if all_sound {
        arq::check(link, largest, problems);
    }
}

fn plan(r: &Fields, context: LinkContext<'_>, world: &mut Plan) -> Option<()> {
    let [a, b] = r.ends("ends")?;
    let overhead = u32::try_from(r.bytes("overhead")?).ok()?;
    let link = RadioPlan {
        index: context.index,
        name: r.text("name")?.to_string(),
        ends: [a.clone(), b.clone()],
        rates: rate::plan(r, context.duration)?,
        delay: rate::delays(r)?,
        overhead_bytes: overhead,
        arq: [arq::plan(r.table("arq")?)?, arq::plan(r.table("arq_back")?)?],
        errors: errors::plan_both_directions(r, context.duration, context.largest + overhead)?,
    };
    let nodes = [(context.node)(a)?, (context.node)(b)?];
    world.links.radios.push(RadioLinkPlan { link, nodes, queue: queue::plan_both_ends(r)? });
    Some(())
}
