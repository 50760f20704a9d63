//! Recovery by RLP (TIA/EIA IS-707-A): the time of every event, and delays and losses compared with closed
//! forms.
//!
//! Frames of 100 bytes take 100 µs, NAKs and idle frames 10 µs; the propagation delay is 45 µs. The
//! retransmission that a NAK requests arrives 200 µs after the start of the NAK. A round takes 400 µs, and
//! 110 µs more for each retransmission after the first.

use crate::radio_link::{Note, World, round};
use airhop_base::{Span, Time};
use airhop_radio::arq::{ArqPlan, RlpRules};
use airhop_radio::errors::{ErrorPlan, FadePlan, FadeRecord};
use airhop_radio::layer::SentFrame;
use airhop_radio::link::RadioPlan;
use std::sync::Arc;

fn us(micros: u64) -> Span {
    Span::from_micros(micros)
}

fn rules(rounds: &[u32]) -> RlpRules {
    RlpRules {
        naks_per_round: rounds.to_vec(),
        timeout: us(400),
        copy_time: us(110),
        idle_interval: us(1000),
        nak_bytes: 10,
    }
}

fn plan(rounds: &[u32], errors: [ErrorPlan; 2]) -> RadioPlan {
    RadioPlan { arq: [ArqPlan::Rlp(rules(rounds)), ArqPlan::None], errors, ..round(45) }
}

/// Returns errors that destroy all frames on the air in these intervals, µs.
fn bad(times: &[[u64; 2]]) -> ErrorPlan {
    if times.is_empty() {
        return ErrorPlan::Clean;
    }
    let times = times.iter().map(|ends| ends.map(|at| Time::ZERO + us(at))).collect();
    let fades = FadePlan::Recorded(Arc::new(FadeRecord::new(times, Span::from_secs(1000))));
    ErrorPlan::TwoState { fades, errors_per_bit: [0.0, f64::INFINITY] }
}

/// Returns the reported effects at both ends for packets that arrive together, with times in µs. `there` and
/// `back` are the intervals of errors in the two directions.
fn story(packets: usize, there: &[[u64; 2]], back: &[[u64; 2]]) -> Vec<(u64, Note)> {
    let mut world = World::new(&plan(&[1, 2, 3], [bad(there), bad(back)]), 1);
    (0..packets).for_each(|_| world.push(0, 100));
    world.run(Time::ZERO + Span::from_secs(1));
    assert!(world.queue.is_empty(), "the link becomes idle");
    assert_eq!((world.packets.len(), world.link.packet_count()), (0, 0));
    let told = |note: &Note| !matches!(note, Note::Ready(_) | Note::Lost { .. });
    world.notes.iter().filter(|(_, n)| told(n)).map(|(at, note)| (at.nanos() / 1000, *note)).collect()
}

fn delivered(number: u64) -> Note {
    Note::Delivered { end: 0, number }
}

/// Returns the deliveries: time in µs, and packet number.
fn deliveries(notes: &[(u64, Note)]) -> Vec<(u64, u64)> {
    let number = |note: &Note| if let Note::Delivered { number, .. } = *note { Some(number) } else { None };
    notes.iter().filter_map(|(at, note)| Some((*at, number(note)?))).collect()
}

fn failed(number: u64, attempt: u32) -> Note {
    Note::Failed { end: 0, number, attempt, retry: true }
}

fn acknowledged(number: u64) -> Note {
    Note::Acknowledged { end: 0, number }
}

/// Of three frames the second is lost. At 345 µs the third reveals the gap; the NAK arrives at 400, and the
/// retransmission at 545. The sender stores a frame for 8 (3 + 1) timeouts, 12 800 µs, after its last
/// transmission.
#[test]
fn a_nak_fills_a_gap_in_order() {
    let expected = [
        (145, delivered(0)),
        (400, failed(1, 1)),
        (545, delivered(1)),
        (545, delivered(2)),
        (12_800, acknowledged(0)),
        (510 + 12_800, acknowledged(1)),
        (510 + 12_800, acknowledged(2)),
    ];
    assert_eq!(story(3, &[[100, 200]], &[]), expected);
}

