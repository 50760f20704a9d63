//! Tests of the RTTN agent with scripted fades.

use super::*;
use airhop_base::{Body, FlowId, Segment, TCP_IP_HEADER_BYTES};
use airhop_radio::PacketTag;

const SENDER: NodeId = NodeId(0);
const RECEIVER: NodeId = NodeId(3);
const MOBILE: NodeId = NodeId(3);
const OTHER: NodeId = NodeId(4);

fn agent() -> RttnAgent {
    RttnAgent { k: DEFAULT_K, fades: Vec::new(), data: None, told: None }
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// Returns the announced delay of each notice, ms.
fn announced(actions: &AgentActions) -> Vec<f64> {
    assert!(actions.packets.is_empty());
    actions.notices.iter().map(|n| n.additional_delay.millis_f64()).collect()
}

fn data(agent: &mut RttnAgent, ms: u64) -> Vec<f64> {
    let (seq, len) = (1001 + ms, 88);
    let segment = Segment { seq, len, ..Segment::default() };
    let mut packet = Packet::new(FlowId(0), SENDER, RECEIVER, TCP_IP_HEADER_BYTES + len, Body::Tcp(segment));
    let mut actions = AgentActions::default();
    assert_eq!(agent.on_packet(at(ms), &mut packet, 0.0, &mut actions), PacketAction::Forward);
    assert!(actions.notices.iter().all(|n| (n.kind, n.seq, n.end()) == (NoticeKind::Rttn, seq, seq + 88)));
    announced(&actions)
}

fn link_event(agent: &mut RttnAgent, ms: u64, next: NodeId, kind: LinkEventKind) -> Vec<f64> {
    let tag = PacketTag { flow: FlowId(0), payload_bytes: 0, seq: 0 };
    let mut actions = AgentActions::default();
    agent.on_link_event(
        at(ms),
        &LinkEvent { kind, tag, next_hop: next, has_queued_ack: false },
        &mut actions,
    );
    announced(&actions)
}

fn fade_begins(agent: &mut RttnAgent, ms: u64) -> Vec<f64> {
    link_event(agent, ms, MOBILE, LinkEventKind::FadeStart)
}

fn fade_ends(agent: &mut RttnAgent, ms: u64, lasted: u64) -> Vec<f64> {
    link_event(agent, ms, MOBILE, LinkEventKind::FadeEnd(Span::from_millis(lasted)))
}

// Values computed by hand. After a fade of 4 s F is 4 and Fd 2. After 8 s F is 4 + 4/8 = 4.5, and Fd 2 + (4 -
// 2)/8 = 2.25. After 4.1 s F is 4.45, and Fd 2.25 + (0.4 - 2.25)/8 = 2.01875. With k = 2 the delays are 8, 9
// and 8.4875 s.
#[test]
fn interval_and_duration_of_fades_are_averaged() {
    let mut a = agent();
    let mut expected = vec![];
    for (ms, lasted) in [(0, 4000), (10_000, 8000), (20_000, 4100)] {
        fade_ends(&mut a, ms, lasted);
        expected.push(a.expected_delay().map(Span::millis_f64));
    }
    assert_eq!(expected, [Some(8000.0), Some(9000.0), Some(8487.5)]);
    a.k = 0.5;
    assert_eq!(a.expected_delay().map(Span::millis_f64), Some(5459.375));
}

// "At first data of a flow once F exists". Fades may have been measured before the flow's first data.
#[test]
fn the_first_data_of_a_flow_causes_an_rttn() {
    let mut a = agent();
    assert_eq!(fade_begins(&mut a, 0), []);
    assert_eq!(fade_ends(&mut a, 4000, 4000), [], "no sender can be notified");
    assert_eq!(data(&mut a, 5000), [8000.0]);
    assert_eq!(data(&mut a, 9000), [], "the sender has detected the loss");
}

// A notice is sent "at each fade start", and when D has changed by more than 20 % since the last notice.
#[test]
fn a_fade_start_causes_an_rttn_to_active_senders() {
    let mut a = agent();
    assert_eq!(data(&mut a, 0), [], "no fade was measured yet");
    assert_eq!(fade_begins(&mut a, 1000), []);
    assert_eq!(fade_ends(&mut a, 5000, 4000), [8000.0]);
    assert_eq!(fade_begins(&mut a, 9000), [8000.0]);
    assert_eq!(fade_ends(&mut a, 17_000, 8000), [], "9000: 12.5 % more");
    assert_eq!(fade_begins(&mut a, 20_000), [9000.0]);
    // F is 4.5 + 11.5/8 = 5.9375, and Fd 2.25 + 9.25/8 = 3.40625.
    assert_eq!(fade_ends(&mut a, 36_000, 16_000), [12_750.0]);
    assert!(a.uses_fades(), "the agent requires the events of fades");
}

// "More than 20 %", up or down: a change of exactly 20 % causes no notice.
#[test]
fn only_a_delay_change_above_20_percent_causes_an_rttn() {
    let a = RttnAgent { told: Some((at(0), Span::from_secs(8))), ..agent() };
    for (expected, is_news) in [(9600, false), (9601, true), (6400, false), (6399, true)] {
        assert_eq!(a.needs_notice(at(1), Span::from_millis(expected)), is_news, "{expected} ms after 8000");
    }
}

// "Rate <= 1 per second per flow". After this second the next data causes the suppressed notice, if it is
// still needed.
#[test]
fn a_flow_receives_at_most_one_rttn_per_second() {
    let mut a = agent();
    data(&mut a, 0);
    assert_eq!(fade_ends(&mut a, 100, 100), [200.0]);
    assert_eq!(fade_begins(&mut a, 1099), []);
    assert_eq!(fade_ends(&mut a, 1099, 999), []);
    assert_eq!(data(&mut a, 1099), []);
    // F is 100 + 899/8 = 212.375, and Fd 50 + 849/8 = 156.125.
    assert_eq!(data(&mut a, 1100), [524.625]);
    assert_eq!(fade_begins(&mut a, 2100), [524.625]);
}

// "Active senders (… seen in the last 60 s)". A notice is valid for 60 s, and is then repeated.
#[test]
fn an_rttn_is_repeated_after_sixty_seconds() {
    let mut a = agent();
    data(&mut a, 0);
    assert_eq!(fade_ends(&mut a, 60_000, 4000), [8000.0]);
    assert_eq!(fade_begins(&mut a, 61_001), [], "the flow is no longer active");
    assert_eq!(data(&mut a, 61_002), [], "the announced value is still valid");
    assert_eq!(data(&mut a, 119_999), []);
    assert_eq!(data(&mut a, 120_000), [8000.0]);
}

// A base station between two mobiles adds the expected fades of both links.
#[test]
fn the_base_station_adds_the_fades_of_two_mobile_links() {
    let mut a = agent();
    data(&mut a, 0);
    fade_ends(&mut a, 1000, 4000);
    assert_eq!(link_event(&mut a, 5000, OTHER, LinkEventKind::FadeEnd(Span::from_secs(1))), [10_000.0]);
    assert_eq!(link_event(&mut a, 7000, OTHER, LinkEventKind::FadeStart), [10_000.0]);
}

// ACKs do not count as data of the flow, and single failures do not count as fades.
#[test]
fn acks_and_single_failures_cause_no_rttn() {
    let mut a = agent();
    let ack = Segment { seq: 1, ack: 1001, ..Segment::default() };
    let mut packet = Packet::new(FlowId(0), RECEIVER, SENDER, TCP_IP_HEADER_BYTES, Body::Tcp(ack));
    let mut actions = AgentActions::default();
    a.on_packet(at(0), &mut packet, 0.0, &mut actions);
    assert_eq!(fade_ends(&mut a, 1000, 4000), []);
    data(&mut a, 2000);
    for kind in [LinkEventKind::FirstFailure, LinkEventKind::AttemptFailed, LinkEventKind::Delivered] {
        assert_eq!(link_event(&mut a, 5000, MOBILE, kind), []);
    }
}
