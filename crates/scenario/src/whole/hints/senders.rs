//! Traps of senders: the sender of a system on the base of another, and a window that no path of this length leaves unused.

use super::{Caught, Look, in_words};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::Without;
use crate::tables::LINKS;
use crate::whole::topology::Link;
use airhop_base::{HEADER_BYTES, Span};
use airhop_net::plan::{FlowPlan, Transport};
use airhop_tcp::Config;

/// What TCP senders run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The preset, and the parameters that are set in its place: `preset rfc, with timestamps set`.
    pub name: String,
    /// The flows.
    pub flows: Vec<String>,
}

/// The bases of all TCP flows, in the order of the file.
pub(super) fn bases(root: &Fields) -> Vec<Base> {
    let mut bases: Vec<Base> = Vec::new();
    for flow in root.tables("flow") {
        let (Some(tcp), Some(flow)) = (flow.table("tcp"), flow.text("name")) else { continue };
        let Some(preset) = tcp.word("preset") else { continue };
        let changed = changed(tcp, "");
        let name = match changed.is_empty() {
            true => format!("preset {preset}"),
            false => format!("preset {preset}, with {} set", changed.join(", ")),
        };
        match bases.iter_mut().find(|base| base.name == name) {
            Some(base) => base.flows.push(flow.to_string()),
            None => bases.push(Base { name, flows: vec![flow.to_string()] }),
        }
    }
    bases
}

/// The parameters of the preset that the file has its own values for.
fn changed(tcp: &Fields, above: &str) -> Vec<String> {
    let mut changed = Vec::new();
    for (key, val, is_default) in tcp.iter() {
        let path = format!("{above}{}", key.name);
        match (key.without, val) {
            (Without::Preset(_), _) if !is_default => changed.push(path),
            (Without::Value(_), Val::Table(below)) => {
                changed.extend(self::changed(below, &format!("{path}.")))
            }
            _ => {}
        }
    }
    changed
}

/// The sender of a system, which most measurements of its scheme are of, on another base.
pub(super) fn of_another_system(look: &Look<'_>) -> Vec<Caught> {
    let caught = |(plan, table): (&FlowPlan, &Fields)| {
        let Transport::Tcp { scheme, .. } = &plan.transport else { return None };
        let (own, base) = (scheme.preset?.name(), table.table("tcp")?.word("preset")?);
        (own != base).then(|| Caught {
            about: scheme.name.to_string(),
            text: format!(
                "a sender of preset {own}, here on preset {base} and without the RACK-TLP, PRR and F-RTO that it has there"
            ),
            set: Some((table.path.clone(), format!("tcp.preset={own}"))),
        })
    };
    look.plan.flows.iter().zip(look.root.tables("flow")).filter_map(caught).collect()
}

/// A receive window smaller than the rate of the path times its round trip.
pub(super) fn short_of_window(look: &Look<'_>) -> Vec<Caught> {
    let caught = |(plan, table): (&FlowPlan, &Fields)| {
        let Transport::Tcp { config, .. } = &plan.transport else { return None };
        let (from, to) = (table.text("from")?, table.text("to")?);
        let path = Path::new(look, config, &look.topology.way(from, to)?)?;
        let most = config.receive_window as f64 * 8.0 / path.round_trip.secs_f64();
        let needed = (path.bps * path.round_trip.secs_f64() / 8e3).ceil();
        (most < path.bps).then(|| Caught {
            about: format!("flow.{}", plan.name),
            text: format!(
                "can get {} at most of the {} of its path: its receive_window goes round in {:.3} ms",
                in_words(most),
                in_words(path.bps),
                path.round_trip.secs_f64() * 1e3,
            ),
            set: Some((table.path.clone(), format!("tcp.receive_window={needed} kB"))),
        })
    };
    look.plan.flows.iter().zip(look.root.tables("flow")).filter_map(caught).collect()
}

/// What a path can carry at best: nobody else on it, no collisions, no losses, no queues.
struct Path {
    /// Payload, bit/s.
    bps: f64,
    /// Of a full segment and its ACK.
    round_trip: Span,
}

impl Path {
    fn new(look: &Look<'_>, config: &Config, way: &[Link]) -> Option<Path> {
        let data = crate::tables::tcp::datagram(config);
        let acks = config.delayed_ack.map_or(1.0, |delayed| 1.0 / f64::from(delayed.segments));
        // How long a segment, and its share of an ACK, keep each of the links; a channel is shared by all hops and both ways.
        let mut busy: Vec<(Link, f64)> = Vec::new();
        let mut round_trip = Span::ZERO;
        for &link in way {
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
        (slowest > 0.0).then(|| Path { bps: f64::from(config.mss) * 8.0 / slowest, round_trip })
    }
}
