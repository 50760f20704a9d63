//! Results of a world, computed from its counters, and the audit of its packets.

use crate::apps::{AppFlow, Quality};
use crate::delays::DelayHistogram;
use crate::flow::{ConnectionTotals, Endpoints, Flow};
use crate::ground_truth::loss_ledger::sum_of_confusion_matrices;
use crate::plan::Transport;
use crate::queues::{Marker, QueueState};
use crate::report::{
    ClassMember, ClassReport, Classes, EcnCounts, FlowReport, QueueReport, Report, RttSummary,
    SojournSummary, StationReport,
};
use crate::routing::RoutingCounts;
use crate::transit::ActivePeriod;
use crate::world::World;
use crate::world::applications::RunningApp;
use crate::world::site::LinkLayer;
use airhop_base::{NodeId, Span, Time};
use airhop_trace::Recorder;

impl World {
    /// Returns the results of the run, counted from the end of the warm-up.
    pub fn report(&self) -> Report {
        let mut report = self.cumulative_report();
        match &self.warmup_report {
            Some(earlier) => report.leave_out(earlier),
            // A run that ends during its warm-up, as an emulation may, has zero counts.
            None if self.warmup > Span::ZERO => report.leave_out(&self.cumulative_report()),
            None => {}
        }
        let measured = self.duration - self.warmup;
        let lines = self.flows_by_report_line();
        for (line, found) in lines.iter().zip(&mut report.flows) {
            let active =
                line.iter().map(|flow| flow.active_period).fold(ActivePeriod::default(), ActivePeriod::merge);
            found.goodput_mbps = found.delivered_bytes as f64 * 8.0 / measured.secs_f64() / 1e6;
            found.active_mbps = active.delivery_rate_mbps(found.delivered_bytes, Time::ZERO + self.warmup);
        }
        for station in &mut report.stations {
            station.airtime /= measured.secs_f64();
        }
        report.classes = self.class_reports(&lines, &report.flows);
        report.queues.retain(|queue| queue.wait_ms.0.is_some() || queue.marked.is_some());
        // A flow that is reserved for real hosts, and of which no packet was sent, is omitted.
        let mut lines = lines.iter();
        report.flows.retain(|_| lines.next().is_some_and(|line| !line[0].is_idle_real_flow()));
        report
    }

    /// Returns the results by class. Omits flows that are reserved for real hosts and sent no packet.
    fn class_reports(&self, lines: &[Vec<&Flow>], reports: &[FlowReport]) -> Vec<ClassReport> {
        let mut classes = Classes::default();
        for (line, report) in lines.iter().zip(reports).filter(|(line, _)| !line[0].is_idle_real_flow()) {
            let flow = line[0];
            // Of all connections of an application in one direction, only the last is assigned to the
            // application.
            let seat = line.iter().find_map(|flow| flow.app_flow);
            let seated = seat.map(|seat| self.apps[usize::from(seat.app)].flows[0]);
            let app = self.planned_app(flow);
            let completions = app.and_then(|app| Some((&app.completions, app.app.unfinished_count()?)));
            let group = usize::from(seated.unwrap_or(flow.id).0);
            let delays = DelayHistogram::sum(line.iter().filter_map(|flow| flow.endpoints.delays()));
            classes.add_flow(&ClassMember {
                report,
                app_first_flow: group,
                delays: Some(&delays),
                completions,
            });
        }
        classes.reports()
    }

    /// Returns the flows of each line of the report. A line is a single flow, or all connections of an
    /// application in one direction, in the order of opening.
    fn flows_by_report_line(&self) -> Vec<Vec<&Flow>> {
        let mut lines: Vec<Vec<&Flow>> = self.flows.iter().map(|flow| vec![flow]).collect();
        for flow in self.flows.iter().filter(|flow| flow.report_flow() != flow.id) {
            lines[usize::from(flow.report_flow().0)].push(flow);
        }
        let mut flows = self.flows.iter();
        lines.retain(|_| flows.next().is_some_and(|flow| flow.report_flow() == flow.id));
        lines
    }

    /// Returns all counters since the start of the run, without rates.
    pub(crate) fn cumulative_report(&self) -> Report {
        let marked = self.marked_by_flow();
        Report {
            duration: self.duration,
            warmup: self.warmup,
            events: self.events.popped_count(),
            fingerprint: self.fingerprint.value(),
            flows: self.flows_by_report_line().iter().map(|line| self.flow_report(line, &marked)).collect(),
            classes: Vec::new(),
            drops: self.drops_by_cause,
            routing: self.routing_counts(),
            queues: self.queue_reports(),
            stations: self.station_reports(),
        }
    }

    /// Returns the stations of all cells. Airtimes are in seconds and not yet divided by the duration.
    fn station_reports(&self) -> Vec<StationReport> {
        let cells = self.build_context.plan.links.wlans.iter().zip(&self.links.cells);
        let stations = cells.flat_map(|(plan, site)| {
            let LinkLayer::Cell(cell) = &site.layer else { unreachable!("a cell is not a radio link") };
            plan.cell.stations.iter().zip(cell.airtimes()).map(|((name, _), airtime)| StationReport {
                cell: plan.cell.name.clone(),
                name: name.clone(),
                airtime: airtime.secs_f64(),
            })
        });
        stations.collect()
    }

    fn queue_reports(&self) -> Vec<QueueReport> {
        let mut found = Vec::new();
        self.links.for_each_queue(&mut |name, QueueState { sojourn: wait, marker }| {
            let marked = marker.map(|marker| marker.marks_by_flow().iter().sum());
            found.push(QueueReport { name: name.into(), wait_ms: SojournSummary(wait), marked });
        });
        found
    }

