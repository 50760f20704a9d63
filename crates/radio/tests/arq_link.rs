//! Radio links: times of transmissions, reported effects, and properties for any traffic.

use crate::radio_link;
use crate::radio_link::{Note, World, go_back, round, rules};
use airhop_base::{Span, Time};
use airhop_radio::arq::{ArqPlan, ArqRules, RetransmissionGroup};
use airhop_radio::errors::{ErrorPlan, FadePlan, FrameSelection, InitialState, Sojourn};
use airhop_radio::layer::{Reception, SentFrame};
use airhop_radio::link::RadioPlan;
use proptest::prelude::*;

/// Simulates a second; returns the reported effects with their times in microseconds.
fn story(plan: &RadioPlan, packets: &[(u8, u32)]) -> Vec<(u64, Note)> {
    let mut world = World::new(plan, 1);
    packets.iter().for_each(|(end, bytes)| world.push(*end, *bytes));
    world.run(Time::ZERO + Span::from_secs(1));
    let interesting = world.notes.iter().filter(|(_, note)| !matches!(note, Note::Ready(_)));
    interesting.map(|(at, note)| (at.nanos() / 1000, *note)).collect()
}

/// A frame of 128 bytes takes 53.3 ms at 19.2 kbit/s, and the propagation delay is 10 ms (Kounavis 1996 §5).
#[test]
fn without_arq_frames_are_sent_once_without_link_acks() {
    let notes = story(&radio_link::plan(), &[(0, 128), (0, 128)]);
    let delivered = |number| Note::Delivered { end: 0, number };
    assert_eq!(notes, [(63_333, delivered(0)), (116_666, delivered(1))]);

    let lossy = RadioPlan { errors: [ErrorPlan::Loss(1.0), ErrorPlan::Clean], ..round(45) };
    let lost = Note::Lost { end: 0, frame: Some(0), bytes: 100, header_intact: false, with_packet: true };
    assert_eq!(story(&lossy, &[(0, 100)]), [(145, lost)]);
}

/// The header of the link layer counts as part of the frame.
#[test]
fn the_link_header_counts_towards_the_airtime() {
    let plan = RadioPlan { overhead_bytes: 8, ..round(45) };
    assert_eq!(story(&plan, &[(0, 100)]), [(153, Note::Delivered { end: 0, number: 0 })]);
}

/// A link ACK waits for the end of the frame that its end is transmitting, and is sent before the next frame.
/// If several link ACKs are waiting, only the last is sent, which acknowledges all frames.
#[test]
fn link_acks_precede_data_and_interrupt_no_frame() {
    let sliding = go_back(RetransmissionGroup::Sliding, rules(8, 10_000));
    let plan = RadioPlan { arq: [sliding, ArqPlan::None], ..round(0) };
    let notes = story(&plan, &[(0, 50), (0, 40), (1, 100), (1, 100)]);
    let acknowledged = |number| Note::Acknowledged { end: 0, number };
    assert_eq!(
        notes,
        [
            (50, Note::Delivered { end: 0, number: 0 }),
            (90, Note::Delivered { end: 0, number: 1 }),
            (100, Note::Delivered { end: 1, number: 0 }),
            (110, acknowledged(0)),
            (110, acknowledged(1)),
            (210, Note::Delivered { end: 1, number: 1 }),
        ]
    );
}

/// A link ACK that arrives when the timeout expires is in time; one that arrives a nanosecond later is not.
#[test]
fn the_arq_timeout_counts_from_the_start_of_the_frame() {
    // A frame takes 100 µs, its ACK 10 µs, and the delay is 45 µs in each direction.
    for (timeout, in_time) in [(200, true), (199, false)] {
        let plan = RadioPlan {
            arq: [go_back(RetransmissionGroup::Sliding, rules(1, timeout)), ArqPlan::None],
            ..round(45)
        };
        let notes = story(&plan, &[(0, 100)]);
        let failed = (timeout, Note::Failed { end: 0, number: 0, attempt: 1, retry: true });
        assert_eq!(notes.contains(&failed), !in_time, "{notes:?}");
        let acknowledged = (200, Note::Acknowledged { end: 0, number: 0 });
        assert_eq!(notes.iter().filter(|n| **n == acknowledged).count(), 1, "{notes:?}");
        let delivered = notes.iter().filter(|(_, n)| matches!(n, Note::Delivered { .. })).count();
        assert_eq!(delivered, 1, "the duplicate is not a packet");
    }
}

