//! Calls of a congestion control: calls of a simulated connection, and added calls.

use airhop_bpf::{
    Callback, CongestionControl, LoadedCongestionControl, Object, ack_sample_values, rate_sample_values,
    socket_values,
};
use airhop_scenario::{Overrides, RecordingOptions, Run, Scenario};
use airhop_tcp::kernel_ops::{
    AckSample, CaEvent, CaState, CallbackError, Callbacks, RateSample, Sock, TcpCongestionOps, kernel_scheme,
};
use airhop_tcp::seams::{self, NoticePolicy};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// Members of a structure with their values.
pub type Values = Vec<(&'static str, u64)>;

/// Event for which the kernel calls a program.
#[derive(Clone, Debug)]
pub enum Event {
    Callback(Callback),
    /// A packet arrives at the interface of the object's listener.
    Packet(Vec<u8>),
}

/// A call of a program, with the socket before the call.
#[derive(Clone, Debug)]
pub struct Call {
    pub event: Event,
    /// Arguments before the sample; `numbers` of them exist.
    pub arguments: [u64; 2],
    pub numbers: usize,
    pub socket: Values,
    /// Sample with its kind: 0, `ack_sample`; 1, `rate_sample`.
    pub sample: Option<(usize, Values)>,
}

impl Call {
    fn new(callback: Callback, numbers: &[u64], socket: Values) -> Call {
        let mut arguments = [0; 2];
        arguments[..numbers.len()].copy_from_slice(numbers);
        Call { event: Event::Callback(callback), arguments, numbers: numbers.len(), socket, sample: None }
    }

    /// Returns the time of the call, ns.
    pub fn now_ns(&self) -> u64 {
        self.value("tcp_clock_cache")
    }

    fn value(&self, member: &str) -> u64 {
        self.socket.iter().find(|(name, _)| *name == member).expect("a simulated member").1
    }

    fn with(mut self, member: &'static str, value: u64) -> Call {
        self.socket.push((member, value));
        self
    }

    /// Returns an ACK for the connection with an ELN notice and a NAK option, both about the segment
    /// `snd_una`.
    fn notice(&self) -> Call {
        let four = |member| (self.value(member) as u32).to_le_bytes();
        let two = |member| (self.value(member) as u16).to_le_bytes();
        let named = (self.value("snd_una") as u32).to_be_bytes();
        let mut packet = vec![0x45, 0, 0, 48, 0, 0, 0, 0, 64, 6, 0, 0];
        packet.extend([four("skc_daddr"), four("skc_rcv_saddr")].concat());
        packet.extend([two("skc_dport"), two("inet_sport")].concat());
        packet.extend([[0; 4], named].concat());
        packet.extend([0x78, 0x10, 0, 0, 0, 0, 0, 0]); // seven words, ELN; ACK
        packet.extend([253, 8, 0xa1, 0x50]);
        packet.extend(named);
        Call { event: Event::Packet(packet), numbers: 0, sample: None, ..self.clone() }
    }
}

/// Congestion control that records its calls.
#[derive(Debug)]
struct Recorder {
    inner: Box<dyn TcpCongestionOps>,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Recorder {
    fn note(&self, callback: Callback, numbers: &[u64], sk: &Sock, sample: Option<(usize, Values)>) {
        let call = Call::new(callback, numbers, socket_values(sk).collect());
        self.calls.lock().expect("one thread").push(Call { sample, ..call });
    }
}

impl TcpCongestionOps for Recorder {
    fn callbacks(&self) -> Callbacks {
        self.inner.callbacks()
    }

    fn notice_policy(&self) -> Option<Box<dyn NoticePolicy>> {
        self.inner.notice_policy()
    }

    fn on_join(&mut self, run: &mut seams::RunState, ends: &seams::ConnectionEnds, sk: &mut Sock) {
        self.inner.on_join(run, ends, sk);
    }

    fn on_seed(&mut self, seed: u32) {
        self.inner.on_seed(seed);
    }

    fn init(&mut self, sk: &mut Sock) -> Result<(), CallbackError> {
        self.note(Callback::Init, &[], sk, None);
        self.inner.init(sk)
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.note(Callback::Ssthresh, &[], sk, None);
        self.inner.ssthresh(sk)
    }

    fn cong_avoid(&mut self, sk: &mut Sock, ack: u32, acked: u32) -> Result<(), CallbackError> {
        self.note(Callback::CongAvoid, &[sk.absolute_seq(ack).into(), acked.into()], sk, None);
        self.inner.cong_avoid(sk, ack, acked)
    }

    fn set_state(&mut self, sk: &mut Sock, new: CaState) -> Result<(), CallbackError> {
        self.note(Callback::SetState, &[new as u64], sk, None);
        self.inner.set_state(sk, new)
    }

    fn cwnd_event(&mut self, sk: &mut Sock, event: CaEvent) -> Result<(), CallbackError> {
        self.note(Callback::CwndEvent, &[event as u64], sk, None);
        self.inner.cwnd_event(sk, event)
    }

    fn in_ack_event(&mut self, sk: &mut Sock, flags: u32) -> Result<(), CallbackError> {
        self.note(Callback::InAckEvent, &[flags.into()], sk, None);
        self.inner.in_ack_event(sk, flags)
    }

    fn pkts_acked(&mut self, sk: &mut Sock, sample: &AckSample) -> Result<(), CallbackError> {
        self.note(Callback::PktsAcked, &[], sk, Some((0, ack_sample_values(sample).collect())));
        self.inner.pkts_acked(sk, sample)
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.note(Callback::UndoCwnd, &[], sk, None);
        self.inner.undo_cwnd(sk)
    }

    fn cong_control(
        &mut self,
        sk: &mut Sock,
        ack: u32,
        flag: u32,
        rs: &RateSample,
    ) -> Result<(), CallbackError> {
        let sample = Some((1, rate_sample_values(rs).collect()));
        self.note(Callback::CongControl, &[sk.absolute_seq(ack).into(), flag.into()], sk, sample);
        self.inner.cong_control(sk, ack, flag, rs)
    }

    fn min_tso_segs(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.note(Callback::MinTsoSegs, &[], sk, None);
        self.inner.min_tso_segs(sk)
    }
}

/// Returns a scenario of one flow over a link that marks, loses and reorders packets, with an outage of 1 s
/// that causes timeouts.
fn scenario(scheme: &str) -> String {
    format!(
        "name = \"calls\"\nduration = \"80 s\"\n\
         [[wired]]\nname = \"w\"\nends = [\"s\", \"d\"]\nrate = \"5 Mbit/s\"\ndelay = \"20 ms\"\n\
         queue = {{ kind = \"red\", packets = 100, min = 5, max = 50, ecn = true }}\n\
         errors = {{ kind = \"bernoulli\", fer = 0.005 }}\n\
         reorder = {{ share = 0.003, by = \"12 ms\", direction = \"s->d\" }}\n\
         changes = {{ kind = \"outage\", at = \"9 s\", lasts = \"1 s\", every = \"10 s\" }}\n\
         [[flow]]\nname = \"f\"\nfrom = \"s\"\nto = \"d\"\nscheme = \"{scheme}\"\nsegment = \"1000 B\"\n\
         app = {{ kind = \"bulk\" }}\ntcp = {{ preset = \"linux\", ecn = true }}\n"
    )
}

/// Returns the calls of a simulated connection, and added calls: a notice before every second `ssthresh`, the
/// arrival of marked and unmarked segments, and at the end each other callback of the object once.
pub fn recorded(object: &Arc<Object>, control: &CongestionControl) -> Vec<Call> {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let loaded = LoadedCongestionControl::new(object, control).unwrap();
    let (has, into) = (loaded.callbacks(), calls.clone());
    let make = move || {
        Box::new(Recorder { inner: loaded.create_connection(), calls: into.clone() })
            as Box<dyn TcpCongestionOps>
    };
    let name: &str = format!("recorded-{}", control.name).leak();
    let scheme = kernel_scheme(name, "", has, control.needs_ecn(), &[], Box::new(make));
    airhop_tcp::add_scheme(scheme).expect("a unique name");
    let scenario = Scenario::parse(&scenario(name), "calls.toml", &Overrides::default());
    let run = Run { scenario: Arc::new(scenario.unwrap_or_else(|why| panic!("{why}"))), seed: 1, rep: 0 };
    run.execute(&RecordingOptions::default(), &AtomicBool::new(false)).unwrap_or_else(|why| panic!("{why}"));

    let of_run = std::mem::take(&mut *calls.lock().expect("one thread"));
    let mut all: Vec<Call> = Vec::new();
    let mut reductions = 0;
    for (number, call) in of_run.into_iter().enumerate() {
        if matches!(call.event, Event::Callback(Callback::Ssthresh)) {
            reductions += 1;
            if reductions % 2 == 0 && !object.filters().is_empty() {
                all.push(call.notice());
            }
        }
        if number % 50 == 0 && number > 0 && control.program(Callback::CwndEvent).is_some() {
            let event = 4 + (number / 50 / 2 % 2) as u64; // CA_EVENT_ECN_NO_CE, CA_EVENT_ECN_IS_CE
            let arrival = Call::new(Callback::CwndEvent, &[event], call.socket.clone());
            all.push(arrival.with("icsk_ack.pending", 2 * (number / 50 % 2) as u64)); // ICSK_ACK_TIMER
        }
        all.push(call);
    }
    let last = all.last().expect("calls").socket.clone();
    let is_called =
        |callback| all.iter().any(|call| matches!(call.event, Event::Callback(c) if c == callback));
    let others = Callback::ALL.into_iter().filter(|callback| !is_called(*callback));
    let others = others.filter(|callback| control.program(*callback).is_some());
    let others: Vec<_> = others.map(|callback| Call::new(callback, &[], last.clone())).collect();
    all.extend(others);
    all
}
