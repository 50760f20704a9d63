//! Reservation of the medium up to the TXOP limit, and its end by a CF-End (IEEE 802.11-2020 §9.2.5.2,
//! §10.23.2.10).
use super::edca::{Functions, LIMITS, PAYLOAD, compare, plan};
use super::{Setting, closed, saturation};
use crate::harness::{Note, World};
use airhop_base::AccessCategory::{Be, Bk, Vi, Vo};
use airhop_base::{Span, Time};
use airhop_radio::cell::{NavRule, StationIndex};
use airhop_radio::layer::{BROADCAST, FrameKind};
use airhop_radio::phy::PpduFormat;

const HT: Setting = Setting { nav: NavRule::Limit, txop: LIMITS, eifs: false, ..saturation::HT };
const APART: &Functions = &[(1, Vo), (2, Vi), (3, Be), (4, Bk)];

/// Returns the frames of a run: kind, sender, start and end in µs.
fn frames(world: &World) -> Vec<(FrameKind, StationIndex, f64, f64)> {
    let us = |at: Time| at.nanos() as f64 / 1e3;
    let frame = |(at, note): &(Time, Note)| match note {
        Note::Transmitted(tx) => Some((tx.kind, tx.from, us(tx.start), us(*at))),
        _ => None,
    };
    world.notes.iter().filter_map(frame).collect()
}

/// The goodput of each category equals that of the slot model. In the model a TXOP ends with a CF-End if the
/// rest of its limit is long enough; if not, the other stations wait for the end of the limit.
#[test]
fn goodput_with_reserved_limits_equals_the_slot_model() {
    let single = Setting { ampdu: 0, ..HT };
    let vht = Setting { format: PpduFormat::Vht, mcs: 8, width_mhz: 80, ..HT };
    let cases: [(Setting, &Functions, u64); 7] = [
        (single, &[(1, Vo), (2, Vi)], 10),
        (single, APART, 60),
        (Setting { rts: true, ..single }, APART, 60),
        (HT, &[(1, Vo), (2, Vi)], 10),
        (Setting { ampdu: 8191, ..HT }, APART, 100),
        (vht, &[(1, Vi), (2, Be)], 60),
        (vht, &[(1, Vo), (1, Vi), (1, Be)], 60),
    ];
    for (setting, functions, seconds) in cases {
        compare(&setting, functions, seconds);
    }
}

/// At MCS 8 and 80 MHz a TXOP of voice leaves 20 µs of its limit, which is shorter than a CF-End, 28 µs. In
/// that rest every backoff of voice ends before the AIFS of best effort, so best effort never gains the
/// medium.
#[test]
fn a_rest_that_is_shorter_than_a_cf_end_starves_best_effort() {
    let setting = Setting { format: PpduFormat::Vht, mcs: 8, width_mhz: 80, ..HT };
    let mut world = World::new(&plan(&setting, &[(1, Vo), (2, Be)]), 3);
    world.cell.enable_transmission_reports();
    world.saturate_as(Vo, 1, 0, PAYLOAD + 28);
    world.run(Time::ZERO + Span::from_millis(10));
    world.saturate_as(Be, 2, 0, PAYLOAD + 28);
    world.run(Time::ZERO + Span::from_secs(5));
    assert!(frames(&world).iter().all(|(kind, from, ..)| *from != 2 && *kind != FrameKind::CfEnd));
    assert!(world.delivered > 50_000, "{}", world.delivered);
}

/// If the rest of the limit is long enough, a CF-End follows the last response of a TXOP by a SIFS. After it,
/// all stations contend from their AIFS on. Without the reservation there is no CF-End.
#[test]
fn a_cf_end_frees_the_medium() {
    for nav in [NavRule::Limit, NavRule::Response] {
        let mut world = World::new(&plan(&Setting { nav, ampdu: 0, ..HT }, &[(1, Vo), (2, Be)]), 5);
        world.cell.enable_transmission_reports();
        [(Vo, 1), (Be, 2)]
            .into_iter()
            .for_each(|(category, from)| world.saturate_as(category, from, 0, 1500));
        world.run(Time::ZERO + Span::from_millis(500));
        let frames = frames(&world);
        let ends: Vec<usize> = (0..frames.len()).filter(|&i| frames[i].0 == FrameKind::CfEnd).collect();
        assert_eq!(nav == NavRule::Response, ends.is_empty());
        for &i in &ends {
            let ((kind, to, _, response), (_, from, start, end)) = (frames[i - 1], frames[i]);
            assert_eq!((kind, to, from), (FrameKind::Ack, 0, 1));
            assert_eq!((start - response, end - start), (16.0, closed::control(20, 24)));
            let Some((_, next, start, _)) = frames.get(i + 1) else { continue };
            let slots = (start - end - 16.0) / 9.0;
            assert!(slots.fract() == 0.0 && slots >= if *next == 1 { 2.0 } else { 3.0 }, "{slots} slots");
        }
        assert!(frames.iter().any(|frame| frame.1 == 2 && frame.0 == FrameKind::Data), "best effort");
    }
}

/// A TXOP reserves the medium for its whole limit; after its last packet, a CF-End releases the medium. For a
/// station that does not receive the CF-End, the NAV ends at the limit.
#[test]
fn the_nav_ends_with_the_limit_or_a_cf_end() {
    let single = Setting { ampdu: 0, ..HT };
    let mut hidden = plan(&single, &[(1, Vo), (2, Be)]);
    // Station 2 receives only station 0.
    for (station, x) in [(0, 0.0), (1, -30.0), (2, 30.0)] {
        hidden.stations[station].1 = [x, 0.0];
    }
    hidden.range = Some(airhop_radio::cell::RadioRange::free_space(40.0, 40.0));
    let mut world = World::new(&hidden, 1);
    world.cell.enable_transmission_reports();
    world.push_as(Vo, 1, 0, 1500);
    world.run(Time::ZERO + Span::from_micros(300));
    world.push_as(Be, 2, 0, 1500);
    world.run(Time::ZERO + Span::from_millis(10));
    let frames = frames(&world);
    let [voice, ack, end, best, ..] = frames[..] else { panic!("{frames:?}") };
    assert_eq!([voice.0, ack.0, end.0, best.0], {
        use FrameKind::{Ack, CfEnd, Data};
        [Data, Ack, CfEnd, Data]
    });
    let slots = (best.2 - (voice.2 + 2080.0 + 16.0)) / 9.0;
    assert!(slots.fract() == 0.0 && (3.0..=18.0).contains(&slots), "{slots} slots after the limit");
    assert!(matches!(
        world.notes.iter().find_map(|(_, note)| match note {
            Note::Transmitted(tx) if tx.kind == FrameKind::CfEnd =>
                Some((tx.to, tx.packet_number, tx.category)),
            _ => None,
        }),
        Some((BROADCAST, None, Some(Vo)))
    ));
}
