//! Links that change need an event only for a handoff that empties a queue; all else their transmitters know.

use crate::plan::Plan;
use crate::routing::{Hop, Joins};
use crate::world::{Event, World};
use airhop_base::Time;
use airhop_engine::EventQueue;
use airhop_radio::link_schedule::LinkSchedule;
use airhop_trace::Recorder;

/// Has the queues of base stations emptied at the end of each handoff that loses what waits there. Returns the ways to the mobiles, by
/// the numbers of the events.
pub(crate) fn schedule_handoffs(plan: &Plan, events: &mut EventQueue<Event>) -> Vec<Hop> {
    let mut mobiles = Vec::new();
    for Varying { schedule, hops, .. } in schedules(plan) {
        for (end, hop) in (0..).zip(hops) {
            let losses = schedule.losses(end);
            losses.iter().for_each(|[_, over]| events.push(*over, Event::Handoff(mobiles.len() as u16)));
            mobiles.extend((!losses.is_empty()).then_some(hop));
        }
    }
    mobiles
}

/// Writes the rates and delays of a whole run into a trace.
pub(crate) fn record(plan: &Plan, recorder: &mut Recorder) {
    let end = Time::ZERO + plan.duration;
    for Varying { schedule, ends, .. } in schedules(plan) {
        for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            let place = recorder.place(&format!("{from}->{to}"));
            let phases = schedule.phases().filter(|(from, ..)| *from < end);
            phases.for_each(|(from, rate, delay)| recorder.link(from, place, rate, delay));
        }
    }
}

/// A link that changes.
struct Varying<'a> {
    schedule: &'a LinkSchedule,
    /// The names of its ends, and the ways out of them.
    ends: [&'a str; 2],
    hops: [Hop; 2],
}

fn schedules(plan: &Plan) -> impl Iterator<Item = Varying<'_>> {
    plan.links.iter().filter_map(|(number, link)| {
        let schedule = link.schedule()?;
        let Joins::Ends([(a, there), (b, back)]) = link.joins(number) else { return None };
        let ends = [a, b].map(|node| plan.nodes[usize::from(node.0)].as_str());
        Some(Varying { schedule, ends, hops: [there, back] })
    })
}

impl World {
    /// The mobile has reached its new base station, and the old one passes on nothing of what waits for it.
    pub(crate) fn on_handoff(&mut self, now: Time, i: u16) {
        let hop = self.handoffs[usize::from(i)];
        let link = self.links.of_mut(hop).expect("the way to a mobile is over a link");
        let place = link.place(hop);
        link.clear_queue(hop, &mut self.dropped_by_queue);
        self.drop_at_link(now, place);
        self.record_queue(now, hop);
    }
}
