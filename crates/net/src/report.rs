//! `Report` has what a run measured, flow by flow.

use crate::ground_truth::lateness::Lateness;
use crate::ground_truth::loss_ledger::Confusion;
use crate::routing::RoutingCounts;
use airhop_base::{Drop, NoticeKind, Span};

/// The results of one run: the fields of the run document, without what only the caller knows. Events and fingerprint are
/// those of the whole run, `srtt_ms` is that of its end, and everything else was counted after the warm-up.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Simulated time.
    pub duration: Span,
    /// The first part of it, which is left out of goodput and counters.
    pub warmup: Span,
    /// Events handled.
    pub events: u64,
    /// Rolling hash of the trajectory.
    pub fingerprint: u64,
    /// The flows, in the order of the scenario.
    pub flows: Vec<FlowReport>,
    /// Drops by reason, in the order of `Drop::ALL`.
    pub drops: [u64; Drop::ALL.len()],
    /// What the routers counted, if there are any.
    pub routing: Option<RoutingCounts>,
}

/// The results of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowReport {
    /// Its name.
    pub name: String,
    /// Its scheme, if it is TCP of Airhop.
    pub scheme: Option<&'static str>,
    /// Real hosts are at its ends, of which the network sees packets alone: timeouts, recoveries, window cuts, judgements and duplicates
    /// are not known.
    pub is_real: bool,
    /// "tcp" or "udp".
    pub transport: &'static str,
    /// The sending node.
    pub from: String,
    /// The receiving node.
    pub to: String,
    /// How many links the shortest way between them crosses.
    pub route_hops: usize,
    /// New in-order bytes handed to the receiving application × 8 / (duration − warm-up) / 1e6.
    pub goodput_mbps: f64,
    /// New in-order bytes handed to the receiving application.
    pub delivered_bytes: u64,
    /// Data segments (or datagrams) sent, retransmissions included.
    pub sent_segments: u64,
    /// Retransmissions among them.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Fast recoveries.
    pub fast_recoveries: u64,
    /// Reductions of the congestion window.
    pub window_cuts: u64,
    /// Timeouts that were not needed: a copy of the segment that was sent before reached the receiver.
    pub spurious_timeouts: u64,
    /// Data segments that reached the receiver when it had all their bytes.
    pub duplicates: u64,
    /// How late the notices came that could have spared timeouts.
    pub lateness: Lateness,
    /// How often each judgement on the cause of a loss met each true cause.
    pub classifications: Confusion,
    /// How long a finite transfer took, from its start until the receiver had all of it, seconds.
    pub completion_s: Option<f64>,
    /// Smoothed round-trip time at the end, milliseconds.
    pub srtt_ms: Option<f64>,
    /// Notices received, in the order of `NoticeKind::ALL`.
    pub notices: [u64; NoticeKind::ALL.len()],
}

impl Report {
    /// Takes off what `earlier`, a report of the same run, had counted.
    pub(crate) fn leave_out(&mut self, earlier: &Report) {
        subtract(&mut self.drops, &earlier.drops);
        if let (Some(routing), Some(mut earlier)) = (&mut self.routing, earlier.routing) {
            routing
                .each_mut()
                .into_iter()
                .zip(earlier.each_mut())
                .for_each(|(count, before)| *count -= *before);
        }
        for (flow, earlier) in self.flows.iter_mut().zip(&earlier.flows) {
            flow.leave_out(earlier);
        }
    }
}

impl FlowReport {
    fn leave_out(&mut self, earlier: &FlowReport) {
        // Written out in full, so that a new counter cannot be forgotten.
        let FlowReport {
            name: _,
            scheme: _,
            is_real: _,
            transport: _,
            from: _,
            to: _,
            route_hops: _,
            goodput_mbps: _,
            delivered_bytes,
            sent_segments,
            retransmissions,
            timeouts,
            fast_recoveries,
            window_cuts,
            spurious_timeouts,
            duplicates,
            lateness,
            classifications,
            completion_s: _,
            srtt_ms: _,
            notices,
        } = earlier;
        self.delivered_bytes -= delivered_bytes;
        self.sent_segments -= sent_segments;
        self.retransmissions -= retransmissions;
        self.timeouts -= timeouts;
        self.fast_recoveries -= fast_recoveries;
        self.window_cuts -= window_cuts;
        self.spurious_timeouts -= spurious_timeouts;
        self.duplicates -= duplicates;
        self.lateness.leave_out(lateness);
        self.classifications
            .iter_mut()
            .zip(classifications)
            .for_each(|(row, earlier)| subtract(row, earlier));
        subtract(&mut self.notices, notices);
    }
}

fn subtract<const N: usize>(counts: &mut [u64; N], earlier: &[u64; N]) {
    counts.iter_mut().zip(earlier).for_each(|(count, earlier)| *count -= earlier);
}
