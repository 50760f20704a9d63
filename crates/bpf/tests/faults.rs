//! Tests of `objects/wrong.bpf.c`: code that the kernel's verifier would reject ends in a fault with place
//! and reason.

use airhop_bpf::{Argument, Callback, Object, Socket, StructImage, VirtualMachine};
use std::sync::Arc;

pub const OBJECT: &[u8] = include_bytes!("objects/wrong.bpf.o");

fn fault(callback: Callback) -> String {
    let object = Arc::new(Object::read(OBJECT, "wrong.bpf.o").unwrap());
    let mut socket = Socket::new(&object.socket_layout(&["srtt_us"]).unwrap(), 0, 0);
    let sample = StructImage::new(object.sample_layout("ack_sample", &["rtt_us"]).unwrap());
    let program = object.congestion_controls()[0].program(callback).unwrap();
    let argument =
        if callback == Callback::PktsAcked { Argument::Sample(&sample) } else { Argument::Number(3) };
    VirtualMachine::new(object, 0)
        .call(program, &mut socket, &[argument], 0)
        .expect_err("a fault")
        .to_string()
}

/// Asserts that a fault names the object, the function, the source line, and the cause.
fn assert_names(callback: Callback, function: &str, line: &str, cause: &str) {
    let fault = fault(callback);
    let place = format!("wrong.bpf.o: {function}, instruction ");
    let source = include_str!("objects/wrong.bpf.c");
    let number = 1 + source.lines().position(|text| text.contains(line)).unwrap();
    assert!(fault.starts_with(&place) && fault.contains(&format!("(./wrong.bpf.c:{number})")), "{fault}");
    assert!(fault.ends_with(cause), "{fault}");
}

#[test]
fn endless_loops_and_recursion_are_faults() {
    assert!(fault(Callback::Init).contains("more than 1000000 instructions in one call"));
    assert_names(Callback::Ssthresh, "deeper", "deeper(&own)", "calls are nested deeper than 8 functions");
}

#[test]
fn access_to_memory_not_owned_by_the_program_is_a_fault() {
    let member = "tcp_sock.srtt_us, which programs may not write";
    assert_names(Callback::CongAvoid, "writes_srtt", "srtt_us = 1", &format!("store of 4 bytes at {member}"));
    assert_names(Callback::SetState, "wild", "<< 60", "which is not an address of the program");
    assert_names(Callback::UndoCwnd, "beyond", "own[200]", "bytes");
    let member = "ack_sample.in_flight, which is not simulated";
    assert_names(
        Callback::PktsAcked,
        "unknown_member",
        "sample->in_flight",
        &format!("load of 4 bytes at {member}"),
    );
}
