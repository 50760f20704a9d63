//! Properties of every cell with aggregation, for any traffic.

use super::{Setting, saturation};
use crate::harness::{Note, World, on_link};
use crate::laws::{any_plan, of, run, run_in, traffic};
use airhop_base::{AccessCategory, Rate, Span, Time};
use airhop_radio::cell::{AmpduPlan, CellPlan, CellRules, HtPlan, LostBlockAck, NavRule, RetryLimit};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::layer::{BROADCAST, FrameKind, Reception, SentMpdu};
use airhop_radio::phy::{Band, PpduFormat, TxMode, TxSettings, amsdu};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn mode() -> impl Strategy<Value = TxMode> {
    let any =
        (prop::sample::select(PpduFormat::ALL.to_vec()), 0_u8..12, 1_u8..9, any::<prop::sample::Index>());
    any.prop_filter_map("the standard has no such mode", |(format, mcs, streams, width)| {
        let widths = format.widths_mhz(Band::Ghz5);
        let (width_mhz, guard) = (widths[width.index(widths.len())], Span::from_nanos(800));
        TxMode::new(TxSettings { format, band: Band::Ghz5, mcs, streams, width_mhz, guard_interval: guard })
            .ok()
    })
}

prop_compose! {
    fn any_aggregating()(
        plan in any_plan(),
        mode in mode(),
        (bytes, window) in (prop_oneof![200_u32..20_000, Just(u32::MAX)], 1_u32..=256),
        amsdu in prop_oneof![Just(0), 200_u32..=11_424],
        (request, eifs) in (any::<bool>(), any::<bool>()),
        nav in prop::sample::select(vec![NavRule::Response, NavRule::Limit]),
        categories in prop::collection::vec(prop::sample::select(AccessCategory::ALL.to_vec()), 0..4),
        limits in prop::array::uniform4(prop_oneof![Just(0), 1_u64..8000]),
        retries in prop_oneof![
            (1_u32..9).prop_map(RetryLimit::Attempts),
            (0_u64..1_000_000).prop_map(|us| RetryLimit::Lifetime(Span::from_micros(us))),
        ],
    ) -> CellPlan {
        let format = mode.settings().format;
        let window = window.min(if format == PpduFormat::He { 256 } else { 64 });
        let amsdu = amsdu.min(amsdu::max_amsdu_bytes(format));
        let lost_block_ack = if request { LostBlockAck::Request } else { LostBlockAck::Resend };
        let ampdu = Some(AmpduPlan { max_ampdu_bytes: bytes, max_amsdu_bytes: amsdu, block_ack_window: window, lost_block_ack, retry_limit: retries });
        CellPlan {
            phy: format.phy(Band::Ghz5).expect("every format has 5 GHz"),
            control_rate: Rate::from_bps(24_000_000),
            ht: Some(HtPlan { mode, categories: categories.into_iter().collect(), txop_limits: limits.map(Span::from_micros), nav_rule: nav, has_eifs: eifs, ampdu }),
            overhead_bytes: 38,
            fragmentation_threshold: None,
            rules: CellRules { interference_rule: plan.rules.interference_rule, ..CellRules::IEEE },
            ..plan
        }
    }
}

