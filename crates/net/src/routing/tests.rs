//! Routers by scripts of messages.

use super::{Action, Passing, Router};
use crate::plan::AodvPlan;
use airhop_base::{
    Body, Datagram, FlowId, NodeId, Packet, RouteReply, RouteRequest, Routing, Span, Time, Unreachable,
};
use airhop_engine::{Arena, Id, Streams};

const ME: NodeId = NodeId(5);
const BEFORE: NodeId = NodeId(4);
const AFTER: NodeId = NodeId(6);
const SOURCE: NodeId = NodeId(0);
const END: NodeId = NodeId(9);
const FOREVER: Span = Span::from_secs(1000);

/// Everything without delays, so that scripts can name times.
const RFC: AodvPlan = AodvPlan { jitter: Span::ZERO, ..AodvPlan::RFC3561 };
const NS2: AodvPlan = AodvPlan { jitter: Span::ZERO, ..AodvPlan::NS2 };

fn ms(t: u64) -> Time {
    Time::ZERO + Span::from_millis(t)
}

/// What a router did, with packets by their numbers.
#[derive(Clone, Debug, PartialEq)]
enum Did {
    Forward(u64, NodeId),
    Drop(u64),
    Flush(NodeId),
    Send(Routing, NodeId, u8),
}

struct Bench {
    router: Router,
    arena: Arena<Packet>,
    made: u64,
}

impl Bench {
    fn new(plan: AodvPlan) -> Self {
        let router = Router::new(ME, plan, Streams::new(1, 0).stream("jitter"));
        Bench { router, arena: Arena::new(), made: 0 }
    }

    fn packet(&mut self) -> Id<Packet> {
        let body = Body::Udp(Datagram { number: self.made, len: 0, sent: Time::ZERO });
        self.made += 1;
        self.arena.insert(Packet::new(FlowId(0), SOURCE, END, 28, body))
    }

    /// A packet from `src`, which came over so many hops, is to go to `dst`.
    fn pass(&mut self, at: u64, src: NodeId, dst: NodeId, hops: u8) -> Vec<Did> {
        let packet = self.packet();
        self.router.on_packet(ms(at), packet, Passing { src, dst, hops });
        self.did()
    }

    /// A packet of this node's own for [`END`].
    fn own(&mut self, at: u64) -> Vec<Did> {
        self.pass(at, ME, END, 0)
    }

    fn hear(&mut self, at: u64, from: NodeId, message: Routing) -> Vec<Did> {
        self.router.on_message(ms(at), message, from, 10);
        self.did()
    }

    /// A route to `dst` over `next`, as a reply for `origin` tells it.
    fn learn(&mut self, at: u64, dst: NodeId, next: NodeId, origin: NodeId) -> Vec<Did> {
        self.hear(at, next, reply(dst, 10, 2, origin))
    }

    /// The link layer gives up a packet from [`SOURCE`] for `dst`.
    fn fail(&mut self, at: u64, next: NodeId, dst: NodeId, hops: u8) -> Vec<Did> {
        let packet = self.packet();
        let number = self.made - 1;
        let passing = Passing { src: SOURCE, dst, hops };
        let rest = self.router.on_link_failure(ms(at), next, Some(passing), Some(packet));
        let dropped = rest.map(|id| {
            self.arena.take(id);
            Did::Drop(number)
        });
        dropped.into_iter().chain(self.did()).collect()
    }

    /// Lets time pass until the router does something, and returns when that was.
    fn wait(&mut self, until: u64) -> Option<(u64, Vec<Did>)> {
        while let Some(at) = self.router.poll_timeout().filter(|&at| at <= ms(until)) {
            self.router.on_timeout(at);
            let did = self.did();
            if !did.is_empty() {
                return Some((at.nanos() / 1_000_000, did));
            }
        }
        None
    }

