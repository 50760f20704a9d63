//! Tests of the channel access of one station, deadline by deadline.
use super::*;
use crate::cell::mac::access_rules::Countdown;
use crate::cell::plan::AckTimeout;
use airhop_base::Span;
use airhop_engine::RandomStreams;

/// Parameters of 802.11b.
const PARAMETERS: ContentionParameters = ContentionParameters {
    category: AccessCategory::Be,
    ifs: Span::from_micros(50),
    eifs: Span::from_micros(364),
    cw_min: 31,
    cw_max: 1023,
    txop_limit: Span::ZERO,
};

/// Rules of 802.11b without immediate access.
const RULES: AccessRules = AccessRules {
    slot: Span::from_micros(20),
    countdown: Countdown::IdleSlots,
    retry_delay: Span::ZERO,
    immediate_access: false,
    ack_timeout: AckTimeout::Ns2,
};

fn us(t: u64) -> Time {
    Time::from_nanos(t * 1000)
}

/// Returns a station of DCF.
fn dcf(seed: u64) -> ChannelAccess {
    ChannelAccess::new([(PARAMETERS, RandomStreams::new(seed, 0).stream("backoff"))])
}

/// Returns a station that got a packet at 1000 µs while the medium was idle, and the number of backoff slots
/// that it drew.
fn contending(at_least: u64) -> (ChannelAccess, u64) {
    (0..)
        .map(|seed| {
            let mut station = dcf(seed);
            station.start_contention(us(1000), 0, true, true, &RULES);
            let slots = (station.deadline(&RULES) - us(1050)).whole_multiples(RULES.slot);
            (station, slots)
        })
        .find(|(_, slots)| *slots >= at_least)
        .expect("one of the seeds draws a sufficient backoff")
}

#[test]
fn a_frozen_backoff_counts_the_whole_slots_that_elapsed() {
    // The DIFS ends at 1050 µs. The medium becomes busy 15 µs after the end of the third slot, at the end of
    // the third and of the fourth slot, within the first slot, and within the DIFS.
    for (busy, counted) in [(1125, 3), (1110, 3), (1130, 4), (1060, 0), (1040, 0)] {
        let (mut station, slots) = contending(6);
        station.on_busy(us(busy), false, &RULES);
        assert_eq!(station.deadline(&RULES), Time::MAX);
        station.on_idle(us(3000), &RULES);
        assert_eq!(station.deadline(&RULES), us(3050 + 20 * (slots - counted)), "busy at {busy} µs");
    }
}

#[test]
fn a_backoff_that_ends_as_the_medium_becomes_busy_is_not_frozen() {
    let (mut station, slots) = contending(6);
    let end = us(1050 + 20 * slots);
    station.on_busy(end, false, &RULES);
    assert_eq!(station.deadline(&RULES), end);
}

#[test]
fn the_nav_keeps_the_medium_busy_after_physical_carrier_sense() {
    let (mut station, slots) = contending(6);
    station.on_busy(us(1040), false, &RULES);
    station.on_reception(Some((us(5000), 9)));
    station.on_idle(us(3000), &RULES);
    let answers = |at, from, nav| station.may_respond_to_rts(us(at), from, nav);
    assert!(!answers(4999, 1, NavRule::Limit) && answers(5000, 1, NavRule::Limit));
    // The holder of a TXOP may send RTS to another receiver within it (IEEE 802.11-2020 §10.23.2.4).
    assert!(!answers(4999, 9, NavRule::Response) && answers(4999, 9, NavRule::Limit));
    assert_eq!(station.deadline(&RULES), us(5050 + 20 * slots));
    station.on_busy(us(4000), false, &RULES); // and no slot during the reservation counts
    station.on_reception(Some((us(4500), 9))); // an earlier end of a reservation does not shorten it
    station.on_idle(us(4100), &RULES);
    assert_eq!(station.deadline(&RULES), us(5050 + 20 * slots));
    station.on_busy(us(4200), false, &RULES);
    station.on_cf_end();
    station.on_idle(us(4300), &RULES);
    assert_eq!(station.deadline(&RULES), us(4350 + 20 * slots));
}

