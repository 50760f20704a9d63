//! Channel access of one station, deadline by deadline.
use super::*;
use crate::cell::mac::data_frame::DataFrame;
use crate::tag::Tag;
use airhop_base::{FlowId, Packet};
use airhop_engine::{Arena, Streams};

/// 802.11b, no immediate access.
const RULES: Rules = Rules {
    slot: Span::from_micros(20),
    difs: Span::from_micros(50),
    eifs: Span::from_micros(364),
    cw_min: 31,
    cw_max: 1023,
    attempts: 7,
    retry_delay: Span::ZERO,
    immediate_access: false,
    ack_timeout: AckTimeout::Ns2,
};

fn us(t: u64) -> Time {
    Time::from_nanos(t * 1000)
}

fn packet() -> Service {
    let tag = Tag { flow: FlowId(0), seq: 0, end: 0 };
    let frame = DataFrame { bytes: 1076, header: 76, airtime: Span::from_micros(975) };
    Service::new(1, Arena::new().insert(any_packet()), tag, frame, None)
}

fn any_packet() -> Packet {
    use airhop_base::{Body, Datagram, NodeId};
    let body = Body::Udp(Datagram { number: 0, len: 12, sent: Time::ZERO, original: None });
    Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, body)
}

/// Returns a station that got a packet at 1000 µs on an idle medium, and the number of slots it drew.
fn contending(at_least: u64) -> (Dcf, u64) {
    (0..)
        .map(|seed| {
            let mut dcf = Dcf::new(&RULES, Streams::new(seed, 0).stream("backoff"));
            dcf.enqueue(us(1000), packet(), true, true, &RULES);
            let slots = (dcf.deadline(&RULES) - us(1050)).whole(RULES.slot);
            (dcf, slots)
        })
        .find(|(_, slots)| *slots >= at_least)
        .expect("one of the seeds draws enough")
}

#[test]
fn a_frozen_backoff_keeps_the_whole_slots_that_passed() {
    // A DIFS from 1000, then 3 slots and 15 µs; a whole number of slots; less than a DIFS.
    for (busy, counted) in [(1125, 3), (1110, 3), (1130, 4), (1060, 0), (1040, 0)] {
        let (mut dcf, slots) = contending(6);
        dcf.busy(us(busy), false, &RULES);
        assert_eq!(dcf.deadline(&RULES), Time::MAX);
        dcf.idle(us(3000), &RULES);
        assert_eq!(dcf.deadline(&RULES), us(3050 + 20 * (slots - counted)), "busy at {busy} µs");
    }
}

#[test]
fn a_backoff_that_ends_as_the_medium_becomes_busy_is_not_frozen() {
    let (mut dcf, slots) = contending(6);
    let end = us(1050 + 20 * slots);
    dcf.busy(end, false, &RULES);
    assert_eq!(dcf.deadline(&RULES), end);
}

#[test]
fn virtual_carrier_sense_outlasts_the_physical_one() {
    let (mut dcf, slots) = contending(6);
    dcf.busy(us(1040), false, &RULES);
    dcf.received(Some(us(5000)));
    dcf.idle(us(3000), &RULES);
    assert!(!dcf.may_answer_rts(us(4999)) && dcf.may_answer_rts(us(5000)));
    assert_eq!(dcf.deadline(&RULES), us(5050 + 20 * slots));
    dcf.busy(us(4000), false, &RULES); // and no slot of the reserved time counts
    dcf.received(Some(us(4500))); // an earlier reservation does not shorten it
    dcf.idle(us(4100), &RULES);
    assert_eq!(dcf.deadline(&RULES), us(5050 + 20 * slots));
}

#[test]
fn eifs_counts_from_the_end_of_the_unreadable_signal_and_ends_with_a_frame() {
    let (mut dcf, slots) = contending(6);
    dcf.busy(us(1040), false, &RULES);
    dcf.garbled();
    dcf.idle(us(3000), &RULES);
    assert_eq!(dcf.deadline(&RULES), us(3364 + 20 * slots));
    dcf.busy(us(3100), false, &RULES);
    dcf.received(None);
    dcf.idle(us(3200), &RULES);
    assert_eq!(dcf.deadline(&RULES), us(3250 + 20 * slots));
}

/// IEEE 802.11-2016 §10.3.2.3.7: EIFS where the last reception failed; a station that has sent since then waits DIFS.
#[test]
fn an_own_frame_ends_eifs() {
    let (mut dcf, slots) = contending(0);
    dcf.busy(us(1040), false, &RULES);
    dcf.garbled();
    dcf.idle(us(3000), &RULES);
    let start = us(3364 + 20 * slots);
    assert_eq!(dcf.deadline(&RULES), start);
    dcf.busy(start, false, &RULES);
    dcf.sends(FrameKind::Data);
    dcf.idle(start + Span::from_micros(1000), &RULES);
    let timeout = start + Span::from_micros(1232);
    assert!(dcf.failed(timeout, true, &RULES).gave_up.is_none());
    let Backoff::Slots(drawn) = dcf.backoff else { panic!("a backoff is drawn") };
    assert_eq!(dcf.deadline(&RULES), timeout + Span::from_micros(50 + 20 * u64::from(drawn)));
}