    fn did(&mut self) -> Vec<Did> {
        let mut did = Vec::new();
        while let Some(action) = self.router.poll_action() {
            let mut number = |id| match self.arena.take(id).body {
                Body::Udp(datagram) => datagram.number,
                other => unreachable!("no {other:?} was made"),
            };
            did.push(match action {
                Action::Forward { packet, next } => Did::Forward(number(packet), next),
                Action::Drop(packet) => Did::Drop(number(packet)),
                Action::Flush(next) => Did::Flush(next),
                Action::Send { message, to, ttl } => Did::Send(message, to, ttl),
            });
        }
        assert_eq!(self.arena.len(), self.router.holds(), "packets are held, or their fate is known");
        did
    }
}

fn request(dst: NodeId, dst_seq: u32, id: u32, hops: u8) -> Routing {
    Routing::Request(RouteRequest { id, hops, dst, dst_seq, origin: SOURCE, origin_seq: 20 })
}

fn reply(dst: NodeId, dst_seq: u32, hops: u8, origin: NodeId) -> Routing {
    Routing::Reply(RouteReply { hops, dst, dst_seq, origin, lifetime: FOREVER })
}

fn error(lost: &[(NodeId, u32)]) -> Routing {
    Routing::Error(lost.iter().map(|&(dst, seq)| Unreachable { dst, seq }).collect())
}

/// The radius and the time of all requests until the search is given up, and that time.
fn search(plan: AodvPlan) -> (Vec<(u64, u8)>, u64) {
    let mut bench = Bench::new(plan);
    let radius = |did: &[Did]| match did {
        [Did::Send(Routing::Request(_), NodeId::BROADCAST, ttl)] => Some(*ttl),
        _ => None,
    };
    let mut asked = vec![(0, radius(&bench.own(0)).expect("the first packet asks"))];
    loop {
        let (at, did) = bench.wait(1_000_000).expect("a search ends");
        match radius(&did) {
            Some(ttl) => asked.push((at, ttl)),
            None => {
                assert_eq!(did, [Did::Drop(0)]);
                return (asked, at);
            }
        }
    }
}

// RFC 3561 §6.4: rings of 1, 3, 5 and 7 hops, with RING_TRAVERSAL_TIME = 2 × 40 ms × (TTL + 2); then NET_DIAMETER, with
// NET_TRAVERSAL_TIME = 2.8 s and its double for each of RREQ_RETRIES = 2 repetitions (§6.3).
#[test]
fn the_ring_expands_as_the_rfc_has_it() {
    let (asked, end) = search(RFC);
    assert_eq!(asked, [(0, 1), (240, 3), (640, 5), (1200, 7), (1920, 35), (4720, 35), (10320, 35)]);
    assert_eq!(end, 10320 + 4 * 2800);
}

// ns-2: the whole network from the first request on; 2 × 30 × 30 ms, twice, three and four times that, looked after every half
// second.
#[test]
fn ns2_floods_and_waits_longer_each_time() {
    let (asked, end) = search(NS2);
    assert_eq!((asked, end), (vec![(0, 30), (2000, 30), (6000, 30), (11500, 30)], 19000));
}

// After that, ns-2 asks nothing for 10 s; the RFC asks again for the next packet.
#[test]
fn a_pause_follows_in_ns2() {
    for (plan, end, is_quiet) in [(NS2, 19000, true), (RFC, 21520, false)] {
        let mut bench = Bench::new(plan);
        bench.own(0);
        while bench.wait(end).is_some() {}
        assert_eq!(bench.own(end + 1).is_empty(), is_quiet);
        assert_eq!(bench.router.holds(), 1);
    }
}

// RFC 3561 §6.4: a search for a destination that was 3 hops away begins with 3 + TTL_INCREMENT.
#[test]
fn the_first_ring_goes_a_little_beyond_where_the_destination_was() {
    for plan in [RFC, NS2] {
        let mut bench = Bench::new(plan);
        bench.learn(0, END, AFTER, ME);
        bench.fail(10, AFTER, END, 0);
        let did = bench.own(20);
        let Did::Send(Routing::Request(asked), _, ttl) = &did[0] else { panic!("{did:?}") };
        assert_eq!((asked.dst_seq, *ttl), (11, 5), "and asks for a newer route than the lost one");
    }
}