#[test]
fn eifs_counts_from_the_undecodable_signal_to_a_frame() {
    let (mut station, slots) = contending(6);
    station.on_busy(us(1040), false, &RULES);
    station.on_undecodable_frame();
    station.on_idle(us(3000), &RULES);
    assert_eq!(station.deadline(&RULES), us(3364 + 20 * slots));
    station.on_busy(us(3100), false, &RULES);
    station.on_reception(None);
    station.on_idle(us(3200), &RULES);
    assert_eq!(station.deadline(&RULES), us(3250 + 20 * slots));
}

/// IEEE 802.11-2016 §10.3.2.3.7: EIFS follows if the last reception failed; a station that has sent a frame
/// since then waits DIFS.
#[test]
fn a_transmission_of_the_station_ends_its_eifs() {
    let (mut station, slots) = contending(0);
    station.on_busy(us(1040), false, &RULES);
    station.on_undecodable_frame();
    station.on_idle(us(3000), &RULES);
    let start = us(3364 + 20 * slots);
    assert_eq!(station.deadline(&RULES), start);
    station.on_busy(start, false, &RULES);
    station.begin_sending(FrameKind::Data);
    station.on_idle(start + Span::from_micros(1000), &RULES);
    let timeout = start + Span::from_micros(1232);
    station.on_failure(timeout, false, true, &RULES);
    let drawn = station.contention.remaining_slots().expect("a backoff is drawn");
    assert_eq!(station.deadline(&RULES), timeout + Span::from_micros(50 + 20 * u64::from(drawn)));
}

/// Link layer with slow loss awareness (Yun 2009 §2.2): the backoff before a retransmission starts after the
/// retry delay, even if the medium becomes busy during the delay. The next packet waits no longer than usual.
#[test]
fn slow_loss_awareness_delays_the_retransmission_backoff() {
    let rules = AccessRules { retry_delay: Span::from_micros(90_000), ..RULES };
    let (mut station, slots) = contending(0);
    station.on_busy(us(1050 + 20 * slots), false, &rules);
    station.begin_sending(FrameKind::Data);
    station.on_failure(us(3000), false, true, &rules);
    let drawn = station.contention.remaining_slots().expect("a backoff is drawn");
    let repetition = us(93_000 + 20 * u64::from(drawn));
    assert_eq!(station.deadline(&rules), repetition);
    station.on_busy(us(4000), false, &rules);
    station.on_idle(us(5000), &rules);
    assert_eq!(station.deadline(&rules), repetition);
    station.on_busy(repetition, false, &rules);
    station.begin_sending(FrameKind::Data);
    station.on_failure(us(99_000), true, true, &rules);
    station.start_contention(us(99_000), 0, true, true, &rules);
    assert!(station.deadline(&rules) <= us(99_050 + 20 * 31));
}

/// IEEE 802.11-2016 §10.3.4.3: the backoff after a packet is drawn at the end of its exchange, not when the
/// next packet arrives.
#[test]
fn the_post_backoff_runs_without_a_packet() {
    let after_success = |next: u64| {
        let (mut station, slots) = contending(0);
        let start = us(1050 + 20 * slots);
        station.on_busy(start, false, &RULES);
        station.begin_sending(FrameKind::Data);
        station.end_exchange(false);
        station.on_idle(us(4000), &RULES);
        assert_eq!(station.deadline(&RULES), Time::MAX, "no deadline");
        let drawn = station.contention.remaining_slots().expect("a post-backoff is always drawn");
        station.start_contention(us(next), 0, true, true, &RULES);
        (station.deadline(&RULES), u64::from(drawn))
    };
    let (deadline, drawn) = after_success(4030);
    assert_eq!(deadline, us(4050 + 20 * drawn), "a packet within the post-backoff waits for its end");
    let (deadline, _) = after_success(9000);
    assert!(deadline >= us(9050), "later, the packet draws its own backoff");
}

