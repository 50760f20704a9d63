//! Tests of the standard's fragments on the air.
use super::harness::{Note, World, line, on_link, plan};
use super::{DIFS, SIFS, SLOT, count, ns, secs, slots, watch};
use crate::cell::{AccessMethod, CellPlan, CellRules, Transmission};
use crate::errors::ErrorPlan;
use crate::layer::FrameKind;
use crate::phy::{ACK_BYTES, Phy};
use airhop_base::{DropCause, Span, Time};

/// Airtime of a link ACK of 802.11b at 11 Mbit/s, ns.
const ACK: u64 = 202_182;

/// Returns a cell with frames of at most 256 bytes. A packet of 1040 bytes has five frames: each has 28 bytes
/// of MAC header and FCS, and the first also 8 bytes of LLC.
fn cutting(n: usize) -> CellPlan {
    CellPlan { fragmentation_threshold: Some(256), ..plan(n) }
}

fn data(air: &[Transmission]) -> Vec<Transmission> {
    air.iter().filter(|t| t.kind == FrameKind::Data).copied().collect()
}

/// IEEE 802.11-2016 §10.5, §10.3.4.5: all frames except the last have the length of the threshold. After one
/// contention every frame follows the previous exchange after a SIFS. The packet is delivered once, with its
/// last frame.
#[test]
fn a_clean_packet_takes_the_airtime_of_its_fragments() {
    let plan = cutting(2);
    let mut world = World::new(&plan, 1);
    world.push(0, 1, 1040);
    let air = watch(&mut world, secs(1));
    let data: Vec<(u32, u64)> = air.iter().step_by(2).map(|t| (t.bytes, ns(t.start, t.end))).collect();
    // 8 bits × bytes / 11 Mbit/s, rounded up to a nanosecond.
    let (each, last) = ((256, 192_000 + 186_182), (164, 192_000 + 119_273));
    assert_eq!(data, [each, each, each, each, last]);
    assert!(air.iter().skip(1).step_by(2).all(|t| t.kind == FrameKind::Ack && ns(t.start, t.end) == ACK));
    assert!(air.windows(2).all(|w| ns(w[0].end, w[1].start) == SIFS));
    assert_eq!(ns(air[0].start, air[9].end), 4 * each.1 + last.1 + 5 * ACK + 9 * SIFS);
    let delivered = (air[8].end, Note::Delivered { from: 0, to: 1, number: 0 });
    assert_eq!(world.notes[..2], [delivered, (air[9].end, Note::Acknowledged { from: 0, number: 0 })]);
    assert_eq!(world.notes.len(), 3, "and the MAC is ready: {:?}", world.notes);
}

/// The computed time of a packet equals the simulated time, for every PHY and access method. A packet whose
/// frame is as long as the threshold is not fragmented.
#[test]
fn the_planned_time_of_fragments_equals_the_simulated_time() {
    for phy in Phy::ALL {
        for access in [AccessMethod::Basic, AccessMethod::RtsCts] {
            let rate = phy.rates[phy.rates.len() - 1];
            let mut plan = CellPlan {
                phy,
                data_rate: rate,
                control_rate: phy.rates[0],
                access_method: access,
                ..cutting(2)
            };
            for (bytes, fragments) in [(219, 1), (220, 1), (221, 2), (1040, 5), (1500, 7), (8000, 16)] {
                let mut world = World::new(&plan, 1);
                world.push(0, 1, bytes);
                let air = watch(&mut world, secs(1));
                let whole = air[air.len() - 1].end - air[0].start;
                assert_eq!(
                    whole,
                    plan.packet_delivery_time(bytes) + plan.link_ack_time(),
                    "{} {bytes}",
                    phy.name
                );
                let data = data(&air);
                assert_eq!(data.len(), fragments, "{bytes}");
                let carried: u32 = data.iter().map(|t| t.bytes - 28).sum();
                assert_eq!(carried, bytes + 8);
            }
            // A threshold of 255 bytes would leave 227 bytes for the packet, an odd number (§10.5).
            plan.fragmentation_threshold = Some(255);
            let mut world = World::new(&plan, 1);
            world.push(0, 1, 1040);
            assert_eq!(data(&watch(&mut world, secs(1)))[0].bytes, 254);
        }
    }
}