proptest! {
    /// Every packet is either acknowledged or discarded, and only once. A packet that was not discarded
    /// before its arrival is also delivered once, in the order of its access category. At the end the cell is
    /// idle and has no packets.
    #[test]
    fn every_packet_is_acknowledged_or_discarded_once(plan in any_aggregating(), packets in traffic(), seed in any::<u64>()) {
        let world = run(&plan, &packets, None, seed);
        prop_assert!(world.packets.is_empty(), "{} packets remain in the cell", world.packets.len());
        prop_assert!(world.queue.is_empty(), "the cell continues");
        let mut last = BTreeMap::new();
        for (_, note) in &world.notes {
            if let Note::Delivered { from, to, number } = *note {
                let before = last.insert((from, to, world.categories[number as usize]), number);
                prop_assert!(before.is_none_or(|before| before < number), "{number} after {before:?}");
            }
        }
        for number in 0..world.handed {
            let notes = of(&world, number);
            let count = |what: fn(&Note) -> bool| notes.iter().filter(|n| what(n)).count();
            let delivered = count(|n| matches!(n, Note::Delivered { .. }));
            let acknowledged = count(|n| matches!(n, Note::Acknowledged { .. }));
            let lost = count(|n| matches!(n, Note::Discarded { arrived: false, .. }));
            let unknown = count(|n| matches!(n, Note::Discarded { arrived: true, .. }));
            prop_assert_eq!((delivered, lost + acknowledged + unknown), (acknowledged + unknown, 1), "{}", number);
        }
    }

    /// Without aggregation every packet is also either acknowledged or discarded, and only once. A packet that
    /// was not discarded before its arrival is delivered once.
    #[test]
    fn every_packet_of_a_category_is_acknowledged_or_discarded_once(plan in any_aggregating(), packets in traffic(), seed in any::<u64>()) {
        let plan = CellPlan { ht: plan.ht.map(|ht| HtPlan { ampdu: None, ..ht }), ..plan };
        let world = run(&plan, &packets, None, seed);
        prop_assert!(world.packets.is_empty() && world.queue.is_empty());
        for number in 0..world.handed {
            let notes = of(&world, number);
            let count = |what: fn(&Note) -> bool| notes.iter().filter(|n| what(n)).count();
            let delivered = count(|n| matches!(n, Note::Delivered { .. }));
            let acknowledged = count(|n| matches!(n, Note::Acknowledged { .. }));
            let lost = count(|n| matches!(n, Note::Discarded { arrived: false, .. }));
            let unknown = count(|n| matches!(n, Note::Discarded { arrived: true, .. }));
            prop_assert_eq!((delivered, lost + acknowledged + unknown), (acknowledged + unknown, 1), "{}", number);
        }
    }

    /// Each PPDU with data is reported with its MPDUs: indices from 0, ascending sequence numbers, subframes
    /// whose sizes add up to the PSDU, and at least one received MPDU if the PPDU was received. An MPDU is
    /// reported once for each of its packets, with the same outcome for all.
    #[test]
    fn a_ppdu_is_reported_with_its_mpdus(plan in any_aggregating(), packets in traffic(), seed in any::<u64>()) {
        let mut world = World::new(&plan, seed);
        world.cell.enable_transmission_reports();
        let world = run_in(world, &plan, &packets);
        let mut notes = world.notes.iter().map(|(_, note)| *note).peekable();
        while let Some(note) = notes.next() {
            let Note::Transmitted(ppdu) = note else { continue };
            let mut mpdus = Vec::new();
            while let Some(Note::Mpdu(mpdu)) = notes.next_if(|next| matches!(next, Note::Mpdu(_))) {
                mpdus.push(mpdu);
            }
            let packets = mpdus.clone();
            mpdus.retain(|mpdu| mpdu.msdu_index == 0);
            for mpdu in &mpdus {
                let inside = packets.iter().filter(|packet| packet.mpdu_index == mpdu.mpdu_index);
                for (msdu, packet) in (0..).zip(inside) {
                    let SentMpdu { packet_number, tag, .. } = *packet;
                    prop_assert_eq!(*packet, SentMpdu { msdu_index: msdu, packet_number, tag, ..*mpdu });
                }
            }
            let amsdu = plan.ht.and_then(|ht| ht.ampdu).map_or(0, |ampdu| ampdu.max_amsdu_bytes);
            let most = packets.iter().filter(|packet| packet.msdu_index > 0).map(|packet| packet.bytes).max();
            prop_assert!(most.is_none_or(|bytes| bytes <= 30 + amsdu), "{:?}", most);
            prop_assert!(mpdus.iter().map(|mpdu| mpdu.mpdu_index).eq(0..mpdus.len() as u32));
            prop_assert!(mpdus.is_sorted_by(|a, b| a.sequence < b.sequence));
            let whole = mpdus.iter().rev().skip(1).map(|mpdu| (mpdu.bytes + 4).next_multiple_of(4)).sum::<u32>();
            match ppdu.kind {
                FrameKind::Data => {
                    prop_assert_eq!((mpdus.len(), mpdus[0].bytes, mpdus[0].reception), (1, ppdu.bytes, ppdu.reception));
                }
                FrameKind::Ampdu => {
                    prop_assert!(mpdus.len() > 1);
                    prop_assert_eq!(whole + mpdus[mpdus.len() - 1].bytes + 4, ppdu.bytes);
                    prop_assert_eq!(mpdus.iter().map(|mpdu| mpdu.reception).max(), Some(ppdu.reception));
                }
                _ => prop_assert!(mpdus.is_empty()),
            }
            if let Some(first) = mpdus.first() {
                prop_assert_eq!((first.tag, Some(first.packet_number), first.attempt), (ppdu.tag, ppdu.packet_number, ppdu.attempt));
            }
        }
    }

    /// Two runs with the same seed are identical, to the nanosecond.
    #[test]
    fn a_run_with_the_same_seed_is_identical(plan in any_aggregating(), packets in traffic(), seed in any::<u64>()) {
        prop_assert_eq!(run(&plan, &packets, None, seed).notes, run(&plan, &packets, None, seed).notes);
    }
}

