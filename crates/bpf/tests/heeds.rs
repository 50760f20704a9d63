//! Tests of `objects/heeds.bpf.c`: the interpreter executes this C code.

use airhop_bpf::{Argument, Callback, Object, Socket, StructImage, Verdict, VirtualMachine};
use std::sync::Arc;

pub const OBJECT: &[u8] = include_bytes!("objects/heeds.bpf.o");
const FIELDS: [&str; 6] =
    ["snd_nxt", "srtt_us", "icsk_ca_state", "nonagle", "icsk_ack.pending", "rtt_min.s[0].v"];

/// A run with one socket.
struct Run {
    machine: VirtualMachine,
    socket: Socket,
}

impl Run {
    fn new() -> Run {
        let object = Arc::new(Object::read(OBJECT, "heeds.bpf.o").unwrap());
        let layout = object.socket_layout(&FIELDS).unwrap();
        let mut run = Run { machine: VirtualMachine::new(object, 1), socket: Socket::new(&layout, 0, 2) };
        run.set("snd_cwnd_clamp", 1000);
        run
    }

    fn set(&mut self, field: &str, value: u64) {
        let field = self.socket.image.layout().find_field(field).unwrap();
        self.socket.image.set(field, value);
    }

    fn get(&self, field: &str) -> u64 {
        self.socket.image.get(self.socket.image.layout().find_field(field).unwrap())
    }