// RFC 3561 §6.4: so it does where that is beyond TTL_THRESHOLD, and is then waited for no longer than for that ring: 2 × 40 ms × (10 + 2) for
// a destination that was 8 hops away. Only after that comes the whole network, with 2.8 s.
#[test]
fn a_ring_around_a_distant_destination_is_still_a_ring() {
    let mut bench = Bench::new(RFC);
    bench.hear(0, AFTER, reply(END, 10, 7, ME));
    bench.fail(10, AFTER, END, 0);
    let radius = |did: &[Did]| match did {
        [Did::Send(Routing::Request(_), NodeId::BROADCAST, ttl)] => *ttl,
        other => panic!("{other:?}"),
    };
    assert_eq!(radius(&bench.own(20)), 10);
    let (at, did) = bench.wait(10_000).expect("it asks again");
    assert_eq!((at, radius(&did)), (20 + 960, 35));
    let (at, did) = bench.wait(10_000).expect("and again");
    assert_eq!((at, radius(&did)), (20 + 960 + 2800, 35));
}

#[test]
fn a_found_route_sets_free_what_waited() {
    for (plan, gap) in [(RFC, 0), (NS2, 10)] {
        let mut bench = Bench::new(plan);
        (0..3).for_each(|i| drop(bench.own(i)));
        let mut freed = vec![];
        let first = bench.learn(100, END, AFTER, ME);
        freed.extend(first.into_iter().map(|did| (100, did)));
        while let Some((at, did)) = bench.wait(200) {
            freed.extend(did.into_iter().map(|did| (at, did)));
        }
        assert_eq!(freed, [0, 1, 2].map(|i| (100 + gap * i, Did::Forward(i, AFTER))));
        assert_eq!(bench.own(300), [Did::Forward(3, AFTER)]);
    }
}

// ns-2's buffer: 64 packets, of which the oldest makes room; none waits for more than 30 s.
#[test]
fn the_buffer_is_bounded_in_number_and_time() {
    let mut bench = Bench::new(AodvPlan { retries: 100, ..RFC });
    bench.own(0);
    (1..64).for_each(|i| assert_eq!(bench.own(i), []));
    assert_eq!(bench.own(64), [Did::Drop(0)]);
    assert_eq!(bench.router.holds(), 64);
    let mut dropped = vec![];
    while let Some((at, did)) = bench.wait(30_040) {
        dropped.extend(did.into_iter().filter(|d| matches!(d, Did::Drop(_))).map(|d| (at, d)));
    }
    let expected: Vec<_> = (1..=40).map(|i| (30_000 + i, Did::Drop(i))).collect();
    assert_eq!(dropped, expected);
}

// RFC 3561 §6.5: a request is passed on once, a hop further on, and shows the way back.
#[test]
fn a_request_is_passed_on_once() {
    let mut bench = Bench::new(RFC);
    let passed_on = Did::Send(request(END, 7, 1, 3), NodeId::BROADCAST, 10);
    assert_eq!(bench.hear(0, BEFORE, request(END, 7, 1, 2)), [passed_on]);
    assert_eq!(bench.hear(1, AFTER, request(END, 7, 1, 4)), []);
    assert_eq!(bench.pass(2, END, SOURCE, 1), [Did::Forward(0, BEFORE)]);
    bench.router.on_message(ms(3), request(END, 7, 2, 2), BEFORE, 0);
    assert_eq!(bench.did(), [], "its radius ends here");
    assert_eq!(bench.hear(6000, AFTER, request(END, 7, 1, 4)).len(), 1, "forgotten after 5.6 s");
}

// RFC 3561 §6.6.1 and §6.1: the destination answers itself. Its number goes up by one if that is the one asked for, to the one asked for
// if that is newer yet, and otherwise stays. ns-2's is a new one each time.
#[test]
fn the_destination_answers() {
    let numbers = |plan: AodvPlan| {
        let mut bench = Bench::new(plan);
        let answers = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 3), (6, 41), (7, 5)].map(|(id, asked)| {
            let did = bench.hear(0, BEFORE, request(ME, asked, id, 2));
            let [Did::Send(Routing::Reply(answer), BEFORE, _)] = &did[..] else { panic!("{did:?}") };
            let RouteReply { hops, dst, origin, lifetime, .. } = *answer;
            assert_eq!((hops, dst, origin, lifetime), (0, ME, SOURCE, plan.own_route));
            answer.dst_seq
        });
        answers.to_vec()
    };
    assert_eq!(numbers(RFC), [2, 2, 2, 3, 3, 41, 41]);
    assert_eq!(numbers(NS2), [4, 6, 8, 10, 12, 42, 44]);
}

