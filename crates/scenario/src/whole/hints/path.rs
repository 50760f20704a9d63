//! Path of a flow: its bottleneck and its round-trip time.

use super::ScenarioView;
use crate::grammar::fields::Fields;
use crate::tables::LINK_TYPES;
use crate::tables::link::HopServiceTime;
use airhop_base::Span;
use airhop_net::routing::Hop;
use airhop_tcp::Config;

/// Properties of a flow's path without other flows, collisions, losses and queues.
pub(super) struct FlowPath {
    /// Maximum payload rate in bit/s.
    pub(super) max_payload_bps: f64,
    /// Round-trip time of a full segment and its ACK.
    pub(super) round_trip: Span,
    /// Time in seconds that each segment occupies each medium. ACKs over the same medium are included. A
    /// medium is one direction of a link, or a channel that all hops share in both directions. The hop is the
    /// first data hop over the medium.
    pub(super) medium_secs_per_segment: Vec<(Hop, f64)>,
}

impl FlowPath {
    /// Returns the path of the TCP flow in this table; `None` without a route between the endpoints.
    pub(super) fn from_flow(look: &ScenarioView<'_>, flow: &Fields, config: &Config) -> Option<FlowPath> {
        let (from, to) = (flow.text("from")?, flow.text("to")?);
        let data = crate::tables::tcp::config_datagram_bytes(config);
        let time_for = |hop, bytes| LINK_TYPES.iter().find_map(|ty| (ty.hop_time)(look.plan, hop, bytes));
        let mut busy: Vec<(Hop, f64)> = Vec::new();
        let mut round_trip = Span::ZERO;
        for hop in look.topology.hops(from, to)? {
            let HopServiceTime { medium_time: occupied, delivery_delay: alone } = time_for(hop, data)?;
            match busy.iter_mut().find(|(other, _)| other.medium() == hop.medium()) {
                Some((_, all)) => *all += occupied.secs_f64(),
                None => busy.push((hop, occupied.secs_f64())),
            }
            round_trip = round_trip + alone;
        }
        // ACKs on a slow reverse path limit a flow, too (RFC 3449 §2.1).
        let mut slowest: f64 = 0.0;
        let acks = config.delayed_ack.map_or(1.0, |delayed| 1.0 / f64::from(delayed.segments));
        for hop in look.topology.hops(to, from)? {
            let HopServiceTime { medium_time: occupied, delivery_delay: alone } =
                time_for(hop, data - config.mss)?;
            let time = acks * occupied.secs_f64();
            match busy.iter_mut().find(|(other, _)| other.medium() == hop.medium()) {
                Some((_, all)) => *all += time,
                None => slowest = slowest.max(time),
            }
            round_trip = round_trip + alone;
        }
        let slowest = busy.iter().map(|(_, time)| *time).fold(slowest, f64::max);
        (slowest > 0.0).then(|| FlowPath {
            max_payload_bps: f64::from(config.mss) * 8.0 / slowest,
            round_trip,
            medium_secs_per_segment: busy,
        })
    }
}
