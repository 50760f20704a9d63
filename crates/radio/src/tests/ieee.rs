//! Tests of IEEE 802.11 rules that differ from ns-2's, in whole cells.
use super::harness::{Note, World, line, on_link, plan};
use super::{DIFS, SIFS, SLOT, count, ns, secs, slots, watch};
use crate::cell::{AckTimeout, CellRules, RadioRange, StationIndex};
use crate::errors::ErrorPlan;
use crate::layer::FrameKind;
use airhop_base::{Rate, Time};

/// Duration of preamble and header of 802.11b: aRxPHYStartDelay.
const PLCP: u64 = 192_000;

fn when(world: &World, what: impl Fn(&Note) -> bool) -> Time {
    world.notes.iter().find(|(_, note)| what(note)).expect("the event occurred").0
}

fn failed(world: &World, by: StationIndex) -> Time {
    when(world, |note| matches!(note, Note::Failed { from, .. } if *from == by))
}

/// IEEE 802.11-2016 §10.3.2.9: a frame counts as failed at SIFS, slot and aRxPHYStartDelay after its end.
/// DIFS has elapsed by then. The time is 222 µs with link ACKs at 1 Mbit/s; ns-2 waits 334 µs, and then a
/// DIFS.
#[test]
fn the_backoff_after_a_lost_frame_begins_with_the_ack_timeout() {
    for (ack_timeout, timeout, then) in
        [(AckTimeout::Ieee, SIFS + SLOT + PLCP, 0), (AckTimeout::Ns2, SIFS + 304_000 + SLOT, DIFS)]
    {
        let mut plan = plan(2);
        plan.control_rate = Rate::from_bps(1_000_000);
        plan.rules.ack_timeout = ack_timeout;
        plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(1.0))];
        let mut world = World::new(&plan, 1);
        world.push(0, 1, 1040);
        let air = watch(&mut world, secs(1));
        assert_eq!(ns(air[0].end, failed(&world, 0)), timeout);
        assert!(air.windows(2).all(|pair| slots(pair[0].end, timeout + then, pair[1].start) < 1024));
        assert_eq!(air.len(), 7);
    }
}

/// IEEE 802.11-2016 §10.3.2.9: if a PHY-RXSTART occurs within the timeout, the outcome is determined at the
/// PHY-RXEND. An ACK with bit errors fails at its end, and EIFS follows.
#[test]
fn an_ack_with_bit_errors_fails_at_its_end() {
    for range in [None, Some(RadioRange::free_space(40.0, 85.0))] {
        let mut plan = plan(2);
        plan.stations[1].1 = [30.0, 0.0];
        (plan.range, plan.rules) = (range, CellRules::IEEE);
        plan.errors = vec![on_link(1, 0, ErrorPlan::Loss(1.0))];
        let mut world = World::new(&plan, 1);
        world.push(0, 1, 1040);
        let air = watch(&mut world, secs(1));
        assert_eq!(failed(&world, 0), air[1].end);
        slots(air[1].end, 364_000, air[2].start);
        assert_eq!(count(&world, |note| matches!(note, Note::Failed { .. })), 7);
        assert_eq!(count(&world, |note| matches!(note, Note::Discarded { arrived: true, .. })), 1);
    }
}

/// IEEE 802.11-2016 §10.3.2.9: "the recognition of anything else" is a failure at the end of the recognised
/// frame. Stations 1 and 3 do not sense each other and start at the same time. The frame from 1 to 0 is lost.
/// In place of its own ACK, station 1 receives station 2's ACK for station 3.
#[test]
fn a_frame_for_another_station_extends_the_ack_timeout() {
    let mut plan = line(&[-30.0, 0.0, 30.0, 35.0], 32.0, 32.0);
    (plan.rules, plan.control_rate) = (CellRules::IEEE, Rate::from_bps(1_000_000));
    plan.errors = vec![on_link(1, 0, ErrorPlan::Loss(1.0))];
    let mut world = World::new(&plan, 1);
    world.push(1, 0, 1040);
    world.push(3, 2, 1040);
    let air = watch(&mut world, secs(1));
    assert_eq!((air[0].start, air[0].end), (air[1].start, air[1].end), "both after a DIFS");
    assert_eq!((air[2].from, air[2].kind), (2, FrameKind::Ack));
    assert_eq!(failed(&world, 1), air[2].end);
    assert!(ns(air[1].end, air[2].end) > SIFS + SLOT + PLCP);
}

/// Returns the time from the end of station 1's ACK to the start of its next frame. Station 1 receives a
/// packet from station 0, and has a packet for station 2 at the same time.
fn forwarded(rules: CellRules, range: Option<RadioRange>, seed: u64) -> u64 {
    let mut plan = line(&[0.0, 30.0, 60.0], 40.0, 85.0);
    (plan.rules, plan.range) = (rules, range);
    let mut world = World::new(&plan, seed);
    world.push(0, 1, 1040);
    while !world.notes.iter().any(|(_, note)| matches!(note, Note::Delivered { to: 1, .. })) {
        world.step(secs(1)).expect("it arrives");
    }
    world.push(1, 2, 1040);
    let air = watch(&mut world, secs(1));
    let ack = air.iter().find(|t| t.from == 1 && t.kind == FrameKind::Ack).expect("an ACK");
    let data =
        air.iter().find(|t| t.from == 1 && t.kind == FrameKind::Data).expect("the packet is forwarded");
    ns(ack.end, data.start)
}

/// IEEE 802.11-2016 §10.3.4.2: both physical and virtual carrier sense are idle when the packet arrives, so
/// the station's own ACK requires no backoff. ns-2 draws a backoff.
#[test]
fn a_forwarded_packet_follows_the_ack_of_its_station_by_a_difs() {
    for range in [None, Some(RadioRange::free_space(40.0, 85.0))] {
        assert!((0..20).all(|seed| forwarded(CellRules::IEEE, range, seed) == DIFS));
        let drawn = (0..20).map(|seed| (forwarded(CellRules::NS2, range, seed) - DIFS) / SLOT);
        assert!(drawn.max() > Some(20), "20 draws from 0 … 31, none above 20: 2e-4");
    }
}
