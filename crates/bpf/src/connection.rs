//! A connection whose congestion control is an object: the kernel's interface ([`TcpCongestionOps`]) over a [`Machine`] and a [`Socket`].

use crate::congestion::{Callback, CongestionControl};
use crate::error::ObjectError;
use crate::kernel::{Field, Image, Layout, Socket, Window};
use crate::machine::{Argument, Machine};
use crate::object::Object;
use airhop_tcp::kernel_ops::{
    AckSample, CaEvent, CaState, CallbackError, Callbacks, RateSample, Sock, TcpCongestionOps,
};
use std::sync::Arc;

/// Reads a member's value.
type Of<T> = fn(&T) -> u64;
/// Sets a member.
type Set<T> = fn(&mut T, u64);

/// What the sender knows, by the kernel's names. Addresses and ports are zero: in a simulation nothing goes by them. The other end sends no
/// data: what is expected of it is the byte after its SYN.
const KNOWN: [(&str, Of<Sock>); 45] = [
    ("snd_cwnd", |sk| sk.snd_cwnd.into()),
    ("snd_cwnd_cnt", |sk| sk.snd_cwnd_cnt.into()),
    ("snd_cwnd_clamp", |sk| sk.snd_cwnd_clamp.into()),
    ("snd_ssthresh", |sk| sk.snd_ssthresh.into()),
    ("snd_cwnd_stamp", |sk| sk.snd_cwnd_stamp.into()),
    ("prior_cwnd", |sk| sk.prior_cwnd.into()),
    ("prior_ssthresh", |sk| sk.prior_ssthresh.into()),
    ("is_cwnd_limited", |sk| sk.is_cwnd_limited.into()),
    ("max_packets_out", |sk| sk.max_packets_out.into()),
    ("packets_out", |sk| sk.packets_out.into()),
    ("sacked_out", |sk| sk.sacked_out.into()),
    ("lost_out", |sk| sk.lost_out.into()),
    ("retrans_out", |sk| sk.retrans_out.into()),
    ("rcv_nxt", |_| 1),
    ("snd_una", |sk| sk.snd_una.into()),
    ("snd_nxt", |sk| sk.snd_nxt.into()),
    ("write_seq", |sk| sk.write_seq.into()),
    ("high_seq", |sk| sk.high_seq.into()),
    ("mss_cache", |sk| sk.mss_cache.into()),
    ("srtt_us", |sk| sk.srtt_us.into()),
    ("rtt_min.s[0].v", |sk| sk.rtt_min_us.into()),
    ("delivered", |sk| sk.delivered.into()),
    ("delivered_ce", |sk| sk.delivered_ce.into()),
    ("lost", |sk| sk.lost.into()),
    ("total_retrans", |sk| sk.total_retrans.into()),
    ("app_limited", |sk| sk.app_limited.into()),
    ("lsndtime", |sk| sk.lsndtime.into()),
    ("tcp_mstamp", |sk| sk.tcp_mstamp),
    ("tcp_clock_cache", |sk| sk.tcp_mstamp * 1000),
    ("tcp_wstamp_ns", |sk| sk.tcp_mstamp * 1000),
    ("icsk_ca_state", |sk| sk.ca_state as u64),
    ("sk_pacing_status", |sk| sk.sk_pacing_status.into()),
    ("sk_pacing_rate", |sk| sk.sk_pacing_rate),
    ("sk_max_pacing_rate", |sk| sk.sk_max_pacing_rate),
    ("ecn_flags", |sk| sk.ecn_flags.into()),
    ("skc_family", |_| 2),
    ("skc_daddr", |_| 0),
    ("skc_rcv_saddr", |_| 0),
    ("skc_dport", |_| 0),
    ("inet_sport", |_| 0),
    ("skc_v6_daddr.in6_u.u6_addr32[0]", |_| 0),
    ("skc_v6_daddr.in6_u.u6_addr32[1]", |_| 0),
    ("skc_v6_daddr.in6_u.u6_addr32[2]", |_| 0),
    ("skc_v6_daddr.in6_u.u6_addr32[3]", |_| 0),
    ("icsk_ack.pending", |sk| sk.ack_pending.into()),
];
/// Of these, the members that callbacks may write, and how the sender takes them back.
const CHANGED: [(&str, Set<Sock>); 9] = [
    ("snd_cwnd", |sk, value| sk.snd_cwnd = value as u32),
    ("snd_cwnd_cnt", |sk, value| sk.snd_cwnd_cnt = value as u32),
    ("snd_cwnd_stamp", |sk, value| sk.snd_cwnd_stamp = value as u32),
    ("snd_ssthresh", |sk, value| sk.snd_ssthresh = value as u32),
    ("app_limited", |sk, value| sk.app_limited = value as u32),
    ("ecn_flags", |sk, value| sk.ecn_flags = value as u8),
    ("sk_pacing_status", |sk, value| sk.sk_pacing_status = value as u32),
    ("sk_pacing_rate", |sk, value| sk.sk_pacing_rate = value),
    ("icsk_ack.pending", |sk, value| sk.ack_pending = value as u8),
];
const ACK_SAMPLE: [(&str, Of<AckSample>); 3] = [
    ("pkts_acked", |sample| sample.pkts_acked.into()),
    ("rtt_us", |sample| sample.rtt_us as u64),
    ("in_flight", |sample| sample.in_flight.into()),
];
const RATE_SAMPLE: [(&str, Of<RateSample>); 9] = [
    ("prior_delivered", |sample| sample.prior_delivered.into()),
    ("delivered", |sample| sample.delivered as u64),
    ("interval_us", |sample| sample.interval_us as u64),
    ("rtt_us", |sample| sample.rtt_us as u64),
    ("losses", |sample| sample.losses as u64),
    ("acked_sacked", |sample| sample.acked_sacked.into()),
    ("prior_in_flight", |sample| sample.prior_in_flight.into()),
    ("is_app_limited", |sample| sample.is_app_limited.into()),
    ("is_ack_delayed", |sample| sample.is_ack_delayed.into()),
];

