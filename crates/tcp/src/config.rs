//! Parameters of a connection (`Config`), and three sets of defaults (`Preset`).

use airhop_base::Span;

/// Parameters of one connection, shared by sender and receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// TCP implementation to imitate where no other parameter decides. Example: schemes that ns-2 or Linux
    /// implements differently from the paper.
    pub stack: Preset,
    /// Payload of a full segment in bytes (SMSS, RFC 5681 §2).
    pub mss: u32,
    /// True if SYN, SYN-ACK and ACK precede data (RFC 9293 §3.5). Without a handshake, data is sent at once,
    /// as by ns-2's agents.
    pub handshake: bool,
    /// Number of SYN timeouts before the timeout begins to double: 0 in RFC 6298 §5.5, 4 in Linux since 6.5
    /// (`tcp_syn_linear_timeouts`).
    pub linear_syn_timeouts: u32,
    /// Initial congestion window in segments (RFC 6928; ns-2 `windowInit_`).
    pub initial_window: f64,
    /// Initial slow-start threshold in segments; infinite by default (RFC 5681 §3.1).
    pub initial_ssthresh: f64,
    /// Window in bytes that the receiver advertises while the buffer is empty.
    pub receive_window: u64,
    /// Number of duplicate ACKs that signal a loss (RFC 5681 §3.2).
    pub dupthresh: u32,
    /// True if each of the first two duplicate ACKs releases a new segment (RFC 3042).
    pub limited_transmit: bool,
    /// True if every segment carries timestamps (RFC 7323).
    pub timestamps: bool,
    /// Maximum number of SACK blocks per ACK (RFC 2018: four, or three with timestamps).
    pub sack_blocks: u8,
    /// True if the first SACK block reports duplicate data (RFC 2883).
    pub dsack: bool,
    /// Delayed ACKs. With `None`, the receiver acknowledges every segment.
    pub delayed_ack: Option<DelayedAck>,
    /// Number of quick ACKs, which are sent without delay (Linux: 16). Quick ACKs are used while the sender
    /// may be in slow start: at the start of the connection, after an idle period longer than the minimum
    /// timeout, and after a duplicate segment.
    pub quick_acks: u32,
    /// Estimator and bounds of the retransmission timeout.
    pub rto: RtoConfig,
    /// Quantity whose half becomes ssthresh after a loss.
    pub halve_from: HalveFrom,
    /// True if the window at the end of fast recovery is at most the flight plus one segment (RFC 6582 §3.2
    /// step 3, option 1). Otherwise the window is ssthresh (option 2, ns-2).
    pub exit_to_flight: bool,
    /// True if the connection uses ECN (RFC 3168): routers may mark data segments, and the receiver echoes
    /// the marks.
    pub ecn: bool,
    /// Loss recovery used by the scheme `sack`.
    pub sack_recovery: SackRecovery,
    /// Loss detection used by the schemes of Reno's family.
    pub loss_detection: LossDetection,
    /// Window growth per ACK of new data.
    pub growth: WindowGrowth,
    /// Fraction of the window that must be in use before an ACK may increase the window.
    pub cwnd_validation: CwndValidation,
    /// Window after an idle period longer than the RTO.
    pub idle_restart_window: IdleRestartWindow,
    /// True if SACK recovery reduces the flight to the new window evenly over a round trip (PRR, RFC 9937).
    pub prr: bool,
    /// True if RACK also sends a loss probe after two round trips without ACKs (TLP, RFC 8985 §7).
    pub tlp: bool,
    /// True if RACK tests a timeout with two new segments before further retransmissions (F-RTO, RFC 5682
    /// §3.1).
    pub frto: bool,
    /// Reaction of the sender to explicit notices.
    pub notice_reaction: NoticeHandling,
    /// True if a spurious reduction is undone (RFC 3522, RFC 3708, RFC 4015).
    pub undo: bool,
    /// True if the sender also paces schemes without a pacing rate. The rate is then 2 windows per round trip
    /// while the window is far below ssthresh, and 1.2 windows otherwise (Linux, see [`Preset::Linux`]).
    pub pacing: bool,
    /// True if the last segment of a burst carries PSH, and the receiver acknowledges PSH at once (Linux 6.6
    /// and later).
    pub push: bool,
    /// True if a partial segment waits for an ACK (Nagle's algorithm, RFC 9293 §3.7.4; RFC 1122 §4.2.3.4).
    /// False for applications with TCP_NODELAY.
    pub nagle: bool,
    /// Delay at the receiver's host between a segment and its ACK; `None` without a delay. The caller of the
    /// endpoints applies the delay.
    pub turnaround: Option<Turnaround>,
}