/// All packets of an MPDU have the same outcome. With one attempt per MPDU, and half of the MPDUs lost, they
/// are all delivered or all discarded.
#[test]
fn a_lost_mpdu_loses_all_its_packets() {
    let mut plan = Setting { amsdu: 3839, ..saturation::HT }.plan(2);
    plan.errors.push(on_link(0, 1, ErrorPlan::Loss(0.5)));
    if let Some(ampdu) = plan.ht.as_mut().and_then(|ht| ht.ampdu.as_mut()) {
        ampdu.retry_limit = RetryLimit::Attempts(1);
    }
    let mut world = World::new(&plan, 3);
    (0..60).for_each(|_| world.push(0, 1, 1500));
    world.run(Time::ZERO + Span::from_secs(1));
    let discarded = |number| of(&world, number).iter().any(|note| matches!(note, Note::Discarded { .. }));
    let fates: Vec<bool> = (0..60).map(discarded).collect();
    assert!(fates.chunks(2).all(|pair| pair[0] == pair[1]), "{fates:?}");
    let lost = fates.iter().filter(|discarded| **discarded).count();
    assert!((10..50).contains(&lost), "{lost} of 60");
}

/// After the last BlockAckReq the recipient still has MPDUs in its reorder buffer. It delivers them when its
/// reorder timer expires, 100 ms after the MPDU with the lowest number arrived; if that time is already over
/// at the BlockAckReq, it delivers them immediately. All other MPDUs are delivered at the end of a frame.
#[test]
fn the_reorder_timer_delivers_stored_mpdus() {
    let timeout = Span::from_millis(100);
    let (mut released, mut arrivals) = (0, BTreeMap::new());
    for seed in 0..40 {
        let mut plan = saturation::HT.plan(2);
        plan.errors.push(on_link(0, 1, ErrorPlan::Loss(0.7)));
        if let Some(ampdu) = plan.ht.as_mut().and_then(|ht| ht.ampdu.as_mut()) {
            ampdu.retry_limit = RetryLimit::Attempts(3);
        }
        let mut world = World::new(&plan, seed);
        world.cell.enable_transmission_reports();
        (0..8).for_each(|_| world.push(0, 1, 1500));
        world.run(Time::ZERO + Span::from_secs(1));
        assert!(world.packets.is_empty() && world.queue.is_empty(), "no packet stays in the cell");
        arrivals.clear();
        let mut end = Time::ZERO;
        let mut last = None;
        for (at, note) in &world.notes {
            match note {
                Note::Transmitted(_) => end = *at,
                Note::Mpdu(mpdu) if mpdu.reception == Reception::Received => {
                    arrivals.entry(mpdu.packet_number).or_insert(*at);
                }
                Note::Delivered { number, .. } if *at != end => {
                    // The buffered MPDUs that follow the first without a gap are delivered with it.
                    let is_first = last != Some(*at);
                    let waited = *at - arrivals[number];
                    assert!(!is_first || waited >= timeout, "{waited:?}");
                    released += u32::from(is_first && waited == timeout);
                    last = Some(*at);
                }
                _ => {}
            }
        }
    }
    assert!(released > 0, "no reorder timer delivered an MPDU");
}

