//! Checks of the table `air` by code independent of the simulator: stations transmit only as their carrier
//! sense permits, and receive as the physics permits.

use crate::common::trace::traced;
use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::apps::BulkPlan;
use airhop_net::links::{Links, WlanPlan};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, RandomDraws, RoutingPlan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_radio::cell::{AccessMethod, CellPlan, CellRules, InterferenceRule, RadioRange};
use airhop_radio::phy::{DATA_OVERHEAD_BYTES, Phy};
use airhop_tcp::{Params, Preset};
use airhop_trace::{Column, Table};
use std::sync::Arc;

const STATIONS: u16 = 24;
const RECEIVE: f64 = 40.0;
const SENSE: f64 = 85.0;
/// SIFS. All times in this file are in nanoseconds.
const SIFS: u64 = 10_000;
/// Upper limit of the airtime of a frame.
const LONGEST: u64 = 10_000_000;

/// Returns a plan with five flows and 24 stations: 3 rows of 8 stations, 21 m apart; each row is shifted
/// slightly to the right of the one before it.
fn grid(access: AccessMethod, rules: CellRules) -> Plan {
    let nodes: Vec<String> = (0..STATIONS).map(|i| format!("n{i}")).collect();
    let place = |i: usize| [21.0 * (i % 8) as f64 + 4.0 * (i / 8) as f64, 21.0 * (i / 8) as f64];
    let cell = CellPlan {
        control_rate: Rate::from_bps(24_000_000),
        access_method: access,
        overhead_bytes: DATA_OVERHEAD_BYTES,
        rules,
        stations: nodes.iter().enumerate().map(|(i, name)| (name.clone(), place(i))).collect(),
        range: Some(RadioRange::free_space(RECEIVE, SENSE)),
        ..CellPlan::new("grid", Phy::ERP_OFDM, Rate::from_bps(36_000_000))
    };
    let scheme = airhop_tcp::find_scheme("reno").expect("a known scheme");
    let flow = |(i, (from, to)): (usize, (u16, u16))| FlowPlan {
        name: format!("f{i}"),
        from: NodeId(from),
        to: NodeId(to),
        transport: Transport::Tcp {
            scheme,
            params: Params::defaults(scheme),
            config: Preset::Ns2.config(1000),
        },
        app: Arc::new(BulkPlan),
        start: Time::ZERO,
        access_category: Default::default(),
        services: Vec::new(),
        class: FlowClass::OfKind("bulk"),
    };
    let ways = [(0, 7), (23, 16), (8, 12), (1, 18), (15, 14)];
    Plan {
        name: "grid".into(),
        duration: Span::from_secs(2),
        warmup: Span::ZERO,
        links: Links {
            wlans: vec![WlanPlan {
                cell,
                nodes: (0..STATIONS).map(NodeId).collect(),
                queue: QueuePlan::DropTail { packets: 50 },
                routing: RoutingPlan::Static,
                draws: RandomDraws::default(),
            }],
            ..Links::default()
        },
        flows: ways.into_iter().enumerate().map(flow).collect(),
        nodes,
    }
}

/// Row of the table `air`.
#[derive(Clone, Copy, Debug)]
struct Sent<'a> {
    start: u64,
    end: u64,
    from: usize,
    to: usize,
    kind: &'a str,
    outcome: &'a str,
}

fn transmissions(air: &Table) -> Vec<Sent<'_>> {
    let times = |name| match air.column(name) {
        Some(Column::F64(seconds)) => seconds.iter().map(|s| (s * 1e9).round() as u64).collect::<Vec<_>>(),
        other => panic!("{name}: {other:?}"),
    };
    let words = |name| match air.column(name) {
        Some(Column::Category(codes, words)) => {
            codes.iter().map(|c| (*c as usize, words[*c as usize].as_str())).collect()
        }
        other => panic!("{name}: {other:?}"),
    };
    let [start, end] = ["start_s", "end_s"].map(times);
    let [from, to, kind, outcome]: [Vec<(usize, &str)>; 4] = ["from", "to", "kind", "outcome"].map(words);
    let row = |i: usize| Sent {
        start: start[i],
        end: end[i],
        from: from[i].0,
        to: to[i].0,
        kind: kind[i].1,
        outcome: outcome[i].1,
    };
    let mut sent: Vec<_> = (0..air.rows()).map(row).collect();
    sent.sort_by_key(|s| s.start);
    sent
}

