//! `Config`: parameters of a connection; `Preset`: three sets of defaults.

use airhop_base::Span;

/// Parameters of one connection, for both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Stack whose behaviour applies where no other parameter decides, e.g. the form of a scheme in ns-2 or
    /// Linux where it differs from its paper.
    pub stack: Preset,
    /// Payload of a full segment, bytes (SMSS, RFC 5681 §2).
    pub mss: u32,
    /// True: SYN, SYN-ACK and ACK precede data (RFC 9293 §3.5). False: no handshake, as in ns-2's one-way
    /// agents.
    pub handshake: bool,
    /// Timeouts of a SYN after which the next one is as long; those beyond double it (RFC 6298 §5.5: 0; Linux from 6.5 on,
    /// `tcp_syn_linear_timeouts`: 4).
    pub linear_syn_timeouts: u32,
    /// Initial congestion window in segments (RFC 6928; ns-2 `windowInit_`).
    pub initial_window: f64,
    /// Initial slow-start threshold in segments; infinite by default (RFC 5681 §3.1).
    pub initial_ssthresh: f64,
    /// Window that the receiver advertises while its buffer is empty, bytes.
    pub receive_window: u64,
    /// Number of duplicate ACKs that signal a loss (RFC 5681 §3.2).
    pub dupthresh: u32,
    /// True if each of the first two duplicate ACKs releases a new segment (RFC 3042).
    pub limited_transmit: bool,
    /// True if every segment carries timestamps (RFC 7323).
    pub timestamps: bool,
    /// Maximum number of SACK blocks per ACK (RFC 2018: four, three beside timestamps).
    pub sack_blocks: u8,
    /// True if duplicate data is reported in the first SACK block (RFC 2883).
    pub dsack: bool,
    /// Delayed ACKs; `None`: an ACK for every segment.
    pub delayed_ack: Option<DelayedAck>,
    /// Number of quick ACKs (Linux: 16), which are sent without delay despite delayed ACKs: at the start,
    /// after an idle period longer than the minimum timeout, and after a duplicate, when the sender may be in
    /// slow start.
    pub quick_acks: u32,
    /// Estimator and bounds of the retransmission timeout.
    pub rto: RtoConfig,
    /// Quantity that a loss halves into ssthresh.
    pub halve_from: HalveFrom,
    /// True: the window after fast recovery is at most the flight plus one segment (RFC 6582 §3.2 step 3,
    /// option 1). False: it is ssthresh (option 2, ns-2).
    pub exit_to_flight: bool,
    /// True if the connection uses ECN: routers may mark its data, and the receiver echoes marks (RFC 3168).
    pub ecn: bool,
    /// Loss recovery of the scheme `sack`.
    pub sack_recovery: SackRecovery,
    /// Loss detection of the schemes of Reno's family.
    pub loss_detection: LossDetection,
    /// Window growth per ACK of new data.
    pub growth: Growth,
    /// Share of the window that must be in use before an ACK may grow it.
    pub validation: Validation,
    /// Window after an idle period longer than a retransmission timeout.
    pub after_pause: AfterPause,
    /// True if recoveries with SACK decrease the flight evenly to the new window (PRR, RFC 9937).
    pub prr: bool,
    /// True: with RACK, a probe is sent after two round trips without ACKs (TLP, RFC 8985 §7).
    pub tlp: bool,
    /// True: with RACK, two new segments precede further retransmissions after a timeout (F-RTO, RFC 5682
    /// §3.1).
    pub frto: bool,
    /// Reaction of the sender to explicit notices.
    pub notices: Notices,
    /// True if a reduction that proves spurious is undone (RFC 3522, RFC 3708, RFC 4015).
    pub undo: bool,
    /// True if schemes without a pacing rate of their own are paced too: at twice the window per round trip
    /// far below ssthresh, otherwise at 1.2 windows (Linux, see [`Preset::Linux`]).
    pub pacing: bool,
    /// True if the last segment of a burst carries PSH, and the receiver acknowledges a PSH segment at once
    /// (Linux from 6.6 on).
    pub push: bool,
    /// True if a partial segment waits until data is acknowledged (Nagle's algorithm, RFC 9293 §3.7.4; RFC
    /// 1122 §4.2.3.4); false for applications that set TCP_NODELAY.
    pub nagle: bool,
    /// Delay of the receiver's host between a segment and its ACK; `None`: no delay. The runner of the
    /// endpoints applies the delay.
    pub turnaround: Option<Turnaround>,
}

/// Turnaround of a host, given by two quantiles of its distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turnaround {
    /// Median of the turnaround.
    pub median: Span,
    /// 90th percentile of the turnaround; at least the median.
    pub p90: Span,
}

