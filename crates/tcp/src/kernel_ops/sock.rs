use super::samples::RateSample;
use crate::Config;
use crate::sender_state::SenderState;
use airhop_base::Time;

/// `TCP_INFINITE_SSTHRESH`.
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// `enum tcp_ca_state`, with the kernel's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum CaState {
    /// No data is SACKed or marked lost, and the window was not reduced.
    Open = 0,
    /// Data above a hole is SACKed, and no segment is marked lost.
    Disorder = 1,
    /// The window is being reduced, without a loss to repair.
    Cwr = 2,
    /// Fast recovery.
    Recovery = 3,
    /// Recovery from a timeout.
    Loss = 4,
}

/// Addresses, ports and sequence numbers of a connection, as in its packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionIdentity {
    /// IPv4 address of the sender.
    pub local_addr: [u8; 4],
    /// IPv4 address of the receiver.
    pub remote_addr: [u8; 4],
    /// Port of the sender.
    pub local_port: u16,
    /// Port of the receiver.
    pub remote_port: u16,
    /// Initial sequence number of the sender's SYN. Sequence numbers in [`Sock`] are relative to this number.
    pub isn: u32,
    /// Next sequence number expected from the receiver. The receiver sends only a SYN.
    pub rcv_nxt: u32,
}

/// Connection fields that a Linux congestion control may read and write: `struct tcp_sock` and its members,
/// with the kernel's names and units.
///
/// Windows and counts are packets. Sequence numbers are modulo 2^32 and relative to the SYN, which is 0.
/// [`Sock::absolute_seq`] converts to the kernel's numbers.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the names are the kernel's
pub struct Sock {
    pub identity: ConnectionIdentity,
    pub snd_cwnd: u32,
    /// Acknowledged packets not yet used for window growth.
    pub snd_cwnd_cnt: u32,
    pub snd_ssthresh: u32,
    /// Window before the last reduction, in packets.
    pub prior_cwnd: u32,
    pub prior_ssthresh: u32,
    pub snd_cwnd_clamp: u32,
    /// True if the window limited the sender in the last window of data.
    pub is_cwnd_limited: bool,
    /// Maximum flight in the last window of data, in packets.
    pub max_packets_out: u32,
    pub packets_out: u32,
    pub sacked_out: u32,
    pub lost_out: u32,
    pub retrans_out: u32,
    pub snd_una: u32,
    pub snd_nxt: u32,
    pub write_seq: u32,
    /// First unsent byte at the start of the last reduction.
    pub high_seq: u32,
    pub mss_cache: u32,
    /// Eight times the smoothed RTT, in µs.
    pub srtt_us: u32,
    /// Four times the smoothed mean deviation of the RTT, in µs.
    pub mdev_us: u32,
    /// Minimum RTT of the whole connection, in µs; `u32::MAX` before the first sample. The kernel uses a
    /// sliding window instead.
    pub rtt_min_us: u32,
    /// Packets known to have arrived.
    pub delivered: u32,
    /// Number of `delivered` packets whose ACK carried ECE.
    pub delivered_ce: u32,
    /// [`Sock::ECN_OK`] if the connection uses ECN; [`Sock::ECN_QUEUE_CWR`] while the sender must send CWR.
    pub ecn_flags: u8,
    /// Packets marked lost so far.
    pub lost: u32,
    /// Retransmitted packets.
    pub total_retrans: u32,
    /// Number of timeouts since data was last acknowledged.
    pub icsk_retransmits: u8,
    /// Bytes acknowledged cumulatively, including one for the SYN.
    pub bytes_acked: u64,
    /// Data bytes sent, including retransmissions.
    pub bytes_sent: u64,
    /// Retransmitted data bytes.
    pub bytes_retrans: u64,
    /// Data segments sent, including retransmissions.
    pub data_segs_out: u32,
    /// Time of the last ACK that reported an arrival, in µs.
    pub delivered_mstamp: u64,
    /// Packets delivered in the stored rate sample; zero before the first sample. `rate_interval_us` is the
    /// interval of the sample in µs. `rate_app_limited` is true if the sample is application-limited, and
    /// before the first sample. An application-limited sample is stored only if its rate is at least the
    /// stored rate.
    pub rate_delivered: u32,
    pub rate_interval_us: u32,
    pub rate_app_limited: bool,
    /// Number of delivered packets up to which samples are limited by the application or the congestion
    /// control; zero without a limit.
    pub app_limited: u32,
    /// Time of the last data transmission, in jiffies.
    pub lsndtime: u32,
    /// Packets sent since the start of a reduction (RFC 9937). `prr_delivered` is the number of packets
    /// delivered, which is not maintained with `cong_control`.
    pub prr_out: u32,
    pub prr_delivered: u32,
    /// Tolerated reordering in packets: DupThresh, or more after reordering was detected.
    pub reordering: u32,
    /// Time in jiffies at which the window was last full or last reduced.
    pub snd_cwnd_stamp: u32,
    /// `icsk_ack.pending`, a field of receivers that a congestion control may write. A write has no effect
    /// here, because the peer sends no data.
    pub ack_pending: u8,
    /// Current time in µs.
    pub tcp_mstamp: u64,
    pub ca_state: CaState,
    /// True after `init`, which is called for the ACK of the SYN.
    pub ca_initialized: bool,
    /// [`Sock::PACING_NONE`], [`Sock::PACING_NEEDED`] or [`Sock::PACING_FQ`].
    pub sk_pacing_status: u32,
    /// Pacing rate in bytes per second; `u64::MAX` before the first rate. Without `cong_control`, the kernel
    /// computes the rate.
    pub sk_pacing_rate: u64,
    pub sk_max_pacing_rate: u64,
}

