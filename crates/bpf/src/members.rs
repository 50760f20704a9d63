//! Simulated members of the kernel's structures: the value of each member, and the effect of a program's
//! writes on the sender.

use crate::kernel::{Field, Image, Layout, Window};
use airhop_tcp::kernel_ops::{AckSample, RateSample, Sock};

/// Function that returns the value of a member.
type Of<T> = fn(&T) -> u64;
/// Function that applies a new value of a member.
type Set<T> = fn(&mut T, u64);

/// A simulated member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<T> {
    /// Name of the member, without the nested structure around the member.
    pub name: &'static str,
    of: Of<T>,
    /// Restriction of the value, or difference from the kernel's value.
    note: &'static str,
}

/// Simulated member of `struct tcp_sock` and its nested structures, of `struct ack_sample`, or of `struct
/// rate_sample`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedMember {
    /// Structure: `tcp_sock`, `ack_sample` or `rate_sample`.
    pub structure: &'static str,
    /// Name of the member.
    pub name: &'static str,
    /// True if programs may write the member.
    pub writable: bool,
    /// Restriction of the value, or difference from the kernel's value; empty if there is none.
    pub note: &'static str,
}

const fn known<T>(name: &'static str, of: Of<T>) -> Known<T> {
    Known { name, of, note: "" }
}

const fn noted<T>(name: &'static str, of: Of<T>, note: &'static str) -> Known<T> {
    Known { name, of, note }
}

/// Returns an address or port in network byte order.
fn word(bytes: [u8; 4]) -> u64 {
    u32::from_le_bytes(bytes).into()
}

fn port(number: u16) -> u64 {
    u16::from_le_bytes(number.to_be_bytes()).into()
}

/// The third word of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2).
const MAPPED: [u8; 4] = [0, 0, 0xff, 0xff];
const ONE_WAY: &str = "the other end sends no data: the byte after its SYN";
const IPV4: &str = "2, AF_INET: connections of a simulation are of IPv4";
const MAPPED_NOTE: &str = "an IPv4 address mapped to IPv6 (RFC 4291 §2.5.5.2), as in a kernel";

