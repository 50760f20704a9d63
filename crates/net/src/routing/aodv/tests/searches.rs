//! Tests of the requests of a search, their rings, and the buffer.

use super::{AFTER, Bench, END, ME, NS2, RFC, RouterAction, reply};
use crate::routing::AodvPlan;
use airhop_base::{AodvMessage, NodeId};

/// Returns the time, ms, and the TTL of all requests of a search, and the time at which the search ends.
fn search(plan: AodvPlan) -> (Vec<(u64, u8)>, u64) {
    let mut bench = Bench::new(plan);
    let radius = |did: &[RouterAction]| match did {
        [RouterAction::Send(AodvMessage::Request(_), NodeId::BROADCAST, ttl)] => Some(*ttl),
        _ => None,
    };
    let mut asked = vec![(0, radius(&bench.own(0)).expect("the first packet causes a request"))];
    loop {
        let (at, did) = bench.wait(1_000_000).expect("a search ends");
        match radius(&did) {
            Some(ttl) => asked.push((at, ttl)),
            None => {
                assert_eq!(did, [RouterAction::Drop(0)]);
                return (asked, at);
            }
        }
    }
}

// RFC 3561 §6.4: requests cover rings of 1, 3, 5 and 7 hops, each with RING_TRAVERSAL_TIME = 2 × 40 ms × (TTL
// + 2). The next request covers NET_DIAMETER, with NET_TRAVERSAL_TIME = 2.8 s. The timeout doubles for each
// of the RREQ_RETRIES = 2 repetitions (§6.3).
#[test]
fn the_search_ring_expands_as_in_rfc_3561() {
    let (asked, end) = search(RFC);
    assert_eq!(asked, [(0, 1), (240, 3), (640, 5), (1200, 7), (1920, 35), (4720, 35), (10320, 35)]);
    assert_eq!(end, 10320 + 4 * 2800);
}

// ns-2: the first request covers the whole network. Its timeout is 2 × 30 × 30 ms; later timeouts are two,
// three and four times as long. The timeouts are checked every half second.
#[test]
fn ns2_floods_rreqs_with_growing_timeouts() {
    let (asked, end) = search(NS2);
    assert_eq!((asked, end), (vec![(0, 30), (2000, 30), (6000, 30), (11500, 30)], 19000));
}

// ns-2 sends no request for 10 s after the last request of a search. With the RFC the next packet causes a
// request at once.
#[test]
fn ns2_sends_no_rreq_for_ten_seconds_after_the_last() {
    for (plan, end, is_quiet) in [(NS2, 19000, true), (RFC, 21520, false)] {
        let mut bench = Bench::new(plan);
        bench.own(0);
        while bench.wait(end).is_some() {}
        assert_eq!(bench.own(end + 1).is_empty(), is_quiet);
        assert_eq!(bench.router.packet_count(), 1);
    }
}

// RFC 3561 §6.4: if the destination was 3 hops away, the search starts with a TTL of 3 + TTL_INCREMENT.
#[test]
fn the_first_ring_has_the_last_hop_count_plus_ttl_increment() {
    for plan in [RFC, NS2] {
        let mut bench = Bench::new(plan);
        bench.learn(0, END, AFTER, ME);
        bench.fail(10, AFTER, END, 0);
        let did = bench.own(20);
        let RouterAction::Send(AodvMessage::Request(asked), _, ttl) = &did[0] else { panic!("{did:?}") };
        assert_eq!((asked.dst_seq, *ttl), (11, 5), "the request asks for a newer route than the lost route");
    }
}

// RFC 3561 §6.4: the first ring may exceed TTL_THRESHOLD, but has the timeout of a ring: 2 × 40 ms × (10 + 2)
// if the destination was 8 hops away. The next request covers the whole network, with a timeout of 2.8 s.
#[test]
fn a_first_ring_above_ttl_threshold_has_a_ring_timeout() {
    let mut bench = Bench::new(RFC);
    bench.hear(0, AFTER, reply(END, 10, 7, ME));
    bench.fail(10, AFTER, END, 0);
    let radius = |did: &[RouterAction]| match did {
        [RouterAction::Send(AodvMessage::Request(_), NodeId::BROADCAST, ttl)] => *ttl,
        other => panic!("{other:?}"),
    };
    assert_eq!(radius(&bench.own(20)), 10);
    let (at, did) = bench.wait(10_000).expect("a further request is sent");
    assert_eq!((at, radius(&did)), (20 + 960, 35));
    let (at, did) = bench.wait(10_000).expect("and again");
    assert_eq!((at, radius(&did)), (20 + 960 + 2800, 35));
}

#[test]
fn an_rrep_releases_the_packets_buffered_for_the_route() {
    for (plan, gap) in [(RFC, 0), (NS2, 10)] {
        let mut bench = Bench::new(plan);
        (0..3).for_each(|i| drop(bench.own(i)));
        let mut freed = vec![];
        let first = bench.learn(100, END, AFTER, ME);
        freed.extend(first.into_iter().map(|did| (100, did)));
        while let Some((at, did)) = bench.wait(200) {
            freed.extend(did.into_iter().map(|did| (at, did)));
        }
        assert_eq!(freed, [0, 1, 2].map(|i| (100 + gap * i, RouterAction::Forward(i, AFTER))));
        assert_eq!(bench.own(300), [RouterAction::Forward(3, AFTER)]);
    }
}

// ns-2's buffer has room for 64 packets. If it is full, a new packet replaces the oldest. No packet stays for
// more than 30 s.
#[test]
fn the_route_buffer_is_bounded_in_packets_and_time() {
    let mut bench = Bench::new(AodvPlan { retries: 100, ..RFC });
    bench.own(0);
    (1..64).for_each(|i| assert_eq!(bench.own(i), []));
    assert_eq!(bench.own(64), [RouterAction::Drop(0)]);
    assert_eq!(bench.router.packet_count(), 64);
    let mut dropped = vec![];
    while let Some((at, did)) = bench.wait(30_040) {
        dropped.extend(did.into_iter().filter(|d| matches!(d, RouterAction::Drop(_))).map(|d| (at, d)));
    }
    let expected: Vec<_> = (1..=40).map(|i| (30_000 + i, RouterAction::Drop(i))).collect();
    assert_eq!(dropped, expected);
}

// RFC 3561 §6.1: before a request a node increases its own sequence number by one; ns-2 increases it by two.
#[test]
fn a_node_increases_its_sequence_number_before_an_rreq() {
    for (plan, numbers) in [(RFC, [3, 4]), (NS2, [4, 6])] {
        let mut bench = Bench::new(plan);
        let asked = [bench.own(0), bench.pass(1, ME, NodeId(8), 0)];
        let number = |did: &Vec<RouterAction>| {
            did.iter().find_map(|d| match d {
                RouterAction::Send(AodvMessage::Request(request), ..) => Some(request.origin_seq),
                _ => None,
            })
        };
        assert_eq!(asked.each_ref().map(number), numbers.map(Some));
    }
}