/// A congestion control of an object with where its structures have their members, for any number of connections.
#[derive(Debug)]
pub struct Loaded {
    object: Arc<Object>,
    control: CongestionControl,
    socket: Arc<Layout>,
    known: Vec<(Field, Of<Sock>)>,
    changed: Vec<(Field, Set<Sock>)>,
    ack_sample: (Arc<Layout>, Vec<(Field, Of<AckSample>)>),
    rate_sample: (Arc<Layout>, Vec<(Field, Of<RateSample>)>),
}

impl Loaded {
    /// One of [`Object::congestion_controls`].
    ///
    /// # Errors
    /// Types of the object that cannot be the kernel's.
    pub fn new(object: &Arc<Object>, control: &CongestionControl) -> Result<Arc<Loaded>, ObjectError> {
        let socket = object.socket_layout(&KNOWN.map(|(name, _)| name))?;
        let ack_sample = object.sample_layout("ack_sample", &ACK_SAMPLE.map(|(name, _)| name))?;
        let rate_sample = object.sample_layout("rate_sample", &RATE_SAMPLE.map(|(name, _)| name))?;
        Ok(Arc::new(Loaded {
            known: needed(&socket),
            changed: changed(&socket),
            ack_sample: (ack_sample.clone(), places(&ack_sample, &ACK_SAMPLE)),
            rate_sample: (rate_sample.clone(), places(&rate_sample, &RATE_SAMPLE)),
            object: object.clone(),
            control: control.clone(),
            socket,
        }))
    }

    /// What the kernel and a scenario file call it.
    pub fn name(&self) -> &str {
        &self.control.name
    }

    /// The callbacks that it has.
    pub fn callbacks(&self) -> Callbacks {
        let found = OPTIONAL.iter().filter(|(callback, _)| self.control.program(*callback).is_some());
        found.fold(Callbacks::NONE, |all, (_, flag)| all.and(*flag))
    }

    /// The control of a new connection. It has maps and global variables of its own, where a kernel's connections share them.
    pub fn connect(self: &Arc<Loaded>) -> Box<dyn TcpCongestionOps> {
        Box::new(Connection {
            machine: Machine::new(self.object.clone(), 0),
            socket: Socket::new(&self.socket, 0, 0),
            ack_sample: Image::new(self.ack_sample.0.clone()),
            rate_sample: Image::new(self.rate_sample.0.clone()),
            loaded: self.clone(),
        })
    }
}

/// Callbacks without which a kernel takes a congestion control, too.
const OPTIONAL: [(Callback, Callbacks); 8] = [
    (Callback::CongAvoid, Callbacks::CONG_AVOID),
    (Callback::SetState, Callbacks::SET_STATE),
    (Callback::CwndEvent, Callbacks::CWND_EVENT),
    (Callback::InAckEvent, Callbacks::IN_ACK_EVENT),
    (Callback::PktsAcked, Callbacks::PKTS_ACKED),
    (Callback::MinTsoSegs, Callbacks::MIN_TSO_SEGS),
    (Callback::CongControl, Callbacks::CONG_CONTROL),
    (Callback::Init, Callbacks::INIT),
];

fn place(layout: &Layout, name: &str) -> Field {
    layout.get(name).expect("a layout has the members that it was asked for")
}

fn places<T>(layout: &Layout, members: &[(&str, Of<T>)]) -> Vec<(Field, Of<T>)> {
    members.iter().map(|&(name, of)| (place(layout, name), of)).collect()
}

/// What programs can read, and the kernel's own functions: the rest need not be filled in at each call.
fn needed(socket: &Layout) -> Vec<(Field, Of<Sock>)> {
    let needed = |(name, _): &&(&str, Of<Sock>)| {
        socket.is_visible(place(socket, name)) || Window::FIELDS.contains(name)
    };
    let members: Vec<_> = KNOWN.iter().filter(needed).copied().collect();
    places(socket, &members)
}

