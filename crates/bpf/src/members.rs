//! Simulated members of the kernel's structures: the value of each member, and the effect of a program's
//! writes on the sender.

use crate::kernel::{Field, Layout, StructImage, WindowFields};
use airhop_tcp::kernel_ops::{AckSample, RateSample, Sock};

/// Function that returns the value of a member.
type MemberGetter<T> = fn(&T) -> u64;
/// Function that applies a new value of a member.
type MemberSetter<T> = fn(&mut T, u64);

/// A simulated member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberDefinition<T> {
    /// Name of the member, without the nested structure around the member.
    pub name: &'static str,
    of: MemberGetter<T>,
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

const fn plain_member<T>(name: &'static str, of: MemberGetter<T>) -> MemberDefinition<T> {
    MemberDefinition { name, of, note: "" }
}

const fn member_with_note<T>(
    name: &'static str,
    of: MemberGetter<T>,
    note: &'static str,
) -> MemberDefinition<T> {
    MemberDefinition { name, of, note }
}

/// Returns an address or port in network byte order.
fn network_address(bytes: [u8; 4]) -> u64 {
    u32::from_le_bytes(bytes).into()
}

fn network_port(number: u16) -> u64 {
    u16::from_le_bytes(number.to_be_bytes()).into()
}

/// The third word of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2).
const IPV4_MAPPED_WORD: [u8; 4] = [0, 0, 0xff, 0xff];
const ONE_WAY_NOTE: &str = "the other end sends no data: the byte after its SYN";
const IPV4_NOTE: &str = "2, AF_INET: connections of a simulation are of IPv4";
const MAPPED_NOTE: &str = "an IPv4 address mapped to IPv6 (RFC 4291 §2.5.5.2), as in a kernel";