/// IEEE 802.11-2016 §10.3.4.2: a packet is sent without a backoff only if the medium stays idle during the
/// whole DIFS.
#[test]
fn an_interrupted_direct_access_becomes_a_backoff() {
    let rules = AccessRules { immediate_access: true, ..RULES };
    let deadlines = (0..20).map(|seed| {
        let mut station = dcf(seed);
        station.on_idle(us(1000), &rules);
        station.start_contention(us(1010), 0, true, true, &rules);
        assert_eq!(station.deadline(&rules), us(1050));
        station.on_busy(us(1030), false, &rules);
        station.on_idle(us(3000), &rules);
        station.deadline(&rules)
    });
    // 20 draws from 0 … 31 are all at most 20 with probability 1e-4
    assert!(deadlines.max().unwrap() > us(3050 + 20 * 20));
}

/// IEEE 802.11-2016 §10.3.4.2: the station's own ACK delays a direct access, and causes no backoff.
#[test]
fn an_ack_sent_by_the_station_delays_its_direct_access() {
    let rules = AccessRules { immediate_access: true, ..RULES };
    // In a shared medium the link ACK already occupies the medium when the packet arrives; in any other
    // medium the link ACK starts later.
    for taken in [true, false] {
        for seed in 0..20 {
            let mut station = dcf(seed);
            station.on_idle(us(1000), &rules);
            station.schedule_response(us(1010));
            assert!(station.has_response_after(us(1000)) && !station.has_response_after(us(1010)));
            station.start_contention(us(1000), 0, !taken, true, &rules);
            assert_eq!(station.deadline(&rules), if taken { Time::MAX } else { us(1050) });
            station.on_busy(us(1010), true, &rules);
            assert_eq!(station.deadline(&rules), Time::MAX);
            station.on_idle(us(1212), &rules);
            assert_eq!(station.deadline(&rules), us(1262));
        }
    }
}

/// IEEE 802.11-2016 §10.3.4.2: a packet is sent without a backoff only if both carrier senses are idle.
#[test]
fn a_reserved_or_busy_medium_prevents_direct_access() {
    let rules = AccessRules { immediate_access: true, ..RULES };
    for (idle, reserved) in [(true, us(3000)), (false, us(0))] {
        let deadlines = (0..20).map(|seed| {
            let mut station = dcf(seed);
            station.on_reception(Some((reserved, 9)));
            station.start_contention(us(1000), 0, idle, idle, &rules);
            if !idle {
                station.on_idle(us(3000), &rules);
            }
            station.deadline(&rules)
        });
        assert!(deadlines.max().unwrap() > us(3050 + 20 * 20)); // with probability 1e-4, as above
    }
}

#[test]
fn cw_doubles_up_to_cwmax_and_is_reset_by_the_last_failure() {
    let (mut station, _) = contending(0);
    let mut windows = vec![];
    for attempt in 1..=7 {
        windows.push(station.contention.contention_window());
        station.begin_sending(FrameKind::Data);
        station.set_response_timeout(us(20_000 * attempt));
        station.on_failure(us(20_000 * attempt), attempt == 7, true, &RULES);
    }
    assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023]);
    assert_eq!(station.contention.contention_window(), 31);
}

/// Rules of EDCA at 5 GHz.
const EDCA: AccessRules = AccessRules {
    slot: Span::from_micros(9),
    countdown: Countdown::Boundaries,
    immediate_access: true,
    ack_timeout: AckTimeout::Ieee,
    ..RULES
};

/// TXOP limit of the functions.
const TXOP: Span = Span::from_micros(2080);

/// Returns a station of EDCA with a function for each of these categories, at 5 GHz (IEEE 802.11-2020 Table
/// 9-155).
fn functions(seed: u64, categories: &[AccessCategory]) -> ChannelAccess {
    ChannelAccess::new(categories.iter().map(|&category| {
        let (ifs, cw_min, cw_max) = match category {
            AccessCategory::Bk => (79, 15, 1023),
            AccessCategory::Be => (43, 15, 1023),
            AccessCategory::Vi => (34, 7, 15),
            AccessCategory::Vo => (34, 3, 7),
        };
        let [ifs, eifs] = [ifs, ifs + 60].map(Span::from_micros);
        let parameters = ContentionParameters { category, ifs, eifs, cw_min, cw_max, txop_limit: TXOP };
        (parameters, RandomStreams::new(seed, 0).stream(category.name()))
    }))
}

