//! The fades of a channel depend only on time: they are known before a run and are the same for every
//! congestion control. The trace contains the periods in which frames are transmitted.

use crate::common::LastHop;
use crate::common::trace::{numbers, traced, words};
use airhop_base::{Rate, Span, Time};
use airhop_net::compute_fades;
use airhop_net::links::RadioLinkPlan;
use airhop_net::plan::Plan;
use airhop_net::queues::QueuePlan;
use airhop_radio::arq::{ArqPlan, ArqRules, RetransmissionGroup};
use airhop_radio::cell::LinkErrors;
use airhop_radio::errors::{ErrorPlan, FadePlan, InitialState, Sojourn};
use airhop_radio::link::RadioPlan;
use airhop_trace::Table;

/// Returns an error model that loses every frame in bad periods, and no frame in good periods.
fn fading(fades: FadePlan) -> ErrorPlan {
    ErrorPlan::TwoState { fades, errors_per_bit: [0.0, f64::INFINITY] }
}

fn drawn(good_ms: u64, bad_ms: u64, sojourn: Sojourn) -> FadePlan {
    FadePlan::Drawn {
        means: [good_ms, bad_ms].map(Span::from_millis),
        sojourn,
        start: InitialState::Stationary,
    }
}

/// Returns a plan in which the last hop fades, and also one direction of the wire before it.
fn plan(scheme: &'static str, sojourn: Sojourn) -> Plan {
    let mut plan = LastHop { scheme, attempts: 4, seconds: 60, ..LastHop::default() }.plan();
    plan.links.wlans[0].cell.errors =
        vec![LinkErrors { from: None, to: None, model: fading(drawn(1000, 300, sojourn)) }];
    plan.links.wired[2].errors[0] = fading(drawn(5000, 50, Sojourn::Constant));
    plan
}

/// Returns the rows of the table `fades`: place, start and end in seconds.
fn table_of_fades(tables: &[Table]) -> Vec<(&str, f64, f64)> {
    let [begin, end] = ["begin_s", "end_s"].map(|column| numbers(tables, "fades", column));
    let places = words(tables, "fades", "place");
    places.into_iter().zip(begin).zip(end).map(|((place, begin), end)| (place, begin, end)).collect()
}

/// Runs the plan. Checks that a frame on the air is lost if and only if it overlaps a bad period of its link,
/// and that the trace contains these periods. The periods are computed before the run. `links` are the
/// directed links with bad periods, in order.
fn check_frames_against_known_fades(plan: &Plan, seed: u64, links: &[[&str; 3]]) {
    let foretold = compute_fades(plan, seed, 0, Time::ZERO + plan.duration).expect("nothing is drawn");
    let names: Vec<_> = foretold.iter().map(|l| [&l.network, &l.from, &l.to].map(String::as_str)).collect();
    assert_eq!(names, links);

    let (_, tables) = traced(plan, seed);
    let places: Vec<String> = foretold.iter().map(|l| format!("{}->{}", l.from, l.to)).collect();
    let bad: Vec<Vec<[f64; 2]>> = foretold
        .iter()
        .map(|l| l.bad_periods.iter().map(|times| times.map(Time::secs_f64)).collect())
        .collect();
    let rows =
        places.iter().zip(&bad).flat_map(|(place, bad)| bad.iter().map(|[b, e]| (place.as_str(), *b, *e)));
    assert_eq!(table_of_fades(&tables), rows.collect::<Vec<_>>());

    let [starts, ends] = ["start_s", "end_s"].map(|column| numbers(&tables, "air", column));
    let [from, to, outcome] = ["from", "to", "outcome"].map(|column| words(&tables, "air", column));
    let mut counts = [0; 2];
    for (row, (start, end)) in
        starts.into_iter().zip(ends).enumerate().filter(|(row, _)| outcome[*row] != "collision")
    {
        let place = format!("{}->{}", from[row], to[row]);
        let link = places.iter().position(|known| *known == place).expect("a link that fades");
        let hit = bad[link].iter().any(|[b, e]| *b < end && start < *e);
        assert_eq!(outcome[row], if hit { "channel" } else { "received" }, "{place}: {start} to {end}");
        counts[usize::from(hit)] += 1;
    }
    assert!(counts[0] > 1000 && counts[1] > 20, "{counts:?}");
}

/// Frames on a wlan, and on a wire with fades in one direction.
#[test]
fn frames_are_lost_in_the_given_fades() {
    for (seed, (_, sojourn)) in (1..).zip(Sojourn::ALL) {
        let links = [["w3", "r2", "bs"], ["cell", "bs", "d"], ["cell", "d", "bs"]];
        check_frames_against_known_fades(&plan("reno", sojourn), seed, &links);
    }
}

/// Frames on a radio link, with and without link recovery.
#[test]
fn frames_on_a_radio_link_fail_in_fades() {
    let rules = ArqRules { window: 3, timeout: Span::from_millis(30), max_attempts: None, ack_bytes: 6 };
    let recovery = ArqPlan::GoBackN { group: RetransmissionGroup::Sliding, rules };
    for arq in [ArqPlan::None, recovery] {
        let mut plan = plan("reno", Sojourn::Uniform);
        let [bs, d] = plan.links.wlans.remove(0).nodes[..] else { panic!("two stations") };
        let errors = fading(drawn(1000, 300, Sojourn::Uniform));
        plan.links.wired[2].errors[0] = ErrorPlan::Clean;
        plan.links.radios.push(RadioLinkPlan {
            link: RadioPlan {
                arq: [arq.clone(), arq],
                errors: [errors.clone(), errors],
                ..RadioPlan::new("air", ["bs", "d"], Rate::from_bps(1_000_000).into(), Span::from_millis(1))
            },
            nodes: [bs, d],
            queue: [QueuePlan::DropTail { packets: 50 }; 2],
        });
        check_frames_against_known_fades(&plan, 1, &[["air", "bs", "d"], ["air", "d", "bs"]]);
    }
}

/// The fades do not depend on the senders, nor on their load.
#[test]
fn fades_do_not_depend_on_the_scheme() {
    let path = |scheme| traced(&plan(scheme, Sojourn::Uniform), 1).1;
    let first = path("reno");
    for scheme in ["tahoe", "vegas", "ll-elsn"] {
        let tables = path(scheme);
        assert_eq!(table_of_fades(&tables), table_of_fades(&first), "{scheme}");
        assert_ne!(numbers(&tables, "air", "start_s"), numbers(&first, "air", "start_s"), "{scheme}");
    }
}