impl Sock {
    /// `TCP_ECN_OK`; since Linux 6.14 `TCP_ECN_MODE_RFC3168`.
    pub const ECN_OK: u8 = 1;
    /// `TCP_ECN_QUEUE_CWR`.
    pub const ECN_QUEUE_CWR: u8 = 2;
    /// `SK_PACING_NONE`.
    pub const PACING_NONE: u32 = 0;
    /// `SK_PACING_NEEDED`: the socket paces its segments.
    pub const PACING_NEEDED: u32 = 1;
    /// `SK_PACING_FQ`: the queueing discipline paces segments.
    pub const PACING_FQ: u32 = 2;

    /// Creates the fields of a connection before the first transmission.
    pub(super) fn new(c: &Config) -> Self {
        Sock {
            identity: ConnectionIdentity { rcv_nxt: 1, ..ConnectionIdentity::default() },
            snd_cwnd: round_to_packets(c.initial_window),
            snd_cwnd_cnt: 0,
            snd_ssthresh: round_to_packets(c.initial_ssthresh),
            prior_cwnd: 0,
            prior_ssthresh: 0,
            snd_cwnd_clamp: u32::MAX,
            is_cwnd_limited: false,
            max_packets_out: 0,
            packets_out: 0,
            sacked_out: 0,
            lost_out: 0,
            retrans_out: 0,
            snd_una: 1,
            snd_nxt: 1,
            write_seq: 1,
            high_seq: 0,
            mss_cache: c.mss,
            srtt_us: 0,
            mdev_us: 0,
            rtt_min_us: u32::MAX,
            delivered: 0,
            delivered_ce: 0,
            ecn_flags: if c.ecn { Sock::ECN_OK } else { 0 },
            lost: 0,
            total_retrans: 0,
            icsk_retransmits: 0,
            bytes_acked: 1,
            bytes_sent: 0,
            bytes_retrans: 0,
            data_segs_out: 0,
            delivered_mstamp: 0,
            rate_delivered: 0,
            rate_interval_us: 0,
            rate_app_limited: true,
            app_limited: 0,
            lsndtime: 0,
            prr_out: 0,
            prr_delivered: 0,
            reordering: c.dupthresh,
            snd_cwnd_stamp: 0,
            ack_pending: 0,
            tcp_mstamp: 0,
            ca_state: CaState::Open,
            ca_initialized: false,
            sk_pacing_status: if c.pacing { Sock::PACING_FQ } else { Sock::PACING_NONE },
            sk_pacing_rate: u64::MAX,
            sk_max_pacing_rate: u64::MAX,
        }
    }

    /// Converts a number relative to the SYN to a sequence number as in packets.
    pub fn absolute_seq(&self, from_syn: u32) -> u32 {
        self.identity.isn.wrapping_add(from_syn)
    }

    /// Returns `tcp_jiffies32` at HZ = 1000.
    pub fn jiffies(&self) -> u32 {
        (self.tcp_mstamp / 1000) as u32
    }

    /// True while the window is below ssthresh (RFC 5681 §3.1).
    pub fn in_slow_start(&self) -> bool {
        self.snd_cwnd < self.snd_ssthresh
    }

    /// Returns the current ssthresh. Outside a reduction, ssthresh is at least three quarters of the window
    /// (Linux, tcp_current_ssthresh()).
    pub(super) fn current_ssthresh(&self) -> u32 {
        match self.ca_state {
            CaState::Cwr | CaState::Recovery => self.snd_ssthresh,
            _ => self.snd_ssthresh.max(self.snd_cwnd / 2 + self.snd_cwnd / 4),
        }
    }

    /// True if the flight is large enough for window growth: half of the window in slow start, all of it in
    /// congestion avoidance (RFC 7661 §4.3).
    pub fn may_grow_window(&self) -> bool {
        let is_half = self.in_slow_start() && u64::from(self.snd_cwnd) < 2 * u64::from(self.max_packets_out);
        self.is_cwnd_limited || is_half
    }

    /// Returns `tcp_packets_in_flight()`.
    pub fn in_flight(&self) -> u32 {
        (self.packets_out + self.retrans_out).saturating_sub(self.sacked_out + self.lost_out)
    }