/// All retransmissions are lost. Rounds start at 345 µs, at 745 and, because the second round requests two
/// retransmissions, at 1255. The third round takes 400 µs plus the time of two more retransmissions. After it
/// the receiver delivers the frames behind the gap, and tells the sender in three control frames. When the
/// first of them arrives, the sender has counted six failures.
#[test]
fn the_receiver_discards_a_frame_after_the_last_nak_round() {
    let expected = [
        (145, delivered(0)),
        (400, failed(1, 1)),
        (800, failed(1, 2)),
        (810, failed(1, 3)),
        (1310, failed(1, 4)),
        (1320, failed(1, 5)),
        (1330, failed(1, 6)),
        (1875, Note::GivenUp { end: 0, number: 1 }),
        (1875, delivered(2)),
        (1930, Note::Aborted { end: 0, number: 1 }),
        (12_800, acknowledged(0)),
        // The second round requests two retransmissions, the last of which is scheduled at 1330.
        (1330 + 2 * 110 + 12_800, acknowledged(2)),
    ];
    let all: Vec<_> = story(3, &[[100, 200], [400, 500], [800, 1610]], &[]);
    assert_eq!(all, expected);
    // The last retransmission is sent from 1510 to 1610. If it arrives, no frame is given up.
    let saved = story(3, &[[100, 200], [400, 500], [800, 1510]], &[]);
    assert!(saved.contains(&(1655, delivered(1))) && saved.contains(&(1655, delivered(2))), "{saved:?}");
}

/// A lost NAK delays the repair by a round. The NAKs of the second round arrive at 800 and 810 µs, and the
/// retransmission at 945; the second retransmission is then superfluous.
#[test]
fn a_lost_nak_costs_one_nak_round() {
    let said = story(3, &[[100, 200]], &[[345, 350]]);
    let expected = [
        (145, delivered(0)),
        (800, failed(1, 1)),
        (810, failed(1, 2)),
        (945, delivered(1)),
        (945, delivered(2)),
    ];
    assert_eq!(said[..5], expected);
}

/// A NAK arrives exactly when a frame ends. As for all simultaneous events in the event queue, the event
/// scheduled first is processed first. The end of a data frame was scheduled before the NAK was sent, so a
/// new frame is sent before the retransmission. The end of an idle frame, which takes 10 µs, was scheduled
/// after the NAK was sent.
#[test]
fn a_nak_at_a_frame_end_is_handled_in_scheduling_order() {
    // At 345 µs the third frame reveals the gap. The NAK arrives at 400, when the fourth frame ends, so the
    // fifth frame is sent first, and the retransmission from 500 on.
    let expected = [(145, 0), (645, 1), (645, 2), (645, 3), (645, 4), (745, 5)];
    assert_eq!(deliveries(&story(6, &[[100, 200]], &[])), expected);

    // The NAKs of two rounds are lost. The third round begins at 1255 µs; its first NAK arrives at 1310, when
    // an idle frame ends. The three retransmissions are sent, and then the packet that arrived in the
    // meantime.
    let back = bad(&[[345, 355], [745, 765]]);
    let mut world = World::new(&plan(&[1, 2, 3], [bad(&[[100, 200]]), back]), 1);
    (0..4).for_each(|_| world.push(0, 100));
    world.run_until(Time::ZERO + us(1305));
    world.push(0, 100);
    world.run(Time::ZERO + us(3000));
    let notes: Vec<_> = world.notes.iter().map(|(at, note)| (at.nanos() / 1000, *note)).collect();
    assert_eq!(deliveries(&notes), [(145, 0), (1455, 1), (1455, 2), (1455, 3), (1755, 4)]);
}

