//! The channel runs in its own time: which times are bad is known without a run, every scheme meets them, and what the trace says of
//! them is what frames suffer.

mod common;
use airhop_base::{Span, Time};
use airhop_net::plan::Plan;
use airhop_net::{World, fades};
use airhop_radio::cell::LinkErrors;
use airhop_radio::errors::{ErrorPlan, FadePlan, Sojourn, Start};
use airhop_trace::{Column, Recorder, Table};
use common::LastHop;
use std::sync::atomic::AtomicBool;

/// In good times nothing is lost, in bad ones everything.
fn fading(fades: FadePlan) -> ErrorPlan {
    ErrorPlan::TwoState { fades, errors_per_bit: [0.0, f64::INFINITY] }
}

fn drawn(good_ms: u64, bad_ms: u64, sojourn: Sojourn) -> FadePlan {
    FadePlan::Drawn { means: [good_ms, bad_ms].map(Span::from_millis), sojourn, start: Start::Stationary }
}

/// The last hop fades, and so does the wire before it, in one direction.
fn plan(scheme: &'static str, sojourn: Sojourn) -> Plan {
    let mut plan = LastHop { scheme, attempts: 4, seconds: 60, ..LastHop::default() }.plan();
    plan.wlans[0].cell.errors =
        vec![LinkErrors { from: None, to: None, model: fading(drawn(1000, 300, sojourn)) }];
    plan.wired[2].errors[0] = fading(drawn(5000, 50, Sojourn::Constant));
    plan
}

fn traced(plan: &Plan, seed: u64) -> Vec<Table> {
    let flows: Vec<String> = plan.flows.iter().map(|f| f.name.clone()).collect();
    let recorder = Recorder::new(&flows, &plan.nodes, plan.duration, true, None).expect("no files");
    let mut world = World::new(plan, seed, 0, Some(recorder)).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("nobody stops it");
    world.into_recorder().expect("it was given one").finish().expect("no files")
}

fn times<'a>(tables: &'a [Table], table: &str, column: &str) -> &'a [f64] {
    let found = tables.iter().find(|t| t.name == table).and_then(|t| t.column(column));
    let Some(Column::F64(values)) = found else { panic!("{table}.{column}") };
    values
}

fn words<'a>(tables: &'a [Table], table: &str, column: &str) -> Vec<&'a str> {
    let found = tables.iter().find(|t| t.name == table).and_then(|t| t.column(column));
    let Some(Column::Category(codes, words)) = found else { panic!("{table}.{column}") };
    codes.iter().map(|code| words[*code as usize].as_str()).collect()
}

/// Place, begin and end in seconds, as the table `fades` has them.
fn table_of_fades(tables: &[Table]) -> Vec<(&str, f64, f64)> {
    let [begin, end] = ["begin_s", "end_s"].map(|column| times(tables, "fades", column));
    let places = words(tables, "fades", "place");
    places.into_iter().zip(begin).zip(end).map(|((place, begin), end)| (place, *begin, *end)).collect()
}

/// DESIGN 1.5. Each frame on the air is lost if and only if it overlaps a bad time of its link that was known beforehand.
#[test]
fn frames_meet_the_fades_that_were_foretold() {
    for (seed, (name, sojourn)) in (1..).zip(Sojourn::ALL) {
        let plan = plan("reno", sojourn);
        let end = Time::ZERO + plan.duration;
        let foretold = fades(&plan, seed, 0, end).expect("nothing is drawn");
        let links: Vec<_> =
            foretold.iter().map(|l| [&l.network, &l.from, &l.to].map(String::as_str)).collect();
        assert_eq!(links, [["w3", "r2", "bs"], ["cell", "bs", "d"], ["cell", "d", "bs"]]);
        assert_eq!(foretold[1].bad, foretold[2].bad, "both directions fade together");
        assert!(foretold[1].bad.len() > 20);

        let tables = traced(&plan, seed);
        let rows = |link: &airhop_net::LinkFades| {
            let place = format!("{}->{}", link.from, link.to);
            let row = |[begin, end]: &[Time; 2]| (place.clone(), begin.secs_f64(), end.secs_f64());
            link.bad.iter().map(row).collect::<Vec<_>>()
        };
        let expect: Vec<_> = foretold.iter().flat_map(rows).collect();
        let table: Vec<_> =
            table_of_fades(&tables).into_iter().map(|(p, begin, end)| (p.to_string(), begin, end)).collect();
        assert_eq!(table, expect, "{name}");

        let bad: Vec<[f64; 2]> = foretold[1].bad.iter().map(|t| t.map(Time::secs_f64)).collect();
        let [starts, ends] = ["start_s", "end_s"].map(|column| times(&tables, "air", column));
        let mut counts = [0; 2];
        for ((start, end), outcome) in starts.iter().zip(ends).zip(words(&tables, "air", "outcome")) {
            let hit = bad.iter().any(|[b, e]| b < end && start < e);
            let expect: &[&str] = if hit { &["channel"] } else { &["received"] };
            assert!(
                expect.contains(&outcome) || outcome == "collision",
                "{name}: {start} to {end}: {outcome}"
            );
            counts[usize::from(hit)] += 1;
        }
        assert!(counts[0] > 1000 && counts[1] > 20, "{counts:?}");
    }
}

/// Who sends, and how much, makes no difference to the path.
#[test]
fn every_scheme_meets_the_same_fades() {
    let path = |scheme| traced(&plan(scheme, Sojourn::Uniform), 1);
    let first = path("reno");
    for scheme in ["tahoe", "vegas", "ll-elsn"] {
        let tables = path(scheme);
        assert_eq!(table_of_fades(&tables), table_of_fades(&first), "{scheme}");
        assert_ne!(times(&tables, "air", "start_s"), times(&first, "air", "start_s"), "{scheme}");
    }
}
