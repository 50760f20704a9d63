//! The path of a flow: its bottleneck and its round trip.

use super::Look;
use crate::grammar::fields::Fields;
use crate::tables::LINKS;
use crate::whole::topology::Link;
use airhop_base::{HEADER_BYTES, Span};
use airhop_tcp::Config;

/// The most that a flow gets on its path: no other flow, no collisions, no losses, no queues.
pub(super) struct Path {
    /// Payload, bit/s.
    pub(super) bps: f64,
    /// Of a full segment and its ACK.
    pub(super) round_trip: Span,
    /// How long a segment, and its share of an ACK, keep each link busy, seconds.
    pub(super) busy: Vec<(Link, f64)>,
}

impl Path {
    /// The path of a TCP flow of this table. `None` where its ends have no route.
    pub(super) fn of(look: &Look<'_>, flow: &Fields, config: &Config) -> Option<Path> {
        let way = look.topology.way(flow.text("from")?, flow.text("to")?)?;
        let data = crate::tables::tcp::datagram(config);
        let acks = config.delayed_ack.map_or(1.0, |delayed| 1.0 / f64::from(delayed.segments));
        // A channel is shared by all hops and both ways.
        let mut busy: Vec<(Link, f64)> = Vec::new();
        let mut round_trip = Span::ZERO;
        for link in way {
            let ty = LINKS[link.of];
            let time_for = |bytes| (ty.time_for)(look.plan, link.index, bytes);
            let ((segment, delay), (ack, _)) = (time_for(data), time_for(HEADER_BYTES));
            let time = segment.secs_f64() + if ty.is_shared { acks * ack.secs_f64() } else { 0.0 };
            match busy.iter_mut().find(|(other, _)| *other == link) {
                Some((_, all)) => *all += time,
                None => busy.push((link, time)),
            }
            round_trip = round_trip + segment + ack + delay * 2;
        }
        let slowest = busy.iter().map(|(_, time)| *time).fold(0.0, f64::max);
        (slowest > 0.0).then(|| Path { bps: f64::from(config.mss) * 8.0 / slowest, round_trip, busy })
    }
}
