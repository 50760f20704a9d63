//! Properties of every cell without aggregation, for any traffic.

use crate::harness::{Note, World};
use airhop_base::{DropCause, Rate, Span, Time};
use airhop_radio::cell::{
    AccessMethod, AckTimeout, CellPlan, CellRules, InterferenceRule, LinkErrors, RadioRange,
};
use airhop_radio::errors::{ErrorPlan, FadePlan, FrameSelection, InitialState, Sojourn};
use airhop_radio::layer::{Fragmentation, FrameKind};
use airhop_radio::phy::{DATA_OVERHEAD_BYTES, Phy};
use proptest::prelude::*;

fn errors() -> impl Strategy<Value = ErrorPlan> {
    prop_oneof![
        Just(ErrorPlan::Clean),
        (0.0..=1.0).prop_map(ErrorPlan::Loss),
        (0.0..=1.0).prop_map(|fer| ErrorPlan::FrameErrorRate { fer, reference_bits: 8592 }),
        ([[0.0..=1.0, 0.0..=1.0], [0.0..=1.0, 0.0..=1.0]], 0..3_usize).prop_map(|([loss, leave], word)| {
            ErrorPlan::GilbertElliott { loss, leave, strikes: FrameSelection::ALL[word].1 }
        }),
        ([[0.0..=1.0, 0.0..=1.0], [0.0..=1.0, 0.0..=1.0]], 1_000_u64..1_000_000_000, 0..3_usize).prop_map(
            |([loss, leave], ns, word)| ErrorPlan::Stepped {
                loss,
                leave,
                step: Span::from_nanos(ns),
                strikes: FrameSelection::ALL[word].1,
            }
        ),
        (prop::array::uniform2(1_000_u64..1_000_000_000), 0..4_usize, any::<bool>(), 0.0..0.01, 0.0..1.0)
            .prop_map(|(means, sojourn, good, in_good, in_bad)| ErrorPlan::TwoState {
                fades: FadePlan::Drawn {
                    means: means.map(Span::from_nanos),
                    sojourn: Sojourn::ALL[sojourn].1,
                    start: if good { InitialState::Good } else { InitialState::Stationary },
                },
                errors_per_bit: [in_good, in_bad],
            }),
    ]
}

prop_compose! {
    pub(crate) fn any_plan()(
        phy in prop::sample::select(Phy::ALL.to_vec()),
        places in prop::collection::vec([0.0..150.0, 0.0..150.0], 2..12),
        range in prop::option::of((1.0..100.0, 1.0..3.0).prop_map(|(receive, more)| RadioRange::free_space(receive, receive * more))),
        rates in [any::<prop::sample::Index>(), any::<prop::sample::Index>()],
        (rts, attempts) in (any::<bool>(), 1_u32..9),
        (immediate_access, ieee_timeout, sums) in (any::<bool>(), any::<bool>(), any::<bool>()),
        fragmentation in prop::option::of(256_u32..1000),
        links in prop::collection::vec((prop::option::of(0_u16..2), prop::option::of(0_u16..2), errors()), 0..4),
    ) -> CellPlan {
        let [rate, control_rate]: [Rate; 2] = rates.map(|i| phy.rates[i.index(phy.rates.len())]);
        CellPlan { control_rate, access_method: if rts { AccessMethod::RtsCts } else { AccessMethod::Basic }, max_attempts: attempts, overhead_bytes: DATA_OVERHEAD_BYTES, fragmentation_threshold: fragmentation, rules: CellRules {
                immediate_access,
                ack_timeout: if ieee_timeout { AckTimeout::Ieee } else { AckTimeout::Ns2 },
                interference_rule: if sums { InterferenceRule::Sinr } else { InterferenceRule::Lock },
            }, stations: places.into_iter().enumerate().map(|(i, at)| (format!("s{i}"), at)).collect(), range, errors: links.into_iter().map(|(from, to, model)| LinkErrors { from, to, model }).collect(), ..CellPlan::new("cell", phy, rate) }
    }
}

/// Returns a strategy for a burst of packets: sender, receiver, IP bytes, and time in µs.
pub(crate) fn traffic() -> impl Strategy<Value = Vec<(u16, u16, u32, u64)>> {
    prop::collection::vec((any::<u16>(), any::<u16>(), 28_u32..1500, 0_u64..100_000), 1..60)
}

/// Returns a strategy for the fragmentation of packets: none, or LHP's.
fn cut() -> impl Strategy<Value = Option<Fragmentation>> {
    prop::option::of(
        (0_u32..300, 0_u32..600)
            .prop_map(|(first, rest)| Fragmentation { first_bytes: first, max_later_bytes: rest }),
    )
}

/// Simulates these packets in the cell until no event is left.
pub(crate) fn run(
    plan: &CellPlan,
    packets: &[(u16, u16, u32, u64)],
    fragments: Option<Fragmentation>,
    seed: u64,
) -> World {
    let mut world = World::new(plan, seed);
    world.fragments = fragments;
    run_in(world, plan, packets)
}

