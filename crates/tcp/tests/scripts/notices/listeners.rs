//! Senders whose notices are packets on the interface. A program on the interface reads the notices before
//! TCP, and TCP receives the packets that the program passes.

use crate::common::script::Script;
use crate::common::{byte, rfc};
use airhop_base::{Body, FlowId, NodeId, Notice, Packet, Time};
use airhop_tcp::seams::{
    Ack, CongestionControl, ConnectionEnds, Loss, LossClass, NoticePolicy, NoticeReaction, RunState,
    SenderPolicies, Window,
};
use airhop_tcp::{ReceiverFeatures, Sender, SenderState};
use std::sync::{Arc, Mutex};

/// Packets that a program drops; it passes all other packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    Nothing,
    Notices,
    Segments,
}

impl NoticePolicy for Filter {
    fn on_notice(&mut self, _: Time, _: &Notice, _: &SenderState) -> NoticeReaction {
        NoticeReaction::Ignore
    }

    fn on_join(&mut self, run: &mut RunState, ends: &ConnectionEnds) {
        note(run, ends);
    }

    fn reads_interface(&self) -> bool {
        true
    }

    fn consumes_packet(&mut self, _: Time, packet: &Packet) -> bool {
        match packet.body {
            Body::Notice(_) => *self == Filter::Notices,
            Body::Tcp(_) => *self == Filter::Segments,
            _ => false,
        }
    }
}

/// Congestion control with a constant window that shares its flow with the other flows of the run.
#[derive(Debug)]
struct Ten;

/// Key of the flows of a run.
const FLOWS: usize = 1;

/// Returns the flows that have joined the run.
fn flows(run: &mut RunState) -> Arc<Mutex<Vec<(FlowId, NodeId, NodeId)>>> {
    run.get_or_insert_with(FLOWS, Mutex::default)
}

fn note(run: &mut RunState, ends: &ConnectionEnds) {
    let flows = flows(run);
    flows.lock().expect("one thread").push((ends.flow, ends.local, ends.remote));
}

impl CongestionControl for Ten {
    fn on_join(&mut self, run: &mut RunState, ends: &ConnectionEnds) {
        note(run, ends);
    }

    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    fn on_loss(&mut self, _: &mut Window, _: &Loss, _: &SenderState) -> LossClass {
        LossClass::Undecided
    }
}

/// Returns a sender with ten segments outstanding since 0 ms.
fn ten(filter: Filter) -> Script {
    let config = rfc(10.0, 5.0);
    let parts = SenderPolicies {
        control: Box::new(Ten),
        recovery: airhop_tcp::recovery::reno(&config),
        notices: Box::new(filter),
    };
    let (flow, local, remote) = (FlowId(0), NodeId(0), NodeId(1));
    let sender = Sender::new(flow, local, remote, &config, ReceiverFeatures::NONE, parts);
    let mut s = Script::by(sender, &config, 1_000_000);
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8 9 10");
    s.at(100);
    s
}

// Without a program that consumes a notice, TCP receives the notice as an ACK of all data before the
// named segment, with the advertised window unchanged.
#[test]
fn a_notice_that_no_program_consumes_is_an_ack() {
    let mut s = ten(Filter::Nothing);
    let edge = s.sender.state().right_edge;
    assert_eq!(s.eln(5), "11 12 13 14");
    let state = s.sender.state();
    assert_eq!((state.una, state.right_edge), (byte(5), edge));
    assert_eq!(s.ack(6), "15", "an ACK that the program leaves");
}

// A notice that the program consumes, or that names no segment, has no effect.
#[test]
fn a_notice_that_a_program_consumes_has_no_effect() {
    let mut s = ten(Filter::Notices);
    assert_eq!((s.eln(5), s.sender.state().una), (String::new(), byte(1)));
    let mut s = ten(Filter::Nothing);
    assert_eq!((s.ebsn(5), s.sender.state().una), (String::new(), byte(1)));
    let mut s = ten(Filter::Segments);
    assert_eq!(
        (s.ack(5), s.sender.state().una),
        (String::new(), byte(1)),
        "an ACK that the program consumes"
    );
}

// The congestion control and the notice policy join the run of their connection, with its two ends.
#[test]
fn both_policies_join_the_run_of_their_connection() {
    let mut run = RunState::default();
    ten(Filter::Nothing).sender.join_run(&mut run);
    let flows = flows(&mut run);
    let ends = (FlowId(0), NodeId(0), NodeId(1));
    assert_eq!(*flows.lock().expect("one thread"), [ends, ends]);
}
