//! Applications of a run: calls of their state machines, and execution of their orders.

mod connections;

use crate::apps::{App, AppCommand, AppContext, AppFlow, Direction, Quality};
use crate::flow::{AppFlowRef, Endpoints};
use crate::plan::{FlowClass, FlowPlan};
use crate::transit::{CompletionSummary, CompletionTimes};
use crate::world::{Event, World};
use airhop_base::{FlowId, Time};
use airhop_engine::TimerId;
use connections::Connections;

/// Application of a run, with its timer and its flows.
#[derive(Debug)]
pub(crate) struct RunningApp {
    pub app: Box<dyn App>,
    pub timer: TimerId,
    /// Flows of the application, indexed by [`AppFlow`].
    pub flows: Vec<FlowId>,
    pub has_started: bool,
    /// Completion time of a finite transfer; `None` before completion.
    pub finished_at: Option<Time>,
    pub completions: CompletionTimes,
    /// Connections that the application opens and closes.
    pub connections: Connections,
}

impl RunningApp {
    /// Creates the application of a planned flow. The timer first expires at the start time of the flow.
    pub fn new(app: Box<dyn App>, timer: TimerId, flow: FlowId) -> Self {
        RunningApp {
            app,
            timer,
            flows: vec![flow],
            has_started: false,
            finished_at: None,
            completions: CompletionTimes::default(),
            connections: Connections::default(),
        }
    }

    /// Ends the warm-up. Events before `now` no longer count in completions and quality.
    pub fn end_warm_up(&mut self, now: Time) {
        self.completions.end_warm_up();
        self.app.end_warm_up(now);
    }

    /// Returns the quality up to `now` for the receiver of this flow; `None` if the application has no
    /// quality measure.
    pub fn quality(&self, now: Time, flow: AppFlow) -> Option<Quality> {
        match flow {
            AppFlow::PLANNED => self.app.quality(now),
            _ => self.app.reverse_quality(now),
        }
    }

    /// Returns the completion times; `None` if the application has neither transfers nor requests.
    pub fn completion_summary(&self) -> Option<CompletionSummary> {
        self.app.unfinished_count().map(|unfinished| self.completions.summary(unfinished))
    }
}

impl World {
    /// Handles the expiry of an application's timer. The first expiry starts the application.
    #[inline(never)]
    pub(crate) fn on_app_timer(&mut self, now: Time, app: u16) {
        let running = &mut self.apps[usize::from(app)];
        if !self.timers.expire_if_due(running.timer, Event::App(app), &mut self.events) {
            return;
        }
        if std::mem::replace(&mut running.has_started, true) {
            self.call_app(now, app, |running, io| running.on_timeout(now, io));
        } else {
            self.call_app(now, app, |running, io| running.on_start(now, io));
        }
    }

    /// Handles the effects of a segment that arrived at a receiver. Notifies the application of delivered
    /// bytes, and sends the receiver's ACKs. Also closes the other side of a connection after the end of the
    /// stream.
    #[inline(always)]
    pub(crate) fn on_segment_received(&mut self, now: Time, id: FlowId, delivered: Option<u64>) {
        match delivered {
            Some(total) => self.on_bytes_delivered(now, id, total),
            None => self.send_due_acks(now, id),
        }
        if let Endpoints::Tcp(tcp) = &self.flows[id.0 as usize].endpoints
            && tcp.receiver.has_ended()
        {
            self.on_end_of_stream(now, id);
        }
    }

    /// Records the bytes delivered to the application, and sends the receiver's ACKs. Notifies the
    /// application if it waits for this number of bytes.
    #[inline(always)]
    fn on_bytes_delivered(&mut self, now: Time, id: FlowId, total: u64) {
        let flow = &mut self.flows[id.0 as usize];
        flow.active_period.on_delivered(now);
        let is_expected = total >= flow.notify_at_bytes;
        if let Some(recorder) = &mut self.recorder {
            recorder.record_delivery(now, id, total);
        }
        self.send_due_acks(now, id);
        if is_expected {
            self.on_requested_bytes_delivered(now, id);
        }
    }

    /// Notifies the application of a flow that the requested number of bytes has been delivered.
    #[cold]
    fn on_requested_bytes_delivered(&mut self, now: Time, id: FlowId) {
        let flow = &mut self.flows[usize::from(id.0)];
        flow.notify_at_bytes = u64::MAX;
        if let Some(AppFlowRef { app, flow }) = flow.app_flow {
            self.call_app(now, app, |running, io| running.on_delivered(now, flow, io));
        }
    }