/// Reaction of a sender to explicit notices. Window and recovery stay those of the sender's scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notices {
    /// Reaction of the sender's own scheme.
    Scheme,
    /// Nothing.
    Ignored,
    /// Reaction of scheme `eln`: a segment named by an ELN is retransmitted once, and the window is not
    /// reduced.
    Eln,
    /// Reaction of scheme `ll-elsn`: a segment is retransmitted on each ELN that names it, up to a
    /// disconnection, and an ERSN suspends congestion control.
    Elsn,
}

/// Loss detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDetection {
    /// By duplicate ACKs, or by SACK blocks above a hole: each scheme uses its own recovery.
    Duplicates,
    /// By SACK blocks above a hole (RFC 6675), with the same recovery for all schemes of Reno's family, as in
    /// ns-3, which separates congestion control from loss recovery. The loss of a retransmission is repaired
    /// by the timer.
    Rfc6675,
    /// By time, with SACK (RACK, RFC 8985), for all schemes of Reno's family. Schemes defined by their
    /// recovery (Tahoe, Vegas, ESACK, LHP, TCP-CL, TCP-DCR) keep their own.
    Rack,
}

/// Window growth per ACK of new data (RFC 5681 §3.1, RFC 3465).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Per ACK, whatever amount it acknowledges: one segment in slow start, then 1/cwnd segments.
    PerAck,
    /// As [`Growth::PerAck`], but per segment's worth of newly delivered bytes, as in Linux: delayed ACKs do
    /// not slow the growth. Bytes left over at the end of slow start count for congestion avoidance.
    PerByte,
}

/// Congestion window validation: share of the window that must be in use before an ACK may grow it. If the
/// receiver or the application limits the flight, the unused part of the window is untested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// None: the window always grows, as in ns-2.
    Never,
    /// Half of the window (RFC 7661 §4.3, with the largest outstanding data in the last window of data in place of
    /// pipeACK).
    Half,
    /// The whole window; in slow start more than half of it (Linux, tcp_is_cwnd_limited()).
    Full,
}

/// Window at the first transmission after an idle period longer than a retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterPause {
    /// The window before the idle period, as in ns-2.
    Keep,
    /// At most the initial window (RFC 5681 §4.1).
    Initial,
    /// The window halved for each timeout in the idle period, down to the initial window; ssthresh keeps three
    /// quarters of it. No effect if the congestion control sets a pacing rate (Linux, tcp_cwnd_restart()).
    Halve,
    /// The window halved for each five minutes of the idle period, down to the initial window; ssthresh keeps
    /// three quarters of it (RFC 7661 §4.4.3).
    Decay,
}

/// Recoveries of the scheme `sack`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackRecovery {
    /// ns-2's Sack1: a pipe counter (Fall and Floyd 1996).
    Pipe,
    /// RFC 6675.
    Rfc6675,
    /// Forward acknowledgement with rate halving. With preset ns2: Agent/TCP/Linux with its Reno, whose
    /// window is an integer number of segments.
    RateHalving,
}

/// Delayed ACKs (RFC 9293 §3.8.6.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayedAck {
    /// Maximum number of full segments without an ACK.
    pub segments: u32,
    /// Maximum delay after the first unacknowledged segment.
    pub timeout: Span,
}

/// Quantity that a loss halves into ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalveFrom {
    /// FlightSize: all data sent and not cumulatively acknowledged (RFC 5681 §3.1, equation 4).
    Flight,
    /// RFC 6675's pipe: the part of FlightSize that is neither SACKed nor marked lost, as in ns-3's NewReno
    /// and Veno.
    Pipe,
    /// The smaller of congestion window and receiver's window, as in ns-2.
    Cwnd,
    /// The congestion window, rounded to an integer number of segments, as in Linux. A timeout during fast
    /// recovery by RACK or RFC 6675 does not reduce ssthresh again.
    WholeCwnd,
}

/// Retransmission timeout parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RtoConfig {
    /// Estimator.
    pub kind: RtoKind,
    /// Lower bound.
    pub min: Span,
    /// Upper bound, which also limits the backoff.
    pub max: Span,
    /// Timeout before the first sample.
    pub initial: Span,
    /// Clock granularity G (RFC 6298 §2), or the tick of a coarse clock.
    pub tick: Span,
}

/// Estimators of the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoKind {
    /// RFC 6298 on exact samples.
    Rfc6298,
    /// Integer ticks, as in ns-2.
    Ns2,
    /// One gain for mean and deviation on a coarse clock (Kounavis 1996).
    SingleGain,
    /// Linux: the configured minimum is a lower bound of the deviation term, which falls only once per round
    /// trip. Nearly every ACK yields a sample in microseconds from the recorded transmission times
    /// (tcp_clean_rtx_queue()); for retransmitted segments timestamps are used. The timer restarts whenever
    /// the oldest segment is retransmitted (tcp_xmit_retransmit_queue()), so that a retransmission delayed by
    /// pacing or the window gets a full timeout. A single lost SYN costs only its timeout
    /// (tcp_init_transfer(), tcp_init_metrics()).
    Linux,
}