static SOCKET_MEMBERS: [MemberDefinition<Sock>; 65] = [
    plain_member("snd_cwnd", |sk| sk.snd_cwnd.into()),
    plain_member("snd_cwnd_cnt", |sk| sk.snd_cwnd_cnt.into()),
    member_with_note(
        "snd_cwnd_clamp",
        |sk| sk.snd_cwnd_clamp.into(),
        "2³² − 1 until `bpf_setsockopt` sets it",
    ),
    plain_member("snd_ssthresh", |sk| sk.snd_ssthresh.into()),
    member_with_note(
        "snd_cwnd_stamp",
        |sk| sk.snd_cwnd_stamp.into(),
        "jiffies of the last full window or reduction",
    ),
    plain_member("prior_cwnd", |sk| sk.prior_cwnd.into()),
    plain_member("prior_ssthresh", |sk| sk.prior_ssthresh.into()),
    plain_member("is_cwnd_limited", |sk| sk.is_cwnd_limited.into()),
    plain_member("max_packets_out", |sk| sk.max_packets_out.into()),
    plain_member("packets_out", |sk| sk.packets_out.into()),
    plain_member("sacked_out", |sk| sk.sacked_out.into()),
    plain_member("lost_out", |sk| sk.lost_out.into()),
    plain_member("retrans_out", |sk| sk.retrans_out.into()),
    member_with_note("rcv_nxt", |sk| sk.identity.rcv_nxt.into(), ONE_WAY_NOTE),
    plain_member("snd_una", |sk| sk.absolute_seq(sk.snd_una).into()),
    plain_member("snd_nxt", |sk| sk.absolute_seq(sk.snd_nxt).into()),
    plain_member("write_seq", |sk| sk.absolute_seq(sk.write_seq).into()),
    plain_member("high_seq", |sk| sk.absolute_seq(sk.high_seq).into()),
    plain_member("mss_cache", |sk| sk.mss_cache.into()),
    plain_member("srtt_us", |sk| sk.srtt_us.into()),
    plain_member("mdev_us", |sk| sk.mdev_us.into()),
    member_with_note(
        "rtt_min.s[0].v",
        |sk| sk.rtt_min_us.into(),
        "the least round trip of the connection, not of the last 300 s",
    ),
    plain_member("delivered", |sk| sk.delivered.into()),
    plain_member("delivered_ce", |sk| sk.delivered_ce.into()),
    plain_member("lost", |sk| sk.lost.into()),
    member_with_note("total_retrans", |sk| sk.total_retrans.into(), "without repetitions of the SYN"),
    member_with_note("icsk_retransmits", |sk| sk.icsk_retransmits.into(), "without timeouts of the SYN"),
    plain_member("bytes_acked", |sk| sk.bytes_acked),
    plain_member("bytes_sent", |sk| sk.bytes_sent),
    plain_member("bytes_retrans", |sk| sk.bytes_retrans),
    plain_member("data_segs_out", |sk| sk.data_segs_out.into()),
    plain_member("delivered_mstamp", |sk| sk.delivered_mstamp),
    plain_member("rate_delivered", |sk| sk.rate_delivered.into()),
    plain_member("rate_interval_us", |sk| sk.rate_interval_us.into()),
    plain_member("rate_app_limited", |sk| sk.rate_app_limited.into()),
    plain_member("app_limited", |sk| sk.app_limited.into()),
    plain_member("lsndtime", |sk| sk.lsndtime.into()),
    plain_member("prr_out", |sk| sk.prr_out.into()),
    plain_member("prr_delivered", |sk| sk.prr_delivered.into()),
    member_with_note(
        "reordering",
        |sk| sk.reordering.into(),
        "DupThresh, 3, or 4 after reordering was detected; the degree of reordering is not stored",
    ),
    plain_member("tcp_mstamp", |sk| sk.tcp_mstamp),
    plain_member("tcp_clock_cache", |sk| sk.tcp_mstamp * 1000),
    member_with_note(
        "tcp_wstamp_ns",
        |sk| sk.tcp_mstamp * 1000,
        "the current time, even while pacing delays the next segment",
    ),
    plain_member("icsk_ca_state", |sk| sk.ca_state as u64),
    member_with_note(
        "sk_pacing_status",
        |sk| sk.sk_pacing_status.into(),
        "2, SK_PACING_FQ, on a host that paces (`tcp.pacing`); 0 on others until the program, or a maximum pacing rate, sets it",
    ),
    plain_member("sk_pacing_rate", |sk| sk.sk_pacing_rate),
    member_with_note(
        "sk_max_pacing_rate",
        |sk| sk.sk_max_pacing_rate,
        "2⁶⁴ − 1 until `bpf_setsockopt` sets it",
    ),
    member_with_note(
        "ecn_flags",
        |sk| sk.ecn_flags.into(),
        "TCP_ECN_OK and TCP_ECN_QUEUE_CWR; others belong to a receiver, and stay as the program writes them",
    ),
    member_with_note("skc_family", |_| 2, IPV4_NOTE),
    plain_member("skc_daddr", |sk| network_address(sk.identity.remote_addr)),
    plain_member("skc_rcv_saddr", |sk| network_address(sk.identity.local_addr)),
    member_with_note(
        "skc_dport",
        |sk| network_port(sk.identity.remote_port),
        "5001: all receivers listen there",
    ),
    plain_member("skc_num", |sk| sk.identity.local_port.into()),
    plain_member("inet_sport", |sk| network_port(sk.identity.local_port)),
    plain_member("inet_saddr", |sk| network_address(sk.identity.local_addr)),
    member_with_note("skc_v6_daddr.in6_u.u6_addr32[0]", |_| 0, MAPPED_NOTE),
    member_with_note("skc_v6_daddr.in6_u.u6_addr32[1]", |_| 0, MAPPED_NOTE),
    member_with_note("skc_v6_daddr.in6_u.u6_addr32[2]", |_| network_address(IPV4_MAPPED_WORD), MAPPED_NOTE),
    member_with_note(
        "skc_v6_daddr.in6_u.u6_addr32[3]",
        |sk| network_address(sk.identity.remote_addr),
        MAPPED_NOTE,
    ),
    member_with_note("skc_v6_rcv_saddr.in6_u.u6_addr32[0]", |_| 0, MAPPED_NOTE),
    member_with_note("skc_v6_rcv_saddr.in6_u.u6_addr32[1]", |_| 0, MAPPED_NOTE),
    member_with_note(
        "skc_v6_rcv_saddr.in6_u.u6_addr32[2]",
        |_| network_address(IPV4_MAPPED_WORD),
        MAPPED_NOTE,
    ),
    member_with_note(
        "skc_v6_rcv_saddr.in6_u.u6_addr32[3]",
        |sk| network_address(sk.identity.local_addr),
        MAPPED_NOTE,
    ),
    member_with_note(
        "icsk_ack.pending",
        |sk| sk.ack_pending.into(),
        "member of a receiver: 0, or the value that the program wrote; no effect, as the other end sends no data",
    ),
    plain_member("icsk_ca_initialized", |sk| sk.ca_initialized.into()),
];