// RFC 3561 §6.1: before it asks, a node counts its own number up by one; ns-2 by two.
#[test]
fn a_node_that_asks_has_a_new_number() {
    for (plan, numbers) in [(RFC, [3, 4]), (NS2, [4, 6])] {
        let mut bench = Bench::new(plan);
        let asked = [bench.own(0), bench.pass(1, ME, NodeId(8), 0)];
        let number = |did: &Vec<Did>| {
            did.iter().find_map(|d| match d {
                Did::Send(Routing::Request(request), ..) => Some(request.origin_seq),
                _ => None,
            })
        };
        assert_eq!(asked.each_ref().map(number), numbers.map(Some));
    }
}

// RFC 3561 §6.6.2: so does a node with a route that is fresh enough, and with no other.
#[test]
fn a_node_with_a_fresh_route_answers_for_the_destination() {
    for (asked, answers) in [(9, true), (10, true), (11, false)] {
        let mut bench = Bench::new(RFC);
        bench.learn(0, END, AFTER, ME);
        let did = bench.hear(1000, BEFORE, request(END, asked, 1, 2));
        match &did[..] {
            [Did::Send(Routing::Reply(r), BEFORE, _)] if answers => {
                assert_eq!((r.hops, r.dst_seq, r.lifetime), (3, 10, Span::from_secs(999)));
            }
            [Did::Send(Routing::Request(r), NodeId::BROADCAST, _)] if !answers => assert_eq!(r.dst_seq, 11),
            other => panic!("asked for {asked}: {other:?}"),
        }
    }
}

// RFC 3561 §6.7 and §6.2: a reply goes back the way of the request, a hop further on; an older or a longer route than the known one
// goes nowhere.
#[test]
fn replies_are_passed_back_unless_they_bring_nothing() {
    let mut bench = Bench::new(RFC);
    bench.hear(0, BEFORE, request(END, 0, 1, 2));
    let back = |hops, seq| [Did::Send(reply(END, seq, hops, SOURCE), BEFORE, RFC.diameter)];
    assert_eq!(bench.hear(10, AFTER, reply(END, 10, 2, SOURCE)), back(3, 10));
    assert_eq!(bench.hear(20, NodeId(7), reply(END, 10, 2, SOURCE)), [], "no shorter");
    assert_eq!(bench.hear(30, NodeId(7), reply(END, 8, 0, SOURCE)), [], "older");
    assert_eq!(bench.hear(40, NodeId(7), reply(END, 12, 5, SOURCE)), back(6, 12), "newer, if longer");
    assert_eq!(bench.hear(50, AFTER, reply(END, 12, 4, SOURCE)), back(5, 12), "shorter");
    assert_eq!(bench.pass(60, SOURCE, END, 1), [Did::Forward(0, AFTER)]);
    assert_eq!(bench.hear(70, AFTER, reply(END, 4_000_000_000, 1, SOURCE)), [], "older by signed arithmetic");
}

// RFC 3561 §6.11 (i): all routes over a lost neighbour go down and are one older; who uses them is told. ns-2 tells in any case.
#[test]
fn a_lost_neighbour_takes_its_routes_along() {
    for plan in [RFC, NS2] {
        let mut bench = Bench::new(plan);
        bench.hear(0, BEFORE, request(END, 0, 1, 0));
        bench.hear(1, AFTER, reply(END, 10, 2, SOURCE)); // the neighbour before uses it
        bench.hear(2, AFTER, reply(NodeId(8), 20, 1, ME)); // nobody else uses this
        // RFC 3561 §6.11: an error for one neighbour alone goes to it, and its link layer sees to it.
        let sent = match plan {
            RFC => Did::Send(error(&[(END, 11)]), BEFORE, 1),
            _ => Did::Send(error(&[(NodeId(8), 21), (END, 11)]), NodeId::BROADCAST, 1),
        };
        assert_eq!(bench.fail(10, AFTER, END, 1), [Did::Drop(0), Did::Flush(AFTER), sent]);
        assert_eq!(bench.pass(20, END, SOURCE, 1), [Did::Forward(1, BEFORE)], "the others stay");
        let counts = bench.router.counts();
        assert_eq!((counts.link_failures, counts.errors), (1, 1));
    }
}

