use super::samples::RateSample;
use crate::Config;
use crate::sender_state::SenderState;
use airhop_base::Time;

/// `TCP_INFINITE_SSTHRESH`.
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// `enum tcp_ca_state`, by the kernel's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum CaState {
    /// No dubious event: no data is SACKed, marked or lost.
    Open = 0,
    /// Data is SACKed above a hole, and no segment is marked lost.
    Disorder = 1,
    /// The window was reduced without a loss to repair.
    Cwr = 2,
    /// Fast recovery.
    Recovery = 3,
    /// Recovery from a timeout.
    Loss = 4,
}

/// Identity of a connection: addresses, ports and sequence numbers as in its packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// IPv4 address of the sender.
    pub local: [u8; 4],
    /// IPv4 address of the receiver.
    pub remote: [u8; 4],
    /// Port of the sender.
    pub local_port: u16,
    /// Port of the receiver.
    pub remote_port: u16,
    /// Initial sequence number of the sender, that of its SYN, from which [`Sock`] counts.
    pub isn: u32,
    /// Next byte expected from the receiver, which sends only its SYN.
    pub rcv_nxt: u32,
}

/// A Linux congestion control's view of a connection: `struct tcp_sock` and its members, under the kernel's
/// names and in its units. Counts are packets. Sequence numbers are modulo 2^32, relative to the SYN, which
/// is 0; [`Sock::seq`] converts them to the kernel's.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the names are the kernel's
pub struct Sock {
    pub identity: Identity,
    pub snd_cwnd: u32,
    /// Acknowledged packets not yet used for window growth.
    pub snd_cwnd_cnt: u32,
    pub snd_ssthresh: u32,
    /// Window before the last reduction.
    pub prior_cwnd: u32,
    pub prior_ssthresh: u32,
    pub snd_cwnd_clamp: u32,
    /// True if the window limited the sender in the last window of data.
    pub is_cwnd_limited: bool,
    /// Maximum number of packets outstanding in the last window of data.
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
    /// Smoothed round trip, µs, times eight.
    pub srtt_us: u32,
    /// Smoothed mean deviation of the round trip, µs, times four.
    pub mdev_us: u32,
    /// Minimum round trip, µs, over the whole connection instead of a sliding window; `u32::MAX` before the
    /// first sample.
    pub rtt_min_us: u32,
    /// Packets known to have arrived.
    pub delivered: u32,
    /// Packets among `delivered` whose ACK carried ECE.
    pub delivered_ce: u32,
    /// [`Sock::ECN_OK`] if the connection uses ECN, [`Sock::ECN_QUEUE_CWR`] while CWR is to be sent.
    pub ecn_flags: u8,
    /// Packets marked lost so far.
    pub lost: u32,
    /// Retransmitted packets.
    pub total_retrans: u32,
    /// Number of timeouts since data was last acknowledged.
    pub icsk_retransmits: u8,
    /// Bytes acknowledged cumulatively, one for the SYN included.
    pub bytes_acked: u64,
    /// Data bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Retransmitted data bytes.
    pub bytes_retrans: u64,
    /// Data segments sent, retransmissions included.
    pub data_segs_out: u32,
    /// Time of the last ACK that reported an arrival, µs.
    pub delivered_mstamp: u64,
    /// Packets delivered and interval, µs, of the last sample that the application did not limit, or of a later one with a
    /// higher rate; zero before the first. `rate_app_limited`: true for a limited one, and before the first.
    pub rate_delivered: u32,
    pub rate_interval_us: u32,
    pub rate_app_limited: bool,
    /// Delivered packets up to which samples are limited by the application or by the congestion control
    /// itself; zero if not.
    pub app_limited: u32,
    /// Time of the last data transmission, jiffies.
    pub lsndtime: u32,
    /// Packets sent, and packets delivered, since the start of a reduction (RFC 9937). The sender maintains
    /// the second, unless the congestion control has `cong_control`.
    pub prr_out: u32,
    pub prr_delivered: u32,
    /// Tolerated reordering, packets: DupThresh, and more once reordering was detected.
    pub reordering: u32,
    /// Time at which the window was last full or changed by a reduction, jiffies.
    pub snd_cwnd_stamp: u32,
    /// `icsk_ack.pending`, a field of receivers that a congestion control may write; without effect here, as
    /// the other end sends no data.
    pub ack_pending: u8,
    /// Present time, µs.
    pub tcp_mstamp: u64,
    pub ca_state: CaState,
    /// True after `init`, which comes after the ACK of the SYN.
    pub ca_initialized: bool,
    /// [`Sock::PACING_NONE`], [`Sock::PACING_NEEDED`] or [`Sock::PACING_FQ`].
    pub sk_pacing_status: u32,
    /// Pacing rate, bytes per second; `u64::MAX` while unset. The kernel sets it for a congestion control
    /// without `cong_control`.
    pub sk_pacing_rate: u64,
    pub sk_max_pacing_rate: u64,
}

impl Sock {
    /// `TCP_ECN_OK`, `TCP_ECN_MODE_RFC3168` since Linux 6.14.
    pub const ECN_OK: u8 = 1;
    /// `TCP_ECN_QUEUE_CWR`.
    pub const ECN_QUEUE_CWR: u8 = 2;
    /// `SK_PACING_NONE`.
    pub const PACING_NONE: u32 = 0;
    /// `SK_PACING_NEEDED`: the connection paces its segments itself.
    pub const PACING_NEEDED: u32 = 1;
    /// `SK_PACING_FQ`: the queueing discipline paces segments.
    pub const PACING_FQ: u32 = 2;