/// IEEE 802.11-2020 §10.23.2.4: a slot boundary at which another station begins to transmit is counted. A
/// packet that arrives while the medium is idle is sent at the next boundary. AIFS is 43 µs, a slot 9 µs.
#[test]
fn an_edca_queue_counts_down_at_slot_boundaries() {
    let edca = EDCA;
    let start = |seed| functions(seed, &[AccessCategory::Be]);
    let mut station = start(1);
    station.start_contention(us(100), 0, true, true, &edca);
    assert_eq!(station.deadline(&edca), us(43 + 7 * 9), "boundaries at 97 and 106 µs");
    for seed in 0..20 {
        for (busy, counted) in [(43 + 4 * 9, 5), (43 + 4 * 9 + 3, 5), (43, 1), (42, 0)] {
            let mut station = start(seed);
            station.end_exchange(false);
            station.on_idle(us(1000), &edca);
            station.start_contention(us(1000), 0, true, true, &edca);
            let slots = (station.deadline(&edca) - us(1043)).whole_multiples(edca.slot);
            if slots > counted {
                station.on_busy(us(1000 + busy), false, &edca);
                station.on_idle(us(3000), &edca);
                let left = (station.deadline(&edca) - us(3043)).whole_multiples(edca.slot);
                assert_eq!(left, slots - counted, "busy {busy} µs after the medium became idle");
            }
        }
    }
}

/// IEEE 802.11-2020 §10.23.2.4 c: after the timeout of a response a queue waits AIFS.
#[test]
fn an_edca_queue_waits_aifs_after_a_response_timeout() {
    let edca = AccessRules { countdown: Countdown::Boundaries, ack_timeout: AckTimeout::Ieee, ..RULES };
    let (mut station, _) = contending(0);
    station.begin_sending(FrameKind::Data);
    station.on_idle(us(3000), &edca);
    station.on_failure(us(3045), false, true, &edca);
    let drawn = station.contention.remaining_slots().expect("a backoff is drawn");
    assert_eq!(station.deadline(&edca), us(3095 + 20 * u64::from(drawn)));
}

/// IEEE 802.11-2020 §10.23.2.4 c: after the timeout of a packet's last attempt, slot boundaries are AIFS and
/// whole slots after the timeout, even for a packet that arrives after the end of the post-backoff.
#[test]
fn edca_slot_boundaries_count_from_the_last_timeout() {
    let edca = AccessRules {
        countdown: Countdown::Boundaries,
        immediate_access: true,
        ack_timeout: AckTimeout::Ieee,
        ..RULES
    };
    let (mut station, _) = contending(0);
    station.begin_sending(FrameKind::Data);
    station.on_idle(us(3000), &edca);
    station.on_failure(us(3045), true, true, &edca);
    station.start_contention(us(9001), 0, true, true, &edca);
    assert_eq!(station.deadline(&edca), us(9015), "boundaries are 3095 + 20 n µs");
}

const ALL: [AccessCategory; 4] =
    [AccessCategory::Be, AccessCategory::Bk, AccessCategory::Vi, AccessCategory::Vo];

/// Returns a station whose functions all have a packet while the medium is busy until 1000 µs, and the
/// backoff that each function has drawn, by place.
fn contending_functions(seed: u64) -> (ChannelAccess, [u64; 4]) {
    let mut station = functions(seed, &ALL);
    (0..4).for_each(|place| station.start_contention(us(500), place, false, false, &EDCA));
    assert_eq!(station.deadline(&EDCA), Time::MAX);
    station.on_idle(us(1000), &EDCA);
    let drawn = [0, 1, 2, 3]
        .map(|place| u64::from(station.function(place).remaining_slots().expect("a busy medium")));
    (station, drawn)
}

/// Returns the slots after SIFS at which each function accesses the medium: AIFSN and its backoff.
fn accesses(drawn: [u64; 4]) -> [u64; 4] {
    [3 + drawn[0], 7 + drawn[1], 2 + drawn[2], 2 + drawn[3]]
}