// RFC 3561 §6.11 (ii): who has no route for somebody else's packet says so, with a number that is one newer each time; ns-2's stays. For
// its own, it asks.
#[test]
fn a_packet_of_somebody_else_without_a_route_is_an_error() {
    for (plan, seqs) in [(RFC, [12, 13]), (NS2, [11, 11])] {
        let mut bench = Bench::new(plan);
        bench.learn(0, END, AFTER, ME);
        bench.fail(10, AFTER, END, 1);
        for (i, seq) in (1..).zip(seqs) {
            let sent = Did::Send(error(&[(END, seq)]), NodeId::BROADCAST, 1);
            assert_eq!(bench.pass(20, SOURCE, END, 1), [sent, Did::Drop(i)]);
        }
    }
}

// RFC 3561 §6.11 (iii): an error counts if it is from the next hop, whatever its number, and makes the own number newer in any case; in ns-2
// an older one does not count. It goes on to who uses the route, and what waits for that next hop is dropped (ns-2).
#[test]
fn errors_are_passed_on_to_precursors() {
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
            let passed_on = Did::Send(error(&[(END, number)]), to, 1);
            let expected = if is_hit { vec![Did::Flush(AFTER), passed_on] } else { vec![] };
            assert_eq!(did, expected, "from {from:?}, {seq}");
            let forwards = bench.pass(20, SOURCE, END, 1) == [Did::Forward(0, AFTER)];
            assert_eq!(forwards, !is_hit);
        }
    }
    let mut bench = Bench::new(RFC);
    bench.learn(0, END, AFTER, ME);
    assert_eq!(bench.hear(10, AFTER, error(&[(END, 11)])), [Did::Flush(AFTER)], "nobody uses it");
}

// RFC 3561 §6.2, §10: a route ends ACTIVE_ROUTE_TIMEOUT after its last use; ns-2 looks every half second.
#[test]
fn routes_live_as_long_as_they_are_used() {
    for (plan, ends) in [(RFC, 5_000), (NS2, 12_000)] {
        let mut bench = Bench::new(plan);
        let short = RouteReply { hops: 2, dst: END, dst_seq: 10, origin: ME, lifetime: Span::from_secs(1) };
        bench.hear(100, AFTER, Routing::Reply(short));
        assert_eq!(bench.own(1_000), [Did::Forward(0, AFTER)]);
        bench.wait(1_900);
        assert_eq!(bench.own(1_999), [Did::Forward(1, AFTER)]);
        bench.wait(ends - 10);
        let next_hop = |bench: &Bench| bench.router.next_hop(END);
        assert_eq!(next_hop(&bench), Some(AFTER));
        bench.wait(ends);
        assert_eq!(next_hop(&bench), None);
    }
}

// RFC 3561 §6.5: the way back lives 2 NET_TRAVERSAL_TIME - 2 × hops × NODE_TRAVERSAL_TIME; ns-2's 6 s.
#[test]
fn the_way_back_lives_for_a_while() {
    for (plan, ends) in [(RFC, 5600 - 2 * 3 * 40), (NS2, 6000)] {
        let mut bench = Bench::new(plan);
        bench.hear(0, BEFORE, request(END, 0, 1, 2));
        bench.wait(ends - 1);
        assert_eq!(bench.router.next_hop(SOURCE), Some(BEFORE));
        bench.wait(ends);
        assert_eq!(bench.router.next_hop(SOURCE), None);
    }
}

