//! Wired links, cells and radio links of a plan, with their queues and channels.

use super::disciplines::RequiredQueueDisciplines;
use crate::link::{Impairments, Link, LinkQueue, LinkTrace, Reordering};
use crate::links::{RadioLinkPlan, WlanPlan};
use crate::plan::Plan;
use crate::queues;
use crate::routing::{Hop, LinkLayerId, are_in_range};
use crate::world::interface::{FadeTracker, InterfaceQueue, WirelessInterface};
use crate::world::site::{LinkLayer, WirelessNetwork};
use airhop_base::{AccessCategory, NodeId};
use airhop_engine::RandomStreams;
use airhop_radio::cell::Cell;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::layer::StationIndex;
use airhop_radio::link::RadioLink;
use airhop_trace::Recorder;

pub(crate) fn build_wired_links(
    plan: &Plan,
    queues: &RequiredQueueDisciplines,
    streams: &RandomStreams,
    mut recorder: Option<&mut Recorder>,
) -> Vec<Link> {
    let mut links = Vec::new();
    for w in &plan.links.wired {
        let names = w.ends.map(|n| plan.nodes[n.0 as usize].as_str());
        for (side, errors) in w.errors.iter().enumerate() {
            let (from, to) = (w.ends[side], w.ends[1 - side]);
            let name = format!("{}->{}", names[side], names[1 - side]);
            let pace = &w.rates[side];
            let errors = pace.with_handoff_losses(side as u8, errors);
            let errors = (errors != ErrorPlan::Clean)
                .then(|| errors.build(streams, &w.name, names[side], names[1 - side]));
            let reordering = w.reorder[side].map(|reorder| {
                Reordering::new(
                    reorder.delayed_share,
                    reorder.extra_delay,
                    streams.stream(&format!("{}.reorder.{name}", w.name)),
                )
            });
            let stream = streams.stream(&format!("{}.queue.{name}", w.name));
            let queue = queues.discipline_of_hop(Hop::Link(links.len() as u16), w.queue[side]);
            let line = LinkQueue::new(&queue, pace, stream);
            let (number, delay) = (links.len() as u16, w.delay[side]);
            let mut link = Link::new(
                number,
                name,
                from,
                to,
                pace.idle_transmitter(side as u8),
                delay,
                line,
                Impairments::new(errors, reordering),
            );
            if let Some(r) = recorder.as_deref_mut() {
                link.trace = LinkTrace {
                    place_index: r.intern_place(&link.name),
                    from_interface: r.add_interface(from, &w.name),
                    to_interface: r.add_interface(to, &w.name),
                };
            }
            links.push(link);
        }
    }
    links
}

pub(crate) fn build_cell_network(
    w: &WlanPlan,
    plan: &Plan,
    queues: &RequiredQueueDisciplines,
    streams: &RandomStreams,
    mut recorder: Option<&mut Recorder>,
) -> WirelessNetwork {
    let name = |n: NodeId| plan.nodes[n.0 as usize].clone();
    let reach = w.cell.range.map(|range| range.receive_metres);
    let time_for = |bytes| w.cell.saturated_packet_time(bytes);
    let interfaces = w
        .nodes
        .iter()
        .zip(&w.cell.stations)
        .zip(0..)
        .map(|((&node, &(_, place)), from)| {
            let plan = queues.discipline_of_hop(Hop::OnDemand { cell: w.cell.index, from }, w.queue);
            let queue = |category: AccessCategory| {
                let of = if category == AccessCategory::Be { "" } else { category.name() };
                let stream = streams.stream(&format!("{}.queue{of}.{}", w.cell.name, name(node)));
                queues::build_tx_queue(&plan, time_for, stream)
            };
            let categories = w.cell.ht.map(|ht| ht.categories).unwrap_or_default();
            let fades = FadeTracker::new(w.cell.has_ampdu());
            let mut interface = WirelessInterface::new(node, name(node), queue(AccessCategory::Be), fades);
            let others = categories.iter().skip(1);
            interface.other_queues =
                others.map(|category| InterfaceQueue::new(category, queue(category))).collect();
            if let Some(r) = recorder.as_deref_mut() {
                r.record_station(&w.cell.name, &name(node), place);
                interface.recorder_index = r.add_interface(node, &w.cell.name);
                let mut link = |to: &str| r.intern_place(&format!("{}->{to}", name(node)));
                let others = (0..).zip(&w.cell.stations).zip(&w.nodes).filter(|(_, to)| **to != node);
                let heard = others
                    .filter(|((_, (_, there)), _)| reach.is_none_or(|r| are_in_range(place, *there, r)));
                interface.station_place_indices =
                    heard.map(|((station, (to, _)), _)| (station, link(to))).collect();
                let towards = match w.nodes[..] {
                    [a, b] => name(if node == a { b } else { a }),
                    _ => "*".to_string(),
                };
                interface.queue.place_index = link(&towards);
                interface.broadcast_place_index = link("*");
                for queue in &mut interface.other_queues {
                    queue.place_index = link(&queue.name(&towards));
                }
            }
            interface
        })
        .collect();
    let mut cell = Cell::new(&w.cell, streams);
    if let Some(recorder) = recorder.filter(|r| r.records_transmissions()) {
        recorder.add_channel(w.capture_channel());
        cell.enable_transmission_reports();
    }
    WirelessNetwork::new(LinkLayer::Cell(cell), interfaces)
}

pub(crate) fn build_radio_network(
    r: &RadioLinkPlan,
    plan: &Plan,
    queues: &RequiredQueueDisciplines,
    streams: &RandomStreams,
    mut recorder: Option<&mut Recorder>,
) -> WirelessNetwork {
    let mut link = RadioLink::new(&r.link, streams);
    if recorder.is_some() {
        link.enable_transmission_reports();
    }
    let interfaces = [0, 1].map(|end| {
        let [from, to] = [end, 1 - end].map(|end| &plan.nodes[r.nodes[end].0 as usize]);
        let [station, other] = [end as StationIndex, 1 - end as StationIndex];
        let hop = Hop::Layer { layer: LinkLayerId::Radio(r.link.index), from: station, to: other };
        let name = format!("{from}->{to}");
        let stream = streams.stream(&format!("{}.queue.{name}", r.link.name));
        let time_for = |bytes| r.link.rates[end].serialisation_time(bytes + r.link.overhead_bytes);
        let queue = queues::build_tx_queue(&queues.discipline_of_hop(hop, r.queue[end]), time_for, stream);
        let mut interface = WirelessInterface::new(r.nodes[end], from.clone(), queue, FadeTracker::new(true));
        if let Some(recorder) = recorder.as_deref_mut() {
            let place = recorder.intern_place(&name);
            interface.recorder_index = recorder.add_interface(r.nodes[end], &r.link.name);
            interface.station_place_indices = vec![(other, place)];
            (interface.queue.place_index, interface.broadcast_place_index) = (place, place);
        }
        interface
    });
    WirelessNetwork::new(LinkLayer::Radio(link), interfaces.into())
}
