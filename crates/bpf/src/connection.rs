//! Connection with a BPF congestion control. The connection implements the kernel's interface
//! ([`TcpCongestionOps`]) with a [`VirtualMachine`] and a [`Socket`].

use crate::congestion::{Callback, CongestionControl};
use crate::error::ObjectError;
use crate::kernel::{Layout, SOCKETS, Socket, StructImage};
use crate::listener::NoticeListener;
use crate::machine::{Argument, VirtualMachine};
use crate::members::{self, LocatedMembers, WritableMembers};
use crate::object::Object;
use airhop_base::Time;
use airhop_tcp::kernel_ops::{
    AckSample, CaEvent, CaState, CallbackError, Callbacks, ConnectionIdentity, RateSample, Sock,
    SockSnapshot, TcpCongestionOps,
};
use airhop_tcp::seams::{ConnectionEnds, NoticePolicy, RunState};
use airhop_wire::addressing::{initial_seqs, ipv4_address, tcp_ports};
use std::sync::{Arc, Mutex, PoisonError};

/// Loaded congestion control of a BPF object, shared by any number of connections.
#[derive(Debug)]
pub struct LoadedCongestionControl {
    object: Arc<Object>,
    control: CongestionControl,
    socket: Arc<Layout>,
    known: LocatedMembers<Sock>,
    changed: WritableMembers,
    ack_sample: (Arc<Layout>, LocatedMembers<AckSample>),
    rate_sample: (Arc<Layout>, LocatedMembers<RateSample>),
}

impl LoadedCongestionControl {
    /// Loads `control`, one of [`Object::congestion_controls`], from the object's programs.
    ///
    /// # Errors
    ///
    /// Returns an [`ObjectError`] if a type of the object contradicts the kernel's type, or if the kernel's
    /// verifier would reject a program.
    pub fn new(
        object: &Arc<Object>,
        control: &CongestionControl,
    ) -> Result<Arc<LoadedCongestionControl>, ObjectError> {
        let socket = object.socket_layout(&members::socket_member_names())?;
        let ack_sample = object.sample_layout("ack_sample", &members::ack_sample_member_names())?;
        let rate_sample = object.sample_layout("rate_sample", &members::rate_sample_member_names())?;
        let layouts = [
            (&SOCKETS[..], &*socket),
            (&["ack_sample"][..], &*ack_sample),
            (&["rate_sample"][..], &*rate_sample),
        ];
        object.verify(control, &layouts)?;
        Ok(Arc::new(LoadedCongestionControl {
            known: LocatedMembers::from_socket_layout(&socket),
            changed: WritableMembers::new(&socket),
            ack_sample: (ack_sample.clone(), LocatedMembers::from_ack_sample_layout(&ack_sample)),
            rate_sample: (rate_sample.clone(), LocatedMembers::from_rate_sample_layout(&rate_sample)),
            object: object.clone(),
            control: control.clone(),
            socket,
        }))
    }

    /// Returns the name of the congestion control in the kernel and in scenario files.
    pub fn name(&self) -> &str {
        &self.control.name
    }

    /// Returns the kernel names of the callbacks that the simulation calls.
    pub fn simulated_callbacks() -> Vec<&'static str> {
        let required = [Callback::Ssthresh, Callback::UndoCwnd];
        required
            .into_iter()
            .chain(OPTIONAL_CALLBACKS.map(|(callback, _)| callback))
            .map(Callback::name)
            .collect()
    }

    /// Returns the callbacks that the congestion control implements.
    pub fn callbacks(&self) -> Callbacks {
        let found =
            OPTIONAL_CALLBACKS.iter().filter(|(callback, _)| self.control.program(*callback).is_some());
        found.fold(Callbacks::NONE, |all, (_, flag)| all.union(*flag))
    }

    /// Returns the congestion control of a new connection. Connections of one run share the object's maps and
    /// global variables, as in a kernel. A connection outside a run has separate maps and variables.
    pub fn create_connection(self: &Arc<LoadedCongestionControl>) -> Box<dyn TcpCongestionOps> {
        Box::new(Connection {
            machine: None,
            seed: 0,
            socket: Socket::new(&self.socket, 0, 0),
            ack_sample: StructImage::new(self.ack_sample.0.clone()),
            rate_sample: StructImage::new(self.rate_sample.0.clone()),
            loaded: self.clone(),
        })
    }

    /// Returns a newly loaded object, with empty maps and initial values in the variables.
    fn create_machine(&self, seed: u32) -> Mutex<VirtualMachine> {
        Mutex::new(VirtualMachine::new(self.object.clone(), seed.into()))
    }
}