/// A link layer with slow loss awareness (Yun 2009 §2.2): the backoff before a retransmission begins after the pause, also if the medium
/// becomes busy in between; the packet behind does not wait longer.
#[test]
fn a_slow_link_layer_pauses_before_it_repeats() {
    let rules = Rules { attempts: 2, retry_delay: Span::from_micros(90_000), ..RULES };
    let (mut dcf, slots) = contending(0);
    dcf.busy(us(1050 + 20 * slots), false, &rules);
    dcf.sends(FrameKind::Data);
    assert!(dcf.failed(us(3000), true, &rules).gave_up.is_none());
    let Backoff::Slots(drawn) = dcf.backoff else { panic!("a backoff is drawn") };
    let repetition = us(93_000 + 20 * u64::from(drawn));
    assert_eq!(dcf.deadline(&rules), repetition);
    dcf.busy(us(4000), false, &rules);
    dcf.idle(us(5000), &rules);
    assert_eq!(dcf.deadline(&rules), repetition);
    dcf.busy(repetition, false, &rules);
    dcf.sends(FrameKind::Data);
    assert!(dcf.failed(us(99_000), true, &rules).gave_up.is_some());
    dcf.enqueue(us(99_000), packet(), true, true, &rules);
    assert!(dcf.deadline(&rules) <= us(99_050 + 20 * 31));
}

/// IEEE 802.11-2016 §10.3.4.3: the backoff after a packet is drawn when it ends, not when the next one comes.
#[test]
fn a_post_backoff_runs_without_a_packet() {
    let after_success = |next: u64| {
        let (mut dcf, slots) = contending(0);
        let start = us(1050 + 20 * slots);
        dcf.busy(start, false, &RULES);
        dcf.sends(FrameKind::Data);
        assert!(matches!(dcf.acknowledged(Time::ZERO, &RULES), Acknowledged::Packet));
        dcf.idle(us(4000), &RULES);
        assert_eq!(dcf.deadline(&RULES), Time::MAX, "nothing to wake up for");
        let Backoff::Slots(drawn) = dcf.backoff else { panic!("a post-backoff is always drawn") };
        dcf.enqueue(us(next), packet(), true, true, &RULES);
        (dcf.deadline(&RULES), u64::from(drawn))
    };
    let (deadline, drawn) = after_success(4030);
    assert_eq!(deadline, us(4050 + 20 * drawn), "a packet within the post-backoff waits for its end");
    let (deadline, _) = after_success(9000);
    assert!(deadline >= us(9050), "later, it draws one of its own");
}

/// IEEE 802.11-2016 §10.3.4.2: only a medium that stays idle for the whole DIFS spares a packet its backoff.
#[test]
fn direct_access_that_is_interrupted_becomes_a_backoff() {
    let rules = Rules { immediate_access: true, ..RULES };
    let deadlines = (0..20).map(|seed| {
        let mut dcf = Dcf::new(&rules, Streams::new(seed, 0).stream("backoff"));
        dcf.idle(us(1000), &rules);
        dcf.enqueue(us(1010), packet(), true, true, &rules);
        assert_eq!(dcf.deadline(&rules), us(1050));
        dcf.busy(us(1030), false, &rules);
        dcf.idle(us(3000), &rules);
        dcf.deadline(&rules)
    });
    assert!(deadlines.max().unwrap() > us(3050 + 20 * 20)); // 20 draws from 0 … 31, none above 20: 1e-4
}

/// IEEE 802.11-2016 §10.3.4.2: the own ACK delays direct access and does not end it.
#[test]
fn direct_access_outlasts_the_own_answer() {
    let rules = Rules { immediate_access: true, ..RULES };
    // Where all hear all, the medium is taken by the ACK when the packet comes; elsewhere the ACK begins after that.
    for taken in [true, false] {
        for seed in 0..20 {
            let mut dcf = Dcf::new(&rules, Streams::new(seed, 0).stream("backoff"));
            dcf.idle(us(1000), &rules);
            dcf.answers(us(1010));
            assert!(dcf.answers_after(us(1000)) && !dcf.answers_after(us(1010)));
            dcf.enqueue(us(1000), packet(), !taken, true, &rules);
            assert_eq!(dcf.deadline(&rules), if taken { Time::MAX } else { us(1050) });
            dcf.busy(us(1010), true, &rules);
            assert_eq!(dcf.deadline(&rules), Time::MAX);
            dcf.idle(us(1212), &rules);
            assert_eq!(dcf.deadline(&rules), us(1262));
        }
    }
}

/// IEEE 802.11-2016 §10.3.4.2: a packet is spared its backoff only where both carrier senses find the medium idle.
#[test]
fn a_medium_that_is_reserved_or_busy_gives_no_direct_access() {
    let rules = Rules { immediate_access: true, ..RULES };
    for (idle, reserved) in [(true, us(3000)), (false, us(0))] {
        let deadlines = (0..20).map(|seed| {
            let mut dcf = Dcf::new(&rules, Streams::new(seed, 0).stream("backoff"));
            dcf.received(Some(reserved));
            dcf.enqueue(us(1000), packet(), idle, idle, &rules);
            if !idle {
                dcf.idle(us(3000), &rules);
            }
            dcf.deadline(&rules)
        });
        assert!(deadlines.max().unwrap() > us(3050 + 20 * 20)); // as above
    }
}

#[test]
fn the_window_doubles_up_to_its_limit_and_is_reset_by_the_last_failure() {
    let (mut dcf, _) = contending(0);
    let mut windows = vec![];
    for attempt in 1..=7 {
        windows.push(dcf.cw);
        dcf.sends(FrameKind::Data);
        dcf.unanswered(us(20_000 * attempt));
        let failure = dcf.failed(us(20_000 * attempt), true, &RULES);
        assert_eq!((u64::from(failure.attempt), failure.gave_up.is_some()), (attempt, attempt == 7));
    }
    assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023]);
    assert_eq!(dcf.cw, 31);
}
