//! Connections that applications open and close. A connection consists of two flows, one in each direction. A
//! later connection of the application reuses the flows once both sides are closed and no packet is left in
//! the network. The number of flows in a run is therefore limited by the number of connections open at the
//! same time.

use crate::apps::AppConnection;
use crate::flow::{AppFlowRef, ConnectionSide, Endpoints, Flow};
use crate::plan::{FlowClass, FlowPlan, Transport};
use crate::report::ConnectionCounts;
use crate::world::{Event, World};
use airhop_base::{FlowId, Span, Time};
use airhop_engine::Timers;
use std::collections::VecDeque;

/// Time that the endpoint that closes first stays in TIME-WAIT. The value is twice the maximum segment
/// lifetime of 2 minutes (RFC 9293 §3.4.2).
const TIME_WAIT: Span = Span::from_secs(240);

/// Time in TIME-WAIT before a new connection may reuse the ports, as in Linux (`net.ipv4.tcp_tw_reuse`). By
/// then the link layers have removed the last packets of the old connection.
const MIN_REUSE_DELAY: Span = Span::from_secs(1);

/// Suffix of the name of a flow with requests.
const REQUESTS_SUFFIX: &str = "requests";

/// Connections of an application.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    /// Number of connections opened.
    pub opened_count: u64,
    /// Number of connections that both sides have closed.
    pub closed_count: u64,
    /// Closed connections with reusable flows, oldest first: flow of the requests, and closing time.
    over: VecDeque<(FlowId, Time)>,
    /// First flow of requests; `None` before the first connection. The report sums all flows of requests
    /// under this flow.
    requests: Option<FlowId>,
}

impl Connections {
    /// Returns the counts for the report; `None` if the application opened no connection.
    pub fn connection_counts(&self, now: Time) -> Option<ConnectionCounts> {
        let Connections { opened_count: opened, closed_count: closed, .. } = *self;
        (opened > 0).then(|| ConnectionCounts { opened, closed, time_wait: self.time_wait_count(now) })
    }

    /// Returns the number of endpoints in TIME-WAIT. A new connection may reuse the same ports in this state
    /// (RFC 1122 §4.2.2.13).
    fn time_wait_count(&self, now: Time) -> u64 {
        self.over.iter().filter(|&&(_, closed)| now < closed + TIME_WAIT).count() as u64
    }
}

impl World {
    /// Opens a connection of an application. Returns false if the run has reached its maximum number of
    /// flows.
    pub(super) fn open_connection(&mut self, now: Time, app: u16, connection: AppConnection) -> bool {
        let connections = &mut self.apps[usize::from(app)].connections;
        connections.opened_count += 1;
        let number = connections.opened_count;
        let over = connections.over.front().copied();
        let may_open = |(requests, closed): (FlowId, Time)| {
            let is_old = closed + MIN_REUSE_DELAY <= now || !self.has_room_for(2);
            (is_old && self.is_connection_idle(requests)).then_some(requests)
        };
        let sides = match over.and_then(may_open) {
            Some(requests) => {
                self.apps[usize::from(app)].connections.over.pop_front();
                let responses = self.flows[usize::from(requests.0)]
                    .connection_side
                    .map_or(requests, |side| side.reverse_flow);
                self.reuse_flow(now, requests, number);
                self.reuse_flow(now, responses, number);
                Some((requests, responses))
            }
            None => self.open_connection_flows(now, app, number),
        };
        let Some((requests, responses)) = sides else { return false };
        self.assign_flows(app, connection, requests, responses);
        true
    }