/// A block consists of the frames that can be sent together. Packets that arrive later wait for the link ACK
/// of the block, and are sent as the next block.
#[test]
fn packets_after_a_block_wait_for_its_link_ack() {
    let plan =
        RadioPlan { arq: [go_back(RetransmissionGroup::Blocks, rules(4, 1000)), ArqPlan::None], ..round(45) };
    let mut world = World::new(&plan, 1);
    world.push(0, 100);
    world.push(0, 20);
    world.run(Time::ZERO + Span::from_micros(150)); // both frames have been sent: 100 and 20 µs
    world.push(0, 30);
    world.run(Time::ZERO + Span::from_millis(10));
    let delivered = world.notes.iter().filter(|(_, note)| matches!(note, Note::Delivered { .. }));
    let at: Vec<u64> = delivered.map(|(at, _)| at.nanos() / 1000).collect();
    // The second link ACK arrives at 165 + 10 + 45 = 220 µs.
    assert_eq!(at, [145, 165, 220 + 30 + 45]);
}

/// At a timeout each frame that is retransmitted has failed once more. The limit applies to the attempts of
/// each frame.
#[test]
fn a_timeout_fails_all_outstanding_frames() {
    let rules = ArqRules { max_attempts: Some(2), ..rules(3, 1000) };
    let plan = RadioPlan {
        arq: [go_back(RetransmissionGroup::Sliding, rules), ArqPlan::None],
        errors: [ErrorPlan::Loss(1.0), ErrorPlan::Clean],
        ..round(45)
    };
    let notes = story(&plan, &[(0, 100), (0, 100), (0, 100)]);
    let said: Vec<_> = notes.into_iter().filter(|(_, n)| !matches!(n, Note::Lost { .. })).collect();
    let failed = |number, attempt, retry| Note::Failed { end: 0, number, attempt, retry };
    let discarded = |number| Note::Discarded { end: 0, number, arrived: false };
    assert_eq!(
        said,
        [
            (1000, Note::FadeStart(0)),
            (1000, failed(0, 1, true)),
            (1000, failed(1, 1, true)),
            (1000, failed(2, 1, true)),
            (2000, failed(0, 2, false)),
            (2000, discarded(0)),
            (2000, failed(1, 2, false)),
            (2000, discarded(1)),
            (2000, failed(2, 2, false)),
            (2000, discarded(2)),
        ]
    );
}

/// To error models a link ACK is a control frame: a Gilbert-Elliott channel does not destroy it.
#[test]
fn error_models_treat_link_acks_as_control_frames() {
    let plan = RadioPlan {
        arq: [go_back(RetransmissionGroup::Sliding, rules(1, 1000)), ArqPlan::None],
        errors: [
            ErrorPlan::Clean,
            ErrorPlan::GilbertElliott { loss: [1.0, 1.0], leave: [0.1, 0.1], strikes: FrameSelection::Data },
        ],
        ..round(45)
    };
    assert!(story(&plan, &[(0, 100)]).contains(&(200, Note::Acknowledged { end: 0, number: 0 })));
    let lost = Note::Lost { end: 1, frame: Some(0), bytes: 100, header_intact: false, with_packet: true };
    assert_eq!(story(&plan, &[(1, 100)]), [(145, lost)]);
}

/// Returns errors of good and bad periods; in bad periods all frames are lost.
fn fading(good: Span, bad: Span) -> ErrorPlan {
    let (sojourn, start) = (Sojourn::Exponential, InitialState::Stationary);
    let fades = FadePlan::Drawn { means: [good, bad], sojourn, start };
    ErrorPlan::TwoState { fades, errors_per_bit: [0.0, f64::INFINITY] }
}

