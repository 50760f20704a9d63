//! `Config` has the parameters of a connection, and `Preset` the three sets of their defaults.

use airhop_base::Span;

/// The parameters of one connection, both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Stack whose behaviour applies where no parameter decides: the form of a scheme in ns-2 or in Linux that is not its paper's.
    pub stack: Preset,
    /// Payload of a full segment, bytes (SMSS, RFC 5681 §2).
    pub mss: u32,
    /// SYN, SYN-ACK, ACK before data (RFC 9293 §3.5). ns-2's one-way agents have none.
    pub handshake: bool,
    /// Initial congestion window in segments (RFC 6928; ns-2 `windowInit_`).
    pub initial_window: f64,
    /// Initial slow-start threshold in segments; infinite by default (RFC 5681 §3.1).
    pub initial_ssthresh: f64,
    /// The window that the receiver advertises when its buffer is empty, bytes.
    pub receive_window: u64,
    /// Duplicate ACKs that signal a loss (RFC 5681 §3.2).
    pub dupthresh: u32,
    /// One new segment on each of the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// Timestamps on every segment (RFC 7323).
    pub timestamps: bool,
    /// SACK blocks in an ACK at most (RFC 2018: four, three beside timestamps).
    pub sack_blocks: u8,
    /// Report duplicate data in the first SACK block (RFC 2883).
    pub dsack: bool,
    /// Delay ACKs, or send one for every segment.
    pub delayed_ack: Option<DelayedAck>,
    /// ACKs that are sent at once although ACKs are delayed: at the beginning, after a pause of more than the least timeout,
    /// and after a duplicate, when the sender may be in slow start and waits for them (Linux' quick ACKs: 16).
    pub quick_acks: u32,
    /// Estimator of the retransmission timeout, and its bounds.
    pub rto: RtoConfig,
    /// Quantity of which ssthresh is half after a loss.
    pub halve_from: HalveFrom,
    /// Leave fast recovery with no more than the flight plus one segment (RFC 6582 §3.2 step 3, option 1); else with
    /// ssthresh (option 2, ns-2).
    pub exit_to_flight: bool,
    /// Data may be marked by routers, and marks are echoed (RFC 3168).
    pub ecn: bool,
    /// Loss recovery of the scheme `sack`.
    pub sack_recovery: SackRecovery,
    /// Loss detection of the schemes of Reno's family.
    pub loss_detection: LossDetection,
    /// Window growth per ACK of new data.
    pub growth: Growth,
    /// Share of the window that must be in use for an ACK to grow it.
    pub validation: Validation,
    /// Recoveries with SACK come down to the new window evenly (PRR, RFC 9937).
    pub prr: bool,
    /// With RACK: a probe after two round trips of silence (TLP, RFC 8985 §7).
    pub tlp: bool,
    /// With RACK: after a timeout, two new segments before further retransmissions (F-RTO, RFC 5682 §3.1).
    pub frto: bool,
    /// Reaction of the sender to explicit notifications.
    pub notices: Notices,
    /// A reduction of the window is undone if it turns out that nothing was lost (RFC 3522, RFC 3708, RFC 4015).
    pub undo: bool,
    /// Segments of schemes that name no rate of their own are spaced, too: at twice the window a round trip far below ssthresh, at 1.2
    /// windows else (Linux, see [`Preset::Linux`]).
    pub pacing: bool,
    /// The last of the segments that leave together is pushed, and a pushed segment is acknowledged at once (Linux from 6.6 on).
    pub push: bool,
    /// A segment that is not full waits until data is acknowledged (Nagle's algorithm, RFC 9293 §3.7.4; RFC 1122 §4.2.3.4). Off where
    /// applications set TCP_NODELAY.
    pub nagle: bool,
    /// Delay of the receiver's host between a segment and the ACK that it causes; none if `None`. The runner of the endpoints applies it.
    pub turnaround: Option<Turnaround>,
}

/// The turnaround of a host, by two quantiles of its distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turnaround {
    /// Half of all ACKs take no longer.
    pub median: Span,
    /// Nine of ten take no longer; at least the median.
    pub p90: Span,
}

/// Reaction of a sender to explicit notifications. Its window and its recovery are those of its scheme in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notices {
    /// The reaction of the sender's scheme.
    Scheme,
    /// Nothing.
    Ignored,
    /// As in scheme `eln`: a segment named by an ELN is retransmitted once, and the window stays.
    Eln,
    /// As in scheme `ll-elsn`: a segment is retransmitted on each ELN that names it, up to a disconnection, and an ERSN
    /// suspends congestion control.
    Elsn,
}

