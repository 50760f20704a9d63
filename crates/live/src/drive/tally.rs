//! What a run of the loop counts.

use crate::emulation::Finished;
use crate::lateness::{Lateness, Lengths};
use crate::sockets::Sampled;
use crate::turnaround::{Answers, Turnaround};
use airhop_base::{Empirical, NodeId, Span, Time};
use airhop_wire::real::{self, Seen};
use std::collections::BTreeMap;
use std::io;

/// A loop that comes later than this was not late by its own work: the machine stood still.
const STALL: Span = Span::from_millis(5);

/// Datagrams, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Datagrams.
    pub packets: u64,
    /// Bytes of IP datagrams.
    pub bytes: u64,
}

impl Count {
    fn add(&mut self, bytes: u64) {
        self.packets += 1;
        self.bytes += bytes;
    }
}

/// How far an emulation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The time.
    pub time: Time,
    /// What entered the network.
    pub admitted: Count,
    /// What left it.
    pub departed: Count,
    /// 99 % of what left was written at most so late, in microseconds.
    pub lateness_p99_us: f64,
    /// What the emulator itself lost.
    pub lost_to_emulator: u64,
}

/// The emulator stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// When it should have gone on.
    pub at: Time,
    /// How much later it did.
    pub length: Span,
}

/// What an emulation adds to its network, for a simulation of the same: see [`airhop_base::Empirical`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// From when a packet was due at its host until it was written; of packets that are written together, after the first one, from when
    /// the one before was written. What is due while the emulator stands still leaves together: the stall is counted once.
    pub lateness: Empirical,
    /// By node: what its host takes from a data segment to the ACK of it.
    pub turnaround: Vec<(NodeId, Empirical)>,
}

/// What became of a run of the loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    /// When it was over.
    pub ended: Time,
    /// Why it was over.
    pub finished: Finished,
    /// What entered the network.
    pub admitted: Count,
    /// What left it and was written.
    pub departed: Count,
    /// Datagrams to groups and broadcasts, which a routed network does not carry: they did not enter.
    pub ignored: u64,
    /// Datagrams that left the network and that no host got, for a reason outside the network.
    pub lost_to_emulator: u64,
    /// Where and why the first of them was lost.
    pub first_loss: Option<(NodeId, String)>,
    /// How late datagrams were written.
    pub lateness: Lateness,
    /// How soon the host of each port answers.
    pub turnaround: Vec<(NodeId, Answers)>,
    /// When the emulator stood still.
    pub stalls: Vec<Stall>,
    /// The distributions of lateness and turnaround.
    pub measured: Measured,
    /// The congestion control of each sender, by the name of its flow.
    pub controls: BTreeMap<String, String>,
}

/// The counters of a loop.
#[derive(Default)]
pub(super) struct Tally {
    admitted: Count,
    departed: Count,
    pub(super) ignored: u64,
    lost: u64,
    first_loss: Option<(NodeId, String)>,
    lateness: Lengths,
    /// The same; what each packet of those that are written together added to that of the one before.
    added: Lengths,
    last_written: Time,
    turnaround: Vec<(NodeId, Turnaround)>,
    stalls: Vec<Stall>,
    controls: BTreeMap<String, String>,
}

impl Tally {
    pub(super) fn new<P>(ports: &[(NodeId, P)]) -> Self {
        let turnaround = ports.iter().map(|(node, _)| (*node, Turnaround::default())).collect();
        Tally { turnaround, ..Tally::default() }
    }

    /// The loop went on at `now`, where it expected to at `expected`.
    pub(super) fn woke(&mut self, expected: Time, now: Time) {
        let length = now.since(expected);
        if length > STALL {
            self.stalls.push(Stall { at: expected, length });
        }
    }

    pub(super) fn entered(&mut self, port: usize, at: Time, seen: &Seen) {
        self.admitted.add(seen.bytes.into());
        self.turnaround[port].1.read(at, seen);
    }

    /// What left the network by now is about to be written, one packet after the other.
    pub(super) fn writes(&mut self) {
        self.last_written = Time::ZERO;
    }

    pub(super) fn left(&mut self, port: usize, due: Time, written: Time, datagram: &[u8]) {
        self.departed.add(datagram.len() as u64);
        self.lateness.add(written.since(due));
        self.added.add(written.since(due.max(self.last_written)));
        self.last_written = written;
        if let Ok(seen) = real::read(datagram) {
            self.turnaround[port].1.wrote(due, written, &seen);
        }
    }

    pub(super) fn heard(&mut self, sampled: &Sampled) {
        let flow = sampled.info.flow();
        if self.controls.get(&flow) != Some(&sampled.info.control) {
            self.controls.insert(flow, sampled.info.control.clone());
        }
    }

    pub(super) fn lost(&mut self, node: NodeId, why: &io::Error) {
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

    pub(super) fn driven(self, ended: Time, finished: Finished) -> Driven {
        Driven {
            ended,
            finished,
            admitted: self.admitted,
            departed: self.departed,
            ignored: self.ignored,
            lost_to_emulator: self.lost,
            first_loss: self.first_loss,
            lateness: self.lateness.lateness(),
            turnaround: self.turnaround.iter().map(|(node, host)| (*node, host.summary())).collect(),
            stalls: self.stalls,
            controls: self.controls,
            measured: Measured {
                lateness: self.added.distribution(),
                turnaround: self.turnaround.iter().map(|(node, host)| (*node, host.own())).collect(),
            },
        }
    }
}
