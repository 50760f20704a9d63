//! Tests of frames on the air, one by one.
#[path = "../../tests/harness/mod.rs"]
mod harness;

mod broadcast;
mod channel;
mod fragments;
mod ieee;
mod lhp;

use crate::cell::Transmission;
use crate::cell::{AccessMethod, AirEvent, CellPlan, RadioRange, StationIndex};
use crate::errors::ErrorPlan;
use crate::layer::{FrameKind, Reception, SentFrame};
use airhop_base::{DropCause, Rate, Span, Time};
use harness::{Note, World, line, on_link, plan};

const US: u64 = 1000;
/// DIFS, EIFS and slot of 802.11b.
pub(crate) const DIFS: u64 = 50 * US;
const EIFS: u64 = 364 * US;
pub(crate) const SLOT: u64 = 20 * US;
pub(crate) const SIFS: u64 = 10 * US;

pub(crate) fn secs(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

/// Runs the world to `end`. Returns every transmission that ended, in the order of the ends.
pub(crate) fn watch(world: &mut World, end: Time) -> Vec<Transmission> {
    let mut air = Vec::new();
    while let Some((now, event)) = world.queue.pop_until(end) {
        if let AirEvent::End(slot) = event.kind {
            air.push(world.cell.transmission(slot));
        }
        world.handle(now, event.kind);
    }
    air
}

fn notes(world: &World) -> Vec<Note> {
    world.notes.iter().map(|(_, n)| *n).collect()
}

pub(crate) fn count(world: &World, what: impl Fn(&Note) -> bool) -> usize {
    world.notes.iter().filter(|(_, n)| what(n)).count()
}

fn overlap(a: &Transmission, b: &Transmission) -> bool {
    a.start < b.end && b.start < a.end
}

pub(crate) fn ns(from: Time, to: Time) -> u64 {
    (to - from).nanos()
}

/// Returns the number of backoff slots that elapsed before `start`. `free`: time at which the medium became
/// idle; `ifs`: interframe space after it, ns.
pub(crate) fn slots(free: Time, ifs: u64, start: Time) -> u64 {
    let rest = ns(free, start).checked_sub(ifs).expect("no station sends within the interframe space");
    assert_eq!(rest % SLOT, 0, "{rest} ns are not an integer number of slots");
    rest / SLOT
}

#[test]
fn immediate_access_sends_a_packet_without_backoff() {
    for immediate in [true, false] {
        let mut plan = plan(2);
        plan.rules.immediate_access = immediate;
        let starts: Vec<Time> = (0..200)
            .map(|seed| {
                let mut world = World::new(&plan, seed);
                world.queue.push(secs(1), crate::cell::CellEvent { cell: 0, kind: AirEvent::Due });
                world.queue.pop_until(secs(1)); // the clock advances by one second
                world.push(0, 1, 1040);
                let air = watch(&mut world, secs(2));
                assert_eq!(air.len(), 2);
                assert_eq!(ns(air[0].end, air[1].start), SIFS);
                air[0].start
            })
            .collect();
        if immediate {
            assert!(starts.iter().all(|s| *s == secs(1)));
        } else {
            let drawn: Vec<u64> = starts.iter().map(|s| slots(secs(1), DIFS, *s)).collect();
            // 200 draws from 32 values: 0 or 31 is missing with probability 0.003 (the seeds are fixed).
            assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&0), Some(&31)));
        }
    }
}

#[test]
fn immediate_access_on_a_busy_medium_draws_a_backoff() {
    let mut plan = plan(3);
    plan.rules.immediate_access = true;
    let mut world = World::new(&plan, 1);
    world.push(0, 1, 1040);
    // at time zero: the stations do not sense each other, both wait for a DIFS and collide
    world.push(2, 1, 1040);
    let air = watch(&mut world, secs(1));
    assert_eq!((air[0].start, air[1].start), (air[0].start, air[0].start));
    let mut world = World::new(&plan, 1);
    world.push(0, 1, 1040);
    world.step(secs(1)); // station 0 is transmitting
    world.push(2, 1, 1040);
    let air = watch(&mut world, secs(1));
    slots(air[1].end, DIFS, air[2].start);
    assert_eq!(air.iter().filter(|t| t.kind == FrameKind::Data).count(), 2);
}