/// Callbacks that a congestion control may omit.
const OPTIONAL_CALLBACKS: [(Callback, Callbacks); 8] = [
    (Callback::CongAvoid, Callbacks::CONG_AVOID),
    (Callback::SetState, Callbacks::SET_STATE),
    (Callback::CwndEvent, Callbacks::CWND_EVENT),
    (Callback::InAckEvent, Callbacks::IN_ACK_EVENT),
    (Callback::PktsAcked, Callbacks::PKTS_ACKED),
    (Callback::MinTsoSegs, Callbacks::MIN_TSO_SEGS),
    (Callback::CongControl, Callbacks::CONG_CONTROL),
    (Callback::Init, Callbacks::INIT),
];

/// BPF congestion control of one connection.
#[derive(Debug)]
struct Connection {
    loaded: Arc<LoadedCongestionControl>,
    /// Loaded object of this run. `None` only outside a run, until the first call loads a separate object.
    machine: Option<Arc<Mutex<VirtualMachine>>>,
    seed: u32,
    socket: Socket,
    ack_sample: StructImage,
    rate_sample: StructImage,
}

/// Arguments of a callback, without the socket.
enum CallbackArguments {
    Nothing,
    Numbers([u64; 2], usize),
    AckSample,
    /// Rate sample alone, as passed to `cong_control` before Linux 6.10.
    RateSample([u64; 2]),
}

impl Connection {
    fn call(
        &mut self,
        callback: Callback,
        sk: &mut Sock,
        given: &CallbackArguments,
    ) -> Result<u64, CallbackError> {
        let Some(program) = self.loaded.control.program(callback) else { return Ok(0) };
        self.loaded.known.fill(&mut self.socket.image, sk);
        let numbers = |[a, b]: [u64; 2]| [Argument::Number(a), Argument::Number(b)];
        let mut arguments = [Argument::Number(0); 3];
        let count = match *given {
            CallbackArguments::Nothing => 0,
            CallbackArguments::Numbers(pair, count) => {
                arguments[..2].copy_from_slice(&numbers(pair));
                count
            }
            CallbackArguments::AckSample => {
                arguments[0] = Argument::Sample(&self.ack_sample);
                1
            }
            CallbackArguments::RateSample(pair) => {
                let before = self.loaded.control.parameter_count(callback).saturating_sub(2).min(2);
                arguments[..2].copy_from_slice(&numbers(pair));
                arguments[before] = Argument::Sample(&self.rate_sample);
                before + 1
            }
        };
        let now = sk.tcp_mstamp * 1000;
        self.socket.snapshot = SockSnapshot {
            now: Time::from_nanos(now),
            snd_una: sk.snd_una,
            snd_nxt: sk.snd_nxt,
            lsndtime: sk.lsndtime,
            is_paced: sk.sk_pacing_status != Sock::PACING_NONE,
        };
        let machine = self.machine.get_or_insert_with(|| Arc::new(self.loaded.create_machine(self.seed)));
        let mut machine = machine.lock().unwrap_or_else(PoisonError::into_inner);
        let result = machine.call(program, &mut self.socket, &arguments[..count], now);
        self.loaded.changed.apply_changes(&self.socket.image, sk);
        if std::mem::take(&mut self.socket.has_pacing_limit) {
            members::apply_pacing_limit(&self.socket.image, sk);
        }
        result.map_err(|fault| fault as CallbackError)
    }
}