    /// Opens two new flows for a connection of an application; `None` if the run has reached its maximum
    /// number of flows.
    fn open_connection_flows(&mut self, now: Time, app: u16, number: u64) -> Option<(FlowId, FlowId)> {
        if !self.has_room_for(2) {
            return None;
        }
        let running = &self.apps[usize::from(app)];
        let planned = running.flows[0];
        let class = FlowClass::Named(self.flows[usize::from(planned.0)].class.clone());
        let plan = FlowPlan { class, ..self.build_context.plan.flows[usize::from(planned.0)].clone() };
        let requests = self.next_flow_id();
        let responses = FlowId(requests.0 + 1);
        let heads = [running.connections.requests.unwrap_or(requests), planned];
        let name = |of: &FlowPlan| numbered(&of.name, number);
        let ask = FlowPlan {
            name: format!("{} {REQUESTS_SUFFIX}", plan.name),
            from: plan.to,
            to: plan.from,
            ..plan.clone()
        };
        let ask = FlowPlan { name: name(&ask), start: now, ..ask };
        let answer = without_handshake(FlowPlan { name: name(&plan), start: now, ..plan });
        for (plan, head, other) in [(ask, heads[0], responses), (answer, heads[1], requests)] {
            let ends = self.build_run_time_endpoints(&plan, self.next_flow_id());
            let id = self.open_flow(plan, ends)?;
            self.flows[usize::from(id.0)].connection_side =
                Some(ConnectionSide { app, reverse_flow: other, report_flow: head, is_closed: false });
        }
        self.apps[usize::from(app)].connections.requests = Some(heads[0]);
        Some((requests, responses))
    }

    /// Assigns the two flows of a connection to their application. Replaces the flows of an earlier
    /// connection with the same number.
    fn assign_flows(&mut self, app: u16, connection: AppConnection, requests: FlowId, responses: FlowId) {
        let flows = &mut self.apps[usize::from(app)].flows;
        let last = usize::from(connection.response_flow().0);
        if flows.len() <= last {
            flows.resize(last + 1, flows[0]);
        }
        for (seat, id) in [(connection.request_flow(), requests), (connection.response_flow(), responses)] {
            let earlier = std::mem::replace(&mut flows[usize::from(seat.0)], id);
            let earlier = &mut self.flows[usize::from(earlier.0)];
            if earlier.app_flow.is_some_and(|its| its.flow == seat) {
                earlier.app_flow = None;
            }
            self.flows[usize::from(id.0)].app_flow = Some(AppFlowRef { app, flow: seat });
        }
    }

    /// Reuses a flow for the application's connection with this ordinal number.
    fn reuse_flow(&mut self, now: Time, id: FlowId, number: u64) {
        let i = usize::from(id.0);
        let flow = &self.flows[i];
        let plan = FlowPlan { name: numbered(flow.report_name(), number), start: now, ..flow.plan.clone() };
        if let Some(recorder) = &mut self.recorder {
            recorder.reopen_flow(id, &plan.name);
        }
        let (mut unused, mut agents) = (Timers::new(), Vec::new());
        let mut ends = self.build_context.build_endpoints(&plan, id, &mut unused, &mut self.shared);
        self.report_bottleneck_truth(&plan, &mut ends);
        let fresh = self.build_context.build_flow(&plan, id, ends, &mut unused, &mut agents);
        let Flow { plan, hash, endpoints: Endpoints::Tcp(ends), .. } = fresh else { return };
        let flow = &mut self.flows[i];
        (flow.plan, flow.hash, flow.notify_at_bytes) = (plan, hash, u64::MAX);
        flow.connection_side = flow.connection_side.map(|side| ConnectionSide { is_closed: false, ..side });
        if let Endpoints::Tcp(tcp) = &mut flow.endpoints {
            tcp.replace_connection(*ends);
            self.timers.set_deadline(tcp.sender_timer, None, Event::Sender(id), &mut self.events);
            self.timers.set_deadline(tcp.receiver_timer, None, Event::Receiver(id), &mut self.events);
        }
        // The agents of a path are always installed in the same order, so the new agents replace the old ones
        // one by one.
        let first = flow.agents.iter().map(|&(_, i)| i).min();
        for (i, new) in first.into_iter().flat_map(|first| first..).zip(agents) {
            let host = &mut self.hosted_agents[usize::from(i)];
            host.agent = new.agent;
            self.timers.set_deadline(host.timer, None, Event::Agent(i), &mut self.events);
        }
    }

