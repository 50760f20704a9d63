//! Tests of `objects/shares.bpf.c`: state that the connections of an object share.

use airhop_base::{Body, Flags, FlowId, NodeId, Packet, Segment, Span, Time};
use airhop_bpf::{LoadedCongestionControl, Object};
use airhop_tcp::kernel_ops::kernel_scheme;
use airhop_tcp::seams::RunState;
use airhop_tcp::{Config, Params, Preset, Scheme, Sender};
use std::sync::Arc;

const OBJECT: &[u8] = include_bytes!("objects/shares.bpf.o");

fn scheme() -> Scheme {
    let object = Arc::new(Object::read(OBJECT, "shares.bpf.o").unwrap());
    let loaded = LoadedCongestionControl::new(&object, &object.congestion_controls()[0]).unwrap();
    kernel_scheme("shares", "", loaded.callbacks(), false, &[], Box::new(move || loaded.create_connection()))
}

/// Returns the window of a connection after an ACK; the connection belongs to `run`, if given.
fn window(scheme: &Scheme, flow: u16, run: Option<&mut RunState>) -> f64 {
    let config = Config { handshake: false, timestamps: false, pacing: false, ..Preset::Linux.config(1000) };
    let parts = (scheme.build)(&Params::defaults(scheme), &config);
    let mut sender = Sender::new(FlowId(flow), NodeId(0), NodeId(1), &config, scheme.features, parts);
    sender.set_seed(7);
    if let Some(run) = run {
        sender.join_run(run);
    }
    sender.supply_data(1_000_000);
    while sender.poll_transmit(Time::ZERO).is_some() {}
    let flags = Flags { ack: true, ..Flags::default() };
    let ack = Segment { seq: 1, ack: 1001, window: 1 << 30, flags, ..Segment::default() };
    let packet = Packet::new(FlowId(flow), NodeId(1), NodeId(0), 40, Body::Tcp(ack));
    sender.on_segment(Time::ZERO + Span::from_millis(50), &packet);
    sender.window().cwnd
}

// A kernel loads an object once, and all connections share its maps and variables. A run corresponds to a
// kernel that has just loaded the object, and is independent of other runs; a connection outside of any run
// shares no state.
#[test]
fn connections_of_a_run_share_maps_and_variables() {
    let scheme = scheme();
    let (mut one, mut other) = (RunState::default(), RunState::default());
    let first = [0, 1].map(|flow| window(&scheme, flow, Some(&mut one)));
    assert_eq!((first, window(&scheme, 0, Some(&mut other))), ([10.0, 20.0], 10.0));
    assert_eq!(window(&scheme, 2, Some(&mut one)), 30.0);
    assert_eq!(window(&scheme, 3, None), 10.0);
}
