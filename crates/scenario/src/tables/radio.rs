//! `[[radio]]`: full-duplex radio links between two nodes, with link recovery.

use super::link::{
    self, CHANGES_KEY, DELAY_KEY, DELIVERIES_DIGEST_KEY, DELIVERIES_KEY, ERRORS_KEY, HopServiceTime,
    LinkContext, LinkType, NAME_KEY, QUEUE_KEY, RATE_KEY,
};
use super::{arq, errors, queue, rate};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Derived, Required, Value};
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::Problems;
use airhop_net::links::RadioLinkPlan;
use airhop_net::plan::Plan;
use airhop_net::routing::{Hop, LinkLayerId, LinkNodes};
use airhop_radio::link::RadioPlan;

pub(super) static LINK_TYPE: LinkType = LinkType {
    list_key: "radio",
    max_links: u16::MAX as usize,
    node_keys: &["ends"],
    resolve: link::resolve,
    resolve_for_packet_size: resolve_recovery,
    resolve_nodes: |r, number, node| Some(LinkNodes::from_radio_link(link::resolve_ends(r, node)?, number)),
    link_index: |hop| match hop {
        Hop::Layer { layer: LinkLayerId::Radio(link), .. } => Some(link),
        _ => None,
    },
    hop_time: |world, hop, bytes| match hop {
        Hop::Layer { layer: LinkLayerId::Radio(link), from, .. } => {
            let (radio, end) = (&world.links.radios[usize::from(link)].link, usize::from(from));
            let occupied = radio.rates[end].serialisation_time(bytes + radio.overhead_bytes);
            Some(HopServiceTime { medium_time: occupied, delivery_delay: occupied + radio.delay[end] })
        }
        _ => None,
    },
    plan,
};

/// Keys of `[[radio]]`.
pub(super) static RADIO_KEYS: [Key; 12] = [
    NAME_KEY,
    key("ends", ValueKind::Ends, Required, "the two nodes at the ends of the link; each has a transmitter"),
    RATE_KEY,
    DELIVERIES_KEY,
    DELIVERIES_DIGEST_KEY,
    DELAY_KEY,
    CHANGES_KEY,
    key(
        "overhead",
        ValueKind::Bytes { least: 0, most: 1000 },
        Value(r#""0 B""#),
        "bytes of headers and trailer that a data frame adds to its IP packet; 0 in Kounavis 1996",
    ),
    key(
        "arq",
        ValueKind::Choice(&arq::ARQ),
        Value(r#"{ kind = "none" }"#),
        "ARQ of frames from the first of `ends` to the second",
    ),
    key(
        "arq_back",
        ValueKind::Choice(&arq::ARQ),
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
    arq::set_defaults(link, largest);
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
        delay: rate::initial_delays(r)?,
        overhead_bytes: overhead,
        arq: [arq::plan(r.table("arq")?)?, arq::plan(r.table("arq_back")?)?],
        errors: errors::plan_both_directions(r, context.duration, context.max_packet_bytes + overhead)?,
    };
    let nodes = [(context.node_id)(a)?, (context.node_id)(b)?];
    world.links.radios.push(RadioLinkPlan { link, nodes, queue: queue::plan_both_ends(r)? });
    Some(())
}
