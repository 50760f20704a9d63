//! Tests of LHP's fragments on the air.
use super::harness::{Note, World, line, on_link, plan};
use super::{DIFS, SIFS, SLOT, count, ns, secs, slots, watch};
use crate::cell::Transmission;
use crate::cell::{AccessMethod, CellPlan};
use crate::errors::ErrorPlan;
use crate::layer::{Fragmentation, FrameKind};
use airhop_base::Time;
use std::collections::BTreeMap;

/// Airtime of a link ACK of 802.11b at 11 Mbit/s, ns.
const ACK: u64 = 202_182;

/// Returns a test bench whose packets are cut into a fragment of 100 bytes and further fragments of at most
/// 256 bytes. A packet of 1040 bytes has five fragments.
fn cutting(plan: &CellPlan, seed: u64) -> World {
    let mut world = World::new(plan, seed);
    world.fragments = Some(Fragmentation::default());
    world
}

/// IEEE 802.11-2016 §10.3.4.5: after one contention, every frame follows the previous exchange after a SIFS.
/// A packet of 1040 bytes is cut into fragments of 100, 256, 256, 256 and 172 bytes. Each fragment has 36
/// bytes of MAC and LLC, 192 µs of PLCP, and its own ACK.
#[test]
fn a_clean_packet_takes_the_airtime_of_its_fragments() {
    let mut world = cutting(&plan(2), 1);
    world.push(0, 1, 1040);
    let air = watch(&mut world, secs(1));
    let data: Vec<(u32, u64)> = air.iter().step_by(2).map(|t| (t.bytes, ns(t.start, t.end))).collect();
    // 8 bits × bytes / 11 Mbit/s, rounded up to a nanosecond.
    let (first, middle, last) = ((136, 192_000 + 98_910), (292, 192_000 + 212_364), (208, 192_000 + 151_273));
    assert_eq!(data, [first, middle, middle, middle, last]);
    assert!(air.iter().skip(1).step_by(2).all(|t| t.kind == FrameKind::Ack && ns(t.start, t.end) == ACK));
    assert!(air.windows(2).all(|w| ns(w[0].end, w[1].start) == SIFS));
    let whole = first.1 + 3 * middle.1 + last.1 + 5 * ACK + 9 * SIFS;
    assert_eq!(ns(air[0].start, air[9].end), whole);
    let (delivered, rest) = world.notes.split_first().expect("at least one event occurred");
    assert_eq!(*delivered, (air[8].end, Note::Delivered { from: 0, to: 1, number: 0 }));
    assert_eq!(rest[0], (air[9].end, Note::Acknowledged { from: 0, number: 0 }));
    assert_eq!(rest.len(), 2, "and the MAC is ready: {rest:?}");
}

/// IEEE 802.11-2016 §10.3.4.6: a fragment and its ACK reserve the medium until the ACK of the next fragment.
/// An RTS reserves it only until the ACK of the first fragment.
#[test]
fn duration_fields_reach_to_the_ack_of_the_next_fragment() {
    let mut plan = plan(2);
    plan.access_method = AccessMethod::RtsCts;
    let mut world = cutting(&plan, 1);
    world.push(0, 1, 1040);
    let air = watch(&mut world, secs(1));
    assert_eq!(air.iter().filter(|t| t.kind == FrameKind::Rts).count(), 1, "one contention for all");
    let acks: Vec<Time> = air.iter().filter(|t| t.kind == FrameKind::Ack).map(|t| t.end).collect();
    let reserved: Vec<Time> = air.iter().map(|t| t.end + t.duration).collect();
    let [a, b, c, d, e] = acks[..] else { panic!("{acks:?}") };
    assert_eq!(reserved, [a, a, b, b, c, c, d, d, e, e, e, e]);
}

/// A backoff follows a fragment without an ACK, as after any failed frame. Its window doubles at each
/// failure, and an ACK resets it.
#[test]
fn only_a_missing_ack_causes_a_backoff_in_lhp() {
    let mut plan = plan(2);
    plan.max_attempts = 4;
    plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(0.5))];
    let mut world = cutting(&plan, 1);
    (0..500).for_each(|_| world.push(0, 1, 1040));
    let air = watch(&mut world, secs(100));
    let mut widest = [0; 3];
    let mut failures = 0;
    for pair in air.windows(2).filter(|w| w[0].tag == w[1].tag) {
        if pair[0].kind == FrameKind::Ack || pair[1].kind == FrameKind::Ack {
            assert_eq!(ns(pair[0].end, pair[1].start), SIFS);
            failures = 0;
            continue;
        }
        failures += 1;
        let drawn = slots(pair[0].end, SIFS + ACK + SLOT + DIFS, pair[1].start);
        assert!(drawn < 32 << failures, "{drawn} slots after {failures} failures");
        if let Some(widest) = widest.get_mut(failures - 1) {
            *widest = drawn.max(*widest);
        }
    }
    // With hundreds of draws for each window, the last eighth of the window occurs almost surely.
    assert!(widest[0] > 56 && widest[1] > 112 && widest[2] > 224, "{widest:?}");
}

