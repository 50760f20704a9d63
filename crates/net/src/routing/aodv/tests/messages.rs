//! Tests of requests, replies and errors at a router.

use super::{AFTER, BEFORE, Bench, END, ME, NS2, RFC, RouterAction, SOURCE, error, ms, reply, request};
use crate::routing::AodvPlan;
use airhop_base::{AodvMessage, NodeId, RouteReply, Span};

// RFC 3561 §6.5: a router forwards a request once, with its hop count increased, and creates the reverse
// route.
#[test]
fn a_node_forwards_an_rreq_once() {
    let mut bench = Bench::new(RFC);
    let passed_on = RouterAction::Send(request(END, 7, 1, 3), NodeId::BROADCAST, 10);
    assert_eq!(bench.hear(0, BEFORE, request(END, 7, 1, 2)), [passed_on]);
    assert_eq!(bench.hear(1, AFTER, request(END, 7, 1, 4)), []);
    assert_eq!(bench.pass(2, END, SOURCE, 1), [RouterAction::Forward(0, BEFORE)]);
    bench.router.on_message(ms(3), request(END, 7, 2, 2), BEFORE, 0);
    assert_eq!(bench.did(), [], "the radius of the request ends here");
    assert_eq!(bench.hear(6000, AFTER, request(END, 7, 1, 4)).len(), 1, "forgotten after 5.6 s");
}

// RFC 3561 §6.6.1 and §6.1: the destination itself replies. Its sequence number increases by one if the
// request has the next number. It is set to the number in the request if that is newer, and otherwise does
// not change. In ns-2 each reply has a new number.
#[test]
fn the_destination_replies_with_its_sequence_number() {
    let numbers = |plan: AodvPlan| {
        let mut bench = Bench::new(plan);
        let answers = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 3), (6, 41), (7, 5)].map(|(id, asked)| {
            let did = bench.hear(0, BEFORE, request(ME, asked, id, 2));
            let [RouterAction::Send(AodvMessage::Reply(answer), BEFORE, _)] = &did[..] else {
                panic!("{did:?}")
            };
            let RouteReply { hops, dst, origin, lifetime, .. } = *answer;
            assert_eq!((hops, dst, origin, lifetime), (0, ME, SOURCE, plan.own_route));
            answer.dst_seq
        });
        answers.to_vec()
    };
    assert_eq!(numbers(RFC), [2, 2, 2, 3, 3, 41, 41]);
    assert_eq!(numbers(NS2), [4, 6, 8, 10, 12, 42, 44]);
}

// RFC 3561 §6.6.2: a node also replies if its route is sufficiently fresh.
#[test]
fn a_node_with_a_fresh_route_replies_to_an_rreq() {
    for (asked, answers) in [(9, true), (10, true), (11, false)] {
        let mut bench = Bench::new(RFC);
        bench.learn(0, END, AFTER, ME);
        let did = bench.hear(1000, BEFORE, request(END, asked, 1, 2));
        match &did[..] {
            [RouterAction::Send(AodvMessage::Reply(r), BEFORE, _)] if answers => {
                assert_eq!((r.hops, r.dst_seq, r.lifetime), (3, 10, Span::from_secs(999)));
            }
            [RouterAction::Send(AodvMessage::Request(r), NodeId::BROADCAST, _)] if !answers => {
                assert_eq!(r.dst_seq, 11)
            }
            other => panic!("asked for {asked}: {other:?}"),
        }
    }
}

// RFC 3561 §6.7 and §6.2: a reply follows the reverse route, with its hop count increased. A reply is dropped
// if its route is older than the known route, or as old and not shorter.
#[test]
fn an_rrep_without_a_better_route_is_dropped() {
    let mut bench = Bench::new(RFC);
    bench.hear(0, BEFORE, request(END, 0, 1, 2));
    let back = |hops, seq| [RouterAction::Send(reply(END, seq, hops, SOURCE), BEFORE, RFC.diameter)];
    assert_eq!(bench.hear(10, AFTER, reply(END, 10, 2, SOURCE)), back(3, 10));
    assert_eq!(bench.hear(20, NodeId(7), reply(END, 10, 2, SOURCE)), [], "not shorter");
    assert_eq!(bench.hear(30, NodeId(7), reply(END, 8, 0, SOURCE)), [], "older");
    assert_eq!(bench.hear(40, NodeId(7), reply(END, 12, 5, SOURCE)), back(6, 12), "newer, although longer");
    assert_eq!(bench.hear(50, AFTER, reply(END, 12, 4, SOURCE)), back(5, 12), "shorter");
    assert_eq!(bench.pass(60, SOURCE, END, 1), [RouterAction::Forward(0, AFTER)]);
    assert_eq!(bench.hear(70, AFTER, reply(END, 4_000_000_000, 1, SOURCE)), [], "older by signed arithmetic");
}

