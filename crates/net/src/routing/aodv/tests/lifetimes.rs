//! Tests of the lifetime and the loss of routes.

use super::{AFTER, BEFORE, Bench, END, ME, NS2, RFC, RouterAction, SOURCE, error, reply, request};
use airhop_base::{AodvMessage, NodeId, RouteReply, Span};

// RFC 3561 §6.11 (i): all routes over a lost neighbour become invalid, and their sequence numbers increase by
// one. The users of the routes receive an error. ns-2 also sends an error if a route has no users.
#[test]
fn a_lost_neighbour_invalidates_all_routes_over_it() {
    for plan in [RFC, NS2] {
        let mut bench = Bench::new(plan);
        bench.hear(0, BEFORE, request(END, 0, 1, 0));
        bench.hear(1, AFTER, reply(END, 10, 2, SOURCE)); // the previous neighbour uses the route
        bench.hear(2, AFTER, reply(NodeId(8), 20, 1, ME)); // no other node uses the route
        // RFC 3561 §6.11: an error for a single neighbour is sent by unicast, which its link layer
        // acknowledges.
        let sent = match plan {
            RFC => RouterAction::Send(error(&[(END, 11)]), BEFORE, 1),
            _ => RouterAction::Send(error(&[(NodeId(8), 21), (END, 11)]), NodeId::BROADCAST, 1),
        };
        assert_eq!(bench.fail(10, AFTER, END, 1), [RouterAction::Drop(0), RouterAction::Flush(AFTER), sent]);
        assert_eq!(
            bench.pass(20, END, SOURCE, 1),
            [RouterAction::Forward(1, BEFORE)],
            "the other packets stay"
        );
        let counts = bench.router.counts();
        assert_eq!((counts.link_failures, counts.errors), (1, 1));
    }
}

// RFC 3561 §6.2, §10: a route expires ACTIVE_ROUTE_TIMEOUT after its last use; ns-2 checks every half second.
#[test]
fn a_route_expires_after_its_last_use() {
    for (plan, ends) in [(RFC, 5_000), (NS2, 12_000)] {
        let mut bench = Bench::new(plan);
        let short = RouteReply { hops: 2, dst: END, dst_seq: 10, origin: ME, lifetime: Span::from_secs(1) };
        bench.hear(100, AFTER, AodvMessage::Reply(short));
        assert_eq!(bench.own(1_000), [RouterAction::Forward(0, AFTER)]);
        bench.wait(1_900);
        assert_eq!(bench.own(1_999), [RouterAction::Forward(1, AFTER)]);
        bench.wait(ends - 10);
        let next_hop = |bench: &Bench| bench.router.next_hop(END);
        assert_eq!(next_hop(&bench), Some(AFTER));
        bench.wait(ends);
        assert_eq!(next_hop(&bench), None);
    }
}

// RFC 3561 §6.5: the lifetime of the reverse route is 2 NET_TRAVERSAL_TIME - 2 × hops × NODE_TRAVERSAL_TIME.
// In ns-2 it is 6 s.
#[test]
fn the_reverse_route_has_the_lifetime_of_rfc_3561() {
    for (plan, ends) in [(RFC, 5600 - 2 * 3 * 40), (NS2, 6000)] {
        let mut bench = Bench::new(plan);
        bench.hear(0, BEFORE, request(END, 0, 1, 2));
        bench.wait(ends - 1);
        assert_eq!(bench.router.next_hop(SOURCE), Some(BEFORE));
        bench.wait(ends);
        assert_eq!(bench.router.next_hop(SOURCE), None);
    }
}

// RFC 3561 §6.2: the use of a route extends its lifetime. It also extends the lifetimes of the route to the
// source and of the routes to the next hops towards both.
#[test]
fn a_forwarded_packet_extends_forward_and_reverse_routes() {
    for (plan, extended) in [(RFC, true), (NS2, false)] {
        let mut bench = Bench::new(plan);
        let short = |dst, hops| {
            AodvMessage::Reply(RouteReply {
                hops,
                dst,
                dst_seq: 10,
                origin: ME,
                lifetime: Span::from_secs(4),
            })
        };
        let ways = [(END, AFTER, 2), (AFTER, AFTER, 0), (SOURCE, BEFORE, 2), (BEFORE, BEFORE, 0)];
        ways.iter().for_each(|&(dst, by, hops)| drop(bench.hear(0, by, short(dst, hops))));
        bench.wait(2_000);
        assert_eq!(bench.pass(3_900, SOURCE, END, 3), [RouterAction::Forward(0, AFTER)]);
        bench.wait(5_000);
        let alive = ways.map(|(dst, ..)| bench.router.next_hop(dst).is_some());
        assert_eq!(alive, [true, extended, extended, extended]);
    }
}