#[test]
fn an_rts_exchange_has_sifs_gaps_and_correct_duration_fields() {
    for range in [None, Some(RadioRange::free_space(40.0, 85.0))] {
        let mut plan = plan(2);
        plan.stations[1].1 = [30.0, 0.0];
        (plan.range, plan.access_method, plan.control_rate) =
            (range, AccessMethod::RtsCts, Rate::from_bps(1_000_000));
        let mut world = World::new(&plan, 1);
        world.push(0, 1, 1040);
        let air = watch(&mut world, secs(1));
        let kinds: Vec<FrameKind> = air.iter().map(|t| t.kind).collect();
        assert_eq!(kinds, [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack]);
        let lengths: Vec<u64> = air.iter().map(|t| ns(t.start, t.end)).collect();
        assert_eq!(lengths, [352_000, 304_000, 192_000 + 782_546, 304_000]);
        assert!(air.windows(2).all(|w| ns(w[0].end, w[1].start) == SIFS));
        assert!(air.iter().all(|t| t.end + t.duration == air[3].end));
        assert_eq!(notes(&world)[1], Note::Acknowledged { from: 0, number: 0 });
    }
}

/// IEEE 802.11-2016 §10.3.4.3: the backoff is uniform in {0, …, CW}. CW is doubled at every failure, and
/// reset after the last attempt.
#[test]
fn backoffs_are_uniform_in_cw_which_doubles_at_failures() {
    let mut plan = plan(2);
    plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(1.0))];
    let mut world = World::new(&plan, 1);
    world.saturate(0, 1, 40);
    let air = watch(&mut world, secs(400));
    // The timeout is SIFS, the duration of an ACK, and a slot; a DIFS follows.
    let wait = SIFS + 202_182 + SLOT + DIFS;
    let mut drawn = vec![Vec::new(); 7];
    for pair in air.windows(2) {
        let next = pair[1].attempt;
        drawn[next as usize - 1].push(slots(pair[0].end, wait, pair[1].start));
    }
    for (stage, values) in drawn.iter().enumerate() {
        let n = values.len() as f64;
        let window = f64::min(32.0 * 2_f64.powi(stage as i32), 1024.0);
        assert!(n > 5000.0);
        // 32 bins of equal width: chi-square test with 31 degrees of freedom, 99.99 % quantile 70.
        let mut bins = [0.0; 32];
        values.iter().for_each(|v| bins[(*v as f64 / window * 32.0) as usize] += 1.0);
        let chi2: f64 = bins.iter().map(|b: &f64| (b - n / 32.0).powi(2) / (n / 32.0)).sum();
        assert!(chi2 < 70.0, "attempt {}: {chi2}", stage + 1);
    }
}

#[test]
fn stations_in_range_collide_only_in_the_same_slot() {
    for access in [AccessMethod::Basic, AccessMethod::RtsCts] {
        let mut plan = plan(10);
        plan.access_method = access;
        let mut world = World::new(&plan, 1);
        (1..10).for_each(|s| world.saturate(s, 0, 1040));
        let mut air = watch(&mut world, secs(20));
        air.sort_by_key(|t| t.start);
        let mut collisions = 0;
        let mut busy_until = Time::ZERO;
        let mut clean_ack_before = false;
        for pair in air.windows(2) {
            busy_until = busy_until.max(pair[0].end);
            if overlap(&pair[0], &pair[1]) {
                assert_eq!(pair[0].start, pair[1].start);
                collisions += 1;
            } else if clean_ack_before && pair[0].kind == FrameKind::Ack {
                assert!(slots(busy_until, DIFS, pair[1].start) < 1024);
            }
            clean_ack_before = true;
        }
        assert!(collisions > 100);
        assert_eq!(count(&world, |n| matches!(n, Note::Lost { cause: DropCause::Channel, .. })), 0);
    }
}