/// Simulates these packets in a new test bench until no event is left. The access categories of the cell are
/// assigned to the packets in turn.
pub(crate) fn run_in(mut world: World, plan: &CellPlan, packets: &[(u16, u16, u32, u64)]) -> World {
    let n = plan.stations.len() as u16;
    let mut packets = packets.to_vec();
    packets.sort_by_key(|p| p.3);
    let categories: Vec<_> = plan.ht.map(|ht| ht.categories).unwrap_or_default().iter().collect();
    for ((from, to, bytes, at), category) in packets.into_iter().zip(categories.into_iter().cycle()) {
        world.run(Time::ZERO + Span::from_micros(at));
        let from = from % n;
        world.push_as(category, from, (from + 1 + to % (n - 1)) % n, bytes);
    }
    world.run(Time::ZERO + Span::from_secs(3600));
    world
}

/// Returns the reported effects of one packet.
pub(crate) fn of(world: &World, number: u64) -> Vec<Note> {
    let about = |n: &Note| match *n {
        Note::Delivered { number, .. }
        | Note::Failed { number, .. }
        | Note::Discarded { number, .. }
        | Note::HeaderOnly { number, .. }
        | Note::Acknowledged { number, .. } => Some(number),
        Note::Lost { .. }
        | Note::Transmitted(_)
        | Note::Mpdu(_)
        | Note::Ready(_)
        | Note::Heard { .. }
        | Note::Broadcast { .. }
        | Note::Fade { .. } => None,
    };
    world.notes.iter().map(|(_, n)| *n).filter(|n| about(n) == Some(number)).collect()
}

proptest! {
    /// Every packet is delivered once, or discarded, or both if its ACKs were lost. The MAC becomes free once
    /// per packet.
    #[test]
    fn every_packet_is_delivered_once_or_discarded(plan in any_plan(), packets in traffic(), cut in cut(), seed in any::<u64>()) {
        let world = run(&plan, &packets, cut, seed);
        prop_assert!(world.packets.is_empty(), "{} packets remain in the cell", world.packets.len());
        prop_assert!(world.queue.is_empty() || world.queue.now() >= Time::ZERO + Span::from_secs(3600));
        for number in 0..world.handed {
            let notes = of(&world, number);
            let count = |what: fn(&Note) -> bool| notes.iter().filter(|n| what(n)).count();
            let delivered = count(|n| matches!(n, Note::Delivered { .. }));
            let acknowledged = count(|n| matches!(n, Note::Acknowledged { .. }));
            let lost = count(|n| matches!(n, Note::Discarded { arrived: false, .. }));
            let unknown = count(|n| matches!(n, Note::Discarded { arrived: true, .. }));
            prop_assert_eq!((delivered, lost + acknowledged + unknown), (acknowledged + unknown, 1));
            let failures = count(|n| matches!(n, Note::Failed { .. }));
            let last = count(|n| matches!(n, Note::Failed { retry: false, .. }));
            // For a fragmented packet, the last attempt may have received an ACK, and its lifetime may end
            // without a failure.
            let in_fragments = cut.is_some() || plan.fragmentation_threshold.is_some();
            prop_assert!(last == lost + unknown || in_fragments && last < lost + unknown);
            let headers = count(|n| matches!(n, Note::HeaderOnly { .. }));
            prop_assert!(headers <= lost && (cut.is_some() || headers == 0));
            // There are at most 6 failed RTS frames before each data frame, and 7 after the last.
            let frames = plan.max_attempts * if in_fragments { 16 } else { 1 };
            prop_assert!(failures as u32 <= frames * 7 + 7);
        }
        let ready = world.notes.iter().filter(|(_, n)| matches!(n, Note::Ready(_))).count();
        prop_assert_eq!(ready as u64, world.handed);
    }

    /// Two runs with the same seed are identical, to the nanosecond.
    #[test]
    fn a_run_with_the_same_seed_is_identical(plan in any_plan(), packets in traffic(), cut in cut(), seed in any::<u64>()) {
        prop_assert_eq!(run(&plan, &packets, cut, seed).notes, run(&plan, &packets, cut, seed).notes);
    }

    /// Without errors, and if all stations receive each other, only frames that start at the same time
    /// collide, and no response collides.
    #[test]
    fn a_clean_shared_medium_loses_frames_only_by_collision(
        plan in any_plan(), packets in traffic(), cut in cut(), seed in any::<u64>(),
    ) {
        let plan = CellPlan { range: None, errors: Vec::new(), ..plan };
        for (_, note) in run(&plan, &packets, cut, seed).notes {
            if let Note::Lost { frame, cause, .. } = note {
                prop_assert_eq!(cause, DropCause::Collision);
                prop_assert!(matches!(frame, FrameKind::Data | FrameKind::Rts));
            }
        }
    }
}