// What comes back to its sender, or has come further than the network is wide, goes round in a circle.
#[test]
fn circles_are_broken() {
    let mut bench = Bench::new(RFC);
    bench.learn(0, END, AFTER, ME);
    assert_eq!(bench.pass(1, ME, END, 4), [Did::Drop(0)]);
    assert_eq!(bench.pass(2, SOURCE, END, 34), [Did::Forward(1, AFTER)]);
    assert_eq!(bench.pass(3, SOURCE, END, 35), [Did::Drop(2)]);
}

// ns-2's local repair, with its faults: past the middle of the way the packet is kept, and a route as fresh as the lost one is asked
// for; a longer one does not help until the repair is given up, at about twice the present time.
#[test]
fn ns2_repairs_near_the_destination() {
    let mut bench = Bench::new(NS2);
    bench.learn(10_000, END, AFTER, SOURCE); // 3 hops
    assert_eq!(bench.fail(10_100, AFTER, END, 3)[0], Did::Drop(0), "not past the middle");
    let mut bench = Bench::new(NS2);
    bench.learn(10_000, END, AFTER, SOURCE);
    let did = bench.fail(10_100, AFTER, END, 4);
    let [Did::Send(Routing::Request(asked), NodeId::BROADCAST, 5)] = &did[..] else { panic!("{did:?}") };
    assert_eq!((asked.dst_seq, bench.router.holds()), (10, 1));
    assert_eq!(bench.pass(10_110, SOURCE, END, 4), [], "what follows is kept too");
    assert_eq!(bench.hear(10_120, BEFORE, reply(END, 10, 4, ME)), [], "longer");
    while bench.wait(20_400).is_some() {}
    assert_eq!(bench.hear(20_400, BEFORE, reply(END, 10, 4, ME)), []);
    while bench.wait(20_600).is_some() {}
    let did = bench.hear(20_600, BEFORE, reply(END, 10, 4, ME));
    assert_eq!(did, [Did::Forward(0, BEFORE)], "10.1 s, and 10.4 s until the next request: 20.5 s");
    let mut bench = Bench::new(NS2);
    bench.learn(10_000, END, AFTER, SOURCE);
    bench.fail(10_100, AFTER, END, 4);
    assert_eq!(bench.hear(10_120, BEFORE, reply(END, 12, 4, ME)), [Did::Forward(0, BEFORE)], "newer");
}

/// The RFC with local repair.
const REPAIRING: AodvPlan = AodvPlan { repairs: true, ..RFC };

/// A router that has a route to [`END`] of so many hops, used by the neighbour before, and one to another node by the same neighbour.
fn with_routes(hops: u8) -> Bench {
    let mut bench = Bench::new(REPAIRING);
    bench.hear(0, BEFORE, request(END, 0, 1, 1));
    bench.hear(1, AFTER, reply(END, 10, hops - 1, SOURCE));
    bench.hear(2, BEFORE, request(NodeId(8), 0, 2, 1));
    bench.hear(3, AFTER, reply(NodeId(8), 20, 4, SOURCE));
    bench
}

// RFC 3561 §6.12: the request asks for the lost route's number and one, max(hops to the destination, hops to the source / 2) + 2 hops
// wide; packets are kept; the other routes of that link are lost at once. An answer, even over a longer way, sets them free.
#[test]
fn a_broken_route_is_repaired() {
    for (hops, came, radius) in [(3, 2, 5), (3, 9, 6), (10, 2, 12)] {
        let mut bench = with_routes(hops);
        let did = bench.fail(100, AFTER, END, came);
        let [Did::Send(told, BEFORE, 1), Did::Send(Routing::Request(asked), NodeId::BROADCAST, ttl)] =
            &did[..]
        else {
            panic!("{did:?}")
        };
        assert_eq!(*told, error(&[(NodeId(8), 21)]));
        assert_eq!((asked.dst, asked.dst_seq, *ttl), (END, 11, radius));
        assert_eq!(bench.pass(110, SOURCE, END, came), [], "what follows is kept");
        assert_eq!(bench.fail(120, AFTER, END, came), [], "and what fails after it");
        assert_eq!(bench.hear(130, NodeId(7), reply(END, 10, 1, ME)), [], "a route that is no newer is none");
        let freed = [0, 1, 2].map(|number| Did::Forward(number, NodeId(7)));
        assert_eq!(bench.hear(140, NodeId(7), reply(END, 11, hops + 3, ME)), freed);
        assert_eq!(bench.pass(150, SOURCE, END, came), [Did::Forward(3, NodeId(7))]);
    }
}