/// If the last data frame is lost, no data frame reveals the gap. An idle frame reveals it, 1000 µs after the
/// start of the last data frame; if that idle frame is lost, the next one does. Idle frames continue while
/// the sender stores a frame, up to 12 800 µs after the retransmission.
#[test]
fn an_idle_frame_reveals_the_loss_of_the_last_frame() {
    let expected = [(1110, failed(0, 1)), (1255, delivered(0)), (1220 + 12_800, acknowledged(0))];
    assert_eq!(story(1, &[[0, 50]], &[]), expected);
    let later = [(2110, failed(0, 1)), (2255, delivered(0)), (2220 + 12_800, acknowledged(0))];
    assert_eq!(story(1, &[[0, 50], [1000, 1001]], &[]), later);

    let mut world = World::new(&plan(&[1, 2, 3], [bad(&[[0, 50]]), ErrorPlan::Clean]), 1);
    world.link.enable_transmission_reports();
    world.push(0, 100);
    world.run(Time::ZERO + Span::from_secs(1));
    let idle = world.notes.iter().filter_map(|(_, note)| match note {
        Note::Transmitted(SentFrame { from: 0, packet_number: None, start, .. }) => {
            Some(start.nanos() / 1000)
        }
        _ => None,
    });
    // An idle frame is sent every 1000 µs: first after the data frame, and then after its retransmission,
    // which starts at 1110.
    let expected: Vec<u64> = [1000].into_iter().chain((1..=12).map(|i| 1110 + 1000 * i)).collect();
    assert!(idle.eq(expected));
}

/// One NAK requests all frames of a gap. At the end of a round the receiver requests the frames that are
/// still missing, as ranges.
#[test]
fn one_nak_names_all_frames_of_a_gap() {
    let mut world = World::new(&plan(&[1, 2, 3], [bad(&[[100, 400], [555, 655]]), ErrorPlan::Clean]), 1);
    world.link.enable_transmission_reports();
    (0..5).for_each(|_| world.push(0, 100));
    world.run(Time::ZERO + us(5000));
    // At 545 µs frames 1, 2 and 3 are missing. The retransmissions are sent from 600 on, and the first two
    // are lost.
    let sent = |from: u8, is_data: bool| -> Vec<(u64, Option<u64>)> {
        let all = world.notes.iter().filter_map(|(_, note)| match *note {
            Note::Transmitted(SentFrame { from: sender, packet_number: number, start, .. })
                if sender == from.into() && number.is_some() == is_data =>
            {
                Some((start.nanos() / 1000, number))
            }
            _ => None,
        });
        all.collect()
    };
    let naks: Vec<u64> = sent(1, false).iter().map(|(at, _)| *at).collect();
    // The round of three retransmissions ends at 445 + 400 + 2 · 110 µs. Then the frames still missing are
    // requested twice.
    assert_eq!(naks, [545, 545 + 620, 545 + 630]);
    let copies: Vec<_> = sent(0, true)[5..].iter().map(|(at, number)| (*at, number.unwrap())).collect();
    assert_eq!(copies[..3], [(600, 1), (700, 2), (800, 3)]);
    assert_eq!(copies[3..], [(1220, 1), (1320, 1)]);
}

/// A frame is given up if it is lost, and if for every request the NAK or the retransmission is lost. With n
/// NAKs in all rounds, the probability is p (1 - (1 - p)(1 - q))^n.
///
/// Losses in one gap share their NAKs, so the outcomes of a run of L losses (L is geometric) are correlated.
/// The variance is at most E[L²] / E[L] = (1 + p) / (1 - p) times that of independent losses. The tolerance
/// is five standard deviations, which fails for a fraction 6e-7 of seeds at each of the 128 loss rates.
#[test]
fn a_frame_is_discarded_if_all_naks_or_copies_are_lost() {
    for rounds in [&[1][..], &[2], &[1, 1], &[1, 2, 3]] {
        for p in (1..=16).map(|i| 0.04 * f64::from(i)) {
            for q in [0.0, 0.6 * p] {
                let naks: u32 = rounds.iter().sum();
                let expected = p * (1.0 - (1.0 - p) * (1.0 - q)).powi(naks as i32);
                let mut world = World::new(&plan(rounds, [ErrorPlan::Loss(p), ErrorPlan::Loss(q)]), 1);
                world.saturate(0, 100);
                world.run(Time::ZERO + Span::from_secs(3));
                let lost =
                    world.notes.iter().filter(|(_, note)| matches!(note, Note::GivenUp { .. })).count();
                let all = world.delivered[0] as f64 + lost as f64;
                let allowed = 5.0 * (all * expected * (1.0 + p) / (1.0 - p)).sqrt() + 3.0;
                let (lost, mean) = (lost as f64, all * expected);
                assert!(
                    (lost - mean).abs() < allowed,
                    "{rounds:?} {p} {q}: {lost}, expected {mean} ± {allowed}"
                );
            }
        }
    }
}