/// IEEE 802.11-2020 §10.23.2.4: the deadline of a station is that of its earliest function, and of functions
/// whose slots start at the same time the highest category transmits.
#[test]
fn the_earliest_function_of_a_station_transmits() {
    let mut ties = 0;
    for seed in 0..200 {
        let (station, drawn) = contending_functions(seed);
        let slots = accesses(drawn);
        let first = *slots.iter().min().unwrap();
        assert_eq!(station.deadline(&EDCA), us(1016 + 9 * first));
        let winner = station.winner(us(1016 + 9 * first), &EDCA);
        let tied: Vec<usize> = (0..4).filter(|place| slots[*place] == first).collect();
        assert_eq!(winner, *tied.iter().max_by_key(|place| ALL[**place]).unwrap());
        ties += usize::from(tied.len() > 1);
    }
    assert!(ties > 10, "{ties} internal collisions");
}

/// IEEE 802.11-2020 §10.23.2.4: a function that loses an internal collision doubles its window and draws a
/// new backoff; each other function has counted the boundary at which the station begins to transmit.
#[test]
fn an_internal_collision_doubles_the_window_of_the_lower_function() {
    let mut collisions = 0;
    for seed in 0..200 {
        let (mut station, drawn) = contending_functions(seed);
        let slots = accesses(drawn);
        let now = station.deadline(&EDCA);
        let winner = station.winner(now, &EDCA);
        let category = ALL[winner];
        station.swap_with_current(winner);
        assert_eq!(station.category(), category);
        for place in 1..4 {
            let of = ALL.iter().position(|category| *category == station.category_at(place)).unwrap();
            let before = station.function(place).contention_window();
            let collides = station.has_internal_collision(place, now, &EDCA);
            assert_eq!(collides, slots[of] == *slots.iter().min().unwrap());
            if collides {
                collisions += 1;
                station.on_internal_collision(place, false, true);
                let most = [1023, 1023, 15, 7][of];
                assert_eq!(station.function(place).contention_window(), (2 * before + 1).min(most));
            }
        }
        station.begin_sending(FrameKind::Data);
        assert!(!station.on_busy(now, false, &EDCA) || station.deadline(&EDCA) == Time::MAX);
        for place in 1..4 {
            let of = ALL.iter().position(|category| *category == station.category_at(place)).unwrap();
            let (first, aifsn) = (*slots.iter().min().unwrap(), [3, 7, 2, 2][of]);
            if slots[of] > first {
                let counted = (first + 1).saturating_sub(aifsn);
                assert_eq!(
                    u64::from(station.function(place).remaining_slots().unwrap()),
                    drawn[of] - counted
                );
            }
        }
    }
    assert!(collisions > 10, "{collisions} internal collisions");
}

/// IEEE 802.11-2020 §10.23.2.4 c: while a function waits for a response, the backoffs of the other functions
/// of the station do not count. Each waits for its AIFS after the timeout.
#[test]
fn a_timeout_delays_all_functions_of_the_station() {
    for seed in 0..50 {
        let (mut station, _) = contending_functions(seed);
        let now = station.deadline(&EDCA);
        station.swap_with_current(station.winner(now, &EDCA));
        (1..4)
            .filter(|place| station.has_internal_collision(*place, now, &EDCA))
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|place| station.on_internal_collision(place, false, true));
        station.begin_sending(FrameKind::Ampdu);
        station.on_busy(now, false, &EDCA);
        station.end_sending();
        let end = now + Span::from_micros(1000);
        station.on_idle(end, &EDCA);
        assert_eq!(station.deadline(&EDCA), Time::MAX, "the response may still arrive");
        let timeout = end + Span::from_micros(45);
        station.set_response_timeout(timeout);
        assert_eq!(station.deadline(&EDCA), timeout);
        station.on_failure(timeout, false, true, &EDCA);
        let slots = (0..4).map(|place| {
            let aifsn = match station.category_at(place) {
                AccessCategory::Bk => 7,
                AccessCategory::Be => 3,
                AccessCategory::Vi | AccessCategory::Vo => 2,
            };
            aifsn + u64::from(station.function(place).remaining_slots().expect("all have a packet"))
        });
        assert_eq!(station.deadline(&EDCA), timeout + Span::from_micros(16 + 9 * slots.min().unwrap()));
    }
}