/// Returns a cell in which stations 0 and 2 sense station 1 but not each other.
fn hidden(access: AccessMethod) -> CellPlan {
    let mut plan = line(&[0.0, 30.0, 60.0], 40.0, 40.0);
    plan.access_method = access;
    plan
}

fn data_collisions(plan: &CellPlan) -> (usize, u64) {
    let mut world = World::new(plan, 1);
    world.saturate(0, 1, 1040);
    world.saturate(2, 1, 1040);
    world.run(secs(10));
    let lost = |n: &Note| matches!(n, Note::Lost { frame: FrameKind::Data, cause: DropCause::Collision, .. });
    (count(&world, lost), world.delivered)
}

#[test]
fn rts_prevents_data_collisions_of_hidden_terminals() {
    let (basic, _) = data_collisions(&hidden(AccessMethod::Basic));
    let (rts, _) = data_collisions(&hidden(AccessMethod::RtsCts));
    let mut audible = hidden(AccessMethod::Basic);
    audible.range = Some(RadioRange::free_space(40.0, 85.0));
    let (heard, delivered) = data_collisions(&audible);
    // Among two stations within sense range, a frame collides with probability 2 / (W + 1) = 6.1 % at most
    // (Bianchi, n = 2).
    let p = heard as f64 / (heard as f64 + delivered as f64);
    assert!((0.03..0.065).contains(&p), "{p}");
    assert!(basic > 4 * heard, "{basic} hidden, {heard} in range");
    assert!(rts * 20 < basic, "{rts} with RTS/CTS, {basic} without");
}

/// A frame that is scheduled to start before the end of another frame overlaps it; a frame that starts at the
/// end does not. Station 2 receives its packet first, and its backoff ends exactly at the end of station 0's
/// frame.
#[test]
fn a_signal_that_begins_as_another_ends_does_not_overlap_it() {
    let mut plan = hidden(AccessMethod::Basic);
    // 76 bytes and their preamble last 40 slots.
    (plan.data_rate, plan.max_attempts, plan.phy.cw_min) = (Rate::from_bps(1_000_000), 1, 63);
    let mut met = 0;
    for seed in 0..2000 {
        let mut world = World::new(&plan, seed);
        world.push(2, 1, 40);
        world.push(0, 1, 40);
        let air = watch(&mut world, secs(1));
        let sent_by = |station| air.iter().find(|t| t.from == station).expect("one attempt of each");
        if sent_by(0).end == sent_by(2).start {
            assert_eq!(count(&world, |n| matches!(n, Note::Delivered { from: 0, .. })), 1, "seed {seed}");
            met += 1;
        }
    }
    assert!(met >= 5, "24 of 4096 pairs of backoffs are 40 slots apart: {met}");
}

#[test]
fn a_decoded_cts_sets_the_nav_of_a_hidden_station() {
    let mut world = World::new(&hidden(AccessMethod::RtsCts), 3);
    world.saturate(0, 1, 1040);
    world.saturate(2, 1, 1040);
    let air = watch(&mut world, secs(5));
    let mut checked = 0;
    for cts in air.iter().filter(|t| t.kind == FrameKind::Cts && t.to == 0) {
        let by_2 = || air.iter().filter(|t| t.from == 2);
        if by_2().any(|t| overlap(t, cts)) {
            continue; // station 2 was sending and did not receive this CTS
        }
        let until = cts.end + cts.duration + Span::from_nanos(DIFS);
        assert!(by_2().all(|t| t.end <= cts.start || t.start >= until));
        checked += 1;
    }
    assert!(checked > 500, "{checked}");
}