    /// True if neither a packet of the connection nor a notice about it is in the network or in a host.
    fn is_connection_idle(&self, requests: FlowId) -> bool {
        let flow = &self.flows[usize::from(requests.0)];
        let other = flow.connection_side.map_or(requests, |side| side.reverse_flow);
        let is_own = |flow: FlowId| flow == requests || flow == other;
        let holds = |id: FlowId| match &self.flows[usize::from(id.0)].endpoints {
            Endpoints::Tcp(tcp) => tcp.turnaround.as_ref().is_some_and(|host| host.len() > 0),
            Endpoints::Udp(_) | Endpoints::Real(_) => false,
        };
        !holds(requests)
            && !holds(other)
            && !self.held_notices.iter().any(|&(_, flow, _)| is_own(flow))
            && !self.arena.any_slot(|slot| is_own(self.hop_fields[slot as usize].flow))
    }

    /// Closes the sending side of a flow after the bytes written so far.
    pub(super) fn close_sending_side(&mut self, now: Time, id: FlowId) {
        if let Endpoints::Tcp(tcp) = &mut self.flows[usize::from(id.0)].endpoints {
            tcp.sender.close();
            self.send_ready_segments(now, id);
        }
    }

    /// Closes the other side of a connection after the stream of a flow has ended.
    #[cold]
    pub(super) fn on_end_of_stream(&mut self, now: Time, id: FlowId) {
        let Some(ConnectionSide { reverse_flow: other, .. }) = self.flows[usize::from(id.0)].connection_side
        else {
            return;
        };
        if let Endpoints::Tcp(tcp) = &self.flows[usize::from(other.0)].endpoints
            && !tcp.sender.is_closed()
        {
            self.close_sending_side(now, other);
        }
    }

    /// Counts a connection as closed if both FINs are acknowledged.
    #[cold]
    pub(in crate::world) fn count_if_closed(&mut self, now: Time, id: FlowId) {
        let Some(ConnectionSide { app, reverse_flow: other, report_flow: head, is_closed: false }) =
            self.flows[usize::from(id.0)].connection_side
        else {
            return;
        };
        if let Endpoints::Tcp(tcp) = &self.flows[usize::from(other.0)].endpoints
            && !tcp.sender.is_fin_acknowledged()
        {
            return;
        }
        for id in [id, other] {
            let flow = &mut self.flows[usize::from(id.0)];
            flow.connection_side =
                flow.connection_side.map(|side| ConnectionSide { is_closed: true, ..side });
        }
        let connections = &mut self.apps[usize::from(app)].connections;
        let requests = if connections.requests == Some(head) { id } else { other };
        connections.closed_count += 1;
        connections.over.push_back((requests, now));
    }

    /// Builds the endpoints of a flow that opens at run time.
    pub(super) fn build_run_time_endpoints(&mut self, plan: &FlowPlan, id: FlowId) -> Endpoints {
        let mut ends = self.build_context.build_endpoints(plan, id, &mut self.timers, &mut self.shared);
        self.report_bottleneck_truth(plan, &mut ends);
        ends
    }

    fn report_bottleneck_truth(&self, plan: &FlowPlan, ends: &mut Endpoints) {
        if let (Endpoints::Tcp(tcp), Some(truth)) = (ends, self.build_context.path_truth(plan)) {
            tcp.sender.on_path_truth(&truth);
        }
    }
}

/// Returns the name of a flow with the number of its connection appended.
fn numbered(name: &str, number: u64) -> String {
    format!("{name}#{number}")
}

/// Returns the plan of a flow without a handshake, because the other side opens the connection.
fn without_handshake(mut plan: FlowPlan) -> FlowPlan {
    if let Transport::Tcp { config, .. } = &mut plan.transport {
        config.handshake = false;
    }
    plan
}
