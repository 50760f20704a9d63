//! Objects that a kernel rejects before they run: `objects/refused.bpf.c`, `objects/twice.bpf.c`, and changed
//! bytes.

use airhop_bpf::{LoadedCongestionControl, Object};
use std::sync::Arc;

const REFUSED: &[u8] = include_bytes!("objects/refused.bpf.o");
const TWICE: &[u8] = include_bytes!("objects/twice.bpf.o");
const SHARES: &[u8] = include_bytes!("objects/shares.bpf.o");

/// Returns the reason why a congestion control is rejected.
fn refusal(name: &str) -> String {
    let object = Arc::new(Object::read(REFUSED, "refused.bpf.o").unwrap());
    let control = object.congestion_controls().iter().find(|control| control.name == name).unwrap();
    LoadedCongestionControl::new(&object, control).expect_err("a kernel rejects it").to_string()
}

fn read(bytes: &[u8]) -> Result<Object, String> {
    Object::read(bytes, "x.bpf.o").map_err(|error| error.to_string())
}

/// Returns the object with the bytes `other` written `before` bytes before its name.
fn with(bytes: &[u8], name: &[u8], before: usize, other: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let at = bytes.windows(name.len()).rposition(|window| window == name).expect("the name") - before;
    changed[at..at + other.len()].copy_from_slice(other);
    changed
}

// Linux, check_max_stack_depth_subprog(): at most 512 bytes in all stack frames of a chain of calls.
#[test]
fn call_chains_share_512_bytes_of_stack() {
    let text = refusal("deep");
    assert!(text.contains("720 bytes of stack in 2 functions (deep calls inner)"), "{text}");
}

// bpf_tcp_ca_btf_struct_access(): the rule about members that a congestion control may write also applies to
// code that never runs. The message names a member that is not simulated.
#[test]
fn a_store_to_a_read_only_member_is_refused_by_name() {
    let text = refusal("writes");
    assert!(text.contains("refused.bpf.c:") && text.contains("writes tcp_sock.srtt_us"), "{text}");
    let text = refusal("reads");
    assert!(text.contains("reads tcp_sock.nonagle, which is not simulated"), "{text}");
}

// bpf_tcp_ca_get_func_proto(): `release` must neither get nor set socket options.
#[test]
fn release_may_not_access_socket_options() {
    let text = refusal("ends");
    assert!(text.contains("asks") && text.contains("release calls bpf_getsockopt"), "{text}");
}

#[test]
fn an_unaligned_atomic_operation_is_refused() {
    assert!(refusal("misaligned").contains("an atomic operation on 8 bytes at +3"));
}

// bpf_tcp_ca_init_member() and tcp_register_congestion_control(): only known flags, and a name that no other
// congestion control has; libbpf: one program for each member.
#[test]
fn invalid_registrations_of_struct_ops_are_refused() {
    let flags = |flags: u32| read(&with(SHARES, b"shares\0\0\0\0\0\0\0\0\0\0", 4, &flags.to_le_bytes()));
    assert!([0, 1, 2, 3].into_iter().all(|n| flags(n).is_ok()));
    assert!(flags(4).expect_err("unknown").contains("its flags are 0x4"));
    let same = with(REFUSED, b"writes\0\0\0\0\0\0\0\0\0\0", 0, b"reads\0");
    assert!(
        read(&same)
            .expect_err("taken")
            .contains("its name is \"reads\", which another congestion control also has")
    );
    let text = read(TWICE).expect_err("one program");
    assert!(text.contains("ssthresh and undo_cwnd are one program"), "{text}");
}