/// Simulates a frame from a distance of 10 m, and a hidden station at a distance of `far` metres that sends
/// to a station still farther away. A receiver needs a power ratio of `ratio`. Returns three booleans for
/// every data frame of station 0: lost, overlapped by an earlier frame, and overlapped by a later frame.
fn capture(far: f64, ratio: f64) -> Vec<(bool, bool, bool)> {
    let mut plan = line(&[0.0, 10.0, 10.0 + far, 10.0 + 2.0 * far], 36.0, 36.0);
    plan.range = plan.range.map(|range| RadioRange { capture_ratio: ratio, ..range });
    plan.max_attempts = 1;
    let mut world = World::new(&plan, 1);
    world.saturate(0, 1, 1040);
    world.saturate(2, 3, 500);
    let air = watch(&mut world, secs(5));
    let interferer = || air.iter().filter(|t| t.from == 2);
    let lost_at = |end: Time| {
        let lost = |n: &Note| matches!(n, Note::Lost { from: 0, frame: FrameKind::Data, .. });
        world.notes.iter().any(|(t, n)| *t == end && lost(n))
    };
    let frames = air.iter().filter(|t| t.from == 0 && t.kind == FrameKind::Data);
    frames
        .map(|f| {
            let earlier = interferer().any(|t| overlap(t, f) && t.start < f.start);
            let later = interferer().any(|t| overlap(t, f) && t.start > f.start);
            (lost_at(f.end), earlier, later)
        })
        .collect()
}

/// The receiver decodes the first signal if it is at least 10 dB stronger than a later signal. A later signal
/// never captures the receiver.
#[test]
fn the_first_signal_is_received_if_it_is_10_db_stronger() {
    // Power ratios of the two distances: (35 / 10)^2 = 12.25, and (31 / 10)^2 = 9.61.
    for (far, ratio) in [(35.0, RadioRange::DEFAULT_CAPTURE_RATIO), (31.0, 9.5)] {
        let strong = capture(far, ratio);
        assert!(strong.iter().all(|(lost, earlier, _)| lost == earlier));
        assert!(strong.iter().filter(|(_, earlier, later)| *later && !*earlier).count() > 100);
    }
    for (far, ratio) in [(31.0, RadioRange::DEFAULT_CAPTURE_RATIO), (35.0, 12.5)] {
        let weak = capture(far, ratio);
        assert!(weak.iter().all(|(lost, earlier, later)| *lost == (*earlier || *later)));
        assert!(weak.iter().filter(|(lost, ..)| *lost).count() > 100);
    }
}