/// IEEE 802.11-2016 §10.3.4.6: a fragment and its ACK reserve the medium until the ACK of the next fragment.
/// An RTS reserves it only until the ACK of the first fragment. After a failed fragment the station contends
/// again, with an RTS, and the burst continues with this fragment.
#[test]
fn duration_fields_reach_to_the_ack_of_the_next_fragment() {
    let plan = CellPlan { access_method: AccessMethod::RtsCts, ..cutting(2) };
    let mut world = World::new(&plan, 1);
    world.push(0, 1, 600); // three fragments
    let air = watch(&mut world, secs(1));
    let ends = |kind| air.iter().filter(|t| t.kind == kind).map(|t| t.end).collect::<Vec<Time>>();
    assert_eq!(ends(FrameKind::Rts).len(), 1, "one contention for all");
    let [a, b, c] = ends(FrameKind::Ack)[..] else { panic!("three fragments") };
    let reserved: Vec<Time> = air.iter().map(|t| t.end + t.duration).collect();
    assert_eq!(reserved, [a, a, b, b, c, c, c, c]);

    let mut world = World::new(&CellPlan { errors: vec![on_link(0, 1, ErrorPlan::Loss(0.3))], ..plan }, 1);
    (0..100).for_each(|_| world.push(0, 1, 600));
    let air = watch(&mut world, secs(9));
    let mut begun = 0;
    for pair in air.windows(2).filter(|pair| pair[1].kind == FrameKind::Data) {
        assert!(matches!(pair[0].kind, FrameKind::Cts | FrameKind::Ack), "{pair:?}");
        assert_eq!(ns(pair[0].end, pair[1].start), SIFS);
        begun += usize::from(pair[0].kind == FrameKind::Cts);
    }
    assert!(begun > 180, "{begun} bursts of 100 packets");
}

/// Stations 0 and 2 do not sense each other. The duration field of station 1's ACKs keeps station 2 silent
/// until the end of the burst (IEEE 802.11-2016 §10.3.4.6). Only frames that overlap a first fragment
/// therefore collide.
#[test]
fn acks_of_fragments_set_the_nav_of_a_hidden_station() {
    let plan = CellPlan { fragmentation_threshold: Some(256), ..line(&[0.0, 30.0, 60.0], 40.0, 40.0) };
    let mut world = World::new(&plan, 1);
    world.saturate(0, 1, 1040);
    world.saturate(2, 1, 1040);
    let air = watch(&mut world, secs(10));
    let by_2: Vec<&Transmission> = air.iter().filter(|t| t.from == 2).collect();
    let mut heard = 0;
    for ack in air.iter().filter(|t| t.kind == FrameKind::Ack && t.to == 0 && t.duration > Span::ZERO) {
        if by_2.iter().any(|t| t.start < ack.end && ack.start < t.end) {
            continue; // the station was sending
        }
        let until = ack.end + ack.duration + Span::from_nanos(DIFS);
        assert!(by_2.iter().all(|t| t.start < ack.end || t.start >= until), "{ack:?}");
        heard += 1;
    }
    let collided =
        |n: &Note| matches!(n, Note::Lost { frame: FrameKind::Data, cause: DropCause::Collision, .. });
    let frames = data(&air).len();
    assert!(heard > 4000 && count(&world, collided) > 200, "{heard} of {frames}");
}

/// After a fragment without an ACK, the station draws a backoff as after any failed frame. Each failure
/// doubles the contention window. An ACK resets the window (IEEE 802.11-2016 §10.3.3: "all or part of an
/// MSDU") and the number of attempts (§10.3.4.4).
#[test]
fn a_missing_fragment_ack_causes_a_backoff() {
    let mut plan = CellPlan { max_attempts: 4, ..cutting(2) };
    plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(0.4))];
    let mut world = World::new(&plan, 1);
    (0..1000).for_each(|_| world.push(0, 1, 1040));
    let air = watch(&mut world, secs(100));
    let (mut widest, mut failures, mut most) = ([0; 3], 0, 0);
    for pair in air.windows(2) {
        if pair[0].tag != pair[1].tag {
            failures = 0;
        } else if pair[0].kind == FrameKind::Ack || pair[1].kind == FrameKind::Ack {
            assert_eq!(ns(pair[0].end, pair[1].start), SIFS);
            failures = 0;
        } else {
            assert_eq!(pair[0].bytes, pair[1].bytes, "the same fragment");
            failures += 1;
            most = most.max(pair[1].attempt);
            let drawn = slots(pair[0].end, SIFS + ACK + SLOT + DIFS, pair[1].start);
            assert!(failures < 4 && drawn < 32 << failures, "{drawn} slots after {failures} failures");
            widest[failures - 1] = drawn.max(widest[failures - 1]);
        }
    }
    // With hundreds of draws for each window, the last eighth of the window occurs almost surely.
    assert!(widest[0] > 56 && widest[1] > 112 && widest[2] > 224, "{widest:?}");
    assert!(most > 6, "failures of several fragments: {most}");
}