/// MPDUs that arrive after the last BlockAckReq about a gap also wait for the reorder timer. An outage
/// destroys the first packet and all its BlockAckReqs; the next three packets are delivered together, 100 ms
/// after their arrival.
#[test]
fn an_mpdu_above_an_unreported_gap_waits_for_the_timer() {
    let world_until = |end: Time| {
        let mut plan = saturation::HT.plan(2);
        let (times, otherwise) = ([[Time::ZERO, end]].into(), Box::new(ErrorPlan::Clean));
        plan.errors.push(on_link(0, 1, ErrorPlan::Outages { times, otherwise }));
        if let Some(ampdu) = plan.ht.as_mut().and_then(|ht| ht.ampdu.as_mut()) {
            ampdu.retry_limit = RetryLimit::Attempts(1);
        }
        let mut world = World::new(&plan, 1);
        world.cell.enable_transmission_reports();
        world.push(0, 1, 1500);
        world.run(Time::ZERO + Span::from_secs(1));
        world
    };
    let silent = world_until(Time::ZERO + Span::from_secs(1)).queue.now();
    let mut world = world_until(silent);
    assert_eq!(world.queue.now(), silent, "the outage destroys the packet and its BlockAckReqs");
    (0..3).for_each(|_| world.push(0, 1, 1500));
    world.run(Time::ZERO + Span::from_secs(1));
    let at = |what: fn(&Note) -> bool| world.notes.iter().rfind(|(_, note)| what(note)).map(|(at, _)| *at);
    let arrived = at(|note| matches!(note, Note::Mpdu(_))).expect("MPDUs were sent");
    let delivered: Vec<(Time, u64)> = (world.notes.iter())
        .filter_map(|(at, note)| match note {
            Note::Delivered { number, .. } => Some((*at, *number)),
            _ => None,
        })
        .collect();
    let expected = [1, 2, 3].map(|number| (arrived + Span::from_millis(100), number));
    assert_eq!(delivered, expected);
}

/// A broadcast that is queued during a frame exchange waits for its end. It neither causes a second
/// transmission of an MPDU nor prevents one from being sent. The first answers are lost, so that timeouts
/// occur while the broadcast waits; with RTS, the CTS arrives while it waits.
#[test]
fn a_broadcast_waits_for_the_end_of_a_frame_exchange() {
    for (rts, loss) in [(false, 1.0), (true, 0.0), (false, 0.0)] {
        let setting = Setting { rts, ..saturation::HT };
        let mut plan = setting.plan(3);
        plan.errors.push(on_link(0, 1, ErrorPlan::Loss(loss)));
        if let Some(ampdu) = plan.ht.as_mut().and_then(|ht| ht.ampdu.as_mut()) {
            ampdu.retry_limit = RetryLimit::Attempts(3);
        }
        let mut world = World::new(&plan, 1);
        (0..10).for_each(|_| world.push(0, 1, 1500));
        let first = Time::ZERO + Span::from_micros(300); // AIFS and at most 15 slots take 178 µs
        world.run(first);
        world.push(0, BROADCAST, 100);
        world.run(first + Span::from_secs(1));
        assert!(world.packets.is_empty() && world.queue.is_empty(), "RTS {rts}, loss {loss}");
        let count = |what: fn(&Note) -> bool| world.notes.iter().filter(|(_, note)| what(note)).count();
        assert_eq!(count(|note| matches!(note, Note::Broadcast { .. })), 1);
        assert_eq!(count(|note| matches!(note, Note::Heard { .. })), if loss == 1.0 { 1 } else { 2 });
        let [failed, discarded] = [
            count(|note| matches!(note, Note::Failed { number: 10, .. })),
            count(|note| matches!(note, Note::Discarded { arrived: false, .. })),
        ];
        assert_eq!((failed, discarded), (0, if loss == 1.0 { 10 } else { 0 }), "RTS {rts}, loss {loss}");
    }
}