/// Every transmission is reported, with the outcome of each attempt. Station 2 is hidden from station 0.
/// Station 1 senses but cannot decode station 2, whose signals collide with the frames from 0 to 1.
#[test]
fn every_transmission_is_recorded_with_its_outcome() {
    let told = |metres: &[f64], ratio| {
        let mut plan = line(metres, 36.0, 50.0);
        plan.range = plan.range.map(|range| RadioRange { capture_ratio: ratio, ..range });
        let mut world = World::new(&plan, 1);
        world.cell.enable_transmission_reports();
        world.saturate(0, 1, 1040);
        world.saturate(2, 3, 500);
        let air = watch(&mut world, secs(2));
        let told = world.notes.iter().filter_map(|(end, note)| match note {
            Note::Transmitted(t) => Some((*end, *t)),
            _ => None,
        });
        let told: Vec<_> = told.collect();
        assert_eq!(told.len(), air.iter().filter(|t| t.end <= secs(2)).count());
        for (end, t) in &told {
            let same = |a: &&Transmission| {
                (a.from, a.to, a.kind, a.start, a.end) == (t.from, t.to, t.kind, t.start, *end)
            };
            let sent = air.iter().find(same).expect("the frame was on the air");
            assert_eq!((sent.bytes, sent.attempt, sent.tag), (t.bytes, t.attempt, t.tag));
            let lost =
                |n: &Note| matches!(n, Note::Lost { from, frame, .. } if (*from, *frame) == (t.from, t.kind));
            let was_lost = world.notes.iter().any(|(at, note)| at == end && lost(note));
            assert_eq!(was_lost, !matches!(t.reception, Reception::Received | Reception::Captured));
            // A captured frame was overlapped at its receiver by a later signal.
            if t.reception == Reception::Captured {
                let hears =
                    |s: StationIndex| (metres[usize::from(s)] - metres[usize::from(t.to)]).abs() <= 50.0;
                assert!(
                    air.iter()
                        .any(|a| hears(a.from) && a.from != t.from && overlap(a, sent) && a.start > t.start)
                );
            }
        }
        told.into_iter().map(|(_, t)| t).filter(|t| t.from == 0).collect::<Vec<_>>()
    };
    let count = |told: &[SentFrame], what| told.iter().filter(|t| t.reception == what).count();
    // The distances 45 m and 10 m differ by 13 dB.
    let near = [0.0, 10.0, 55.0, 90.0];
    let strong = told(&near, 10.0);
    assert!(count(&strong, Reception::Captured) > 50 && count(&strong, Reception::Collision) > 50);
    let weak = told(&near, 100.0);
    assert!(count(&weak, Reception::Captured) == 0 && count(&weak, Reception::Collision) > 50);
    assert!(told(&[0.0, 40.0, 300.0, 330.0], 10.0).iter().all(|t| t.reception == Reception::Unheard));
}

#[test]
fn a_packet_with_lost_acks_is_delivered_once_and_discarded() {
    let mut plan = plan(2);
    plan.max_attempts = 3;
    plan.errors = vec![on_link(1, 0, ErrorPlan::Loss(1.0))];
    let mut world = World::new(&plan, 1);
    world.push(0, 1, 1040);
    world.run(secs(1));
    let lost = Note::Lost {
        from: 1,
        to: 0,
        frame: FrameKind::Ack,
        bytes: 14,
        cause: DropCause::Channel,
        header_intact: false,
    };
    let failed = |attempt| Note::Failed { from: 0, number: 0, attempt, retry: attempt < 3 };
    let expect = [
        Note::Delivered { from: 0, to: 1, number: 0 },
        lost,
        failed(1),
        lost,
        failed(2),
        lost,
        failed(3),
        Note::Discarded { from: 0, number: 0, arrived: true },
        Note::Ready(0),
    ];
    assert_eq!(notes(&world), expect);
    assert!(world.packets.is_empty());
    // A damaged ACK does not shorten the timeout, which ends a slot after the end of the ACK.
    assert_eq!(ns(world.notes[1].0, world.notes[2].0), SLOT);
}

#[test]
fn data_has_the_configured_attempts_and_an_rts_seven() {
    for (access, attempts, sent) in [
        (AccessMethod::Basic, 1, 1),
        (AccessMethod::Basic, 4, 4),
        (AccessMethod::RtsCts, 1, 7),
        (AccessMethod::RtsCts, 9, 7),
    ] {
        let mut plan = plan(2);
        (plan.access_method, plan.max_attempts) = (access, attempts);
        plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(1.0))];
        let mut world = World::new(&plan, 1);
        world.push(0, 1, 1040);
        let air = watch(&mut world, secs(2));
        assert_eq!(air.len(), sent);
        assert_eq!(count(&world, |n| matches!(n, Note::Failed { .. })), sent);
        assert_eq!(count(&world, |n| matches!(n, Note::Discarded { arrived: false, .. })), 1);
        assert!(world.packets.is_empty());
        // The timeout is SIFS, the response (202 µs at 11 Mbit/s) and a slot after the end of the frame.
        let failed = world.notes.iter().find(|(_, n)| matches!(n, Note::Failed { .. })).unwrap().0;
        assert_eq!(ns(air[0].end, failed), SIFS + 202_182 + SLOT);
    }
}