/// Stations and their transmissions.
struct Air<'a> {
    places: Vec<[f64; 2]>,
    sent: Vec<Sent<'a>>,
}

impl<'a> Air<'a> {
    fn distance(&self, a: usize, b: usize) -> f64 {
        let [a, b] = [a, b].map(|s| self.places[s]);
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    fn senses(&self, a: usize, b: usize) -> bool {
        self.distance(a, b) <= SENSE
    }

    /// Returns the pairs of transmissions that overlap, the earlier one first.
    fn overlaps(&self) -> impl Iterator<Item = [&Sent<'a>; 2]> {
        let later = move |i: usize| self.sent[i + 1..].iter().take_while(move |y| y.start < self.sent[i].end);
        (0..self.sent.len()).flat_map(move |i| later(i).map(move |y| [&self.sent[i], y]))
    }

    /// Returns the frame that `y` answers: a frame between the same two stations that ends one SIFS before
    /// `y`.
    fn answered(&self, y: &Sent<'_>) -> Option<&Sent<'a>> {
        let before = match y.kind {
            "cts" => "rts",
            "data" => "cts",
            "ack" => "data",
            _ => return None,
        };
        let asks =
            |z: &&Sent<'_>| z.end + SIFS == y.start && (z.from, z.to, z.kind) == (y.to, y.from, before);
        let from = self.sent.partition_point(|z| z.start + LONGEST < y.start);
        self.sent[from..].iter().take_while(|z| z.start < y.start).find(asks)
    }
}

impl Air<'_> {
    /// Checks all pairs of overlapping transmissions. Returns the number of pairs that start at the same
    /// time, and the number of pairs with an answer.
    fn check_access(&self) -> [usize; 2] {
        let [mut together, mut answers] = [0; 2];
        for [x, y] in self.overlaps() {
            assert_ne!(x.from, y.from, "half duplex: {x:?}, {y:?}");
            if !self.senses(x.from, y.from) {
                continue;
            }
            if x.start == y.start {
                together += 1;
                continue;
            }
            let z = self.answered(y).unwrap_or_else(|| panic!("{y:?} started although it sensed {x:?}"));
            let unaware = self.answered(x).is_some() || !self.senses(x.from, z.from) || x.start <= z.start;
            assert!(unaware, "{x:?} started although it sensed {z:?}, which {y:?} answers");
            answers += 1;
        }
        [together, answers]
    }

    /// Checks the outcome of each frame, on a channel without errors. Returns the number of captures.
    fn check_outcomes(&self, receiving: InterferenceRule) -> usize {
        let mut captured = 0;
        for x in &self.sent {
            let others = self.at_receiver(x);
            let (may, must) = match receiving {
                InterferenceRule::Lock => self.outlasts_each(x, &others),
                InterferenceRule::Sinr => self.outlasts_all(x, &others),
            };
            match x.outcome {
                "received" => assert!(others.is_empty(), "{x:?} overlapped {others:?}"),
                "captured" => assert!(!others.is_empty() && may, "{x:?} overlapped {others:?}"),
                "collision" => assert!(!others.is_empty() && !must, "{x:?} overlapped {others:?}"),
                other => panic!("{other} on a clean channel, in range"),
            }
            captured += usize::from(x.outcome == "captured");
        }
        captured
    }

    /// Returns two booleans: whether a receiver that locks on the first signal may receive `x`, and whether it
    /// must. It must if every other signal starts later and is at least 10 dB weaker; it may also if another
    /// starts at the same time.
    fn outlasts_each(&self, x: &Sent<'_>, others: &[&Sent<'_>]) -> (bool, bool) {
        let is_above = |y: &&Sent<'_>| self.power(x.from, x.to) >= 10.0 * self.power(y.from, x.to);
        let all =
            |spares: fn(u64, u64) -> bool| others.iter().all(|y| spares(y.start, x.start) && is_above(y));
        (all(|y, x| y >= x), all(|y, x| y > x))
    }

