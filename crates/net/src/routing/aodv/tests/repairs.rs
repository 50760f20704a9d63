//! Tests of local repair in ns-2 and in RFC 3561 §6.12.

use super::{AFTER, BEFORE, Bench, END, ME, NS2, RFC, RouterAction, SOURCE, error, ms, reply, request};
use crate::routing::AodvPlan;
use crate::routing::aodv::RoutedPacket;
use airhop_base::{AodvMessage, NodeId};

// ns-2's local repair, including its defects. If the node is in the second half of the path, it buffers the
// packet and requests a route as new as the lost route. A longer route is not used before the repair is
// abandoned, at about twice the present time.
#[test]
fn ns2_repairs_routes_near_the_destination() {
    let mut bench = Bench::new(NS2);
    bench.learn(10_000, END, AFTER, SOURCE); // 3 hops
    assert_eq!(
        bench.fail(10_100, AFTER, END, 3)[0],
        RouterAction::Drop(0),
        "not in the second half of the path"
    );
    let mut bench = Bench::new(NS2);
    bench.learn(10_000, END, AFTER, SOURCE);
    let did = bench.fail(10_100, AFTER, END, 4);
    let [RouterAction::Send(AodvMessage::Request(asked), NodeId::BROADCAST, 5)] = &did[..] else {
        panic!("{did:?}")
    };
    assert_eq!((asked.dst_seq, bench.router.packet_count()), (10, 1));
    assert_eq!(bench.pass(10_110, SOURCE, END, 4), [], "later packets are also buffered");
    assert_eq!(bench.hear(10_120, BEFORE, reply(END, 10, 4, ME)), [], "longer");
    while bench.wait(20_400).is_some() {}
    assert_eq!(bench.hear(20_400, BEFORE, reply(END, 10, 4, ME)), []);
    while bench.wait(20_600).is_some() {}
    let did = bench.hear(20_600, BEFORE, reply(END, 10, 4, ME));
    assert_eq!(did, [RouterAction::Forward(0, BEFORE)], "10.1 s, and 10.4 s until the next request: 20.5 s");
    let mut bench = Bench::new(NS2);
    bench.learn(10_000, END, AFTER, SOURCE);
    bench.fail(10_100, AFTER, END, 4);
    assert_eq!(
        bench.hear(10_120, BEFORE, reply(END, 12, 4, ME)),
        [RouterAction::Forward(0, BEFORE)],
        "newer"
    );
}

/// RFC constants with local repair.
const REPAIRING: AodvPlan = AodvPlan { uses_local_repair: true, ..RFC };

/// Returns a router with two routes over the same neighbour: to [`END`] with `hops` hops, used by the
/// previous neighbour, and to another node.
fn with_routes(hops: u8) -> Bench {
    let mut bench = Bench::new(REPAIRING);
    bench.hear(0, BEFORE, request(END, 0, 1, 1));
    bench.hear(1, AFTER, reply(END, 10, hops - 1, SOURCE));
    bench.hear(2, BEFORE, request(NodeId(8), 0, 2, 1));
    bench.hear(3, AFTER, reply(NodeId(8), 20, 4, SOURCE));
    bench
}