/// A packet is discarded at the first fragment that fails `attempts` times. This has the probability 1 − Π (1
/// − p_f^attempts), where p_f = 1 − (1 − BER)^bits is the loss probability of a fragment. Later fragments are
/// not sent.
#[test]
fn a_discarded_fragment_discards_its_packet() {
    for (attempts, fer) in [(1, 0.1), (1, 0.6), (2, 0.5), (4, 0.9)] {
        let mut plan = CellPlan { max_attempts: attempts, ..cutting(2) };
        plan.errors = vec![on_link(0, 1, ErrorPlan::FrameErrorRate { fer, reference_bits: 1076 * 8 })];
        let mut world = World::new(&plan, 1);
        let n = 4000;
        (0..n).for_each(|_| world.push(0, 1, 1040));
        let sent = data(&watch(&mut world, secs(3600))).len() as f64;
        let p = |bytes: f64| 1.0 - (1.0 - fer).powf(bytes / 1076.0);
        let arrives = |bytes| 1.0 - p(bytes).powi(attempts as i32);
        let (each, last) = (arrives(256.0), arrives(164.0));
        let lost = 1.0 - each.powi(4) * last;
        let counted = count(&world, |n| matches!(n, Note::Discarded { arrived: false, .. })) as f64;
        let n = f64::from(n);
        // The count is binomial; the tolerance is five standard deviations.
        let spread = 5.0 * (n * lost * (1.0 - lost)).sqrt();
        assert!((counted - n * lost).abs() <= spread, "{attempts}, {fer}: {counted}, expected {}", n * lost);
        assert_eq!(
            count(&world, |n| matches!(n, Note::HeaderOnly { .. })),
            0,
            "headers without a payload are not used"
        );
        // Mean number of transmissions of a fragment: Σ p^i, i < attempts.
        let tries = |bytes| arrives(bytes) / (1.0 - p(bytes));
        let begun: f64 = (0..4).map(|i| each.powi(i)).sum();
        let expected = n * (begun * tries(256.0) + each.powi(4) * tries(164.0));
        assert!(
            (sent / expected - 1.0).abs() < 0.02,
            "{attempts}, {fer}: {sent} frames, expected {expected}"
        );
    }
}

/// Returns the goodput of a saturated station, packets/s of 1500 bytes, computed from the parameters of the
/// PHY. The cycle of a packet is a DIFS, a mean backoff and its fragments in sequence. Every failure adds a
/// timeout, a DIFS and a backoff in a doubled window; after the last permitted failure the cycle ends.
fn closed_form(plan: &CellPlan, ber: f64, lengths: &[u32]) -> f64 {
    let us = |span: Span| span.nanos() as f64 / 1e3;
    let airtime = |bytes| us(plan.phy.airtime(bytes, plan.data_rate));
    let [sifs, slot, difs] = [plan.phy.sifs, plan.phy.slot, plan.phy.difs()].map(us);
    let ack = us(plan.phy.airtime(ACK_BYTES, plan.control_rate));
    let backoff = |failures: u32| {
        let window = (u64::from(plan.phy.cw_min + 1) << failures).min(u64::from(plan.phy.cw_max) + 1);
        slot * (window - 1) as f64 / 2.0
    };
    let (mut time, mut reached) = (difs + backoff(0) - sifs, 1.0);
    for &bytes in lengths {
        let p = 1.0 - (1.0 - ber).powi(8 * bytes as i32);
        time += reached * sifs;
        for failures in 0..plan.max_attempts {
            let tried = reached * p.powi(failures as i32);
            let repeats = if failures + 1 < plan.max_attempts { difs + backoff(failures + 1) } else { 0.0 };
            time += tried * (airtime(bytes) + sifs + ack + p * (slot + repeats));
        }
        reached *= 1.0 - p.powi(plan.max_attempts as i32);
    }
    reached / time * 1e6
}

