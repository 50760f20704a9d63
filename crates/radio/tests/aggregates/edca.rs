//! Access categories: the goodput of saturated EDCA functions, compared with the slot model.
use super::slot_model::{self, Function};
use super::{Setting, closed, saturation};
use crate::harness::{Note, World};
use airhop_base::AccessCategory::{self, Be, Bk, Vi, Vo};
use airhop_base::{Span, Time};
use airhop_radio::cell::{CellPlan, NavRule, StationIndex};
use airhop_radio::layer::FrameKind;

/// Payload of a datagram, bytes.
pub const PAYLOAD: u32 = 1472;

/// EDCA functions: each is a station and an access category.
pub type Functions = [(StationIndex, AccessCategory)];

/// Returns the plan of a cell in which saturated functions of the other stations send to station 0.
pub fn plan(s: &Setting, functions: &Functions) -> CellPlan {
    let most = functions.iter().map(|(station, _)| *station).max().unwrap_or_default();
    let mut plan = s.plan(usize::from(most) + 1);
    if let Some(ht) = &mut plan.ht {
        ht.categories = functions.iter().map(|(_, category)| *category).collect();
    }
    plan
}

/// Returns the simulated goodput of each function over `seconds`, after one second of warm-up, Mbit/s.
fn simulated(s: &Setting, functions: &Functions, seconds: u64, seed: u64) -> Vec<f64> {
    let mut world = World::new(&plan(s, functions), seed);
    functions.iter().for_each(|&(from, category)| world.saturate_as(category, from, 0, PAYLOAD + 28));
    world.run(Time::ZERO + Span::from_secs(1));
    world.notes.clear();
    world.run(Time::ZERO + Span::from_secs(1 + seconds));
    let mut delivered = vec![0; functions.len()];
    for (_, note) in &world.notes {
        if let Note::Delivered { from, number, .. } = *note {
            let function = (from, world.categories[number as usize]);
            delivered[functions.iter().position(|f| *f == function).expect("a function")] += 1;
        }
    }
    delivered
        .iter()
        .map(|&count| f64::from(8 * PAYLOAD) * f64::from(count) / (seconds as f64 * 1e6))
        .collect()
}

/// Returns three values of a saturated TXOP: the duration of its first data PPDU, the duration of the TXOP,
/// and its number of MPDUs. Exchanges follow each other a SIFS apart, each with as many MPDUs as fit, and the
/// first has an RTS.
fn txop(s: &Setting, limit: f64) -> (f64, f64, u32) {
    let mpdu = PAYLOAD + 28 + 38;
    let most = if s.ampdu > 0 { closed::longest(s, mpdu) } else { 1 };
    let plain = Setting { rts: false, ..*s };
    let (mut first, mut time, mut mpdus) = (0.0, 0.0, 0);
    loop {
        let (setting, gap) = if mpdus == 0 { (s, 0.0) } else { (&plain, 16.0) };
        let fits = |k: &u32| time + gap + closed::exchange(setting, mpdu, *k).1 <= limit;
        let alone = if mpdus == 0 { 1 } else { 0 };
        let k = if limit > 0.0 { (1..=most).rev().find(fits).unwrap_or(alone) } else { most };
        if k == 0 {
            return (first, time, mpdus);
        }
        let (data, exchange) = closed::exchange(setting, mpdu, k);
        first = if mpdus == 0 { data } else { first };
        (time, mpdus) = (time + gap + exchange, mpdus + k);
        if limit == 0.0 {
            return (first, time, mpdus);
        }
    }
}

fn modelled(s: &Setting, functions: &Functions, seconds: u64, seed: u64) -> Vec<f64> {
    let function = |&(station, category): &(StationIndex, AccessCategory)| {
        let limit = s.txop[category as usize] as f64;
        let (data, exchange, mpdus) = txop(s, limit);
        Function {
            station,
            category,
            exchange,
            frame: if s.rts { closed::control(20, 24) } else { data },
            bits: f64::from(8 * mpdus * PAYLOAD),
            reserved: if s.nav == NavRule::Limit { limit } else { 0.0 },
            attempts: (s.ampdu == 0).then_some(7),
        }
    };
    slot_model::goodput(&functions.iter().map(function).collect::<Vec<_>>(), seconds, seed)
}

/// The goodput of each category equals that of the slot model: with and without aggregation, with RTS, and
/// for functions of one station, which collide internally. Over 60 s the standard deviation is 2 % for best
/// effort and 4 % for background.
#[test]
fn goodput_of_access_categories_equals_the_slot_model() {
    let ht = Setting { eifs: false, ..saturation::HT };
    let single = Setting { ampdu: 0, ..ht };
    let apart = [(1, Vo), (2, Vi), (3, Be), (4, Bk)];
    let together = [(1, Vo), (1, Vi), (1, Be), (1, Bk)];
    let cases: [(Setting, &Functions, u64); 9] = [
        (single, &apart, 60),
        (single, &[(1, Vo), (2, Vi)], 10),
        (single, &[(1, Be), (2, Bk)], 10),
        (single, &together, 60),
        (Setting { rts: true, ..single }, &apart, 60),
        (Setting { rts: true, ..single }, &together, 60),
        (single, &[(1, Vo), (1, Be), (2, Vi), (2, Be), (3, Be)], 60),
        (Setting { ampdu: 8191, ..ht }, &apart, 200),
        (Setting { ampdu: 8191, ..ht }, &together, 200),
    ];
    for (setting, functions, seconds) in cases {
        compare(&setting, functions, seconds);
    }
}

