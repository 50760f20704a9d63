//! Links that change during the run. Transmitters compute the present rate and delay themselves. Only a
//! handoff in which the old base station loses its queue needs an event.

use crate::plan::Plan;
use crate::routing::{Hop, LinkNodes};
use crate::world::{Event, World};
use airhop_base::Time;
use airhop_engine::EventQueue;
use airhop_radio::link::LinkEnd;
use airhop_radio::link_schedule::LinkSchedule;
use airhop_trace::Recorder;

/// Schedules an event at the end of each handoff in which the old base station loses its queue. Returns the
/// hop to the mobile for each link with such events, in index order.
pub(crate) fn schedule_handoffs(plan: &Plan, events: &mut EventQueue<Event>) -> Vec<Hop> {
    let mut mobiles = Vec::new();
    for VaryingLink { schedule, end, hop, .. } in varying_links(plan) {
        let losses = schedule.loss_intervals(end);
        losses.iter().for_each(|[_, over]| events.push(*over, Event::Handoff(mobiles.len() as u16)));
        mobiles.extend((!losses.is_empty()).then_some(hop));
    }
    mobiles
}

/// Writes the rates and delays of links over the whole run into a trace.
pub(crate) fn record_link_changes(plan: &Plan, recorder: &mut Recorder) {
    let end = Time::ZERO + plan.duration;
    for VaryingLink { schedule, from, to, .. } in varying_links(plan) {
        let place = recorder.intern_place(&format!("{from}->{to}"));
        let phases = schedule.phases().filter(|(from, ..)| *from < end);
        phases.for_each(|(from, rate, delay)| recorder.record_link(from, place, rate, delay));
    }
}

/// Direction of a link with a varying rate or delay.
struct VaryingLink<'a> {
    schedule: &'a LinkSchedule,
    /// Sending end of this direction.
    end: LinkEnd,
    /// Names of the sending and of the receiving node.
    from: &'a str,
    to: &'a str,
    hop: Hop,
}

fn varying_links(plan: &Plan) -> impl Iterator<Item = VaryingLink<'_>> {
    plan.links.iter().flat_map(move |(number, link)| {
        [0, 1].into_iter().filter_map(move |end| {
            let schedule = link.schedule(usize::from(end))?;
            let LinkNodes::Ends(ends) = link.link_nodes(number) else { return None };
            let [from, to] =
                [end, 1 - end].map(|end| plan.nodes[usize::from(ends[usize::from(end)].0.0)].as_str());
            Some(VaryingLink { schedule, end, from, to, hop: ends[usize::from(end)].1 })
        })
    })
}

impl World {
    /// Empties the queue of the old base station at the end of a handoff.
    pub(crate) fn on_handoff(&mut self, now: Time, i: u16) {
        let hop = self.handoffs[usize::from(i)];
        let link = self.links.link_of_hop_mut(hop).expect("the path to a mobile is over a link");
        let place = link.place_index(hop);
        link.clear_queue(hop, &mut self.dropped_by_queue);
        self.process_link_drops(now, place);
        self.record_queue(now, hop);
    }
}