    /// Returns the same for the rule with added powers. A frame can be received only if it is 10 dB above the
    /// sum of all other signals. It need not be received if the receiver may have locked on another frame
    /// that it can decode.
    fn outlasts_all(&self, x: &Sent<'_>, others: &[&Sent<'_>]) -> (bool, bool) {
        let begins = others.iter().map(|y| y.start.max(x.start));
        let sum_at = |t: u64| {
            let on_air = others.iter().filter(|y| y.start <= t && t < y.end);
            on_air.map(|y| self.power(y.from, x.to)).sum::<f64>()
        };
        let is_above = begins.map(sum_at).all(|sum| self.power(x.from, x.to) >= 10.0 * sum);
        let is_deaf = others.iter().any(|y| y.from == x.to);
        let follows = |y: &&Sent<'_>| y.start < x.start && self.distance(y.from, x.to) <= RECEIVE;
        (is_above && !is_deaf, is_above && !is_deaf && !others.iter().any(follows))
    }

    /// Returns the power of a station's signal at another station, by free-space propagation.
    fn power(&self, from: usize, at: usize) -> f64 {
        self.distance(from, at).powi(-2)
    }

    /// Returns the other transmissions during `x` that are within the sense range of its receiver.
    fn at_receiver(&self, x: &Sent<'_>) -> Vec<&Sent<'_>> {
        let from = self.sent.partition_point(|y| y.start + LONGEST < x.start);
        let begun = self.sent[from..].iter().take_while(|y| y.start < x.end);
        let meets = |y: &&Sent<'_>| y.end > x.start && (y.from, y.start) != (x.from, x.start);
        begun.filter(meets).filter(|y| y.from == x.to || self.senses(y.from, x.to)).collect()
    }
}

fn air_of<'a>(plan: &Plan, tables: &'a [Table]) -> Air<'a> {
    let air = tables.iter().find(|t| t.name == "air").expect("a table of the trace");
    let places = plan.links.wlans[0].cell.stations.iter().map(|(_, place)| *place).collect();
    Air { places, sent: transmissions(air) }
}

/// The number of names in a trace of a cell grows with the number of neighbours, not of all pairs: one name
/// for each pair within receive range, and one for each queue.
#[test]
fn a_trace_names_only_pairs_in_receive_range() {
    let plan = grid(AccessMethod::Basic, CellRules::NS2);
    let (_, tables) = traced(&plan, 1);
    let drops = tables.iter().find(|t| t.name == "drops").expect("a table of the trace");
    let Some(Column::Category(_, places)) = drops.column("place") else { panic!("a column of the table") };
    let stations = &plan.links.wlans[0].cell.stations;
    let mut expected: Vec<String> = stations.iter().map(|(name, _)| format!("{name}->*")).collect();
    for (from, here) in stations {
        let near = |there: &[f64; 2]| (here[0] - there[0]).hypot(here[1] - there[1]) <= 40.0;
        let others = stations.iter().filter(|(to, there)| to != from && near(there));
        expected.extend(others.map(|(to, _)| format!("{from}->{to}")));
    }
    let mut places = places.clone();
    places.sort();
    expected.sort();
    assert_eq!(places, expected);
}

/// Stations that sense each other do not transmit at the same time. If two such transmissions overlap, the
/// later one
/// * begins at the same instant as the other (two backoffs ended together), or
/// * is an answer, a SIFS after a frame `z` addressed to its sender: answers are sent without carrier sense.
///   The station of the other transmission did not know of the exchange: it does not sense the station of
///   `z`, or began no later than `z`, or sends an answer itself.
///
/// The outcome of each frame follows from the other signals at its receiver. By ns-2's rules a receiver locks
/// on the first signal after silence, and a later signal destroys it unless it is 10 dB weaker. By the
/// standard's rules a receiver receives a signal that is 10 dB above the sum of all others.
#[test]
fn airtime_is_exclusive_within_the_sense_range() {
    let all = [AccessMethod::Basic, AccessMethod::RtsCts]
        .into_iter()
        .flat_map(|a| [(a, CellRules::NS2), (a, CellRules::IEEE)]);
    for (access, rules) in all {
        let plan = grid(access, rules);
        let (_, tables) = traced(&plan, 1);
        let air = air_of(&plan, &tables);
        let [together, answers] = air.check_access();
        let captured = air.check_outcomes(rules.interference_rule);
        println!(
            "{access:?}, {:?}: {together} together, {answers} answers, {captured} captured",
            rules.interference_rule
        );
        assert!(
            [together, answers, captured].into_iter().all(|n| n > 20),
            "{together}, {answers}, {captured}"
        );
    }
}