/// Returns the distribution of the delay of a packet that is alone on the link, as pairs of probability and
/// µs; with the remaining probability the packet is not delivered. The distribution follows from three rules.
/// NAKs are sent one after another. A retransmission starts when its NAK has arrived and the retransmission
/// before it has been sent. The first retransmission that arrives counts.
fn ways(rounds: &[u64], p: f64, q: f64) -> Vec<(f64, f64)> {
    let mut found = vec![(1.0 - p, 145.0)];
    let (mut left, mut start) = (1.0, 0.0);
    let mut rest = Vec::new(); // delays from the detection of the gap on
    for naks in rounds {
        let mut none = 0.0;
        for fate in 0..4_u32.pow(*naks as u32) {
            let (mut chance, mut free, mut first) = (left, 0.0_f64, f64::INFINITY);
            for i in 0..*naks as u32 {
                let nak_lost = fate >> (2 * i) & 1 == 1;
                let copy_lost = fate >> (2 * i + 1) & 1 == 1;
                chance *= if nak_lost { q } else { 1.0 - q } * if copy_lost { p } else { 1.0 - p };
                if nak_lost {
                    continue;
                }
                let begins = free.max(start + 10.0 * f64::from(i + 1) + 45.0);
                free = begins + 100.0;
                if !copy_lost {
                    first = first.min(free + 45.0);
                }
            }
            if first.is_finite() { rest.push((chance, first)) } else { none += chance }
        }
        left = none;
        start += 400.0 + 110.0 * (naks - 1) as f64;
    }
    // The first idle frame that arrives reveals the gap; an idle frame starts every 1000 µs.
    for idle in 1..200 {
        let shown = p * p.powi(idle - 1) * (1.0 - p);
        let at = f64::from(idle) * 1000.0 + 55.0;
        found.extend(rest.iter().map(|(chance, way)| (shown * chance, at + way)));
    }
    found
}

/// The mean delay of delivered packets equals the model, for many loss rates. Packets are 20 ms apart, which
/// is longer than all rounds, and longer than the sender stores a frame. The tolerance is five standard
/// deviations of the mean, which fails for a fraction 6e-7 of seeds at each loss rate.
#[test]
fn rlp_mean_delay_matches_the_nak_rounds() {
    for p in (1..=20).map(|i| 0.02 * f64::from(i)) {
        for q in [0.0, p] {
            let ways = ways(&[1, 2, 3], p, q);
            let share: f64 = ways.iter().map(|(chance, _)| chance).sum();
            let mean = ways.iter().map(|(chance, way)| chance * way).sum::<f64>() / share;
            let square = ways.iter().map(|(chance, way)| chance * way * way).sum::<f64>() / share;
            let mut world = World::new(&plan(&[1, 2, 3], [ErrorPlan::Loss(p), ErrorPlan::Loss(q)]), 7);
            let packets = 10_000;
            for i in 0..packets {
                world.run_until(Time::ZERO + us(20_000 * i));
                world.push(0, 100);
            }
            world.run(Time::ZERO + us(20_000 * packets));
            let taken: Vec<f64> = world
                .notes
                .iter()
                .filter_map(|(at, note)| match note {
                    Note::Delivered { number, .. } => Some(at.secs_f64() * 1e6 - 20_000.0 * *number as f64),
                    _ => None,
                })
                .collect();
            let n = taken.len() as f64;
            let measured = taken.iter().sum::<f64>() / n;
            let allowed = 5.0 * ((square - mean * mean) / n).sqrt();
            println!(
                "p = {p:.2}, q = {q:.2}: {measured:.1} µs of {mean:.1} ± {allowed:.1}, {} of {packets}",
                taken.len()
            );
            assert!((measured - mean).abs() < allowed, "{p} {q}: {measured} µs, expected {mean} ± {allowed}");
        }
    }
}
