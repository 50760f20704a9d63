//! Tests of `objects/uses.bpf.c`: kernel functions that published congestion controls use.

use airhop_bpf::{Argument, Callback, Machine, Object, Socket};
use std::sync::Arc;

const OBJECT: &[u8] = include_bytes!("objects/uses.bpf.o");

struct Run {
    machine: Machine,
    socket: Socket,
}

impl Run {
    fn new() -> Run {
        let object = Arc::new(Object::read(OBJECT, "uses.bpf.o").unwrap());
        let socket = Socket::new(&object.socket_layout(&["mss_cache"]).unwrap(), 0, 0);
        Run { machine: Machine::new(object, 0), socket }
    }

    fn call(&mut self, callback: Callback, numbers: &[u64]) -> u64 {
        let program = self.machine.object().congestion_controls()[0].program(callback).unwrap();
        let arguments: Vec<_> = numbers.iter().map(|&number| Argument::Number(number)).collect();
        self.machine.call(program, &mut self.socket, &arguments, 1_500_000_000).unwrap()
    }

    fn get(&self, member: &str) -> u64 {
        self.socket.image.get(self.socket.image.layout().get(member).unwrap())
    }
}

// bpf-helpers(7), bpf_setsockopt(): TCP_BPF_SNDCWND_CLAMP limits the window, and sets the slow-start
// threshold.
#[test]
fn a_bound_of_the_window() {
    let mut run = Run::new();
    run.call(Callback::Init, &[]);
    assert_eq!((run.get("snd_cwnd_clamp"), run.get("snd_ssthresh")), (20, 20));
    let field = run.socket.image.layout().get("snd_cwnd").unwrap();
    run.socket.image.set(field, 15);
    run.call(Callback::CongAvoid, &[0, 100]);
    assert_eq!(run.get("snd_cwnd"), 20);
}

// bpf-helpers(7), bpf_getsockopt(): TCP_MAXSEG returns the length of a segment; a request for two bytes is an
// error, and the two bytes are zero.
#[test]
fn the_size_of_a_segment() {
    let mut run = Run::new();
    let field = run.socket.image.layout().get("mss_cache").unwrap();
    run.socket.image.set(field, 1448);
    run.call(Callback::Init, &[]);
    let told: Vec<i64> = run.socket.image.private()[..32]
        .chunks(8)
        .map(|word| i64::from_le_bytes(word.try_into().unwrap()))
        .collect();
    assert_eq!(told, [0, 1448, -22, 0]);
}

// bpf-helpers(7), bpf_loop(): the callback runs for 0, 1, … until it returns 1, or until the requested count;
// the result is the number of calls.
#[test]
fn a_loop() {
    let mut run = Run::new();
    assert_eq!(run.call(Callback::Ssthresh, &[3]), 6 << 8 | 4);
    assert_eq!(run.call(Callback::Ssthresh, &[100]), 45 << 8 | 10);
}

// bpf-helpers(7), bpf_spin_lock(): counters under a lock have the same values as without it.
#[test]
fn a_lock() {
    let mut run = Run::new();
    assert_eq!([(); 3].map(|()| run.call(Callback::UndoCwnd, &[])), [1, 2, 3]);
}