pub fn compare(setting: &Setting, functions: &Functions, seconds: u64) {
    let mean = |of: &dyn Fn(u64) -> Vec<f64>| {
        let runs: Vec<Vec<f64>> = (1..=4).map(of).collect();
        (0..functions.len()).map(|i| runs.iter().map(|run| run[i]).sum::<f64>() / 4.0).collect::<Vec<_>>()
    };
    let runs = mean(&|seed| simulated(setting, functions, seconds, seed));
    let model = mean(&|seed| modelled(setting, functions, 5 * seconds, seed));
    for ((run, model), function) in runs.iter().zip(&model).zip(functions) {
        assert!(
            (run - model).abs() < 0.05 + 0.04 * model,
            "{function:?}: {run:.3} Mbit/s, {model:.3} by the slot model: {runs:.3?} {model:.3?} {setting:?}"
        );
    }
}

/// TXOP limits of IEEE 802.11-2020 Table 9-155 for video and voice, µs: [BK, BE, VI, VO].
pub const LIMITS: [u64; 4] = [0, 0, 4096, 2080];

/// Saturated functions with TXOP limits: exchanges follow each other a SIFS apart while they fit into the
/// limit, and RTS and CTS are sent once. A limit below the duration of one exchange has no effect on single
/// MPDUs.
#[test]
fn goodput_with_txop_limits_equals_the_slot_model() {
    let ht = Setting { eifs: false, txop: LIMITS, ..saturation::HT };
    let single = Setting { ampdu: 0, ..ht };
    let apart = [(1, Vo), (2, Vi), (3, Be), (4, Bk)];
    let cases: [(Setting, &Functions, u64); 10] = [
        (ht, &apart, 100), // functions whose A-MPDUs differ in length collide
        (single, &[(1, Vo)], 5),
        (Setting { rts: true, ..single }, &[(1, Vo)], 5),
        (ht, &[(1, Vo)], 5),
        (Setting { txop: [0, 2528, 0, 0], ..ht }, &[(1, Be)], 5),
        (Setting { txop: [100; 4], ..single }, &[(1, Be)], 5),
        (single, &apart, 60),
        (Setting { rts: true, ..single }, &apart, 60),
        (Setting { ampdu: 8191, ..ht }, &apart, 100),
        (Setting { ampdu: 8191, ..ht }, &[(1, Vo), (1, Vi), (1, Be), (1, Bk)], 100),
    ];
    for (setting, functions, seconds) in cases {
        compare(&setting, functions, seconds);
    }
}

/// Without losses, a TXOP ends before its limit, its exchanges are a SIFS apart, and an RTS precedes the
/// first exchange with each receiver (IEEE 802.11-2020 §10.23.2.9).
#[test]
fn a_txop_stays_within_its_limit() {
    for (rts, nav) in [(false, NavRule::Response), (true, NavRule::Response), (true, NavRule::Limit)] {
        let setting = Setting { rts, nav, ampdu: 8191, txop: LIMITS, ..saturation::HT };
        let mut world = World::new(&plan(&setting, &[(1, Vi), (2, Be)]), 7);
        world.cell.enable_transmission_reports();
        // Station 1 sends to its two receivers alternately.
        (0..3000).for_each(|n| world.push_as(Vi, 1, if n % 2 == 0 { 0 } else { 2 }, PAYLOAD + 28));
        world.run(Time::ZERO + Span::from_secs(2));
        let us = |at: Time| at.nanos() as f64 / 1e3;
        let (mut start, mut end, mut receivers, mut most) = (0.0, -1e9, Vec::new(), 0);
        for (at, note) in &world.notes {
            let Note::Transmitted(tx) = note else { continue };
            let begins = us(tx.start) - end > 16.5;
            if begins && tx.kind.expects_response() {
                (start, receivers) = (us(tx.start), Vec::new());
            }
            if tx.kind == FrameKind::Rts {
                assert!(!receivers.contains(&tx.to), "one RTS for a receiver");
                receivers.push(tx.to);
            }
            if tx.kind == FrameKind::Ampdu {
                assert!(!rts || receivers.contains(&tx.to));
                most += usize::from(!begins);
            }
            end = us(*at);
            assert!(end - start <= 4096.0, "{} µs", end - start);
        }
        assert!(most > 100, "{most} exchanges follow another one of the TXOP");
    }
}