    /// Creates the view of a connection before its first transmission.
    pub(super) fn new(c: &Config) -> Self {
        Sock {
            identity: Identity { rcv_nxt: 1, ..Identity::default() },
            snd_cwnd: packets(c.initial_window),
            snd_cwnd_cnt: 0,
            snd_ssthresh: packets(c.initial_ssthresh),
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

    /// Returns the sequence number of the packets for a number relative to the SYN.
    pub fn seq(&self, from_syn: u32) -> u32 {
        self.identity.isn.wrapping_add(from_syn)
    }

    /// `tcp_jiffies32` at HZ = 1000.
    pub fn jiffies(&self) -> u32 {
        (self.tcp_mstamp / 1000) as u32
    }

    /// True while the window is below the threshold (RFC 5681 §3.1).
    pub fn in_slow_start(&self) -> bool {
        self.snd_cwnd < self.snd_ssthresh
    }

    /// Returns ssthresh as it is kept before a reduction: at least three quarters of the window, except during
    /// one (Linux, tcp_current_ssthresh()).
    pub(super) fn current_ssthresh(&self) -> u32 {
        match self.ca_state {
            CaState::Cwr | CaState::Recovery => self.snd_ssthresh,
            _ => self.snd_ssthresh.max(self.snd_cwnd / 2 + self.snd_cwnd / 4),
        }
    }

    /// True if enough of the window is used for growth: half of it in slow start, otherwise all of it (RFC
    /// 7661 §4.3).
    pub fn uses_window(&self) -> bool {
        let is_half = self.in_slow_start() && u64::from(self.snd_cwnd) < 2 * u64::from(self.max_packets_out);
        self.is_cwnd_limited || is_half
    }

    /// `tcp_packets_in_flight()`.
    pub fn in_flight(&self) -> u32 {
        (self.packets_out + self.retrans_out).saturating_sub(self.sacked_out + self.lost_out)
    }

    /// Updates the fields from the sender's state. Linux counts a retransmitted lost packet in `lost_out` and
    /// in `retrans_out`, but a loss probe, which retransmits a packet not marked lost, only in `retrans_out`;
    /// `is_probed`: a probe is in flight.
    pub(super) fn refresh(&mut self, now: Time, s: &SenderState, is_probed: bool) {
        let count = |bytes: u64| bytes.div_ceil(s.mss) as u32;
        self.tcp_mstamp = now.nanos() / 1000;
        (self.snd_una, self.snd_nxt, self.write_seq) = (s.una as u32, s.max_sent as u32, s.supplied as u32);
        self.bytes_acked = s.una;
        self.packets_out = s.board.len() as u32;
        self.sacked_out = count(s.board.sacked_bytes());
        self.retrans_out = count(s.board.repeated_bytes());
        self.lost_out = count(s.board.lost_bytes()) + self.retrans_out - u32::from(is_probed);
        self.app_limited = count(s.app_limited_until);
        self.reordering = s.dupthresh + u32::from(s.reorders);
        (self.max_packets_out, self.is_cwnd_limited) = s.usage.in_use();
        self.srtt_us = s.srtt.map_or(0, |srtt| (srtt.nanos() / 125) as u32);
        self.rtt_min_us = s.board.least_rtt().map_or(u32::MAX, |rtt| (rtt.nanos() / 1000) as u32);
    }

    /// Adds an RTT sample, µs (Linux, tcp_rtt_estimator()): a decreasing round trip changes the deviation
    /// with an eighth of the usual weight.
    pub(super) fn note_rtt(&mut self, rtt_us: u32) {
        if self.srtt_us == 0 {
            self.mdev_us = rtt_us.saturating_mul(2);
            return;
        }
        let error = i64::from(rtt_us) - i64::from(self.srtt_us >> 3);
        let change = error.abs() - i64::from(self.mdev_us >> 2);
        let change = if error < 0 && change > 0 { change >> 3 } else { change };
        self.mdev_us = (i64::from(self.mdev_us) + change) as u32;
    }

    /// Counts the transmission of `bytes` data bytes; `is_new`: not a retransmission.
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
        if self.uses_window() {
            self.stamp_cwnd();
        }
    }

    /// Keeps the rate of a valid sample unless the application limited it to a lower rate than the last (Linux,
    /// tcp_rate_gen()).
    pub(super) fn keep_rate(&mut self, rs: &RateSample) {
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

    /// Records that the window is full or was changed by a reduction.
    pub(super) fn stamp_cwnd(&mut self) {
        self.snd_cwnd_stamp = self.jiffies();
    }

    /// Computes the pacing rate for a congestion control that sets none (Linux, tcp_update_pacing_rate()):
    /// twice the window per round trip while the window is below half of ssthresh, else 1.2 windows; of the
    /// outstanding data if that is more.
    pub(super) fn pace(&mut self) {
        if self.srtt_us == 0 {
            return;
        }
        let percent = if self.snd_cwnd < self.snd_ssthresh / 2 { 200 } else { 120 };
        let bytes = u128::from(self.mss_cache) * u128::from(self.snd_cwnd.max(self.packets_out));
        let rate = bytes * percent * 80_000 / u128::from(self.srtt_us); // 8 · 10⁶ µs, in hundredths
        self.sk_pacing_rate = self.sk_max_pacing_rate.min(u64::try_from(rate).unwrap_or(u64::MAX));
    }
}

/// Returns a number of segments as integer packets, limited to the kernel's infinity.
pub(super) fn packets(segments: f64) -> u32 {
    (segments as u32).min(INFINITE_SSTHRESH)
}