impl RtoKind {
    /// True if samples use recorded transmission times instead of timestamps (Linux).
    pub(crate) fn samples_record(self) -> bool {
        self == RtoKind::Linux
    }

    /// True if the timer restarts when the oldest segment is retransmitted (Linux).
    pub(crate) fn restarts_with_head(self) -> bool {
        self == RtoKind::Linux
    }

    /// True if a single lost SYN costs only its timeout (Linux).
    pub(crate) fn spares_first_syn(self) -> bool {
        self == RtoKind::Linux
    }
}

/// Named sets of defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// One-way agents of ns-2.35, the simulator of all four papers.
    Ns2,
    /// The RFCs.
    Rfc,
    /// Linux 6 on a host that paces its sockets (fq, or BBR as default).
    Linux,
}

impl Preset {
    /// Presets by name.
    pub const ALL: [(&'static str, Preset); 3] =
        [("ns2", Preset::Ns2), ("rfc", Preset::Rfc), ("linux", Preset::Linux)];

    /// Returns the preset's name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, preset)| *preset == self);
        found.expect("every preset is listed").0
    }

    /// Returns the parameters of this preset for segments of `mss` bytes.
    pub fn config(self, mss: u32) -> Config {
        let rfc = Config {
            stack: self,
            mss,
            handshake: true,
            linear_syn_timeouts: 0,
            initial_window: rfc6928_window(mss),
            initial_ssthresh: f64::INFINITY,
            // A receive window that never limits, unless the scenario sets one: flow control is no topic of
            // the papers reproduced here.
            receive_window: 1 << 40,
            dupthresh: 3,
            limited_transmit: true,
            timestamps: true,
            sack_blocks: 3,
            dsack: true,
            delayed_ack: Some(DelayedAck { segments: 2, timeout: Span::from_millis(200) }),
            quick_acks: 0,
            rto: RtoConfig {
                kind: RtoKind::Rfc6298,
                min: Span::from_secs(1),
                max: Span::from_secs(60),
                initial: Span::from_secs(1),
                tick: Span::from_millis(1),
            },
            halve_from: HalveFrom::Flight,
            exit_to_flight: true,
            ecn: false,
            sack_recovery: SackRecovery::Rfc6675,
            loss_detection: LossDetection::Duplicates,
            growth: Growth::PerAck,
            validation: Validation::Half,
            after_pause: AfterPause::Initial,
            prr: false,
            tlp: false,
            frto: false,
            notices: Notices::Scheme,
            undo: false,
            pacing: false,
            push: false,
            nagle: false,
            turnaround: None,
        };
        match self {
            Preset::Rfc => rfc,
            Preset::Linux => Config {
                linear_syn_timeouts: 4,
                delayed_ack: Some(DelayedAck { segments: 2, timeout: Span::from_millis(40) }),
                quick_acks: 16,
                rto: RtoConfig {
                    kind: RtoKind::Linux,
                    min: Span::from_millis(200),
                    max: Span::from_secs(120),
                    ..rfc.rto
                },
                halve_from: HalveFrom::WholeCwnd,
                exit_to_flight: false,
                loss_detection: LossDetection::Rack,
                growth: Growth::PerByte,
                validation: Validation::Full,
                after_pause: AfterPause::Halve,
                prr: true,
                tlp: true,
                push: true,
                frto: true,
                undo: true,
                pacing: true,
                ..rfc
            },
            Preset::Ns2 => Config {
                handshake: false,
                initial_window: 2.0,
                timestamps: false,
                dsack: false,
                delayed_ack: None,
                rto: RtoConfig {
                    kind: RtoKind::Ns2,
                    min: Span::from_millis(200),
                    max: Span::from_secs(60),
                    initial: Span::from_secs(3),
                    tick: Span::from_millis(10),
                },
                halve_from: HalveFrom::Cwnd,
                exit_to_flight: false,
                sack_recovery: SackRecovery::Pipe,
                validation: Validation::Never,
                after_pause: AfterPause::Keep,
                ..rfc
            },
        }
    }
}

/// RFC 6928 §2: min(10 SMSS, max(2 SMSS, 14600 B)), in segments.
fn rfc6928_window(mss: u32) -> f64 {
    let mss = f64::from(mss);
    (10.0 * mss).min((2.0 * mss).max(14600.0)) / mss
}