static SOCKET: [Known<Sock>; 65] = [
    known("snd_cwnd", |sk| sk.snd_cwnd.into()),
    known("snd_cwnd_cnt", |sk| sk.snd_cwnd_cnt.into()),
    noted("snd_cwnd_clamp", |sk| sk.snd_cwnd_clamp.into(), "2³² − 1 until `bpf_setsockopt` sets it"),
    known("snd_ssthresh", |sk| sk.snd_ssthresh.into()),
    noted("snd_cwnd_stamp", |sk| sk.snd_cwnd_stamp.into(), "jiffies of the last full window or reduction"),
    known("prior_cwnd", |sk| sk.prior_cwnd.into()),
    known("prior_ssthresh", |sk| sk.prior_ssthresh.into()),
    known("is_cwnd_limited", |sk| sk.is_cwnd_limited.into()),
    known("max_packets_out", |sk| sk.max_packets_out.into()),
    known("packets_out", |sk| sk.packets_out.into()),
    known("sacked_out", |sk| sk.sacked_out.into()),
    known("lost_out", |sk| sk.lost_out.into()),
    known("retrans_out", |sk| sk.retrans_out.into()),
    noted("rcv_nxt", |sk| sk.identity.rcv_nxt.into(), ONE_WAY),
    known("snd_una", |sk| sk.seq(sk.snd_una).into()),
    known("snd_nxt", |sk| sk.seq(sk.snd_nxt).into()),
    known("write_seq", |sk| sk.seq(sk.write_seq).into()),
    known("high_seq", |sk| sk.seq(sk.high_seq).into()),
    known("mss_cache", |sk| sk.mss_cache.into()),
    known("srtt_us", |sk| sk.srtt_us.into()),
    known("mdev_us", |sk| sk.mdev_us.into()),
    noted(
        "rtt_min.s[0].v",
        |sk| sk.rtt_min_us.into(),
        "the least round trip of the connection, not of the last 300 s",
    ),
    known("delivered", |sk| sk.delivered.into()),
    known("delivered_ce", |sk| sk.delivered_ce.into()),
    known("lost", |sk| sk.lost.into()),
    noted("total_retrans", |sk| sk.total_retrans.into(), "without repetitions of the SYN"),
    noted("icsk_retransmits", |sk| sk.icsk_retransmits.into(), "without timeouts of the SYN"),
    known("bytes_acked", |sk| sk.bytes_acked),
    known("bytes_sent", |sk| sk.bytes_sent),
    known("bytes_retrans", |sk| sk.bytes_retrans),
    known("data_segs_out", |sk| sk.data_segs_out.into()),
    known("delivered_mstamp", |sk| sk.delivered_mstamp),
    known("rate_delivered", |sk| sk.rate_delivered.into()),
    known("rate_interval_us", |sk| sk.rate_interval_us.into()),
    known("rate_app_limited", |sk| sk.rate_app_limited.into()),
    known("app_limited", |sk| sk.app_limited.into()),
    known("lsndtime", |sk| sk.lsndtime.into()),
    known("prr_out", |sk| sk.prr_out.into()),
    known("prr_delivered", |sk| sk.prr_delivered.into()),
    noted(
        "reordering",
        |sk| sk.reordering.into(),
        "DupThresh, 3, or 4 after reordering was detected; the degree of reordering is not stored",
    ),
    known("tcp_mstamp", |sk| sk.tcp_mstamp),
    known("tcp_clock_cache", |sk| sk.tcp_mstamp * 1000),
    noted(
        "tcp_wstamp_ns",
        |sk| sk.tcp_mstamp * 1000,
        "the current time, even while pacing delays the next segment",
    ),
    known("icsk_ca_state", |sk| sk.ca_state as u64),
    noted(
        "sk_pacing_status",
        |sk| sk.sk_pacing_status.into(),
        "2, SK_PACING_FQ, on a host that paces (`tcp.pacing`); 0 on others until the program, or a maximum pacing rate, sets it",
    ),
    known("sk_pacing_rate", |sk| sk.sk_pacing_rate),
    noted("sk_max_pacing_rate", |sk| sk.sk_max_pacing_rate, "2⁶⁴ − 1 until `bpf_setsockopt` sets it"),
    noted(
        "ecn_flags",
        |sk| sk.ecn_flags.into(),
        "TCP_ECN_OK and TCP_ECN_QUEUE_CWR; others belong to a receiver, and stay as the program writes them",
    ),
    noted("skc_family", |_| 2, IPV4),
    known("skc_daddr", |sk| word(sk.identity.remote)),
    known("skc_rcv_saddr", |sk| word(sk.identity.local)),
    noted("skc_dport", |sk| port(sk.identity.remote_port), "5001: all receivers listen there"),
    known("skc_num", |sk| sk.identity.local_port.into()),
    known("inet_sport", |sk| port(sk.identity.local_port)),
    known("inet_saddr", |sk| word(sk.identity.local)),
    noted("skc_v6_daddr.in6_u.u6_addr32[0]", |_| 0, MAPPED_NOTE),
    noted("skc_v6_daddr.in6_u.u6_addr32[1]", |_| 0, MAPPED_NOTE),
    noted("skc_v6_daddr.in6_u.u6_addr32[2]", |_| word(MAPPED), MAPPED_NOTE),
    noted("skc_v6_daddr.in6_u.u6_addr32[3]", |sk| word(sk.identity.remote), MAPPED_NOTE),
    noted("skc_v6_rcv_saddr.in6_u.u6_addr32[0]", |_| 0, MAPPED_NOTE),
    noted("skc_v6_rcv_saddr.in6_u.u6_addr32[1]", |_| 0, MAPPED_NOTE),
    noted("skc_v6_rcv_saddr.in6_u.u6_addr32[2]", |_| word(MAPPED), MAPPED_NOTE),
    noted("skc_v6_rcv_saddr.in6_u.u6_addr32[3]", |sk| word(sk.identity.local), MAPPED_NOTE),
    noted(
        "icsk_ack.pending",
        |sk| sk.ack_pending.into(),
        "member of a receiver: 0, or the value that the program wrote; no effect, as the other end sends no data",
    ),
    known("icsk_ca_initialized", |sk| sk.ca_initialized.into()),
];