/// The throughput of clean and noisy cells equals the closed form. The best threshold increases as the bit
/// error rate decreases: short frames are lost less often than long frames, but need more headers and ACKs.
#[test]
fn the_best_fragmentation_threshold_grows_as_ber_falls() {
    let thresholds = [96, 192, 384, 768, 1536];
    let mut best = Vec::new();
    for ber in [0.0, 2e-5, 1e-4, 4e-4, 2e-3] {
        let goodput = thresholds.map(|threshold: u32| {
            let mut plan = CellPlan { fragmentation_threshold: Some(threshold), ..plan(2) };
            let fer = 1.0 - (1.0_f64 - ber).powi(8);
            plan.errors = vec![on_link(0, 1, ErrorPlan::FrameErrorRate { fer, reference_bits: 8 })];
            let mut world = World::new(&plan, 1);
            world.keep = false;
            world.saturate(0, 1, 1400);
            world.run(secs(20));
            let measured = world.delivered as f64 / 20.0;
            let part = (threshold - 28).max(88); // at most 16 fragments
            let (body, mut lengths) = (1408, Vec::new());
            (0..body).step_by(part as usize).for_each(|at| lengths.push(28 + part.min(body - at)));
            let expected = closed_form(&plan, ber, &lengths);
            // The standard deviation of a cycle is some tenths of its mean. A run has thousands of cycles, so
            // the error of the mean is small; with few packets it is larger.
            let error = 5.0 * (expected * 20.0).sqrt() / (expected * 20.0);
            assert!(
                (measured - expected).abs() < expected * (0.003 + error),
                "BER {ber}, {threshold} B: {measured}, expected {expected}"
            );
            measured
        });
        best.push(thresholds[(0..5).max_by(|&i, &j| goodput[i].total_cmp(&goodput[j])).expect("five")]);
    }
    assert!(best[0] == 1536 && best[4] < 384 && best.is_sorted_by(|a, b| a >= b), "{best:?}");
}

/// IEEE 802.11-2016 §10.5: no fragment starts later than 512 TU, dot11MaxTransmitMSDULifetime, after the
/// start of the first fragment. The packet is then discarded, and later packets follow.
#[test]
fn the_msdu_lifetime_limits_a_fragment_burst() {
    let mut plan = CellPlan { rules: CellRules::IEEE, retry_delay: Span::from_millis(200), ..cutting(2) };
    plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(1.0))];
    let mut world = World::new(&plan, 1);
    world.push(0, 1, 1040);
    world.push(0, 1, 40);
    let air = watch(&mut world, secs(10));
    let sizes: Vec<u32> = air.iter().map(|t| t.bytes).collect();
    assert_eq!(sizes, [vec![256; 3], vec![76; 7]].concat(), "0, 200 and 400 ms; and one in a single frame");
    let given_up = |n: &Note| matches!(n, Note::Discarded { arrived: false, .. });
    let at: Vec<Time> = world.notes.iter().filter(|(_, n)| given_up(n)).map(|(at, _)| *at).collect();
    assert!(at.len() == 2 && (600_000..650_000).contains(&(ns(air[0].start, at[0]) / 1000)), "{at:?}");
    assert!(at[0] < air[3].start && ns(at[0], air[3].start) < 32 * SLOT, "after its post-backoff");
}

/// Without the last ACKs the sender does not know that the receiver has all fragments. The receiver drops the
/// duplicate fragments, and the sender may discard a packet that has arrived.
#[test]
fn duplicate_fragments_are_dropped() {
    let mut plan = CellPlan { max_attempts: 2, ..cutting(2) };
    plan.errors = vec![on_link(1, 0, ErrorPlan::Loss(0.3))];
    let mut world = World::new(&plan, 1);
    (0..1000).for_each(|_| world.push(0, 1, 600));
    world.run(secs(60));
    let delivered = count(&world, |n| matches!(n, Note::Delivered { .. }));
    let acknowledged = count(&world, |n| matches!(n, Note::Acknowledged { .. }));
    let unknown = count(&world, |n| matches!(n, Note::Discarded { arrived: true, .. }));
    let lost = count(&world, |n| matches!(n, Note::Discarded { arrived: false, .. }));
    assert_eq!((delivered, delivered + lost), (acknowledged + unknown, 1000));
    assert!(unknown > 50 && lost > 50, "{unknown} unknown, {lost} lost");
}