/// IEEE 802.11-2020 §10.23.2.2 a: a packet that arrives during an exchange of another function draws a
/// backoff, which counts from the end of the exchange on.
#[test]
fn a_packet_draws_a_backoff_during_the_exchange_of_another_function() {
    let deadlines = (0..50).map(|seed| {
        let mut station = functions(seed, &[AccessCategory::Be, AccessCategory::Bk]);
        station.on_idle(us(0), &EDCA);
        station.start_contention(us(100), 0, true, true, &EDCA);
        let now = station.deadline(&EDCA);
        station.begin_sending(FrameKind::Data);
        station.on_busy(now, false, &EDCA);
        station.start_contention(us(200), 1, true, true, &EDCA);
        station.end_exchange(false);
        station.on_idle(us(1000), &EDCA);
        station.deadline(&EDCA)
    });
    let latest = deadlines.max().unwrap(); // 50 draws from 0 … 15 are all at most 9 with probability 1e-10
    assert!(latest > us(1000 + 79 + 9 * 9) && latest <= us(1000 + 79 + 9 * 15), "{latest:?}");
}

/// IEEE 802.11-2020 §10.23.2.9: within its TXOP a station continues one SIFS after a response, without a
/// backoff and with one RTS for each receiver. At the limit the TXOP ends with a backoff.
#[test]
fn a_txop_continues_after_a_sifs_until_its_limit() {
    let mut station = functions(1, &[AccessCategory::Vo, AccessCategory::Be]);
    station.start_contention(us(100), 0, true, true, &EDCA);
    let start = station.deadline(&EDCA);
    station.obtain_txop(start);
    assert_eq!((station.txop_end(), station.needs_rts(3)), (Some(start + TXOP), true));
    station.begin_sending(FrameKind::Rts);
    station.record_cts(3);
    assert!(!station.needs_rts(3) && station.needs_rts(4));
    let (end, next) = (start + Span::from_micros(1484), start + Span::from_micros(1500));
    station.on_success(next, false);
    station.on_idle(end, &EDCA);
    assert!(matches!(station.deadline_action(), DeadlineAction::Continuation));
    assert_eq!(station.deadline(&EDCA), next);
    station.start_contention(end, 0, true, true, &EDCA);
    assert!(
        station.has_packet(0) && station.contention.remaining_slots().is_none(),
        "the packet needs no backoff"
    );
    station.begin_sending(FrameKind::Data);
    station.on_success(start + TXOP, true);
    assert!(matches!(station.deadline_action(), DeadlineAction::Access) && station.txop_end().is_none());
    assert!(station.contention.remaining_slots().is_some());
}

/// A TXOP without a further packet ends; the backoff counts from the end of the last response.
#[test]
fn a_txop_ends_without_a_packet() {
    let mut station = functions(1, &[AccessCategory::Vo]);
    station.start_contention(us(100), 0, true, true, &EDCA);
    station.obtain_txop(us(142));
    station.begin_sending(FrameKind::Data);
    station.on_success(us(516), false);
    station.on_idle(us(500), &EDCA);
    station.end_txop(false, true);
    assert_eq!(station.deadline(&EDCA), Time::MAX);
    let drawn = station.contention.remaining_slots().expect("a post-backoff");
    station.start_contention(us(517), 0, true, true, &EDCA);
    assert_eq!(station.deadline(&EDCA), us(534 + 9 * u64::from(drawn)));
}

/// IEEE 802.11-2020 §10.23.2.2: each response resets the contention window, also within a TXOP. A failure of
/// the next exchange therefore doubles CWmin.
#[test]
fn a_response_within_a_txop_resets_the_contention_window() {
    for seed in 0..50 {
        let mut station = functions(seed, &[AccessCategory::Vo]);
        station.start_contention(us(100), 0, true, true, &EDCA);
        (0..4).for_each(|_| station.contention.double_window(None)); // CW is CWmax, 7
        station.obtain_txop(us(142));
        station.begin_sending(FrameKind::Data);
        station.on_success(us(516), true);
        station.contention.draw_backoff();
        let drawn = station.contention.remaining_slots().expect("a backoff");
        assert!(drawn <= 3, "{drawn}");
    }
}