/// A TXOP ends at a collision, and when no packet is waiting: the function contends for the next packet.
#[test]
fn a_txop_ends_without_packets() {
    let setting = Setting { ampdu: 0, txop: LIMITS, ..saturation::HT };
    let mut world = World::new(&plan(&setting, &[(1, Vo)]), 7);
    world.cell.enable_transmission_reports();
    world.push_as(Vo, 1, 0, PAYLOAD + 28);
    world.push_as(Vo, 1, 0, PAYLOAD + 28);
    world.run(Time::ZERO + Span::from_millis(1));
    world.push_as(Vo, 1, 0, PAYLOAD + 28);
    world.run(Time::ZERO + Span::from_millis(10));
    let starts: Vec<u64> = world
        .notes
        .iter()
        .filter_map(|(_, note)| match note {
            Note::Transmitted(tx) if tx.kind == FrameKind::Data => Some(tx.start.nanos() / 1000),
            _ => None,
        })
        .collect();
    let (data, exchange) = closed::exchange(&setting, PAYLOAD + 28 + 38, 1);
    assert_eq!(data as u64 + 16 + 28, exchange as u64);
    assert_eq!(starts[1], starts[0] + exchange as u64 + 16);
    let end = starts[1] + exchange as u64;
    assert!(starts[2] >= end + 34 && (starts[2] - end - 34).is_multiple_of(9), "AIFS and a backoff");
    assert_eq!(world.delivered, 3);
}

/// Additional functions without packets do not change the results of a cell whose other functions are all
/// best effort, whatever the order of their categories.
#[test]
fn functions_without_packets_change_nothing() {
    let notes = |functions: &Functions| {
        let mut world = World::new(&plan(&saturation::HT, functions), 3);
        world.cell.enable_transmission_reports();
        (1..=3).for_each(|from| world.saturate(from, 0, PAYLOAD + 28));
        world.run(Time::ZERO + Span::from_secs(1));
        world.notes
    };
    let alone = [(1, Be), (2, Be), (3, Be)];
    assert_eq!(notes(&alone), notes(&[&alone[..], &[(1, Vo), (2, Bk), (3, Vi)]].concat()));
}

/// EDCA functions of one station never collide on the air (IEEE 802.11-2020 §10.23.2.4).
#[test]
fn functions_of_one_station_never_collide_on_the_air() {
    for setting in [saturation::HT, Setting { ampdu: 0, rts: true, ..saturation::HT }] {
        let mut world = World::new(&plan(&setting, &[(1, Vo), (1, Vi), (1, Be), (1, Bk)]), 5);
        world.cell.enable_transmission_reports();
        [Vo, Vi, Be, Bk].into_iter().for_each(|category| world.saturate_as(category, 1, 0, PAYLOAD + 28));
        world.run(Time::ZERO + Span::from_secs(2));
        let sent = world.notes.iter().filter(|(_, note)| matches!(note, Note::Transmitted(_))).count();
        let lost = world.notes.iter().filter(|(_, note)| matches!(note, Note::Lost { .. })).count();
        assert!(sent > 500 && lost == 0, "{lost} of {sent} frames");
    }
}

/// Without Block Ack an internal collision counts as an attempt at the packet (IEEE 802.11-2020
/// §10.23.2.12.1). With a limit of one attempt it discards the packet, although the packet was never on the
/// air.
#[test]
fn an_internal_collision_is_an_attempt_at_the_packet() {
    let mut plan = plan(&Setting { ampdu: 0, ..saturation::HT }, &[(1, Vo), (1, Be)]);
    plan.max_attempts = 1;
    let mut world = World::new(&plan, 1);
    world.cell.enable_transmission_reports();
    [Vo, Be].into_iter().for_each(|category| world.saturate_as(category, 1, 0, PAYLOAD + 28));
    world.run(Time::ZERO + Span::from_secs(2));
    let sent = |number: u64| {
        world.notes.iter().any(|(_, note)| {
            matches!(note, Note::Transmitted(tx) if tx.kind == FrameKind::Data && tx.packet_number == Some(number))
        })
    };
    let mut discarded = 0;
    for (_, note) in &world.notes {
        if let Note::Discarded { number, arrived, .. } = *note {
            discarded += 1;
            assert!(!arrived && world.categories[number as usize] == Be && !sent(number));
        }
    }
    assert!(discarded > 10, "{discarded} internal collisions");
}

/// A fade belongs to the link between two stations, and all functions share it. It begins with the first
/// response that does not arrive, and ends with the next response to any function.
#[test]
fn functions_share_the_fades_of_a_link() {
    use crate::harness::on_link;
    use airhop_radio::errors::ErrorPlan;
    let mut plan = plan(&saturation::HT, &[(1, Vo), (1, Be)]);
    plan.errors.push(on_link(1, 0, ErrorPlan::Loss(0.97)));
    let mut world = World::new(&plan, 2);
    [Vo, Be].into_iter().for_each(|category| world.saturate_as(category, 1, 0, PAYLOAD + 28));
    world.run(Time::ZERO + Span::from_secs(5));
    let fades: Vec<bool> = world
        .notes
        .iter()
        .filter_map(|(_, note)| if let Note::Fade { begins, .. } = note { Some(*begins) } else { None })
        .collect();
    assert!(fades.len() > 20 && fades[0]);
    assert!(fades.windows(2).all(|pair| pair[0] != pair[1]), "fades begin and end in turn");
}
