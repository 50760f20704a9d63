//! Declarations of all measures. The run document has the measures in this order. Data frames, stores,
//! tables, plots and the documentation are derived from the declarations. A new measure is appended to the
//! list, and its value is set in `world/results.rs`.

use super::connections::ConnectionCounts;
use super::marks::EcnCounts;
use super::measure::FlowAggregation::{Mean, PerFlow};
use super::measure::{Column, FlowAggregation, MEASURE, Measure, Quantity, ReportValue};
use super::measure::{RttSummary, SojournSummary};
use super::quality::ClassQuality;
use crate::apps::Quality;
use crate::delays::DelaySummary;
use crate::ground_truth::lateness::NoticeLateness;
use crate::ground_truth::loss_ledger::Confusion;
use crate::transit::CompletionSummary;
use airhop_base::{DropCause, NoticeKind};
use std::sync::Arc;

/// Declares a report: the fields that identify it, and its measures with their [`Measure`] entries.
macro_rules! measures {
    (
        $(#[doc = $title:literal])+
        $report:ident, $list:ident: { $($(#[doc = $what:literal])+ $id:ident: $id_kind:ty,)+ }
        $($(#[doc = $about:literal])+ $name:ident: $kind:ty { $($key:ident: $value:expr),+ $(,)? })+
    ) => {
        $(#[doc = $title])+
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $report {
            $($(#[doc = $what])+ pub $id: $id_kind,)+
            $($(#[doc = $about])+ pub $name: $kind,)+
        }

        const $list: &[Measure] =
            &[$(Measure { name: stringify!($name), about: concat!($($about),+), $($key: $value,)+ ..MEASURE }),+];

        impl Measured for $report {
            fn leave_out(&mut self, earlier: &Self) {
                let mut counted = $list.iter().map(|measure| measure.after_warm_up);
                $(if counted.next() == Some(true) {
                    Quantity::leave_out(&mut self.$name, &earlier.$name);
                })+
            }

            fn columns() -> Vec<Column> {
                let columns = [$(<$kind as Quantity>::columns),+];
                $list.iter().zip(columns).flat_map(|(measure, columns)| columns(measure)).collect()
            }

            fn measured(&self) -> Vec<Entries> {
                vec![$(self.$name.entries(stringify!($name))),+]
            }
        }
    };
}

/// Entries of a measure in the run document, each a name and a value.
type Entries = Vec<(&'static str, ReportValue)>;

/// Part of the report (a flow, class, queue or station) that consists of measures.
pub(super) trait Measured {
    /// Subtracts the counts of `earlier`, a report of the same flow.
    fn leave_out(&mut self, earlier: &Self);
    /// Returns the columns of the measures, in the order of the run document.
    fn columns() -> Vec<Column>;
    /// Returns the entries of the measures, in the order of the run document.
    fn measured(&self) -> Vec<Entries>;
    /// Returns the measures by name, in the order of the run document.
    fn named(&self) -> impl Iterator<Item = (&'static str, ReportValue)> {
        self.measured().into_iter().flatten()
    }
}

impl FlowReport {
    /// Returns the measures by name, in the order of the run document. Measures that only a real kernel knows
    /// are null.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, ReportValue)> {
        FLOW.iter().zip(self.measured()).flat_map(|(measure, entries)| {
            let is_unknown = self.is_real && !measure.of_real;
            entries
                .into_iter()
                .map(move |(name, value)| (name, if is_unknown { ReportValue::Null } else { value }))
        })
    }
}

impl ClassReport {
    /// Returns the measures by name, in the order of the run document.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, ReportValue)> {
        self.named()
    }
}

/// Returns the columns of a flow's measures, in the order of the run document.
pub fn flow_columns() -> Vec<Column> {
    FlowReport::columns()
}

/// Returns the columns of a class's measures, in the order of the run document. Column names begin with
/// `class_`, because a row of a data frame is a flow.
pub fn class_columns() -> Vec<Column> {
    let named = |column: Column| Column {
        name: format!("class_{}", column.name),
        over_flows: FlowAggregation::PerFlow,
        ..column
    };
    ClassReport::columns().into_iter().map(named).collect()
}

measures! {
    /// Results of one flow: its description, and its measures.
    FlowReport, FLOW: {
        /// Name of the flow.
        name: String,
        /// Scheme of a simulated TCP flow; `None` for other flows.
        scheme: Option<&'static str>,
        /// True if the flow's endpoints are real hosts.
        is_real: bool,
        /// "tcp" or "udp".
        transport: &'static str,
        /// The sending node.
        from: String,
        /// The receiving node.
        to: String,
        /// Name of the flow's class.
        class: Arc<str>,
    }

    /// Number of links on the shortest path between the flow's ends.
    route_hops: usize { label: "Hops of the route", short: "hops", over_flows: PerFlow, after_warm_up: false }

    /// New in-order bytes handed to the receiving application × 8 / (duration − warm-up) / 1e6.
    goodput_mbps: f64 { label: "Goodput", unit: "Mbit/s" }

    /// New in-order bytes handed to the receiving application.
    delivered_bytes: u64 { label: "Delivered", unit: "B" }

    /// Data segments (or datagrams) sent, retransmissions included.
    sent_segments: u64 { label: "Segments sent" }

    /// Retransmissions among the segments sent.
    retransmissions: u64 { label: "Retransmissions", short: "retrans- missions" }

    /// Retransmission timeouts.
    timeouts: u64 { label: "Timeouts", of_real: false }

    /// Fast recoveries.
    fast_recoveries: u64 { label: "Fast recoveries", of_real: false }

    /// Reductions of the congestion window.
    window_cuts: u64 { label: "Window cuts", of_real: false }

    /// Spurious timeouts: an earlier transmission of the segment reached the receiver.
    spurious_timeouts: u64 { label: "Spurious timeouts", of_real: false }

    /// Smoothed round-trip time (RFC 6298) at the end; null before the first sample.
    srtt_ms: Option<f64> {
        label: "Smoothed round-trip time", short: "srtt", unit: "ms", over_flows: Mean, after_warm_up: false
    }

    /// Time of a finite transfer, from its start until the receiver had all of it; null for other flows and until then.
    completion_s: Option<f64> {
        label: "Completion time", short: "comple- tion", unit: "s", over_flows: Mean, after_warm_up: false
    }

    /// Notices that the sender received, by kind.
    notices: [u64; NoticeKind::ALL.len()] { label: "Notices" }

    /// Losses that the sender detected, by the sender's classification and by the true cause.
    judgements: Confusion { label: "Loss classifications", of_real: false }

    /// Data segments of which the receiver already had all bytes.
    duplicates: u64 { label: "Duplicate segments", of_real: false }

    /// Timeouts of the sender while a notice that could have prevented them was in flight.
    timeouts_warned_late: u64 { label: "Timeouts with a notice in flight", of_real: false }

    /// Arrival time of a notice that could have prevented a timeout (ERSN, EBSN, RTTN), minus the time of the
    /// timer expiry that the notice should have prevented: the first expiry after the notice was sent, if
    /// that time has passed (the notice is late), else the expiry of the running timer.
    lateness: NoticeLateness { label: "Lateness of notices", of_real: false }

    /// Bytes delivered after the warm-up × 8 over the time from the first segment sent (or the end of the warm-up) to the last
    /// delivery: the rate that iperf3 prints. Null if nothing was delivered.
    active_mbps: Option<f64> { label: "Goodput while active", short: "active", unit: "Mbit/s" }

    /// Share of the datagrams that did not arrive, 0 to 1, excluding those in flight; null for TCP.
    loss: Option<f64> { label: "Loss of datagrams", short: "loss", over_flows: Mean }

    /// One-way delay, from the first transmission of a byte to its delivery, in order, to the application: of TCP by bytes, of datagrams
    /// by packets. Mean and maximum are exact, percentiles (by nearest rank) at most 1 % too large. Null if nothing was delivered.
    delay_ms: Option<DelaySummary> { label: "One-way delay", short: "delay", unit: "ms", over_flows: Mean }

    /// Interarrival jitter of datagrams, the last value of the run (RFC 3550 §6.4.1); null for TCP.
    jitter_ms: Option<f64> { label: "Jitter", unit: "ms", over_flows: Mean }

    /// Marks of ECN (RFC 3168): data segments (or datagrams) that the sender sent with ECT(0) and with ECT(1), packets of the flow, ACKs
    /// included, that queues marked CE, and ACKs with ECE that reached the sender. Queues treat ECT(1) as ECT(0): L4S (RFC 9331) is not
    /// modelled.
    marks: EcnCounts { label: "Marks" }

    /// Round trip of the newest segment that an ACK reports, if it was sent once: includes queueing delays and the
    /// delay of a delayed ACK. The minimum is exact, percentiles are at most 1 % too large. Null for UDP and without a
    /// sample.
    rtt_ms: RttSummary { label: "Round-trip time", short: "rtt", unit: "ms", over_flows: Mean, of_real: false }

    /// Completion times of transfers and requests, from the arrival of a request (or the start of a transfer) to the last byte of its
    /// response: `count` is the number completed after the warm-up, and a second number counts those begun and not
    /// completed at the end. The mean is exact, percentiles (by nearest rank) are at most 1 % too large. Null for other
    /// applications.
    completion_ms: Option<CompletionSummary> { label: "Completion", short: "comple- tion", of_real: false }

    /// Connections that the application of the flow opened, closed by both sides after the warm-up, and those whose first closer is in
    /// TIME-WAIT at the end (RFC 9293 §3.6.1). All other values of the flow add up over its connections. Null for applications that keep
    /// their connection.
    connections: Option<ConnectionCounts> { label: "Connections", of_real: false }

    /// Quality of the application, for the receiver of the flow. The run document has it under the name of the application's kind.
    quality: Option<Quality> { label: "Quality", of_real: false }
}

measures! {
    /// Results of a class of flows.
    ClassReport, CLASS: {
        /// Name of the class.
        name: Arc<str>,
    }

    /// Number of the scenario's flows in the class; flows that an application opens belong to the flow of their application.
    flows: usize { label: "Flows of the class", short: "flows", over_flows: PerFlow }

    /// Sum of the goodputs of the flows.
    goodput_mbps: f64 { label: "Goodput", unit: "Mbit/s", over_flows: PerFlow }

    /// Jain's fairness index of the goodputs of the scenario's flows (Jain, Chiu and Hawe 1984; Yun 2009, (5)): 1 if all are equal, 1/n if
    /// one of n flows has everything. The goodput of an application includes those of the flows that it opens. Null if all starved.
    jain: Option<f64> { label: "Jain's index", short: "Jain", over_flows: PerFlow }

    /// One-way delay, from the first transmission of a byte to its delivery, in order, to the application: the distribution over all bytes
    /// (datagrams of UDP: packets) of the flows. Mean and maximum are exact, percentiles (by nearest rank) at most 1 % too large. Null if
    /// nothing was delivered.
    delay_ms: Option<DelaySummary> { label: "One-way delay", short: "delay", unit: "ms", over_flows: PerFlow }

    /// Completion times of transfers and requests: the distribution over all that completed after the warm-up (`count`), and the number
    /// that has begun and not completed at the end. The mean is exact, percentiles (by nearest rank) are at most 1 % too large. Null for
    /// applications without transfers and requests.
    completion_ms: Option<CompletionSummary> { label: "Completion", short: "comple- tion", over_flows: PerFlow }

    /// Quality of the applications of the class. The run document has it under the names of the applications' kinds.
    quality: ClassQuality { label: "Quality", over_flows: PerFlow }
}

measures! {
    /// Results of a queue, named after the directed link behind the queue: `r->d`, or `bs->*` for several
    /// stations.
    QueueReport, QUEUE: {
        /// Name of the queue.
        name: String,
    }

    /// Sojourn time after the warm-up in the queue, zero for a packet that found the transmitter free: without the transmission itself,
    /// and without packets that the queue dropped. A drop-tail queue before a wire counts a packet as it enters, any other queue as it
    /// leaves. The mean is exact, percentiles (by nearest rank) are at most 1 % too large. Null if no packet left the queue.
    wait_ms: SojournSummary { label: "Wait in the queue", short: "wait", unit: "ms", over_flows: PerFlow }

    /// Packets that the queue marked CE (RFC 3168); null if it marks no packets.
    marked: Option<u64> { label: "Packets marked CE", short: "marked CE", over_flows: PerFlow }
}

measures! {
    /// Results of a station of an 802.11 cell.
    StationReport, STATION: {
        /// Name of the cell.
        cell: String,
        /// Name of the station.
        name: String,
    }

    /// Share of the time after the warm-up in which frames of exchanges that the station began were on the air: its data, RTS,
    /// BlockAckReqs and CF-Ends, and the ACKs, CTS and BlockAcks that answer these. A collision counts for each of its frames; interframe spaces and
    /// backoffs count for no station.
    airtime: f64 { label: "Airtime", over_flows: PerFlow }
}

impl StationReport {
    /// Returns the measures by name, in the order of the run document.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, ReportValue)> {
        self.named()
    }
}

/// Returns the columns of the measures of a station, in the order of the run document.
pub fn station_columns() -> Vec<Column> {
    StationReport::columns()
}

impl QueueReport {
    /// Returns the measures by name, in the order of the run document.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, ReportValue)> {
        self.named()
    }
}

/// Returns the columns of the measures of a queue, in the order of the run document.
pub fn queue_columns() -> Vec<Column> {
    QueueReport::columns()
}

/// Returns the columns of a run's own measures, in the order of the run document.
pub fn run_columns() -> Vec<Column> {
    let of_run = |name: String, path: Vec<&'static str>, label: &str, about| Column {
        after_warm_up: name != "events",
        name,
        path,
        label: label.into(),
        short: label.into(),
        unit: "",
        about,
        over_flows: FlowAggregation::First,
        of_real: true,
        is_count: true,
    };
    let mut found =
        vec![of_run("events".into(), vec!["events"], "Events", "Events handled, warm-up included.")];
    found.extend(DropCause::ALL.map(|why| {
        let (label, about) = match why {
            DropCause::Queue => ("Packets lost: queue full", "Packets dropped by a full queue."),
            DropCause::Aqm => ("Packets lost: AQM", "Packets dropped by active queue management."),
            DropCause::Channel => (
                "Frames lost: channel error",
                "Frames lost to bit errors on the channel; each lost MPDU of an A-MPDU counts.",
            ),
            DropCause::Collision => {
                ("Frames lost: collision", "Frames lost to a collision; each MPDU of a lost A-MPDU counts.")
            }
            DropCause::Retries => {
                ("Packets discarded by the link", "Packets discarded after the last attempt.")
            }
            DropCause::Agent => ("Packets consumed by an agent", "Packets consumed by an agent."),
            DropCause::Route => ("Packets lost: no route", "Packets without a route to their destination."),
        };
        of_run(format!("drops_{}", why.name()), vec!["drops", why.name()], label, about)
    }));
    let about = "Jain's fairness index of the airtimes of a cell's stations that began exchanges: 1 if all are equal, 1/n if \
                 one of n stations has everything; the smallest of all cells. Null without a cell.";
    let airtime = of_run("airtime_jain".into(), vec!["airtime_jain"], "Jain's index of airtime", about);
    found.push(Column { is_count: false, ..airtime });
    found
}
