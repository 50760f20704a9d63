//! Links that change need an event only for a handoff that empties a queue; all else their transmitters know.

use crate::link::drop_all;
use crate::plan::Plan;
use crate::routing::Hop;
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
    let wired = (0..).zip(&plan.wired).filter_map(|(i, w)| {
        let ends = w.ends.map(|node| plan.nodes[usize::from(node.0)].as_str());
        Some(Varying { schedule: w.pace.schedule()?, ends, hops: [Hop::Link(2 * i), Hop::Link(2 * i + 1)] })
    });
    let radios = (0..).zip(&plan.radios).filter_map(|(link, r)| {
        let [a, b] = &r.link.ends;
        let hops = [0, 1].map(|end| Hop::Radio { link, end });
        Some(Varying { schedule: r.link.pace.schedule()?, ends: [a, b], hops })
    });
    wired.chain(radios)
}

impl World {
    /// The mobile has reached its new base station, and the old one passes on nothing of what waits for it.
    pub(crate) fn on_handoff(&mut self, now: Time, i: u16) {
        match self.handoffs[usize::from(i)] {
            Hop::Link(i) => {
                let link = &mut self.links[usize::from(i)];
                let place = link.trace.place;
                link.clear_queue(&mut self.dropped_by_queue);
                self.drop_at_link(now, place);
                self.record_link_queue(now, i);
            }
            Hop::Radio { link, end } => {
                let from = &mut self.radios[usize::from(link)].ends[usize::from(end)];
                let place = from.place;
                drop_all(&mut *from.queue, &mut self.dropped_by_queue);
                self.drop_at_link(now, place);
                self.record_radio_queue(now, link, end);
            }
            hop => unreachable!("{hop:?} does not change"),
        }
    }
}