/// Loss detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossDetection {
    /// By duplicate ACKs, or SACK blocks above a hole: each scheme by its own recovery.
    Duplicates,
    /// By SACK blocks above a hole (RFC 6675): schemes of Reno's family all recover alike, as in ns-3, whose congestion control is
    /// apart from loss recovery. The loss of a retransmission waits for the timer.
    Rfc6675,
    /// By time, with SACK (RACK, RFC 8985), for all schemes of Reno's family. Schemes defined by their recovery (Tahoe,
    /// Vegas, ESACK, LHP, TCP-CL, TCP-DCR) keep it.
    Rack,
}

/// Window growth per ACK of new data (RFC 5681 §3.1, RFC 3465).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// A segment in slow start, one window's share of a segment after: for each ACK, whatever it acknowledges.
    PerAck,
    /// As [`Growth::PerAck`], but for each segment's worth of newly delivered bytes, as in Linux: delayed ACKs do not slow growth. The bytes
    /// left over when slow start ends count for congestion avoidance.
    PerByte,
}

/// Congestion window validation: share of the window that must be in use for an ACK to grow it. Where the receiver or the application is the
/// limit, the unused part of the window is untested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// No share: the window always grows, as in ns-2.
    Never,
    /// Half of the window (RFC 7661 §4.3, with the largest outstanding data in the last window of data in place of
    /// pipeACK).
    Half,
    /// The whole window; more than half of it in slow start (Linux, tcp_is_cwnd_limited()).
    Full,
}

/// The SACK recoveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackRecovery {
    /// ns-2's Sack1: a pipe counter (Fall and Floyd 1996).
    Pipe,
    /// RFC 6675.
    Rfc6675,
    /// Forward acknowledgement with rate halving; with preset ns2 Agent/TCP/Linux with its Reno, whose window is in whole segments.
    RateHalving,
}

/// Delayed ACKs (RFC 9293 §3.8.6.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayedAck {
    /// An ACK at the latest for this many full segments.
    pub segments: u32,
    /// And at the latest this long after the first of them.
    pub timeout: Span,
}

/// Quantity of which ssthresh is half after a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalveFrom {
    /// FlightSize, all that is sent and not cumulatively acknowledged (RFC 5681 §3.1, equation 4).
    Flight,
    /// RFC 6675's pipe, the part of FlightSize that is neither SACKed nor marked lost, as ns-3's NewReno and Veno do.
    Pipe,
    /// The congestion window, or the receiver's if that is smaller, as ns-2 does.
    Cwnd,
    /// The congestion window, rounded to whole segments, as Linux does. A timeout during fast recovery by RACK or RFC
    /// 6675 does not reduce ssthresh again.
    WholeCwnd,
}

/// Retransmission timeout parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RtoConfig {
    /// Estimator.
    pub kind: RtoKind,
    /// Lower bound.
    pub min: Span,
    /// Upper bound, with backoff.
    pub max: Span,
    /// Before the first sample.
    pub initial: Span,
    /// Clock granularity G (RFC 6298 §2), or the tick of a coarse clock.
    pub tick: Span,
}

/// The retransmission timeout estimators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoKind {
    /// RFC 6298 on exact samples.
    Rfc6298,
    /// ns-2's integer ticks.
    Ns2,
    /// One gain for mean and deviation on a coarse clock (Kounavis 1996).
    SingleGain,
    /// Linux: the minimum bounds the deviation's part, which falls only once per round trip. Nearly every ACK gives a
    /// sample from the recorded sending times (tcp_clean_rtx_queue()), in microseconds; timestamps are used for
    /// retransmitted segments. The timer restarts whenever the oldest segment is retransmitted
    /// (tcp_xmit_retransmit_queue()), so a retransmission delayed by pacing or the window has a whole timeout. A single
    /// lost SYN costs its timeout only (tcp_init_transfer(), tcp_init_metrics()).
    Linux,
}

impl RtoKind {
    /// True if samples use the recorded sending times instead of timestamps (Linux).
    pub(crate) fn samples_record(self) -> bool {
        self == RtoKind::Linux
    }

    /// True if the timer restarts when the oldest segment is retransmitted (Linux).
    pub(crate) fn restarts_with_head(self) -> bool {
        self == RtoKind::Linux
    }

    /// True if a single SYN that was lost costs nothing but its timeout (Linux).
    pub(crate) fn spares_first_syn(self) -> bool {
        self == RtoKind::Linux
    }
}

/// The named sets of defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// ns-2.35's one-way agents: the simulator of all four papers.
    Ns2,
    /// The RFCs.
    Rfc,
    /// Linux 6 on a host whose sockets are paced (fq, or BBR as default).
    Linux,
}

impl Preset {
    /// The presets by name.
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
            initial_window: rfc6928_window(mss),
            initial_ssthresh: f64::INFINITY,
            // A receive window that never limits, unless the scenario sets one: no paper here is about flow control.
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