/// What programs can write, and the kernel's own functions do.
fn changed(socket: &Layout) -> Vec<(Field, Set<Sock>)> {
    let visible = CHANGED.iter().map(|&(name, into)| (name, place(socket, name), into));
    let visible =
        visible.filter(|(name, field, _)| socket.is_visible(*field) || Window::FIELDS.contains(name));
    visible.map(|(_, field, into)| (field, into)).collect()
}

fn fill<T>(image: &mut Image, members: &[(Field, Of<T>)], from: &T) {
    members.iter().for_each(|(field, of)| image.set(*field, of(from)));
}

/// An object's control of one connection.
#[derive(Debug)]
struct Connection {
    loaded: Arc<Loaded>,
    machine: Machine,
    socket: Socket,
    ack_sample: Image,
    rate_sample: Image,
}

/// What a callback is given beside the socket.
enum Given {
    Nothing,
    Numbers([u64; 2], usize),
    AckSample,
    /// Before Linux 6.10 `cong_control` had the sample alone.
    RateSample([u64; 2]),
}

impl Connection {
    fn call(&mut self, callback: Callback, sk: &mut Sock, given: &Given) -> Result<u64, CallbackError> {
        let Some(program) = self.loaded.control.program(callback) else { return Ok(0) };
        fill(&mut self.socket.image, &self.loaded.known, sk);
        let numbers = |[a, b]: [u64; 2]| [Argument::Number(a), Argument::Number(b)];
        let mut arguments = [Argument::Number(0); 3];
        let count = match *given {
            Given::Nothing => 0,
            Given::Numbers(pair, count) => {
                arguments[..2].copy_from_slice(&numbers(pair));
                count
            }
            Given::AckSample => {
                arguments[0] = Argument::Sample(&self.ack_sample);
                1
            }
            Given::RateSample(pair) => {
                let before = self.loaded.control.parameters(callback).saturating_sub(2).min(2);
                arguments[..2].copy_from_slice(&numbers(pair));
                arguments[before] = Argument::Sample(&self.rate_sample);
                before + 1
            }
        };
        let now = sk.tcp_mstamp * 1000;
        let result = self.machine.call(program, &mut self.socket, &arguments[..count], now);
        self.loaded.changed.iter().for_each(|(field, into)| into(sk, self.socket.image.get(*field)));
        result.map_err(|fault| fault as CallbackError)
    }
}

impl TcpCongestionOps for Connection {
    fn has(&self) -> Callbacks {
        self.loaded.callbacks()
    }

    fn on_seed(&mut self, seed: u32) {
        self.machine = Machine::new(self.loaded.object.clone(), seed.into());
        self.socket = Socket::new(&self.loaded.socket, 0, seed.into());
    }

    fn init(&mut self, sk: &mut Sock) -> Result<(), CallbackError> {
        self.call(Callback::Init, sk, &Given::Nothing).map(drop)
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.call(Callback::Ssthresh, sk, &Given::Nothing).map(|segments| segments as u32)
    }

    fn cong_avoid(&mut self, sk: &mut Sock, ack: u32, acked: u32) -> Result<(), CallbackError> {
        self.call(Callback::CongAvoid, sk, &Given::Numbers([ack.into(), acked.into()], 2)).map(drop)
    }

    fn set_state(&mut self, sk: &mut Sock, new: CaState) -> Result<(), CallbackError> {
        self.call(Callback::SetState, sk, &Given::Numbers([new as u64, 0], 1)).map(drop)
    }

    fn cwnd_event(&mut self, sk: &mut Sock, event: CaEvent) -> Result<(), CallbackError> {
        self.call(Callback::CwndEvent, sk, &Given::Numbers([event as u64, 0], 1)).map(drop)
    }

    fn in_ack_event(&mut self, sk: &mut Sock, flags: u32) -> Result<(), CallbackError> {
        self.call(Callback::InAckEvent, sk, &Given::Numbers([flags.into(), 0], 1)).map(drop)
    }

    fn pkts_acked(&mut self, sk: &mut Sock, sample: &AckSample) -> Result<(), CallbackError> {
        fill(&mut self.ack_sample, &self.loaded.ack_sample.1, sample);
        self.call(Callback::PktsAcked, sk, &Given::AckSample).map(drop)
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.call(Callback::UndoCwnd, sk, &Given::Nothing).map(|segments| segments as u32)
    }

    fn cong_control(
        &mut self,
        sk: &mut Sock,
        ack: u32,
        flag: u32,
        rs: &RateSample,
    ) -> Result<(), CallbackError> {
        fill(&mut self.rate_sample, &self.loaded.rate_sample.1, rs);
        self.call(Callback::CongControl, sk, &Given::RateSample([ack.into(), flag.into()])).map(drop)
    }

    fn min_tso_segs(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.call(Callback::MinTsoSegs, sk, &Given::Nothing).map(|segments| segments as u32)
    }
}
