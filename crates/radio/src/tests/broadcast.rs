//! Tests of broadcast frames on the air.
use super::harness::{Note, World, line, on_link, plan};
use super::{DIFS, SIFS, count, ns, secs, slots, watch};
use crate::cell::{AccessMethod, BROADCAST};
use crate::errors::ErrorPlan;
use crate::layer::FrameKind;
use airhop_base::{AccessCategory, Rate};

/// IEEE 802.11-2016 §10.3.6: a broadcast has no RTS, ACK or second attempt, and is sent at a rate that all
/// stations can receive. Here it lasts 192 µs of preamble and 1076 bytes at 1 Mbit/s. A post-backoff follows,
/// as after any packet (§10.3.4.3).
#[test]
fn a_broadcast_is_sent_once_at_the_control_rate() {
    for access in [AccessMethod::Basic, AccessMethod::RtsCts] {
        let mut plan = line(&[0.0, 30.0, 60.0, 90.0], 40.0, 85.0);
        (plan.access_method, plan.control_rate) = (access, Rate::from_bps(1_000_000));
        let mut world = World::new(&plan, 1);
        world.push(1, BROADCAST, 1040);
        world.push(1, BROADCAST, 1040);
        let air = watch(&mut world, secs(1));
        assert_eq!(air.iter().map(|t| t.kind).collect::<Vec<_>>(), [FrameKind::Broadcast; 2]);
        assert_eq!(ns(air[0].start, air[0].end), 192_000 + 8_608_000);
        slots(air[0].end, DIFS, air[1].start);
        let of_one = [
            Note::Heard { from: 1, to: 0 },
            Note::Heard { from: 1, to: 2 },
            Note::Broadcast { from: 1, number: 0 },
            Note::Ready(1),
        ];
        assert_eq!(world.notes.iter().map(|(_, n)| *n).take(4).collect::<Vec<_>>(), of_one);
        assert!(world.packets.is_empty() && world.cell.has_room(1, AccessCategory::default()));
    }
}

/// Every receiver has its own errors, and a lost broadcast is not retransmitted.
#[test]
fn each_receiver_of_a_broadcast_has_its_own_errors() {
    let mut plan = plan(3);
    plan.errors = vec![on_link(0, 1, ErrorPlan::Loss(1.0))];
    let mut world = World::new(&plan, 1);
    (0..50).for_each(|_| world.push(0, BROADCAST, 1040));
    let air = watch(&mut world, secs(2));
    let heard = |station| count(&world, |n| *n == Note::Heard { from: 0, to: station });
    assert_eq!((air.len(), heard(1), heard(2)), (50, 0, 50));
    assert_eq!(count(&world, |n| matches!(n, Note::Lost { .. } | Note::Failed { .. })), 0);
}

/// A broadcast reserves no time after its end, because no response follows: a station that received it waits
/// only DIFS.
#[test]
fn a_broadcast_does_not_set_the_nav() {
    let mut world = World::new(&plan(3), 5);
    world.push(0, BROADCAST, 1040);
    world.step(secs(1));
    world.push(1, 2, 1040);
    let air = watch(&mut world, secs(1));
    slots(air[0].end, DIFS, air[1].start);
    assert_eq!((air[1].kind, ns(air[1].end, air[2].start)), (FrameKind::Data, SIFS));
}