impl TcpCongestionOps for Connection {
    fn callbacks(&self) -> Callbacks {
        self.loaded.callbacks()
    }

    fn notice_policy(&self) -> Option<Box<dyn NoticePolicy>> {
        let hears = !self.loaded.object.filters().is_empty();
        hears.then(|| {
            Box::new(NoticeListener::new(self.loaded.object.clone(), self.loaded.name()))
                as Box<dyn NoticePolicy>
        })
    }

    fn on_join(&mut self, run: &mut RunState, ends: &ConnectionEnds, sk: &mut Sock) {
        let machine = VirtualMachine::load_shared(&self.loaded.object, run, self.seed);
        let number = machine.lock().unwrap_or_else(PoisonError::into_inner).allocate_socket_number();
        self.socket = Socket::new(&self.loaded.socket, number, self.seed.into());
        self.machine = Some(machine);
        let [isn, peer] = initial_seqs(ends.flow);
        let [local_port, remote_port] = tcp_ports(ends.flow);
        sk.identity = ConnectionIdentity {
            local_addr: ipv4_address(ends.local),
            remote_addr: ipv4_address(ends.remote),
            local_port,
            remote_port,
            isn,
            rcv_nxt: peer.wrapping_add(1),
        };
    }

    fn on_seed(&mut self, seed: u32) {
        self.seed = seed;
        self.socket = Socket::new(&self.loaded.socket, 0, seed.into());
    }

    fn init(&mut self, sk: &mut Sock) -> Result<(), CallbackError> {
        self.call(Callback::Init, sk, &CallbackArguments::Nothing).map(drop)
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.call(Callback::Ssthresh, sk, &CallbackArguments::Nothing).map(|segments| segments as u32)
    }

    fn cong_avoid(&mut self, sk: &mut Sock, ack: u32, acked: u32) -> Result<(), CallbackError> {
        let ack = sk.absolute_seq(ack);
        self.call(Callback::CongAvoid, sk, &CallbackArguments::Numbers([ack.into(), acked.into()], 2))
            .map(drop)
    }

    fn set_state(&mut self, sk: &mut Sock, new: CaState) -> Result<(), CallbackError> {
        self.call(Callback::SetState, sk, &CallbackArguments::Numbers([new as u64, 0], 1)).map(drop)
    }

    fn cwnd_event(&mut self, sk: &mut Sock, event: CaEvent) -> Result<(), CallbackError> {
        self.call(Callback::CwndEvent, sk, &CallbackArguments::Numbers([event as u64, 0], 1)).map(drop)
    }

    fn in_ack_event(&mut self, sk: &mut Sock, flags: u32) -> Result<(), CallbackError> {
        self.call(Callback::InAckEvent, sk, &CallbackArguments::Numbers([flags.into(), 0], 1)).map(drop)
    }

    fn pkts_acked(&mut self, sk: &mut Sock, sample: &AckSample) -> Result<(), CallbackError> {
        self.loaded.ack_sample.1.fill(&mut self.ack_sample, sample);
        self.call(Callback::PktsAcked, sk, &CallbackArguments::AckSample).map(drop)
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.call(Callback::UndoCwnd, sk, &CallbackArguments::Nothing).map(|segments| segments as u32)
    }

    fn cong_control(
        &mut self,
        sk: &mut Sock,
        ack: u32,
        flag: u32,
        rs: &RateSample,
    ) -> Result<(), CallbackError> {
        self.loaded.rate_sample.1.fill(&mut self.rate_sample, rs);
        let ack = sk.absolute_seq(ack);
        self.call(Callback::CongControl, sk, &CallbackArguments::RateSample([ack.into(), flag.into()]))
            .map(drop)
    }

    fn min_tso_segs(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.call(Callback::MinTsoSegs, sk, &CallbackArguments::Nothing).map(|segments| segments as u32)
    }
}
