//! Applications in operation: the calls of their state machines, and the performance of their orders.

use crate::apps::{App, AppFlow, Io, Order};
use crate::flow::{AppSeat, Ends};
use crate::world::{Event, World};
use airhop_base::{FlowId, Time};
use airhop_engine::TimerId;

/// Application in operation.
#[derive(Debug)]
pub(crate) struct RunningApp {
    pub app: Box<dyn App>,
    pub timer: TimerId,
    /// Flows of the application, by [`AppFlow`].
    pub flows: Vec<FlowId>,
    pub has_started: bool,
    /// Time at which a finite transfer completed.
    pub finished: Option<Time>,
}

impl RunningApp {
    /// Creates the application of a flow of the plan. Its timer is armed for its start.
    pub fn new(app: Box<dyn App>, timer: TimerId, flow: FlowId) -> Self {
        RunningApp { app, timer, flows: vec![flow], has_started: false, finished: None }
    }
}

impl World {
    /// Handles the timer of an application, which first expires at its start.
    #[inline(never)]
    pub(crate) fn on_app(&mut self, now: Time, app: u16) {
        let running = &mut self.apps[usize::from(app)];
        if !self.timers.fire(running.timer, Event::App(app), &mut self.events) {
            return;
        }
        if std::mem::replace(&mut running.has_started, true) {
            self.call(now, app, |running, io| running.on_due(now, io));
        } else {
            self.call(now, app, |running, io| running.on_start(now, io));
        }
    }

    /// Informs the application of a flow that the number of bytes it expects was delivered.
    #[cold]
    pub(crate) fn on_expected(&mut self, now: Time, id: FlowId, total: u64) {
        let flow = &mut self.flows[usize::from(id.0)];
        flow.expected = u64::MAX;
        if let Some(AppSeat { app, flow }) = flow.seat {
            self.call(now, app, |running, io| running.on_delivered(now, flow, total, io));
        }
    }

    /// Calls an application, sets its timer, and performs its orders.
    fn call(&mut self, now: Time, app: u16, call: impl FnOnce(&mut dyn App, &mut Io)) {
        let mut io = std::mem::take(&mut self.io);
        let running = &mut self.apps[usize::from(app)];
        call(&mut *running.app, &mut io);
        self.timers.set(running.timer, running.app.poll_timeout(), Event::App(app), &mut self.events);
        for order in io.orders.drain(..) {
            self.perform(now, app, order);
        }
        self.io = io;
    }

    fn perform(&mut self, now: Time, app: u16, order: Order) {
        let flows = &self.apps[usize::from(app)].flows;
        let id = |flow: AppFlow| flows[usize::from(flow.0)];
        match order {
            Order::Write(flow, bytes) => {
                let id = id(flow);
                self.write(now, id, bytes);
            }
            Order::Expect(flow, total) => self.flows[usize::from(id(flow).0)].expected = total,
            Order::Send(flow) => {
                let id = id(flow);
                self.send_datagram(now, id);
            }
            Order::Finish => self.apps[usize::from(app)].finished = Some(now),
        }
    }

    fn write(&mut self, now: Time, id: FlowId, bytes: u64) {
        if let Ends::Tcp(tcp) = &mut self.flows[usize::from(id.0)].ends {
            tcp.sender.supply(bytes);
            self.send_what_is_ready(now, id);
        }
    }

    fn send_datagram(&mut self, now: Time, id: FlowId) {
        let flow = &mut self.flows[usize::from(id.0)];
        if let Ends::Udp(udp) = &mut flow.ends {
            let packet = udp.next(now, id, &flow.plan);
            flow.active.sent(now);
            let node = packet.src;
            self.enter(now, node, 0, packet);
        }
    }
}