/// Distribution of a host's turnaround time, defined by two quantiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turnaround {
    /// Median of the turnaround.
    pub median: Span,
    /// 90th percentile of the turnaround; at least the median.
    pub p90: Span,
}

/// Reaction of a sender to explicit notices. Window and loss recovery remain those of the sender's scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeHandling {
    /// Reaction that the sender's scheme specifies.
    Scheme,
    /// No reaction.
    Ignored,
    /// Reaction of the scheme `eln`: the segment named by an ELN is retransmitted once, and the window is not
    /// reduced.
    Eln,
    /// Reaction of the scheme `ll-elsn`: the segment named by an ELN is retransmitted at each ELN until the
    /// sender detects a disconnection. An ERSN suspends congestion control.
    Elsn,
}

/// Method of loss detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDetection {
    /// Duplicate ACKs, or SACK blocks above a hole. Each scheme uses its own recovery.
    Duplicates,
    /// SACK blocks above a hole (RFC 6675). All schemes of Reno's family use the same recovery, as in ns-3.
    /// Only a timeout repairs the loss of a retransmission.
    Rfc6675,
    /// Transmission times and SACK (RACK, RFC 8985), for all schemes of Reno's family. Schemes that are
    /// defined by their recovery (Tahoe, Vegas, ESACK, LHP, TCP-CL, TCP-DCR) keep that recovery.
    Rack,
}

/// Window growth per ACK of new data (RFC 5681 §3.1, RFC 3465).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowGrowth {
    /// Growth per ACK, for any number of acknowledged bytes: one segment in slow start, then 1/cwnd segments.
    PerAck,
    /// Growth per MSS of newly delivered bytes, as in Linux: one segment in slow start, then 1/cwnd segments.
    /// Delayed ACKs therefore do not slow the growth. If an ACK ends slow start, the remaining bytes count
    /// for congestion avoidance.
    PerByte,
}

/// Congestion window validation: fraction of the window that must be in use before an ACK may grow the
/// window. If the receiver or the application limits the flight, the path was not tested with the full
/// window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CwndValidation {
    /// No validation: every ACK increases the window, as in ns-2.
    Never,
    /// Half of the window (RFC 7661 §4.3). The largest flight in the last window of data replaces the RFC's
    /// pipeACK.
    Half,
    /// The whole window; in slow start, more than half of the window (Linux, tcp_is_cwnd_limited()).
    Full,
}

/// Window for the first transmission after an idle period longer than the RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleRestartWindow {
    /// Window before the idle period, as in ns-2.
    Keep,
    /// Window before the idle period, but at most the initial window (RFC 5681 §4.1).
    Initial,
    /// Window before the idle period, halved for each idle RTO, but at least the initial window. ssthresh
    /// becomes at least three quarters of the window before the idle period. A scheme with its own pacing
    /// rate keeps its window (Linux, tcp_cwnd_restart()).
    Halve,
    /// Window before the idle period, halved for every five idle minutes, but at least the initial window.
    /// ssthresh becomes at least three quarters of the window before the idle period (RFC 7661 §4.4.3).
    Decay,
}

/// Loss recoveries of the scheme `sack`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackRecovery {
    /// Sack1 of ns-2. The counter `pipe` limits the flight (Fall and Floyd 1996).
    Pipe,
    /// Recovery of RFC 6675.
    Rfc6675,
    /// Forward acknowledgement with rate halving. With the preset ns2, the sender is Agent/TCP/Linux with
    /// Linux' Reno, and the window is an integer number of segments.
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

