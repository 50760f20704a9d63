//! Emulations without real hosts (rehearsals). A rehearsal runs the loop of `airhop-live` and writes the same
//! log, with simulated hosts in place of programs and kernels, and with a virtual clock.
//!
//! The hosts are TCP endpoints of Airhop, which exchange real datagrams, and sources of noise. Noise is
//! random datagrams: every kind that a kernel sends, and some that no kernel sends. Rehearsals with equal
//! seeds are equal. A test can thus write thousands of logs without privileges.

mod host;
mod noise;

use airhop_base::{NodeId, Span, Time};
use airhop_live::SimulatedNetwork;
use airhop_live::clock::Clock;
use airhop_live::drive::{LoopError, LoopResult, RealTimeLoop, Sleeper};
use airhop_live::log::LogWriter;
use airhop_live::port::Port;
use airhop_tcp::{Config, Params, Scheme};
use host::Connection;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::sync::mpsc;

/// Virtual time that passes each time the clock is read.
const CLOCK_READ_TIME: Span = Span::from_micros(1);

/// Specification of a rehearsal.
#[derive(Debug)]
pub struct Rehearsal<'a> {
    /// Nodes at which hosts are attached.
    pub host_nodes: Vec<NodeId>,
    /// TCP connections of the hosts.
    pub connections: Vec<DataConnection<'a>>,
    /// Number of random datagrams (noise): TCP, UDP, ICMP and others, some of them malformed.
    pub noise_datagrams: usize,
    /// Duration of the rehearsal.
    pub duration: Span,
    /// Extra time added to each sleep of the emulator that ends with an event. The packets of this event are
    /// then late.
    pub oversleep: Span,
    /// Seed of all random draws.
    pub seed: u64,
}

/// TCP connection that carries data in one direction.
#[derive(Clone, Copy, Debug)]
pub struct DataConnection<'a> {
    /// Node that opens the connection and sends the data.
    pub from: NodeId,
    /// Node that receives the data.
    pub to: NodeId,
    /// Opening time.
    pub start: Time,
    /// Number of bytes sent.
    pub bytes: u64,
    /// Congestion-control scheme of the sender.
    pub scheme: &'static Scheme,
    /// Parameters of the scheme.
    pub params: &'a Params,
    /// Configuration of both ends. The connection always opens with a handshake, even if the configuration
    /// disables the handshake.
    pub config: &'a Config,
}

impl Rehearsal<'_> {
    /// Runs `world` with the hosts, and appends all datagrams that enter to `log`.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written.
    pub fn run(
        &self,
        world: &mut impl SimulatedNetwork,
        log: &mut LogWriter,
    ) -> Result<LoopResult, LoopError> {
        let connections = (0..).zip(&self.connections).map(|(number, data)| Connection::new(number, data));
        let hosts = HostsHandle(Rc::new(RefCell::new(VirtualHosts {
            now: Time::ZERO,
            oversleep: self.oversleep,
            connections: connections.collect(),
            noise: noise::draw_datagrams(&self.host_nodes, self.noise_datagrams, self.duration, self.seed),
            waiting: self.host_nodes.iter().map(|end| (*end, VecDeque::new())).collect(),
        })));
        let ports =
            self.host_nodes.iter().map(|&end| (end, HostPort { node: end, hosts: hosts.clone() })).collect();
        let (clock, sleeper) = (hosts.clone(), hosts);
        let sockets = mpsc::channel().1; // no kernel has a connection
        RealTimeLoop {
            clock,
            sleeper,
            ports,
            duration: self.duration,
            busy_wait: Span::ZERO,
            socket_samples: sockets,
        }
        .run(world, Some(log), &|| None, &mut |_, _| {})
    }
}

/// State of all hosts, and the virtual time.
struct VirtualHosts {
    now: Time,
    oversleep: Span,
    connections: Vec<Connection>,
    /// Noise datagrams in chronological order, each with its time and sending node.
    noise: VecDeque<(Time, NodeId, Vec<u8>)>,
    /// Datagrams that the emulator has not read yet, by sending node.
    waiting: Vec<(NodeId, VecDeque<Vec<u8>>)>,
}

impl VirtualHosts {
    fn send(&mut self, node: NodeId, datagram: Vec<u8>) {
        if let Some((_, waiting)) = self.waiting.iter_mut().find(|(at, _)| *at == node) {
            waiting.push_back(datagram);
        }
    }

    /// Returns the time of the next timer or noise datagram; `None` if no host has one. An arriving datagram
    /// can cause earlier actions.
    fn next_action(&self) -> Option<Time> {
        let timers = self.connections.iter().filter_map(Connection::next_deadline);
        timers.chain(self.noise.front().map(|(at, ..)| *at)).min()
    }

    /// Advances the time by `span`, and by the additional oversleep if `span` is positive. Stops earlier if a
    /// host acts earlier.
    fn sleep(&mut self, span: Span) {
        let wakes = self.now + span;
        let late = if span > Span::ZERO { self.oversleep } else { Span::ZERO };
        self.now =
            self.next_action().filter(|next| *next < wakes).map_or(wakes + late, |next| next.max(self.now));
    }

    /// Executes all actions of hosts that are due.
    fn run_due_actions(&mut self) {
        while self.noise.front().is_some_and(|(at, ..)| *at <= self.now) {
            let Some((_, node, datagram)) = self.noise.pop_front() else { break };
            self.send(node, datagram);
        }
        let mut sent = Vec::new();
        self.connections.iter_mut().for_each(|connection| connection.run_due_actions(self.now, &mut sent));
        sent.into_iter().for_each(|(node, datagram)| self.send(node, datagram));
    }

    fn receive(&mut self, node: NodeId, datagram: &[u8]) {
        let mut sent = Vec::new();
        for connection in &mut self.connections {
            connection.receive(self.now, node, datagram, &mut sent);
        }
        sent.into_iter().for_each(|(node, datagram)| self.send(node, datagram));
    }
}

/// Shared handle of the machine: the clock, the sleeper, and the host side of every port.
#[derive(Clone)]
struct HostsHandle(Rc<RefCell<VirtualHosts>>);

impl Clock for HostsHandle {
    fn now(&self) -> Time {
        let mut machine = self.0.borrow_mut();
        machine.now += CLOCK_READ_TIME;
        machine.now
    }
}

impl Sleeper for HostsHandle {
    fn sleep(&mut self, span: Span, ready: &mut [bool]) -> io::Result<()> {
        let mut machine = self.0.borrow_mut();
        let machine = &mut *machine;
        if machine.waiting.iter().all(|(_, waiting)| waiting.is_empty()) {
            machine.sleep(span);
        }
        machine.run_due_actions();
        for (mark, (_, waiting)) in ready.iter_mut().zip(&machine.waiting) {
            *mark |= !waiting.is_empty();
        }
        Ok(())
    }
}

/// Host side of a node's port.
struct HostPort {
    node: NodeId,
    hosts: HostsHandle,
}

impl Port for HostPort {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let mut machine = self.hosts.0.borrow_mut();
        let waiting = machine.waiting.iter_mut().find(|(at, _)| *at == self.node);
        let Some(datagram) = waiting.and_then(|(_, waiting)| waiting.pop_front()) else { return Ok(None) };
        buffer[..datagram.len()].copy_from_slice(&datagram);
        Ok(Some(datagram.len()))
    }

    fn write(&mut self, datagram: &[u8]) -> io::Result<()> {
        self.hosts.0.borrow_mut().receive(self.node, datagram);
        Ok(())
    }
}