/// Members that callbacks may write, and their effect on the sender.
const CHANGED: [(&str, Set<Sock>); 10] = [
    ("snd_cwnd", |sk, value| sk.snd_cwnd = value as u32),
    ("snd_cwnd_cnt", |sk, value| sk.snd_cwnd_cnt = value as u32),
    ("snd_cwnd_clamp", |sk, value| sk.snd_cwnd_clamp = value as u32),
    ("snd_cwnd_stamp", |sk, value| sk.snd_cwnd_stamp = value as u32),
    ("snd_ssthresh", |sk, value| sk.snd_ssthresh = value as u32),
    ("app_limited", |sk, value| sk.app_limited = value as u32),
    ("ecn_flags", |sk, value| sk.ecn_flags = value as u8),
    ("sk_pacing_status", |sk, value| sk.sk_pacing_status = value as u32),
    ("sk_pacing_rate", |sk, value| sk.sk_pacing_rate = value),
    ("icsk_ack.pending", |sk, value| sk.ack_pending = value as u8),
];

static ACK_SAMPLE: [Known<AckSample>; 3] = [
    known("pkts_acked", |sample| sample.pkts_acked.into()),
    known("rtt_us", |sample| sample.rtt_us as u64),
    noted(
        "in_flight",
        |sample| sample.in_flight.into(),
        "bytes in flight before the ACK; a kernel stores the bytes in flight when the newest acknowledged packet was sent",
    ),
];

static RATE_SAMPLE: [Known<RateSample>; 9] = [
    known("prior_delivered", |sample| sample.prior_delivered.into()),
    known("delivered", |sample| sample.delivered as u64),
    known("interval_us", |sample| sample.interval_us as u64),
    known("rtt_us", |sample| sample.rtt_us as u64),
    known("losses", |sample| sample.losses as u64),
    known("acked_sacked", |sample| sample.acked_sacked.into()),
    known("prior_in_flight", |sample| sample.prior_in_flight.into()),
    known("is_app_limited", |sample| sample.is_app_limited.into()),
    known("is_ack_delayed", |sample| sample.is_ack_delayed.into()),
];

/// Returns all simulated members.
pub fn simulated_members() -> Vec<SimulatedMember> {
    fn of<T>(structure: &'static str, table: &[Known<T>]) -> Vec<SimulatedMember> {
        let member = |known: &Known<T>| SimulatedMember {
            structure,
            name: known.name,
            writable: structure == "tcp_sock" && crate::kernel::WRITABLE.contains(&known.name),
            note: known.note,
        };
        table.iter().map(member).collect()
    }
    [of("tcp_sock", &SOCKET), of("ack_sample", &ACK_SAMPLE), of("rate_sample", &RATE_SAMPLE)].concat()
}

/// Returns the current value of each member of a socket.
pub fn socket_values(sk: &Sock) -> impl Iterator<Item = (&'static str, u64)> {
    values(&SOCKET, sk)
}

/// Returns the value of each member of `ack_sample`.
pub fn ack_sample_values(sample: &AckSample) -> impl Iterator<Item = (&'static str, u64)> {
    values(&ACK_SAMPLE, sample)
}

/// Returns the value of each member of `rate_sample`.
pub fn rate_sample_values(sample: &RateSample) -> impl Iterator<Item = (&'static str, u64)> {
    values(&RATE_SAMPLE, sample)
}