/// RTTN uses the reported fades: a fade begins with the first timeout after a success, and ends with the next
/// link ACK. The effects for fades and failed attempts match the frames and the ACKs that arrived.
#[test]
fn a_fade_lasts_from_first_timeout_to_next_link_ack() {
    let errors = fading(Span::from_millis(10), Span::from_millis(4));
    let arq = go_back(RetransmissionGroup::Sliding, rules(3, 500));
    let plan = RadioPlan { arq: [arq, ArqPlan::None], errors: [errors.clone(), errors], ..round(45) };
    let mut world = World::new(&plan, 1);
    world.saturate(0, 100);
    world.run(Time::ZERO + Span::from_secs(1));
    let (mut since, mut fades, mut failed_now) = (None, 0, None);
    for (at, note) in &world.notes {
        match *note {
            Note::FadeStart(end) => {
                assert_eq!((end, since), (0, None));
                since = Some(*at);
                fades += 1;
            }
            Note::Failed { .. } => {
                assert!(since.is_some(), "a failure outside a fade at {at}");
                failed_now = Some(*at);
            }
            Note::FadeEnd(end, lasted) => {
                assert_eq!((end, Some(*at)), (0, since.map(|start| start + lasted)));
                since = None;
            }
            Note::Acknowledged { .. } => assert_eq!(since, None, "an ACK ends a fade"),
            _ => {}
        }
    }
    // A cycle of the channel lasts 14 ms, so there are about 71 cycles. Most bad periods are longer than a
    // timeout.
    assert!(failed_now.is_some() && (40..=90).contains(&fades), "{fades} fades");
}

/// Returns a strategy for link recovery of any kind. The timeout is a multiple of the longest time of a frame
/// and its ACK.
fn arq(attempts: Option<u32>) -> impl Strategy<Value = ArqPlan> {
    let rules = move |window, timeout| ArqRules { max_attempts: attempts, ..rules(window, timeout) };
    let group = prop_oneof![Just(RetransmissionGroup::Sliding), Just(RetransmissionGroup::Blocks)];
    prop_oneof![
        Just(ArqPlan::None),
        (group, 1_u32..10, 50_u64..3000).prop_map(move |(group, n, us)| go_back(group, rules(n, us))),
        (any::<bool>(), 1_u32..=64, 50_u64..3000)
            .prop_map(move |(srej, n, us)| ArqPlan::SelectiveRepeat { srej, rules: rules(n, us) }),
    ]
}

fn errors() -> impl Strategy<Value = ErrorPlan> {
    prop_oneof![
        Just(ErrorPlan::Clean),
        (0.0..0.6).prop_map(ErrorPlan::Loss),
        // Frames take at most 0.2 ms, less than a good period.
        [2_000_u64..20_000, 1..20_000]
            .prop_map(|[good, bad]| fading(Span::from_micros(good), Span::from_micros(bad))),
    ]
}

prop_compose! {
    fn any_plan(attempts: Option<u32>)(
        arq in [arq(attempts), arq(attempts)],
        errors in [errors(), errors()],
        delay in 0_u64..300,
        overhead in 0_u32..20,
    ) -> RadioPlan {
        RadioPlan { arq, errors, overhead_bytes: overhead, ..round(delay) }
    }
}

/// Returns a strategy for packets: sending end, bytes, and time in µs.
fn traffic() -> impl Strategy<Value = Vec<(u8, u32, u64)>> {
    prop::collection::vec((0_u8..2, 1_u32..200, 0_u64..20_000), 1..60)
}

/// Simulates these packets until long after the last one.
fn run(plan: &RadioPlan, packets: &[(u8, u32, u64)], seed: u64) -> World {
    let mut packets = packets.to_vec();
    packets.sort_by_key(|p| p.2);
    let mut world = World::new(plan, seed);
    world.link.enable_transmission_reports();
    for (end, bytes, at) in packets {
        world.run(Time::ZERO + Span::from_micros(at));
        world.push(end, bytes);
    }
    world.run(Time::ZERO + Span::from_secs(20));
    world
}

/// Returns the packet numbers that `pick` finds in the effects.
fn numbers(world: &World, pick: impl Fn(&Note) -> Option<u64>) -> Vec<u64> {
    world.notes.iter().filter_map(|(_, note)| pick(note)).collect()
}