// RFC 3561 §6.11 (ii): a node that has no route for a packet of another node sends an error, with a sequence
// number that increases each time; in ns-2 the number does not change. For its own packets the node sends a
// request instead.
#[test]
fn a_forwarded_packet_without_a_route_causes_an_rerr() {
    for (plan, seqs) in [(RFC, [12, 13]), (NS2, [11, 11])] {
        let mut bench = Bench::new(plan);
        bench.learn(0, END, AFTER, ME);
        bench.fail(10, AFTER, END, 1);
        for (i, seq) in (1..).zip(seqs) {
            let sent = RouterAction::Send(error(&[(END, seq)]), NodeId::BROADCAST, 1);
            assert_eq!(bench.pass(20, SOURCE, END, 1), [sent, RouterAction::Drop(i)]);
        }
    }
}

// RFC 3561 §6.11 (iii): a node processes an error from the next hop whatever its sequence number, and makes
// its own number newer; ns-2 ignores older numbers. The node forwards the error to the users of the route,
// and drops packets queued for this next hop (ns-2).
#[test]
fn an_rerr_is_forwarded_to_precursors() {
    let cases = [
        (AFTER, 11, true, true),
        (AFTER, 10, true, true),
        (AFTER, 9, true, false),
        (NodeId(7), 11, false, false),
    ];
    for (from, seq, by_rfc, by_ns2) in cases {
        for (plan, is_hit, to) in [(RFC, by_rfc, BEFORE), (NS2, by_ns2, NodeId::BROADCAST)] {
            let mut bench = Bench::new(plan);
            bench.hear(0, BEFORE, request(END, 0, 1, 2));
            bench.hear(1, AFTER, reply(END, 10, 2, SOURCE));
            let did = bench.hear(10, from, error(&[(END, seq), (NodeId(8), 3)]));
            let number = if plan == RFC { 11 } else { seq };
            let passed_on = RouterAction::Send(error(&[(END, number)]), to, 1);
            let expected = if is_hit { vec![RouterAction::Flush(AFTER), passed_on] } else { vec![] };
            assert_eq!(did, expected, "from {from:?}, {seq}");
            let forwards = bench.pass(20, SOURCE, END, 1) == [RouterAction::Forward(0, AFTER)];
            assert_eq!(forwards, !is_hit);
        }
    }
    let mut bench = Bench::new(RFC);
    bench.learn(0, END, AFTER, ME);
    assert_eq!(
        bench.hear(10, AFTER, error(&[(END, 11)])),
        [RouterAction::Flush(AFTER)],
        "the route has no users"
    );
}

// A request is dropped if it returns to its originator, or has crossed as many hops as the network diameter.
#[test]
fn a_circulating_rreq_is_dropped() {
    let mut bench = Bench::new(RFC);
    bench.learn(0, END, AFTER, ME);
    assert_eq!(bench.pass(1, ME, END, 4), [RouterAction::Drop(0)]);
    assert_eq!(bench.pass(2, SOURCE, END, 34), [RouterAction::Forward(1, AFTER)]);
    assert_eq!(bench.pass(3, SOURCE, END, 35), [RouterAction::Drop(2)]);
}

// A forwarded request is delayed by the jitter. It is counted when it is sent, not when it is scheduled.
#[test]
fn routing_messages_count_at_their_transmission() {
    let mut bench = Bench::new(AodvPlan { jitter: Span::from_millis(10), ..RFC });
    assert_eq!(bench.hear(0, BEFORE, request(END, 0, 1, 2)), []);
    assert_eq!(bench.router.counts().requests, 0);
    bench.wait(10).expect("the message is forwarded");
    assert_eq!(bench.router.counts().requests, 1);
}