// RFC 3561 §6.12: the request has the lost route's sequence number plus one, and a radius of max(hops to the
// destination, hops to the source / 2) + 2 hops. Packets are buffered, and the other routes over the link are
// lost at once. A reply releases the packets, even if its route is longer.
#[test]
fn a_broken_route_is_repaired_locally() {
    for (hops, came, radius) in [(3, 2, 5), (3, 9, 6), (10, 2, 12)] {
        let mut bench = with_routes(hops);
        let did = bench.fail(100, AFTER, END, came);
        let [
            RouterAction::Send(told, BEFORE, 1),
            RouterAction::Send(AodvMessage::Request(asked), NodeId::BROADCAST, ttl),
        ] = &did[..]
        else {
            panic!("{did:?}")
        };
        assert_eq!(*told, error(&[(NodeId(8), 21)]));
        assert_eq!((asked.dst, asked.dst_seq, *ttl), (END, 11, radius));
        assert_eq!(bench.pass(110, SOURCE, END, came), [], "later packets are buffered");
        assert_eq!(bench.fail(120, AFTER, END, came), [], "and packets that fail later");
        assert_eq!(
            bench.hear(130, NodeId(7), reply(END, 10, 1, ME)),
            [],
            "a route that is not newer is not used"
        );
        let freed = [0, 1, 2].map(|number| RouterAction::Forward(number, NodeId(7)));
        assert_eq!(bench.hear(140, NodeId(7), reply(END, 11, hops + 3, ME)), freed);
        assert_eq!(bench.pass(150, SOURCE, END, came), [RouterAction::Forward(3, NodeId(7))]);
    }
}

// RFC 3561 §6.12: a route under repair is not active, so the node does not reply with it (§6.6 (ii)).
#[test]
fn a_route_under_repair_answers_no_rreq() {
    let mut bench = with_routes(3);
    bench.fail(100, AFTER, END, 2);
    let did = bench.hear(110, NodeId(7), request(END, 5, 9, 1));
    let [RouterAction::Send(AodvMessage::Request(asked), NodeId::BROADCAST, _)] = &did[..] else {
        panic!("{did:?}")
    };
    assert_eq!(asked.dst_seq, 11);
}

// RFC 3561 §6.12: if no reply arrives within the discovery period, 2 × 40 ms × (5 + 2), the users of the
// route receive an error, and the packets are dropped.
#[test]
fn a_failed_local_repair_causes_an_rerr() {
    let mut bench = with_routes(3);
    bench.fail(100, AFTER, END, 2);
    let end = 100 + 560;
    assert_eq!(
        bench.wait(10_000),
        Some((end, vec![RouterAction::Send(error(&[(END, 11)]), BEFORE, 1), RouterAction::Drop(0)]))
    );
    let did = bench.pass(end + 1, SOURCE, END, 2);
    assert_eq!(did, [RouterAction::Send(error(&[(END, 12)]), NodeId::BROADCAST, 1), RouterAction::Drop(1)]);
}

// RFC 3561 §6.12, §10: a route is not repaired if its destination was more than MAX_REPAIR_TTL hops away, 0.3
// NET_DIAMETER.
#[test]
fn a_route_to_a_distant_destination_is_not_repaired() {
    let mut bench = with_routes(11);
    let lost = RouterAction::Send(error(&[(NodeId(8), 21), (END, 11)]), BEFORE, 1);
    assert_eq!(bench.fail(100, AFTER, END, 2), [RouterAction::Drop(0), RouterAction::Flush(AFTER), lost]);
}

// RFC 3561 §6.3: at the source of a packet there are no users to notify. The source sends requests with all
// retries, and buffers the packet.
#[test]
fn the_source_repeats_its_rreq_after_a_broken_link() {
    let mut bench = Bench::new(REPAIRING);
    bench.learn(0, END, AFTER, ME);
    let packet = bench.packet();
    let routed = RoutedPacket { src: ME, dst: END, hops: 0 };
    assert!(bench.router.on_link_failure(ms(10), AFTER, Some(routed), Some(packet)).is_none());
    let did = bench.did();
    let [RouterAction::Send(AodvMessage::Request(asked), NodeId::BROADCAST, 5)] = &did[..] else {
        panic!("{did:?}")
    };
    assert_eq!(asked.dst_seq, 11);
    let (at, _) = bench.wait(10_000).expect("and again");
    assert_eq!(at, 10 + 560);
    assert_eq!(bench.learn(600, END, NodeId(7), ME).len(), 0, "not newer than the lost route");
    assert_eq!(bench.hear(610, NodeId(7), reply(END, 11, 2, ME)), [RouterAction::Forward(0, NodeId(7))]);
}