// RFC 3561 §6.12: while it is repaired a route is not active: nobody is told of it (§6.6 (ii)).
#[test]
fn a_route_that_is_repaired_answers_no_request() {
    let mut bench = with_routes(3);
    bench.fail(100, AFTER, END, 2);
    let did = bench.hear(110, NodeId(7), request(END, 5, 9, 1));
    let [Did::Send(Routing::Request(asked), NodeId::BROADCAST, _)] = &did[..] else { panic!("{did:?}") };
    assert_eq!(asked.dst_seq, 11);
}

// RFC 3561 §6.12: without an answer within the discovery period, 2 × 40 ms × (5 + 2), those who use the route are told and the packets are
// dropped.
#[test]
fn a_repair_that_fails_is_an_error() {
    let mut bench = with_routes(3);
    bench.fail(100, AFTER, END, 2);
    let end = 100 + 560;
    assert_eq!(
        bench.wait(10_000),
        Some((end, vec![Did::Send(error(&[(END, 11)]), BEFORE, 1), Did::Drop(0)]))
    );
    let did = bench.pass(end + 1, SOURCE, END, 2);
    assert_eq!(did, [Did::Send(error(&[(END, 12)]), NodeId::BROADCAST, 1), Did::Drop(1)]);
}

// RFC 3561 §6.12, §10: not if the destination was farther than MAX_REPAIR_TTL = 0.3 NET_DIAMETER hops away.
#[test]
fn a_distant_destination_is_not_repaired() {
    let mut bench = with_routes(11);
    let lost = Did::Send(error(&[(NodeId(8), 21), (END, 11)]), BEFORE, 1);
    assert_eq!(bench.fail(100, AFTER, END, 2), [Did::Drop(0), Did::Flush(AFTER), lost]);
}

// RFC 3561 §6.3: the source, which has nobody to tell, asks again with all its retries, and keeps the packet.
#[test]
fn the_source_asks_again() {
    let mut bench = Bench::new(REPAIRING);
    bench.learn(0, END, AFTER, ME);
    let packet = bench.packet();
    let passing = Passing { src: ME, dst: END, hops: 0 };
    assert!(bench.router.on_link_failure(ms(10), AFTER, Some(passing), Some(packet)).is_none());
    let did = bench.did();
    let [Did::Send(Routing::Request(asked), NodeId::BROADCAST, 5)] = &did[..] else { panic!("{did:?}") };
    assert_eq!(asked.dst_seq, 11);
    let (at, _) = bench.wait(10_000).expect("and again");
    assert_eq!(at, 10 + 560);
    assert_eq!(bench.learn(600, END, NodeId(7), ME).len(), 0, "no newer than what was lost");
    assert_eq!(bench.hear(610, NodeId(7), reply(END, 11, 2, ME)), [Did::Forward(0, NodeId(7))]);
}

// RFC 3561 §6.2: a route that is used lives on, and so do those to the source and to the next hops of both.
#[test]
fn use_extends_the_routes_of_both_ways() {
    for (plan, extended) in [(RFC, true), (NS2, false)] {
        let mut bench = Bench::new(plan);
        let short = |dst, hops| {
            Routing::Reply(RouteReply { hops, dst, dst_seq: 10, origin: ME, lifetime: Span::from_secs(4) })
        };
        let ways = [(END, AFTER, 2), (AFTER, AFTER, 0), (SOURCE, BEFORE, 2), (BEFORE, BEFORE, 0)];
        ways.iter().for_each(|&(dst, by, hops)| drop(bench.hear(0, by, short(dst, hops))));
        bench.wait(2_000);
        assert_eq!(bench.pass(3_900, SOURCE, END, 3), [Did::Forward(0, AFTER)]);
        bench.wait(5_000);
        let alive = ways.map(|(dst, ..)| bench.router.next_hop(dst).is_some());
        assert_eq!(alive, [true, extended, extended, extended]);
    }
}