/// Members that callbacks may write, and their effect on the sender.
const MEMBER_SETTERS: [(&str, MemberSetter<Sock>); 10] = [
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

static ACK_SAMPLE_MEMBERS: [MemberDefinition<AckSample>; 3] = [
    plain_member("pkts_acked", |sample| sample.pkts_acked.into()),
    plain_member("rtt_us", |sample| sample.rtt_us as u64),
    member_with_note(
        "in_flight",
        |sample| sample.in_flight.into(),
        "bytes in flight before the ACK; a kernel stores the bytes in flight when the newest acknowledged packet was sent",
    ),
];

static RATE_SAMPLE_MEMBERS: [MemberDefinition<RateSample>; 9] = [
    plain_member("prior_delivered", |sample| sample.prior_delivered.into()),
    plain_member("delivered", |sample| sample.delivered as u64),
    plain_member("interval_us", |sample| sample.interval_us as u64),
    plain_member("rtt_us", |sample| sample.rtt_us as u64),
    plain_member("losses", |sample| sample.losses as u64),
    plain_member("acked_sacked", |sample| sample.acked_sacked.into()),
    plain_member("prior_in_flight", |sample| sample.prior_in_flight.into()),
    plain_member("is_app_limited", |sample| sample.is_app_limited.into()),
    plain_member("is_ack_delayed", |sample| sample.is_ack_delayed.into()),
];

/// Returns all simulated members.
pub fn simulated_members() -> Vec<SimulatedMember> {
    fn list_members<T>(structure: &'static str, table: &[MemberDefinition<T>]) -> Vec<SimulatedMember> {
        let member = |known: &MemberDefinition<T>| SimulatedMember {
            structure,
            name: known.name,
            writable: structure == "tcp_sock" && crate::kernel::WRITABLE_MEMBERS.contains(&known.name),
            note: known.note,
        };
        table.iter().map(member).collect()
    }
    [
        list_members("tcp_sock", &SOCKET_MEMBERS),
        list_members("ack_sample", &ACK_SAMPLE_MEMBERS),
        list_members("rate_sample", &RATE_SAMPLE_MEMBERS),
    ]
    .concat()
}

/// Returns the current value of each member of a socket.
pub fn socket_values(sk: &Sock) -> impl Iterator<Item = (&'static str, u64)> {
    member_values(&SOCKET_MEMBERS, sk)
}

/// Returns the value of each member of `ack_sample`.
pub fn ack_sample_values(sample: &AckSample) -> impl Iterator<Item = (&'static str, u64)> {
    member_values(&ACK_SAMPLE_MEMBERS, sample)
}

/// Returns the value of each member of `rate_sample`.
pub fn rate_sample_values(sample: &RateSample) -> impl Iterator<Item = (&'static str, u64)> {
    member_values(&RATE_SAMPLE_MEMBERS, sample)
}

fn member_values<T>(
    table: &'static [MemberDefinition<T>],
    from: &T,
) -> impl Iterator<Item = (&'static str, u64)> {
    table.iter().map(move |known| (known.name, (known.of)(from)))
}

/// Returns the names of the socket's members.
pub(crate) fn socket_member_names() -> [&'static str; SOCKET_MEMBERS.len()] {
    SOCKET_MEMBERS.each_ref().map(|known| known.name)
}

/// Returns the names of the members of `ack_sample`.
pub(crate) fn ack_sample_member_names() -> [&'static str; ACK_SAMPLE_MEMBERS.len()] {
    ACK_SAMPLE_MEMBERS.each_ref().map(|known| known.name)
}

/// Returns the names of the members of `rate_sample`.
pub(crate) fn rate_sample_member_names() -> [&'static str; RATE_SAMPLE_MEMBERS.len()] {
    RATE_SAMPLE_MEMBERS.each_ref().map(|known| known.name)
}

/// Members with their locations in a structure.
#[derive(Debug)]
pub(crate) struct LocatedMembers<T>(Vec<(Field, MemberGetter<T>)>);

impl<T> LocatedMembers<T> {
    fn new(
        layout: &Layout,
        table: &[MemberDefinition<T>],
        is_needed: impl Fn(&'static str, Field) -> bool,
    ) -> LocatedMembers<T> {
        let placed = table.iter().map(|known| (known, locate_member(layout, known.name)));
        LocatedMembers(
            placed
                .filter(|(known, at)| is_needed(known.name, *at))
                .map(|(known, at)| (at, known.of))
                .collect(),
        )
    }

    /// Fills in the members of a structure.
    pub(crate) fn fill(&self, image: &mut StructImage, from: &T) {
        self.0.iter().for_each(|(field, of)| image.set(*field, of(from)));
    }
}

impl LocatedMembers<AckSample> {
    pub(crate) fn from_ack_sample_layout(layout: &Layout) -> Self {
        LocatedMembers::new(layout, &ACK_SAMPLE_MEMBERS, |_, _| true)
    }
}

impl LocatedMembers<RateSample> {
    pub(crate) fn from_rate_sample_layout(layout: &Layout) -> Self {
        LocatedMembers::new(layout, &RATE_SAMPLE_MEMBERS, |_, _| true)
    }
}

impl LocatedMembers<Sock> {
    /// Returns the members that programs and the kernel's own functions can read. No other members are set
    /// for a call.
    pub(crate) fn from_socket_layout(layout: &Layout) -> Self {
        LocatedMembers::new(layout, &SOCKET_MEMBERS, |name, at| {
            layout.is_declared(at) || WindowFields::MEMBER_NAMES.contains(&name)
        })
    }
}

/// Members that programs and the kernel's own functions can change, with their locations in the socket.
#[derive(Debug)]
pub(crate) struct WritableMembers(Vec<(Field, MemberSetter<Sock>)>);

impl WritableMembers {
    pub(crate) fn new(layout: &Layout) -> WritableMembers {
        let placed = MEMBER_SETTERS.iter().map(|&(name, set)| (name, locate_member(layout, name), set));
        let seen = placed
            .filter(|(name, at, _)| layout.is_declared(*at) || WindowFields::MEMBER_NAMES.contains(name));
        WritableMembers(seen.map(|(_, at, set)| (at, set)).collect())
    }

    /// Copies changed members to the sender.
    pub(crate) fn apply_changes(&self, image: &StructImage, sk: &mut Sock) {
        self.0.iter().for_each(|(field, set)| set(sk, image.get(*field)));
    }
}

/// Copies the maximum pacing rate to the sender, limits the pacing rate and turns pacing on. A program's
/// types need not declare these members.
pub(crate) fn apply_pacing_limit(image: &StructImage, sk: &mut Sock) {
    sk.sk_max_pacing_rate = image.get(locate_member(image.layout(), "sk_max_pacing_rate"));
    sk.sk_pacing_rate = sk.sk_pacing_rate.min(sk.sk_max_pacing_rate);
    if sk.sk_max_pacing_rate < u64::MAX && sk.sk_pacing_status == Sock::PACING_NONE {
        sk.sk_pacing_status = Sock::PACING_NEEDED;
    }
}

fn locate_member(layout: &Layout, name: &str) -> Field {
    layout.find_field(name).expect("a layout contains the requested members")
}