/// Quantity whose half becomes ssthresh after a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalveFrom {
    /// FlightSize: all data sent and not cumulatively acknowledged (RFC 5681 §3.1, equation 4).
    Flight,
    /// RFC 6675's pipe: bytes of FlightSize that are neither SACKed nor marked lost, as in ns-3's NewReno and
    /// Veno.
    Pipe,
    /// The smaller of congestion window and receiver's window, as in ns-2.
    Cwnd,
    /// Congestion window, rounded down to an integer number of segments, as in Linux. Every reduction leaves an
    /// integer number of segments. A timeout during fast recovery by RACK or RFC 6675 does not reduce ssthresh
    /// again.
    WholeCwnd,
}

/// Retransmission timeout parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RtoConfig {
    /// Estimator of the timeout.
    pub kind: RtoKind,
    /// Minimum timeout.
    pub min: Span,
    /// Maximum timeout, including the backoff.
    pub max: Span,
    /// Timeout before the first RTT sample.
    pub initial: Span,
    /// Clock granularity G (RFC 6298 §2), or the duration of a tick of a coarse clock.
    pub tick: Span,
}

/// Estimators of the retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoKind {
    /// RFC 6298, from exact RTT samples.
    Rfc6298,
    /// RFC 6298 in integer clock ticks, as in ns-2.
    Ns2,
    /// Estimator of a coarse clock, with one gain for the mean and the deviation of the RTT (Kounavis 1996).
    SingleGain,
    /// Linux' estimator.
    ///
    /// The configured minimum is a lower bound of the deviation term, which decreases only once per round
    /// trip. Nearly every ACK yields an RTT sample in microseconds from the recorded transmission times
    /// (tcp_clean_rtx_queue()). For a retransmitted segment, timestamps yield the sample.
    ///
    /// The retransmission timer restarts at each retransmission of the oldest segment
    /// (tcp_xmit_retransmit_queue()). A retransmission delayed by pacing or by the window therefore has a
    /// full timeout. After the loss of a single SYN, the initial window is not reduced (tcp_init_transfer(),
    /// tcp_init_metrics()).
    Linux,
}

impl RtoKind {
    /// True if samples use recorded transmission times instead of timestamps (Linux).
    pub(crate) fn uses_recorded_times(self) -> bool {
        self == RtoKind::Linux
    }

    /// True if the timer restarts when the oldest segment is retransmitted (Linux).
    pub(crate) fn restarts_with_head(self) -> bool {
        self == RtoKind::Linux
    }

    /// True if the loss of a single SYN does not reduce the initial window (Linux).
    pub(crate) fn ignores_first_syn_loss(self) -> bool {
        self == RtoKind::Linux
    }
}

/// Named sets of defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Agents of ns-2.35 for data in one direction, used for the simulations of all four reproduced papers.
    Ns2,
    /// Behaviour that the RFCs specify.
    Rfc,
    /// Linux 6 on a host that paces its sockets (fq queueing discipline, or BBR as default congestion
    /// control).
    Linux,
}

impl Preset {
    /// Presets and their names.
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
            // Default receive window that never limits the sender, because the papers reproduced here do not
            // study flow control.
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
            growth: WindowGrowth::PerAck,
            cwnd_validation: CwndValidation::Half,
            idle_restart_window: IdleRestartWindow::Initial,
            prr: false,
            tlp: false,
            frto: false,
            notice_reaction: NoticeHandling::Scheme,
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
                growth: WindowGrowth::PerByte,
                cwnd_validation: CwndValidation::Full,
                idle_restart_window: IdleRestartWindow::Halve,
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
                cwnd_validation: CwndValidation::Never,
                idle_restart_window: IdleRestartWindow::Keep,
                ..rfc
            },
        }
    }
}

/// Returns the initial window of RFC 6928 §2 in segments: min(10 SMSS, max(2 SMSS, 14600 B)).
fn rfc6928_window(mss: u32) -> f64 {
    let mss = f64::from(mss);
    (10.0 * mss).min((2.0 * mss).max(14600.0)) / mss
}