fn delivered(world: &World, from: u8) -> Vec<u64> {
    numbers(world, |note| match *note {
        Note::Delivered { end, number } if end == from => Some(number),
        _ => None,
    })
}

proptest! {
    /// With recovery and without a limit of attempts, all packets of both directions arrive once and in
    /// order, and none remains in the link.
    #[test]
    fn arq_delivers_all_packets_of_both_directions_in_order(
        plan in any_plan(None), packets in traffic(), seed in any::<u64>(),
    ) {
        let world = run(&plan, &packets, seed);
        for end in [0, 1] {
            let handed = world.handed[usize::from(end)];
            if plan.arq[usize::from(end)] != ArqPlan::None {
                prop_assert!(delivered(&world, end).into_iter().eq(0..handed));
            }
        }
        prop_assert_eq!((world.packets.len(), world.link.packet_count()), (0, 0));
    }

    /// Every packet is either delivered once and in order, or returned. It is returned if its frame is lost
    /// without recovery, or if recovery discards it.
    #[test]
    fn every_packet_is_delivered_once_or_returned(
        plan in (1_u32..4).prop_flat_map(|limit| any_plan(Some(limit))), packets in traffic(), seed in any::<u64>(),
    ) {
        let world = run(&plan, &packets, seed);
        for from in [0, 1] {
            let arrived = delivered(&world, from);
            let back = numbers(&world, |note| match *note {
                Note::Lost { end, frame, with_packet: true, .. } if end == from => frame,
                Note::Discarded { end, number, arrived: false } if end == from => Some(number),
                _ => None,
            });
            prop_assert!(arrived.is_sorted_by(|a, b| a < b));
            let mut all = [arrived, back].concat();
            all.sort();
            prop_assert!(all.into_iter().eq(0..world.handed[usize::from(from)]));
        }
        prop_assert_eq!((world.packets.len(), world.link.packet_count()), (0, 0));
    }

    /// If selective repeat discards a packet, the packet may have arrived: it was delivered, or is in the
    /// reordering buffer. It is reported as arrived if one of its frames had arrived.
    #[test]
    fn a_packet_discarded_by_selective_repeat_may_have_arrived(
        plan in any_plan(Some(2)), srej in any::<bool>(), window in 1_u32..=64, packets in traffic(), seed in any::<u64>(),
    ) {
        let rules = ArqRules { max_attempts: Some(2), ..rules(window, 3000) };
        let plan = RadioPlan { arq: [ArqPlan::SelectiveRepeat { srej, rules }, ArqPlan::None], ..plan };
        let world = run(&plan, &packets, seed);
        for (at, note) in &world.notes {
            let Note::Discarded { end: 0, number, arrived } = *note else { continue };
            let received = world.notes.iter().any(|(sent, note)| {
                let Note::Transmitted(SentFrame { from: 0, packet_number: Some(n), reception: Reception::Received, .. }) = *note else {
                    return false;
                };
                n == number && *sent + plan.delay[0] <= *at
            });
            prop_assert_eq!(arrived, received);
        }
    }

    /// An end sends one frame at a time, and reports frames in the order of time, which the error models
    /// need.
    #[test]
    fn a_link_end_sends_one_frame_at_a_time(plan in any_plan(None), packets in traffic(), seed in any::<u64>()) {
        let world = run(&plan, &packets, seed);
        let mut free = [Time::ZERO; 2];
        for (at, note) in &world.notes {
            if let Note::Transmitted(SentFrame { from: end, bytes, start, .. }) = *note {
                prop_assert!(start >= free[usize::from(end)]);
                prop_assert_eq!(*at, start + plan.rates[usize::from(end)].serialisation_time(bytes));
                free[usize::from(end)] = *at;
            }
        }
    }

    /// Two runs with the same seed are identical, to the nanosecond.
    #[test]
    fn a_run_with_the_same_seed_is_identical(plan in any_plan(None), packets in traffic(), seed in any::<u64>()) {
        prop_assert_eq!(run(&plan, &packets, seed).notes, run(&plan, &packets, seed).notes);
    }
}