    /// Returns the number of packets marked by all queues together, by flow.
    fn marked_by_flow(&self) -> Vec<u64> {
        let mut marked = vec![0; self.flows.len()];
        self.links.for_each_queue(&mut |_, queue| {
            let by_flow = queue.marker.map_or(&[][..], Marker::marks_by_flow);
            for (sum, more) in marked.iter_mut().zip(by_flow) {
                *sum += more;
            }
        });
        marked
    }

    /// Returns the sum of the counters of all routers; `None` if no cell has on-demand routing.
    fn routing_counts(&self) -> Option<RoutingCounts> {
        let routers = self.links.cells.iter().flat_map(|site| &site.routers);
        routers.map(|(router, _)| router.counts()).reduce(|mut sum, counts| {
            sum.add(counts);
            sum
        })
    }

    /// Returns the results of a line of the report. `marked`: number of packets that queues marked, by flow.
    fn flow_report(&self, line: &[&Flow], marked: &[u64]) -> FlowReport {
        let flow = line[0];
        let name = |n: NodeId| self.node_names[n.0 as usize].clone();
        let blank = FlowReport {
            name: flow.report_name().into(),
            transport: "udp",
            from: name(flow.plan.from),
            to: name(flow.plan.to),
            class: flow.class.clone(),
            route_hops: flow.route_hops,
            ..FlowReport::default()
        };
        let mut report = match &flow.endpoints {
            Endpoints::Tcp(_) => self.tcp_report(line, blank),
            Endpoints::Udp(udp) => blank.with_datagrams(&udp.datagrams),
            Endpoints::Real(real) => real.report(blank),
        };
        report.quality = self.quality(flow);
        report.marks.ce = line.iter().map(|flow| marked[usize::from(flow.id.0)]).sum();
        report
    }

    fn tcp_report(&self, line: &[&Flow], blank: FlowReport) -> FlowReport {
        let flow = line[0];
        let ends = || line.iter().filter_map(|flow| flow.endpoints.tcp());
        let mut counts = ConnectionTotals::default();
        ends().for_each(|tcp| counts += tcp.total_counters());
        let c = counts.counters;
        let app = self.planned_app(flow);
        let scheme = match &flow.plan.transport {
            Transport::Tcp { scheme, .. } => Some(scheme.name),
            Transport::Udp { .. } => None,
        };
        let srtt = ends()
            .next()
            .filter(|_| line.len() == 1 && flow.connection_side.is_none())
            .and_then(|tcp| tcp.sender.srtt());
        FlowReport {
            scheme,
            transport: "tcp",
            delivered_bytes: counts.delivered_bytes,
            sent_segments: c.sent_segments,
            retransmissions: c.retransmissions,
            timeouts: c.timeouts,
            fast_recoveries: c.fast_recoveries,
            window_cuts: c.window_reductions,
            spurious_timeouts: ends().map(|tcp| tcp.spurious_timeouts.count).sum(),
            duplicates: counts.duplicate_segments,
            timeouts_warned_late: ends().map(|tcp| tcp.lateness.timeouts_warned_late()).sum(),
            lateness: ends().map(|tcp| tcp.lateness.lateness()).sum(),
            judgements: sum_of_confusion_matrices(ends().map(|tcp| tcp.loss_ledger.confusion())),
            completion_s: app.and_then(|app| app.finished_at).map(|end| (end - flow.plan.start).secs_f64()),
            completion_ms: app.and_then(RunningApp::completion_summary),
            delay_ms: DelayHistogram::sum(ends().map(|tcp| tcp.latency.delay.delays())).summary(),
            rtt_ms: RttSummary(DelayHistogram::sum(ends().map(|tcp| &tcp.latency.rtt_samples)).summary()),
            srtt_ms: srtt.map(Span::millis_f64),
            notices: c.notices,
            marks: EcnCounts { ect0: c.ect_segments, ece: c.ecn_echoes, ..EcnCounts::default() },
            connections: app.and_then(|app| app.connections.connection_counts(self.now())),
            ..blank
        }
    }

    /// Returns the quality of a flow's application up to the end of the run; `None` if the application has no
    /// quality measure.
    fn quality(&self, flow: &Flow) -> Option<Quality> {
        let seat = flow.app_flow?;
        self.apps[usize::from(seat.app)].quality(Time::ZERO + self.duration, seat.flow)
    }

    /// Returns the application of a flow of the plan; `None` for other flows.
    fn planned_app(&self, flow: &Flow) -> Option<&RunningApp> {
        let seat = flow.app_flow.filter(|seat| seat.flow == AppFlow::PLANNED)?;
        self.apps.get(usize::from(seat.app))
    }

    /// Checks that every packet was delivered, was dropped with a cause, or is still in the network.
    ///
    /// # Errors
    /// A sentence with the numbers of packets that do not match.
    pub fn check_packet_counts(&self) -> Result<(), String> {
        let inside =
            self.links.packet_count() + self.emulator.as_ref().map_or(0, |emulator| emulator.packet_count());
        if inside != self.arena.len() {
            let what = "on links, in stations and late";
            return Err(format!("{} packets alive, {inside} {what}", self.arena.len()));
        }
        let loss_ledger = self.arrived_packets + self.dropped_packets + inside as u64;
        if self.created_packets != loss_ledger {
            return Err(format!("{} packets made, {loss_ledger} accounted for", self.created_packets));
        }
        Ok(())
    }

    /// Returns the recorder with all its records; `None` if there is no recorder.
    pub fn into_recorder(mut self) -> Option<Recorder> {
        for i in 0..self.links.wired_links.len() {
            self.record_link_queue(Time::ZERO + self.duration, i as u16);
        }
        self.recorder.map(|r| *r)
    }
}
