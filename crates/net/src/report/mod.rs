//! Results of a run, flow by flow. The measures of a flow are declared in `measures.rs`.

mod classes;
mod connections;
mod marks;
mod measure;
mod measures;
mod quality;

use crate::routing::RoutingCounts;
use crate::transit::DatagramCounters;
use airhop_base::{DropCause, Span};
use measures::Measured;

pub(crate) use classes::{ClassMember, Classes};
pub use connections::ConnectionCounts;
pub use marks::EcnCounts;
pub use measure::{Column, FlowAggregation, ReportValue, RttSummary, SojournSummary};
pub use measures::{
    ClassReport, FlowReport, QueueReport, StationReport, class_columns, flow_columns, queue_columns,
    run_columns, station_columns,
};
pub use quality::ClassQuality;

/// Results of a run: the fields of the run document that the simulation knows. Events and fingerprint cover
/// the whole run, and `srtt_ms` is the value at the end. All other values cover the time after the warm-up.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Simulated time.
    pub duration: Span,
    /// Warm-up: first part of the run, excluded from goodput and counters.
    pub warmup: Span,
    /// Number of events handled.
    pub events: u64,
    /// Fingerprint: hash of all events of the run, in their order.
    pub fingerprint: u64,
    /// Flows, in the order of the scenario.
    pub flows: Vec<FlowReport>,
    /// Classes of flows, in the order of their first flows.
    pub classes: Vec<ClassReport>,
    /// Number of drops by reason, in the order of `DropCause::ALL`.
    pub drops: [u64; DropCause::ALL.len()],
    /// Counters of the routers; `None` if no cell has on-demand routing.
    pub routing: Option<RoutingCounts>,
    /// Queues that packets have left or that can mark packets, in the order of the scenario.
    pub queues: Vec<QueueReport>,
    /// Stations of cells, in the order of the scenario.
    pub stations: Vec<StationReport>,
}

impl FlowReport {
    /// Adds the counters of datagrams to the results of a flow.
    pub(crate) fn with_datagrams(self, datagrams: &DatagramCounters) -> FlowReport {
        FlowReport {
            sent_segments: datagrams.sent,
            delivered_bytes: datagrams.delivered_bytes,
            loss: datagrams.loss_ratio(),
            delay_ms: datagrams.delay(),
            jitter_ms: datagrams.jitter_ms(),
            ..self
        }
    }
}

impl Report {
    /// Subtracts the counts of `earlier`, a report of the same run.
    pub(crate) fn leave_out(&mut self, earlier: &Report) {
        measure::subtract(&mut self.drops, &earlier.drops);
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
        for (queue, earlier) in self.queues.iter_mut().zip(&earlier.queues) {
            queue.leave_out(earlier);
        }
        for (station, earlier) in self.stations.iter_mut().zip(&earlier.stations) {
            station.airtime -= earlier.airtime;
        }
    }

    /// Returns the lowest Jain's index of any cell; `None` if no station began an exchange. The index of a
    /// cell covers the airtimes of stations that began exchanges.
    pub fn airtime_jain(&self) -> Option<f64> {
        let cells = self.stations.chunk_by(|one, next| one.cell == next.cell);
        let indices = cells.filter_map(|cell| {
            let active = cell.iter().map(|station| &station.airtime).filter(|&&airtime| airtime > 0.0);
            classes::jain_index(active)
        });
        indices.reduce(f64::min)
    }
}
