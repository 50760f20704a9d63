//! The operations on the event queue of a run can be recorded, without a change of the run, and repeated on a
//! queue alone.

use crate::common::chain::Chain;
use crate::common::{LastHop, dumbbell};
use airhop_base::{Span, Time};
use airhop_net::plan::{Plan, RoutingPlan};
use airhop_net::routing::AodvPlan;
use airhop_net::{Report, World};
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

fn world(plan: &Plan) -> World {
    World::new(plan, 1, 0, None).expect("a good plan")
}

fn after(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

/// Records `events` operations of a run from time `from` on, and completes the run.
fn watched(plan: &Plan, from: Time, events: usize) -> (Report, usize) {
    let mut world = world(plan);
    let schedule = world.record_schedule(from, events, &GO).expect("no stop is requested");
    schedule.replay();
    world.run(&GO).expect("no stop is requested");
    (world.report(), schedule.event_count())
}

fn alone(plan: &Plan) -> Report {
    let mut world = world(plan);
    world.run(&GO).expect("no stop is requested");
    world.report()
}

#[test]
fn recording_its_schedule_does_not_change_a_run() {
    let mut chain = Chain::new(3, "sack", RoutingPlan::Aodv(AodvPlan::NS2));
    chain.seconds = 4;
    let last_hop = LastHop { seconds: 4, fer: 0.05, ..LastHop::default() };
    let mut warmed_up = last_hop.plan();
    warmed_up.warmup = Span::from_millis(2100); // the warm-up ends among the recorded events
    for plan in [last_hop.plan(), chain.plan(), dumbbell::plan(10, 1), warmed_up] {
        let (report, events) = watched(&plan, Time::from_nanos(plan.duration.nanos() / 2), 500);
        assert_eq!(events, 500);
        assert_eq!(format!("{report:?}"), format!("{:?}", alone(&plan)), "{}", plan.name);
    }
}

#[test]
fn a_recorded_schedule_ends_with_the_run() {
    let plan = LastHop { seconds: 2, ..LastHop::default() }.plan();
    let whole = alone(&plan);
    let rest = whole.events as usize - 1; // without the start of the flow, at time 0
    assert_eq!(watched(&plan, Time::ZERO, usize::MAX), (whole, rest));
    assert_eq!(watched(&plan, after(3), usize::MAX).1, 0, "no event after the end");
}

// Computed by hand: a bulk flow with a window of one segment over a wire. While a segment or its ACK is in
// flight, two events are pending: its arrival and the timer. A timer that moves to an earlier time would
// leave an obsolete event in the queue; this timer only moves to later times.
#[test]
fn pending_events_of_a_run_are_averaged() {
    let mut plan = dumbbell::plan(1, 2);
    for flow in &mut plan.flows {
        if let airhop_net::plan::Transport::Tcp { config, .. } = &mut flow.transport {
            config.receive_window = 1000;
        }
    }
    let schedule = world(&plan).record_schedule(after(1), 100, &GO).expect("no stop is requested");
    assert_eq!(schedule.mean_pending_events(), 2.0);
}