    /// Calls an application, updates its timer, and executes its orders.
    fn call_app(&mut self, now: Time, app: u16, call: impl FnOnce(&mut dyn App, &mut AppContext)) {
        let mut io = std::mem::take(&mut self.app_context);
        let running = &mut self.apps[usize::from(app)];
        call(&mut *running.app, &mut io);
        let timer = running.timer;
        self.timers.set_deadline(timer, running.app.poll_timeout(), Event::App(app), &mut self.events);
        for order in io.commands.drain(..) {
            if !self.execute_command(now, app, order) {
                self.timers.set_deadline(timer, None, Event::App(app), &mut self.events);
                break;
            }
        }
        self.app_context = io;
    }

    /// Executes an order. Returns false if the run has reached its maximum number of flows. The application
    /// is then not called again.
    fn execute_command(&mut self, now: Time, app: u16, order: AppCommand) -> bool {
        let flows = &self.apps[usize::from(app)].flows;
        let id = |flow: AppFlow| flows[usize::from(flow.0)];
        match order {
            AppCommand::Write(flow, bytes) => {
                let id = id(flow);
                self.write(now, id, bytes);
            }
            AppCommand::Expect(flow, total) => self.flows[usize::from(id(flow).0)].notify_at_bytes = total,
            AppCommand::Send(flow) => {
                let id = id(flow);
                self.send_datagram(now, id);
            }
            AppCommand::Open(direction, suffix) => return self.open_app_flow(now, app, direction, suffix),
            AppCommand::Connect(connection) => return self.open_connection(now, app, connection),
            AppCommand::Close(flow) => {
                let id = id(flow);
                self.close_sending_side(now, id);
            }
            AppCommand::Finish => self.apps[usize::from(app)].finished_at = Some(now),
            AppCommand::Complete(since) => self.apps[usize::from(app)].completions.add(since, now),
        }
        true
    }

    /// Opens a flow for an application. Returns false if the run has reached its maximum number of flows.
    fn open_app_flow(&mut self, now: Time, app: u16, direction: Direction, suffix: &str) -> bool {
        let running = &self.apps[usize::from(app)];
        let planned = &self.build_context.plan.flows[usize::from(running.flows[0].0)];
        let (from, to) = match direction {
            Direction::Forward => (planned.from, planned.to),
            Direction::Backward => (planned.to, planned.from),
        };
        let name = format!("{} {suffix}", planned.name);
        let class = FlowClass::Named(self.flows[usize::from(running.flows[0].0)].class.clone());
        let plan = FlowPlan { name, from, to, start: now, class, ..planned.clone() };
        let flow = AppFlow(running.flows.len() as u16);
        let ends = self.build_run_time_endpoints(&plan, self.next_flow_id());
        let Some(id) = self.open_flow(plan, ends) else { return false };
        self.flows[usize::from(id.0)].app_flow = Some(AppFlowRef { app, flow });
        self.apps[usize::from(app)].flows.push(id);
        true
    }

    fn write(&mut self, now: Time, id: FlowId, bytes: u64) {
        self.pass_on_handshake(id);
        if let Endpoints::Tcp(tcp) = &mut self.flows[usize::from(id.0)].endpoints {
            tcp.sender.supply_data(bytes);
            self.send_ready_segments(now, id);
        }
    }

    /// Passes the RTT sample of a handshake to the sender at the host that sent the SYN-ACK.
    fn pass_on_handshake(&mut self, id: FlowId) {
        let Some(opener) = self.reverse_flow(id) else { return };
        if let Endpoints::Tcp(tcp) = &mut self.flows[usize::from(opener.0)].endpoints
            && let Some((sent, acked)) = tcp.receiver.take_syn_ack_times()
            && let Endpoints::Tcp(tcp) = &mut self.flows[usize::from(id.0)].endpoints
        {
            tcp.sender.on_syn_acknowledged(sent, acked);
        }
    }

    /// Returns the flow of the opposite direction if an application opened the connection; `None` for other
    /// flows.
    fn reverse_flow(&self, id: FlowId) -> Option<FlowId> {
        let flow = &self.flows[usize::from(id.0)];
        if let Some(side) = flow.connection_side {
            return Some(side.reverse_flow);
        }
        let seat =
            flow.app_flow.filter(|seat| seat.flow == AppFlow::PLANNED && flow.plan.app.opens_connection())?;
        self.apps[usize::from(seat.app)].flows.get(1).copied()
    }

    fn send_datagram(&mut self, now: Time, id: FlowId) {
        let flow = &mut self.flows[usize::from(id.0)];
        if let Endpoints::Udp(udp) = &mut flow.endpoints {
            let packet = udp.next_datagram(now, id, &flow.plan);
            flow.active_period.on_sent(now);
            let node = packet.src;
            self.admit_packet(now, node, 0, packet);
        }
    }
}