/// With RTS/CTS, attempts of data frames are counted separately: a lost RTS uses no attempt of the data
/// frame, and a CTS resets the number of RTS attempts.
#[test]
fn data_attempts_are_counted_separately_from_rts_attempts() {
    let mut plan = plan(2);
    (plan.access_method, plan.max_attempts) = (AccessMethod::RtsCts, 4);
    // An RTS is lost with a probability of 35 %, a data frame of 1536 bytes almost surely.
    plan.errors = vec![on_link(0, 1, ErrorPlan::FrameErrorRate { fer: 0.35, reference_bits: 20 * 8 })];
    let mut world = World::new(&plan, 1);
    (0..100).for_each(|_| world.push(0, 1, 1500));
    let air = watch(&mut world, secs(20));
    let of = |kind| air.iter().filter(|t| t.kind == kind).count();
    assert_eq!((of(FrameKind::Data), of(FrameKind::Cts)), (400, 400));
    assert!(of(FrameKind::Rts) > 550); // 400 / 0.65 = 615
    assert_eq!(count(&world, |n| matches!(n, Note::Discarded { arrived: false, .. })), 100);
    // The failures of a packet are numbered consecutively, from 1.
    assert_eq!(count(&world, |n| matches!(n, Note::Failed { attempt: 1, .. })), 100);
}

/// Simulates an exchange between stations 0 and 1, after which station 2 sends to the last station. Returns
/// the time at which the medium becomes idle, and the time at which station 2 begins to send.
fn bystander(plan: &CellPlan) -> (Time, Time) {
    let mut world = World::new(plan, 5);
    world.push(0, 1, 1040);
    world.step(secs(1)); // the data frame is being transmitted
    world.push(2, plan.stations.len() as StationIndex - 1, 1040);
    let air = watch(&mut world, secs(1));
    let ack = air.iter().find(|t| t.kind == FrameKind::Ack).unwrap();
    let own = air.iter().find(|t| t.from == 2 && t.kind == FrameKind::Data).unwrap();
    (ack.end, own.start)
}

/// IEEE 802.11-2016 §10.3.7. EIFS is 15.7 slots longer than DIFS, so the fraction of a slot in the start time
/// shows which interframe space was used.
#[test]
fn eifs_follows_an_undecodable_frame_until_a_correct_frame() {
    // Each case lists the links with bit errors, and the interframe space of station 2. Station 2 decodes
    // both frames, only the ACK, or neither of them.
    for (links, ifs) in [(&[][..], DIFS), (&[(0, 2)], DIFS), (&[(0, 2), (1, 2)], EIFS)] {
        let mut plan = plan(4);
        plan.errors = links.iter().map(|(from, to)| on_link(*from, *to, ErrorPlan::Loss(1.0))).collect();
        let (idle, start) = bystander(&plan);
        slots(idle, ifs, start);
    }
}

/// EIFS also follows a signal from beyond the receive range.
#[test]
fn frames_beyond_the_receive_range_are_only_sensed() {
    let (idle, start) = bystander(&line(&[0.0, 30.0, 80.0, 110.0], 40.0, 85.0));
    slots(idle, EIFS, start);
    let (idle, start) = bystander(&line(&[0.0, 30.0, 70.0, 110.0], 40.0, 85.0)); // decodes the ACK
    slots(idle, DIFS, start);
    for far in [60.0, 90.0] {
        let mut plan = line(&[0.0, far], 40.0, 85.0);
        plan.max_attempts = 1;
        let mut world = World::new(&plan, 1);
        world.push(0, 1, 1040);
        world.run(secs(1));
        let lost = Note::Lost {
            from: 0,
            to: 1,
            frame: FrameKind::Data,
            bytes: 1076,
            cause: DropCause::Channel,
            header_intact: false,
        };
        assert_eq!(notes(&world)[0], lost);
    }
}