/// Returns three numbers of packets, each simulated and computed, for `packets` packets over a channel with
/// bit errors: packets delivered, packets that arrived with their headers only, and packets of which nothing
/// usable arrived.
fn fates(attempts: u32, fer: f64, packets: u32) -> [(f64, f64); 3] {
    let mut plan = plan(2);
    plan.max_attempts = attempts;
    plan.errors = vec![on_link(0, 1, ErrorPlan::FrameErrorRate { fer, reference_bits: 136 * 8 })];
    let mut world = cutting(&plan, 1);
    (0..packets).for_each(|_| world.push(0, 1, 1040));
    world.run(secs(3600));
    let delivered = count(&world, |n| matches!(n, Note::Delivered { .. })) as f64;
    let headers = count(&world, |n| matches!(n, Note::HeaderOnly { to: 1, .. })) as f64;
    let discarded = count(&world, |n| matches!(n, Note::Discarded { arrived: false, .. })) as f64;
    assert_eq!(delivered + discarded, f64::from(packets));

    // In every transmission slot a fragment that is still missing is sent. The number of slots that a packet
    // needs is therefore the sum of five geometric variates.
    let allotted = 5 * attempts as usize;
    let lost = [136.0, 292.0, 292.0, 292.0, 208.0].map(|bytes| 1.0 - (1.0 - fer).powf(bytes / 136.0));
    let mut used = vec![0.0; allotted + 1]; // used[k]: probability that the fragments so far needed k slots
    used[0] = 1.0;
    for p in lost {
        let mut next = vec![0.0; allotted + 1];
        for k in 1..=allotted {
            next[k] = used[k - 1] * (1.0 - p) + next[k - 1] * p;
        }
        used = next;
    }
    let all: f64 = used.iter().sum();
    let none = lost[0].powi(allotted as i32);
    [(delivered, all), (headers, 1.0 - all - none), (discarded - headers, none)]
}

/// P_f_frag of Yun 2009, Table 1: the first fragment is lost if it fails in all slots of the packet. The
/// packet arrives if the transmissions of its fragments together are at most as many as its slots.
#[test]
fn lhp_losses_follow_geometric_fragment_transmissions() {
    for (attempts, fer) in [(1, 0.05), (1, 0.6), (2, 0.15), (2, 0.75), (4, 0.4)] {
        let n = 4000;
        for (what, (counted, p)) in ["delivered", "headers", "nothing"].iter().zip(fates(attempts, fer, n)) {
            let n = f64::from(n);
            // The count is binomial; the tolerance is five standard deviations.
            assert!(
                (counted - n * p).abs() <= 5.0 * (n * p * (1.0 - p)).sqrt(),
                "{attempts} attempts, fer {fer}, {what}: {counted}, expected {}",
                n * p
            );
        }
    }
}

/// A packet of LHP has at most as many transmissions as all its fragments have attempts. The headers are sent
/// first, and the packet is delivered at most once, although ACKs are lost and a hidden station interferes.
#[test]
fn lhp_never_exceeds_its_slots_and_delivers_once() {
    let mut plan = line(&[0.0, 30.0, 60.0], 40.0, 40.0);
    plan.max_attempts = 2;
    plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(0.1)), on_link(1, 0, ErrorPlan::Loss(0.2))];
    let mut world = cutting(&plan, 1);
    (0..2000).for_each(|_| world.push(0, 1, 1040));
    world.saturate(2, 1, 200);
    let air = watch(&mut world, secs(60));
    let mut sent = BTreeMap::<u64, Vec<Transmission>>::new();
    for t in air.iter().filter(|t| t.from == 0 && t.kind == FrameKind::Data) {
        sent.entry(t.tag.seq).or_default().push(*t);
    }
    let mut delivered = BTreeMap::<u64, u32>::new();
    for (_, note) in &world.notes {
        if let Note::Delivered { from: 0, number, .. } = note {
            *delivered.entry(*number).or_default() += 1;
        }
    }
    assert!(sent.len() > 1000);
    assert_eq!(sent.values().map(Vec::len).max(), Some(10), "five fragments, two attempts each");
    assert!(sent.values().all(|frames| frames[0].bytes == 136), "the headers come first");
    assert!(delivered.len() > 300 && delivered.values().all(|n| *n == 1));
    assert!(count(&world, |n| matches!(n, Note::Discarded { from: 0, arrived: true, .. })) > 10);
    let only_headers =
        |n: &Note| matches!(n, Note::HeaderOnly { number, .. } if !delivered.contains_key(number));
    let headers = count(&world, |n| matches!(n, Note::HeaderOnly { .. }));
    assert!(
        headers > 300 && count(&world, only_headers) == headers,
        "a receiver with all fragments has more than the headers"
    );
}

/// The first fragment arrives but none of its ACKs, so the receiver has the headers of the discarded packet.
#[test]
fn a_receiver_has_the_headers_even_if_their_ack_is_lost() {
    let mut plan = plan(2);
    plan.max_attempts = 1;
    plan.errors = vec![on_link(1, 0, ErrorPlan::Loss(1.0))];
    let mut world = cutting(&plan, 1);
    world.push(0, 1, 1040);
    world.push(0, 1, 60); // the packet fits in the first fragment: an ordinary packet
    let air = watch(&mut world, secs(1));
    let data: Vec<u32> = air.iter().filter(|t| t.kind == FrameKind::Data).map(|t| t.bytes).collect();
    assert_eq!(data, [136, 136, 136, 136, 136, 96]);
    let fates: Vec<Note> =
        world.notes.iter().map(|(_, n)| *n).filter(|n| !matches!(n, Note::Lost { .. })).collect();
    let failed = |number, attempt, retry| Note::Failed { from: 0, number, attempt, retry };
    let expect = [
        failed(0, 1, true),
        failed(0, 2, true),
        failed(0, 3, true),
        failed(0, 4, true),
        failed(0, 5, false),
        Note::HeaderOnly { to: 1, number: 0 },
        Note::Discarded { from: 0, number: 0, arrived: false },
        Note::Ready(0),
        Note::Delivered { from: 0, to: 1, number: 1 },
        failed(1, 1, false),
        Note::Discarded { from: 0, number: 1, arrived: true },
        Note::Ready(0),
    ];
    assert_eq!(fates, expect);
}