    /// Updates the fields from the sender's state. `is_probed` is true while a loss probe is in flight. Linux
    /// counts a retransmitted lost packet in `lost_out` and in `retrans_out`. A loss probe retransmits a
    /// packet that is not marked lost, and counts only in `retrans_out`.
    pub(super) fn refresh(&mut self, now: Time, s: &SenderState, is_probed: bool) {
        let count = |bytes: u64| bytes.div_ceil(s.mss) as u32;
        self.tcp_mstamp = now.nanos() / 1000;
        (self.snd_una, self.snd_nxt, self.write_seq) =
            (s.una as u32, s.sent_end as u32, s.supplied_end as u32);
        self.bytes_acked = s.una;
        self.packets_out = s.scoreboard.len() as u32;
        self.sacked_out = count(s.scoreboard.sacked_bytes());
        self.retrans_out = count(s.scoreboard.retransmitted_bytes());
        self.lost_out = count(s.scoreboard.lost_bytes()) + self.retrans_out - u32::from(is_probed);
        self.app_limited = count(s.app_limited_until);
        self.reordering = s.dupthresh + u32::from(s.has_reordering);
        (self.max_packets_out, self.is_cwnd_limited) = s.window_usage.max_flight_and_full();
        self.srtt_us = s.srtt.map_or(0, |srtt| (srtt.nanos() / 125) as u32);
        self.rtt_min_us = s.scoreboard.min_rtt().map_or(u32::MAX, |rtt| (rtt.nanos() / 1000) as u32);
    }

    /// Adds an RTT sample in µs (Linux, tcp_rtt_estimator()). If the sample is below the mean by more than
    /// the deviation, the deviation changes with an eighth of the usual weight.
    pub(super) fn add_rtt_sample(&mut self, rtt_us: u32) {
        if self.srtt_us == 0 {
            self.mdev_us = rtt_us.saturating_mul(2);
            return;
        }
        let error = i64::from(rtt_us) - i64::from(self.srtt_us >> 3);
        let change = error.abs() - i64::from(self.mdev_us >> 2);
        let change = if error < 0 && change > 0 { change >> 3 } else { change };
        self.mdev_us = (i64::from(self.mdev_us) + change) as u32;
    }

    /// Counts the transmission of `bytes` data bytes. `is_new` is false for a retransmission.
    pub(super) fn note_sent(&mut self, is_new: bool, bytes: u64) {
        self.bytes_sent += bytes;
        self.bytes_retrans += if is_new { 0 } else { bytes };
        self.data_segs_out += u32::from(bytes > 0);
        self.lsndtime = self.jiffies();
        self.prr_out += u32::from(matches!(self.ca_state, CaState::Cwr | CaState::Recovery));
        if is_new {
            self.ecn_flags &= !Sock::ECN_QUEUE_CWR;
        } else {
            self.total_retrans += 1;
        }
        if self.may_grow_window() {
            self.stamp_cwnd();
        }
    }

    /// Stores the rate of a valid sample (Linux, tcp_rate_gen()). An application-limited sample is stored
    /// only if its rate is at least the stored rate.
    pub(super) fn store_rate_sample(&mut self, rs: &RateSample) {
        let (Ok(delivered), Ok(interval)) = (u32::try_from(rs.delivered), u32::try_from(rs.interval_us))
        else {
            return;
        };
        let rate = u64::from(delivered) * u64::from(self.rate_interval_us);
        if !rs.is_app_limited || rate >= u64::from(self.rate_delivered) * u64::from(interval) {
            (self.rate_delivered, self.rate_interval_us) = (delivered, interval);
            self.rate_app_limited = rs.is_app_limited;
        }
    }

    /// Records the current time as the time at which the window was last full or reduced.
    pub(super) fn stamp_cwnd(&mut self) {
        self.snd_cwnd_stamp = self.jiffies();
    }

    /// Computes the pacing rate if the congestion control sets none (Linux, tcp_update_pacing_rate()). The
    /// rate is 2 windows per round trip while the window is below half of ssthresh, and 1.2 windows
    /// otherwise. If more packets are outstanding than the window, the rate is computed from the outstanding
    /// packets.
    pub(super) fn update_pacing_rate(&mut self) {
        if self.srtt_us == 0 {
            return;
        }
        let percent = if self.snd_cwnd < self.snd_ssthresh / 2 { 200 } else { 120 };
        let bytes = u128::from(self.mss_cache) * u128::from(self.snd_cwnd.max(self.packets_out));
        let rate = bytes * percent * 80_000 / u128::from(self.srtt_us); // 8 · 10⁶ µs, times hundredths
        self.sk_pacing_rate = self.sk_max_pacing_rate.min(u64::try_from(rate).unwrap_or(u64::MAX));
    }
}

/// Rounds a number of segments to integer packets, at most the kernel's infinite threshold.
pub(super) fn round_to_packets(segments: f64) -> u32 {
    (segments as u32).min(INFINITE_SSTHRESH)
}