fn values<T>(table: &'static [Known<T>], from: &T) -> impl Iterator<Item = (&'static str, u64)> {
    table.iter().map(move |known| (known.name, (known.of)(from)))
}

/// Returns the names of the socket's members.
pub(crate) fn of_socket() -> [&'static str; SOCKET.len()] {
    SOCKET.each_ref().map(|known| known.name)
}

/// Returns the names of the members of `ack_sample`.
pub(crate) fn of_ack_sample() -> [&'static str; ACK_SAMPLE.len()] {
    ACK_SAMPLE.each_ref().map(|known| known.name)
}

/// Returns the names of the members of `rate_sample`.
pub(crate) fn of_rate_sample() -> [&'static str; RATE_SAMPLE.len()] {
    RATE_SAMPLE.each_ref().map(|known| known.name)
}

/// Members with their locations in a structure.
#[derive(Debug)]
pub(crate) struct Filled<T>(Vec<(Field, Of<T>)>);

impl<T> Filled<T> {
    fn new(
        layout: &Layout,
        table: &[Known<T>],
        is_needed: impl Fn(&'static str, Field) -> bool,
    ) -> Filled<T> {
        let placed = table.iter().map(|known| (known, place(layout, known.name)));
        Filled(
            placed
                .filter(|(known, at)| is_needed(known.name, *at))
                .map(|(known, at)| (at, known.of))
                .collect(),
        )
    }

    /// Fills in the members of a structure.
    pub(crate) fn fill(&self, image: &mut Image, from: &T) {
        self.0.iter().for_each(|(field, of)| image.set(*field, of(from)));
    }
}

impl Filled<AckSample> {
    pub(crate) fn ack_sample(layout: &Layout) -> Self {
        Filled::new(layout, &ACK_SAMPLE, |_, _| true)
    }
}

impl Filled<RateSample> {
    pub(crate) fn rate_sample(layout: &Layout) -> Self {
        Filled::new(layout, &RATE_SAMPLE, |_, _| true)
    }
}

impl Filled<Sock> {
    /// Returns the members that programs and the kernel's own functions can read. No other members are set
    /// for a call.
    pub(crate) fn socket(layout: &Layout) -> Self {
        Filled::new(layout, &SOCKET, |name, at| layout.is_visible(at) || Window::FIELDS.contains(&name))
    }
}

/// Members that programs and the kernel's own functions can change, with their locations in the socket.
#[derive(Debug)]
pub(crate) struct Changed(Vec<(Field, Set<Sock>)>);

impl Changed {
    pub(crate) fn new(layout: &Layout) -> Changed {
        let placed = CHANGED.iter().map(|&(name, set)| (name, place(layout, name), set));
        let seen = placed.filter(|(name, at, _)| layout.is_visible(*at) || Window::FIELDS.contains(name));
        Changed(seen.map(|(_, at, set)| (at, set)).collect())
    }

    /// Copies changed members to the sender.
    pub(crate) fn take(&self, image: &Image, sk: &mut Sock) {
        self.0.iter().for_each(|(field, set)| set(sk, image.get(*field)));
    }
}

/// Copies the maximum pacing rate to the sender, limits the pacing rate and turns pacing on. A program's
/// types need not declare these members.
pub(crate) fn take_pacing(image: &Image, sk: &mut Sock) {
    sk.sk_max_pacing_rate = image.get(place(image.layout(), "sk_max_pacing_rate"));
    sk.sk_pacing_rate = sk.sk_pacing_rate.min(sk.sk_max_pacing_rate);
    if sk.sk_max_pacing_rate < u64::MAX && sk.sk_pacing_status == Sock::PACING_NONE {
        sk.sk_pacing_status = Sock::PACING_NEEDED;
    }
}

fn place(layout: &Layout, name: &str) -> Field {
    layout.get(name).expect("a layout contains the requested members")
}