    fn call(&mut self, callback: Callback, arguments: &[Argument<'_>]) -> u64 {
        let program = self.machine.object().congestion_controls()[0].program(callback).unwrap();
        self.machine.call(program, &mut self.socket, arguments, 5_000_000_000).unwrap()
    }
}

#[test]
fn an_object_declares_its_name_and_callbacks() {
    let object = Object::read(OBJECT, "heeds.bpf.o").unwrap();
    let control = &object.congestion_controls()[0];
    assert_eq!((control.name.as_str(), control.needs_ecn(), object.license()), ("heeds", true, "GPL"));
    assert_eq!((control.missing_callbacks(), control.parameter_count(Callback::CongControl)), (vec![], 2));
    assert_eq!(control.program(Callback::Release), None);
    assert_eq!(object.filters()[0].name, "listen");
}

// Bitfields and nested members: a program sets each of them separately, and reads the same value.
#[test]
fn bitfields_and_nested_members_have_their_own_offsets() {
    let mut run = Run::new();
    for field in FIELDS.into_iter().chain(["is_cwnd_limited", "prior_cwnd"]) {
        run.set(field, 1);
        assert_eq!(run.get(field), 1, "{field}");
    }
    run.set("nonagle", 0xff);
    assert_eq!(
        (run.get("nonagle"), run.get("is_cwnd_limited")),
        (15, 1),
        "four bits are written, the adjacent field is unchanged"
    );
    let layout = run.socket.image.layout();
    assert!(layout.is_declared(layout.find_field("srtt_us").unwrap()));
    assert!(!layout.is_declared(layout.find_field("prior_cwnd").unwrap()), "which the object's header lacks");
}

// RFC 5681 §3.1 through the kernel functions: slow start up to ssthresh, then one segment per window, and no
// growth of an unused window.
#[test]
fn kfuncs_grow_the_window_in_slow_start_and_avoidance() {
    let mut run = Run::new();
    let ack = [Argument::Number(0), Argument::Number(4)];
    for (field, value) in [("snd_cwnd", 10), ("snd_ssthresh", 12)] {
        run.set(field, value);
    }
    run.call(Callback::CongAvoid, &ack);
    assert_eq!(run.get("snd_cwnd"), 10, "not limited by its window");
    run.set("is_cwnd_limited", 1);
    run.call(Callback::CongAvoid, &ack);
    assert_eq!(
        (run.get("snd_cwnd"), run.get("snd_cwnd_cnt")),
        (12, 2),
        "two segments end slow start, two are counted"
    );
    run.call(Callback::CongAvoid, &ack);
    run.call(Callback::CongAvoid, &ack);
    assert_eq!((run.get("snd_cwnd"), run.get("snd_cwnd_cnt")), (12, 10));
    run.call(Callback::CongAvoid, &ack);
    assert_eq!(
        (run.get("snd_cwnd"), run.get("snd_cwnd_cnt")),
        (13, 2),
        "14 of 12 segments: growth by one segment, two remain"
    );
    run.set("prior_cwnd", 40);
    assert_eq!(run.call(Callback::UndoCwnd, &[]) as u32, 40);
}

// The congestion control reads from a map the notices that the tc program received and dropped.
#[test]
fn a_map_carries_notices_from_filter_to_congestion_control() {
    let mut run = Run::new();
    run.set("snd_cwnd", 20);
    assert_eq!(run.call(Callback::Ssthresh, &[]) as u32, 10);
    let listen = run.machine.object().filters()[0].program;
    assert_eq!(run.machine.run_filter(listen, &[0x60, 1], 0).unwrap(), Verdict::Pass);
    assert_eq!(run.machine.run_filter(listen, &[0x45], 0).unwrap(), Verdict::Pass, "too short");
    for heard in 1..=2_u64 {
        assert_eq!(run.machine.run_filter(listen, &[0x45, 1, 9], 0).unwrap(), Verdict::Drop);
        assert_eq!(run.machine.map_value("heard", &1_u32.to_le_bytes()), Some(&heard.to_le_bytes()[..]));
    }
    assert_eq!(run.call(Callback::Ssthresh, &[]) as u32, 20);
    let calls = run.machine.map_value("owned", &0_u32.to_le_bytes()).unwrap();
    assert_eq!(calls, 2_u32.to_le_bytes(), "counted in the storage of the socket");
}

// An array has all its entries from the start, as zeros. A hash has as many entries as declared (four), and a
// fifth entry is an error.
#[test]
fn an_insertion_beyond_the_size_of_a_map_is_an_error() {
    let mut run = Run::new();
    let state = |number| [Argument::Number(number)];
    run.call(Callback::SetState, &state(3));
    run.call(Callback::SetState, &state(3));
    run.call(Callback::SetState, &state(7));
    assert_eq!(run.machine.map_value("counts", &3_u32.to_le_bytes()), Some(&2_u64.to_le_bytes()[..]));
    assert_eq!(run.machine.map_value("counts", &4_u32.to_le_bytes()), None);
    let listen = run.machine.object().filters()[0].program;
    for kind in 0..6 {
        run.machine.run_filter(listen, &[0x45, kind], 0).unwrap();
    }
    let known =
        |key: u32, machine: &mut VirtualMachine| machine.map_value("heard", &key.to_le_bytes()).is_some();
    let known: Vec<u32> = (0..6).filter(|key| known(*key, &mut run.machine)).collect();
    assert_eq!(known, [0, 1, 2, 3]);
}

// Tests the private state of 104 bytes, the configuration, jiffies, a sample's signed member, and a request
// for an ACK.
#[test]
fn private_state_jiffies_and_samples_reach_the_program() {
    let mut run = Run::new();
    run.call(Callback::Init, &[]);
    let layout = run.machine.object().sample_layout("ack_sample", &["rtt_us"]).unwrap();
    let mut sample = StructImage::new(layout.clone());
    sample.set(layout.find_field("rtt_us").unwrap(), -1_i64 as u64);
    assert_eq!(sample.get(layout.find_field("rtt_us").unwrap()) as i64, -1);
    run.call(Callback::PktsAcked, &[Argument::Sample(&sample)]);
    run.call(Callback::Ssthresh, &[]);
    let private = run.socket.image.private_state();
    assert_eq!(private.len(), 104);
    assert_eq!(private[..4], 1_u32.to_le_bytes(), "a loss");
    assert_eq!(private[4..8], (-1_i32).to_le_bytes());
    assert_eq!(private[8..16], 6000_u64.to_le_bytes(), "5 s in jiffies, and CONFIG_HZ");
    run.set("snd_nxt", 77);
    run.set("icsk_ca_state", 3);
    run.call(Callback::SetState, &[Argument::Number(3)]);
    assert_eq!(run.socket.take_ack_request(), None);
    run.call(Callback::SetState, &[Argument::Number(2)]);
    assert_eq!((run.socket.take_ack_request(), run.socket.take_ack_request()), (Some(77), None));
}

// Each run has its own maps, variables and random numbers, and starts in the same state.
#[test]
fn two_runs_share_no_maps_or_variables() {
    let trace = || {
        let mut run = Run::new();
        let first = run.call(Callback::Init, &[]);
        (first, run.call(Callback::Init, &[]), run.socket.image.private_state().to_vec())
    };
    assert_eq!(trace(), trace());
}
