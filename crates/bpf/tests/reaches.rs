//! Tests of `objects/reaches.bpf.c`: a running object can access only its own memory. A kernel verifies this
//! before it runs the object.

use airhop_bpf::{Argument, Callback, Object, Socket, VirtualMachine};
use std::sync::Arc;

const OBJECT: &[u8] = include_bytes!("objects/reaches.bpf.o");

/// Returns the result of a callback for this argument, or place and reason of its failure.
fn call(callback: Callback, number: u64) -> Result<u64, String> {
    let object = Arc::new(Object::read(OBJECT, "reaches.bpf.o").unwrap());
    let mut socket = Socket::new(&object.socket_layout(&["srtt_us"]).unwrap(), 0, 0);
    let program = object.congestion_controls()[0].program(callback).unwrap();
    let mut machine = VirtualMachine::new(object, 0);
    let result = machine.call(program, &mut socket, &[Argument::Number(number)], 0);
    result.map_err(|fault| fault.to_string())
}

fn assert_refused(callback: Callback, number: u64, cause: &str) {
    let fault = call(callback, number).expect_err("an access beyond its memory");
    assert!(fault.contains(cause), "{callback:?} with {number}: {fault}");
}

// Values of a map are separate: an access from one value cannot reach another, neither the next value nor a
// distant one.
#[test]
fn a_pointer_to_a_map_value_reaches_no_other_value() {
    assert!([0, 1].iter().all(|&index| call(Callback::CongAvoid, index).is_ok()));
    for index in [2, 3, 4, 5, 1 << 20, u64::MAX >> 3] {
        assert_refused(Callback::CongAvoid, index, "a value of map pairs");
    }
}

// The stack frames of functions are also separate: 512 bytes each, and no access above their end.
#[test]
fn a_pointer_to_a_stack_frame_reaches_no_other_frame() {
    assert_eq!(call(Callback::Ssthresh, 1), Ok(1));
    for index in [2, 64, 1 << 20] {
        assert_refused(Callback::Ssthresh, index, "the function's stack");
    }
}

// A store must be to a single member, and must begin at its offset.
#[test]
fn a_store_writes_exactly_one_member() {
    assert!(call(Callback::SetState, 2).is_ok());
    assert_refused(Callback::SetState, 1, "store of 1 bytes at tcp_sock.snd_cwnd");
    assert_refused(Callback::SetState, 0, "store of 8 bytes at tcp_sock.snd_cwnd");
}

// An atomic operation must be on an aligned word.
#[test]
fn an_unaligned_atomic_operation_is_a_fault() {
    assert!(call(Callback::PktsAcked, 0).is_ok());
    assert_refused(Callback::PktsAcked, 3, "not a multiple of 8");
}

// bpf-helpers(7), bpf_spin_lock(): a program holds at most one lock, and must release it before it ends;
// check_map_access(): only helpers access a lock.
#[test]
fn a_spin_lock_must_be_released_before_the_program_ends() {
    assert_eq!(call(Callback::UndoCwnd, 0), Ok(1));
    assert_refused(Callback::UndoCwnd, 1, "a lock is already held");
    assert_refused(Callback::UndoCwnd, 2, "the lock is never released");
    assert_refused(Callback::UndoCwnd, 3, "bpf_jiffies64: a kernel refuses calls of its functions");
    assert_refused(Callback::UndoCwnd, 4, "at the spin lock of a value of map locks");
    assert_refused(Callback::UndoCwnd, 5, "a lock is a struct bpf_spin_lock");
}

// check_map_func_compatibility(): only the current socket provides a value of its map.
// bpf_tcp_ca_is_valid_access(): a read of an argument must be aligned.
#[test]
fn storage_of_other_sockets_and_partial_arguments_are_refused() {
    assert_eq!(call(Callback::Init, 0), Ok(0));
    assert_refused(Callback::Init, 1, "a map of sockets is for bpf_sk_storage_get");
    assert_refused(Callback::Init, 2, "load of 4 bytes at the context +6");
}
