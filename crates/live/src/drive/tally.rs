//! Counters of a run of the loop.

use crate::emulation::EndReason;
use crate::lateness::{DurationHistogram, LatenessSummary};
use crate::sockets::ConnectionSample;
use crate::turnaround::{TurnaroundSummary, TurnaroundTracker};
use airhop_base::{EmpiricalDistribution, NodeId, Span, Time};
use airhop_wire::real::{self, HeaderFields};
use std::collections::BTreeMap;
use std::io;

/// Minimum delay that counts as a stall. Such a delay comes from the machine, not from the loop's own work.
const MIN_STALL: Span = Span::from_millis(5);

/// Number of datagrams, and of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficCount {
    /// Number of datagrams.
    pub packets: u64,
    /// Total length of the IP datagrams in bytes.
    pub bytes: u64,
}

impl TrafficCount {
    fn add_datagram(&mut self, bytes: u64) {
        self.packets += 1;
        self.bytes += bytes;
    }
}

/// Progress of an emulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time of this report.
    pub time: Time,
    /// Datagrams that entered the network.
    pub admitted: TrafficCount,
    /// Datagrams that left the network.
    pub departed: TrafficCount,
    /// 99 % quantile of the lateness of departures, in microseconds.
    pub lateness_p99_us: f64,
    /// Number of datagrams that the emulator itself lost.
    pub lost_to_emulator: u64,
}

/// Period in which the emulator should have run but did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Time at which the loop should have continued.
    pub expected_at: Time,
    /// Delay until the loop continued.
    pub delay: Span,
}

/// Measured distributions of lateness and turnaround ([`airhop_base::EmpiricalDistribution`]). A simulation of the same
/// network can draw from these distributions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredDelays {
    /// Lateness: time from the due time of a packet at its host until the packet was written. For packets
    /// written back to back, the time starts when the previous packet was written. Packets due during one
    /// stall are written together, so a stall counts once.
    pub lateness: EmpiricalDistribution,
    /// Turnaround of each node's host: time from a data segment to the ACK of the segment.
    pub turnaround: Vec<(NodeId, EmpiricalDistribution)>,
}

/// Result of a run of the loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopResult {
    /// End time of the run.
    pub ended_at: Time,
    /// Reason for the end.
    pub end_reason: EndReason,
    /// Datagrams that entered the network.
    pub admitted: TrafficCount,
    /// Datagrams that left the network and were written.
    pub departed: TrafficCount,
    /// Number of datagrams to multicast and broadcast addresses. A routed network does not carry such
    /// datagrams, so none entered.
    pub ignored_datagrams: u64,
    /// Number of datagrams that left the network but were lost by the emulator before reaching a host.
    pub lost_to_emulator: u64,
    /// Node and cause of the first loss by the emulator; `None` without a loss.
    pub first_loss: Option<(NodeId, String)>,
    /// Lateness of written datagrams.
    pub lateness: LatenessSummary,
    /// Turnaround of the host at each port.
    pub turnaround: Vec<(NodeId, TurnaroundSummary)>,
    /// Stalls of the emulator.
    pub stalls: Vec<Stall>,
    /// The distributions of lateness and turnaround.
    pub measured_delays: MeasuredDelays,
    /// Congestion control of each sender, by flow name.
    pub congestion_control_by_flow: BTreeMap<String, String>,
    /// First sample with a cwnd or ssthresh that no TCP connection can have; `None` without one.
    pub excessive_window: Option<ConnectionSample>,
}

/// Counters of a run of the loop, in progress.
#[derive(Default)]
pub(super) struct LoopCounters {
    admitted: TrafficCount,
    departed: TrafficCount,
    pub(super) ignored_datagrams: u64,
    lost: u64,
    first_loss: Option<(NodeId, String)>,
    lateness: DurationHistogram,
    /// Lateness that each packet of a batch added to the lateness of the previous packet.
    added: DurationHistogram,
    last_written: Time,
    turnaround: Vec<(NodeId, TurnaroundTracker)>,
    stalls: Vec<Stall>,
    controls: BTreeMap<String, String>,
    excessive_window: Option<ConnectionSample>,
}

impl LoopCounters {
    pub(super) fn new<P>(ports: &[(NodeId, P)]) -> Self {
        let turnaround = ports.iter().map(|(node, _)| (*node, TurnaroundTracker::default())).collect();
        LoopCounters { turnaround, ..LoopCounters::default() }
    }

    /// Records that the loop continued at `now` instead of at `expected`.
    pub(super) fn record_wakeup(&mut self, expected: Time, now: Time) {
        let length = now.since(expected);
        if length > MIN_STALL {
            self.stalls.push(Stall { expected_at: expected, delay: length });
        }
    }

    pub(super) fn record_admitted(&mut self, port: usize, at: Time, seen: &HeaderFields) {
        self.admitted.add_datagram(seen.datagram_bytes.into());
        self.turnaround[port].1.record_read(at, seen);
    }

    /// Starts a batch of writes of datagrams that have left the network.
    pub(super) fn start_batch(&mut self) {
        self.last_written = Time::ZERO;
    }

    pub(super) fn record_departed(&mut self, port: usize, due: Time, written: Time, datagram: &[u8]) {
        self.departed.add_datagram(datagram.len() as u64);
        self.lateness.add(written.since(due));
        self.added.add(written.since(due.max(self.last_written)));
        self.last_written = written;
        if let Ok(seen) = real::read_headers(datagram) {
            self.turnaround[port].1.record_written(due, written, &seen);
        }
    }

    pub(super) fn record_sample(&mut self, sampled: &ConnectionSample) {
        if self.excessive_window.is_none() && sampled.info.excessive_window().is_some() {
            self.excessive_window = Some(sampled.clone());
        }
        let flow = sampled.info.flow_name();
        if self.controls.get(&flow) != Some(&sampled.info.congestion_control) {
            self.controls.insert(flow, sampled.info.congestion_control.clone());
        }
    }

    pub(super) fn record_loss(&mut self, node: NodeId, why: &io::Error) {
        self.lost += 1;
        if self.first_loss.is_none() {
            self.first_loss = Some((node, why.to_string()));
        }
    }

    pub(super) fn progress(&self, time: Time) -> Progress {
        Progress {
            time,
            admitted: self.admitted,
            departed: self.departed,
            lateness_p99_us: self.lateness.quantile_us(0.99),
            lost_to_emulator: self.lost,
        }
    }

    pub(super) fn into_result(self, ended: Time, finished: EndReason) -> LoopResult {
        LoopResult {
            ended_at: ended,
            end_reason: finished,
            admitted: self.admitted,
            departed: self.departed,
            ignored_datagrams: self.ignored_datagrams,
            lost_to_emulator: self.lost,
            first_loss: self.first_loss,
            lateness: self.lateness.lateness(),
            turnaround: self.turnaround.iter().map(|(node, host)| (*node, host.summary())).collect(),
            stalls: self.stalls,
            congestion_control_by_flow: self.controls,
            excessive_window: self.excessive_window,
            measured_delays: MeasuredDelays {
                lateness: self.added.distribution(),
                turnaround: self
                    .turnaround
                    .iter()
                    .map(|(node, host)| (*node, host.host_distribution()))
                    .collect(),
            },
        }
    }
}
