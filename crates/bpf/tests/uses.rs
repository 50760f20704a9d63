//! Tests of `objects/uses.bpf.c`: kernel functions that published congestion controls use.

use airhop_bpf::{Argument, Callback, Object, Socket, VirtualMachine};
use std::sync::Arc;

const OBJECT: &[u8] = include_bytes!("objects/uses.bpf.o");

const MEMBERS: [&str; 4] = ["mss_cache", "sk_max_pacing_rate", "sk_pacing_rate", "sk_pacing_status"];

struct Run {
    machine: VirtualMachine,
    socket: Socket,
}

impl Run {
    fn new() -> Run {
        let object = Arc::new(Object::read(OBJECT, "uses.bpf.o").unwrap());
        let socket = Socket::new(&object.socket_layout(&MEMBERS).unwrap(), 0, 0);
        Run { machine: VirtualMachine::new(object, 0), socket }
    }

    fn call(&mut self, callback: Callback, numbers: &[u64]) -> u64 {
        let program = self.machine.object().congestion_controls()[0].program(callback).unwrap();
        let arguments: Vec<_> = numbers.iter().map(|&number| Argument::Number(number)).collect();
        self.machine.call(program, &mut self.socket, &arguments, 1_500_000_000).unwrap()
    }

    fn set(&mut self, member: &str, value: u64) {
        let field = self.socket.image.layout().find_field(member).unwrap();
        self.socket.image.set(field, value);
    }

    /// Returns the first three words of the private state.
    fn results(&self) -> Vec<i64> {
        let words = self.socket.image.private_state()[..24].chunks(8);
        words.map(|word| i64::from_le_bytes(word.try_into().unwrap())).collect()
    }

    fn get(&self, member: &str) -> u64 {
        self.socket.image.get(self.socket.image.layout().find_field(member).unwrap())
    }
}

// bpf-helpers(7), bpf_setsockopt(): TCP_BPF_SNDCWND_CLAMP limits the window, and sets the slow-start
// threshold.
#[test]
fn bpf_sndcwnd_clamp_limits_window_and_ssthresh() {
    let mut run = Run::new();
    run.call(Callback::Init, &[]);
    assert_eq!((run.get("snd_cwnd_clamp"), run.get("snd_ssthresh")), (20, 20));
    run.set("snd_cwnd", 15);
    run.call(Callback::CongAvoid, &[0, 100]);
    assert_eq!(run.get("snd_cwnd"), 20);
}

// Linux, sk_setsockopt(): SO_MAX_PACING_RATE reduces the pacing rate, and enables pacing on a host without
// pacing (SK_PACING_NEEDED, 1); 2³² − 1 removes the limit. tcp_set_window_clamp(): 0 does not limit a receive
// window.
#[test]
fn so_max_pacing_rate_and_window_clamp_limit_the_sender() {
    let mut run = Run::new();
    run.set("sk_pacing_rate", 9000);
    run.call(Callback::SetState, &[0xffff_ffff]);
    assert_eq!((run.get("sk_max_pacing_rate"), run.get("sk_pacing_status")), (u64::MAX, 0));
    run.call(Callback::SetState, &[5000]);
    let members = MEMBERS.map(|member| run.get(member));
    assert_eq!(members, [0, 5000, 5000, 1]);
    assert_eq!(run.results(), [0, 0, -22]);
    run.set("sk_pacing_status", 2);
    run.call(Callback::SetState, &[0]);
    assert_eq!(run.get("sk_pacing_status"), 2, "the queueing discipline paces");
    assert_eq!(run.results(), [0, -22, -22]);
}

// bpf-helpers(7), bpf_getsockopt(): TCP_MAXSEG returns the length of a segment; a request for two bytes is an
// error, and the two bytes are zero.
#[test]
fn tcp_maxseg_returns_the_segment_size() {
    let mut run = Run::new();
    run.set("mss_cache", 1448);
    run.call(Callback::Init, &[]);
    let told: Vec<i64> = run.socket.image.private_state()[..32]
        .chunks(8)
        .map(|word| i64::from_le_bytes(word.try_into().unwrap()))
        .collect();
    assert_eq!(told, [0, 1448, -22, 0]);
}

// bpf-helpers(7), bpf_loop(): the callback runs for 0, 1, … until it returns 1, or until the requested count;
// the result is the number of calls.
#[test]
fn bpf_loop_returns_the_number_of_calls() {
    let mut run = Run::new();
    assert_eq!(run.call(Callback::Ssthresh, &[3]), 6 << 8 | 4);
    assert_eq!(run.call(Callback::Ssthresh, &[100]), 45 << 8 | 10);
}

// bpf-helpers(7), bpf_spin_lock(): counters under a lock have the same values as without it.
#[test]
fn bpf_spin_lock_leaves_counters_unchanged() {
    let mut run = Run::new();
    assert_eq!([(); 3].map(|()| run.call(Callback::UndoCwnd, &[])), [1, 2, 3]);
}
