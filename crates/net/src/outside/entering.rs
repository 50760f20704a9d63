//! Arrivals of datagrams from real hosts: parsing, assignment to flows, and routing.

use super::{Endpoint, OpenedConnection, RealEndpoints};
use crate::flow::{Endpoints, Flow};
use crate::outside::ends::HalfConnection;
use crate::plan::FlowPlan;
use crate::world::{Event, RunInterrupted, World};
use airhop_base::{
    Body, Datagram, DepartedDatagram, DropCause, Ecn, FlowId, NodeId, OriginalDatagram, Packet, Time,
};
use airhop_trace::{SendCause, SendContext};
use airhop_wire::real::{self, HeaderFields, ObservedConnection, ParsedTcp, StreamDirection};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Protocol number of UDP (RFC 768).
const UDP: u8 = 17;

impl World {
    /// Returns the time of the next event; `None` if no event is scheduled.
    pub fn next_event(&mut self) -> Option<Time> {
        self.events.next_time()
    }

    /// Handles all events with times up to `t`, including those at `t`.
    ///
    /// # Errors
    /// [`RunInterrupted`] if `stop` has become true.
    pub fn advance(&mut self, t: Time, stop: &AtomicBool) -> Result<(), RunInterrupted> {
        if t.nanos() >= self.warmup.nanos() {
            self.warm_up(stop)?;
        }
        self.run_until(t, stop)
    }

    /// Admits a datagram at `node`, after handling all events up to `t`. The result of a run depends only on
    /// the datagrams and their times, and not on how often [`World::advance`] is called.
    ///
    /// # Errors
    /// [`RunInterrupted`] if `stop` has become true.
    pub fn admit(
        &mut self,
        t: Time,
        node: NodeId,
        datagram: &[u8],
        stop: &AtomicBool,
    ) -> Result<(), RunInterrupted> {
        self.advance(t, stop)?;
        if let Some(outside) = &mut self.real_hosts {
            outside.entering.push_back((node, Arc::from(datagram)));
            self.events.push(t, Event::Outside);
        }
        Ok(())
    }

    /// Removes and returns the departures since the previous call, in chronological order.
    pub fn take_departures(&mut self) -> impl Iterator<Item = DepartedDatagram> {
        self.real_hosts.as_mut().map(|outside| outside.departures.drain(..)).into_iter().flatten()
    }

    /// Ends the run at `t`, before the end of its scenario.
    pub fn end_at(&mut self, t: Time) {
        self.duration = self.duration.min(t - Time::ZERO);
    }

    /// Returns the number of drops so far, by cause ([`airhop_base::DropCause`]).
    pub fn drops(&self) -> [u64; DropCause::ALL.len()] {
        self.drops_by_cause
    }

    /// Returns the number of entered datagrams without a destination: broadcasts, unknown addresses, and
    /// protocols other than IP.
    pub fn ignored_datagrams(&self) -> u64 {
        self.real_hosts.as_ref().map_or(0, |outside| outside.ignored)
    }

    /// Handles a datagram when it enters the network.
    #[inline(never)]
    pub(crate) fn on_datagram_entry(&mut self, now: Time) {
        let Some(outside) = &mut self.real_hosts else { return };
        let Some((node, datagram)) = outside.entering.pop_front() else { return };
        match self.parse_datagram(now, node, datagram) {
            Some(packet) => self.admit_packet(now, node, 0, packet),
            None => self.real_hosts.iter_mut().for_each(|outside| outside.ignored += 1),
        }
    }

    /// Parses a datagram into a packet; `None` if the datagram has no destination in the network.
    fn parse_datagram(&mut self, now: Time, node: NodeId, datagram: Arc<[u8]>) -> Option<Packet> {
        // RFC 1122 §3.2.1: a datagram that is shorter than the length in its header is ignored.
        let seen = real::read_headers(&datagram)
            .ok()
            .filter(|seen| seen.datagram_bytes as usize <= datagram.len())?;
        let ways = [node, self.real_hosts.as_ref()?.exit_node(node, seen.destination)?];
        let (flow, body) = match (seen.tcp, seen.ports) {
            (Some(tcp), Some(ports)) => self.build_segment(now, ways, &seen, &tcp, ports, datagram),
            _ => self.build_datagram(now, ways, &seen, datagram),
        }?;
        Some(Packet { ecn: seen.ecn, ..Packet::new(flow, ways[0], ways[1], seen.datagram_bytes, body) })
    }

    fn build_datagram(
        &mut self,
        now: Time,
        ways: [NodeId; 2],
        seen: &HeaderFields,
        datagram: Arc<[u8]>,
    ) -> Option<(FlowId, Body)> {
        let flow = self.flow_of_datagram(now, ways, seen)?;
        let Flow { endpoints: ends, active_period: active, .. } = &mut self.flows[usize::from(flow.0)];
        if let Endpoints::Real(real) = ends {
            real.count_codepoint(seen.ecn);
        }
        let number = ends.datagrams_mut()?.record_sent(seen.payload_bytes);
        active.on_sent(now);
        let original = Some(Box::new(OriginalDatagram::new(datagram, 0)));
        Some((
            flow,
            Body::Udp(Datagram { sequence_number: number, len: seen.payload_bytes, sent: now, original }),
        ))
    }

    fn flow_of_datagram(&mut self, now: Time, ways: [NodeId; 2], seen: &HeaderFields) -> Option<FlowId> {
        let outside = self.real_hosts.as_mut()?;
        let rest = outside.stand_ins.get(&ways).copied();
        let Some([from, to]) = endpoints(seen).filter(|_| seen.protocol == UDP) else { return rest };
        if let Some(&flow) = outside.conversations.get(&[from, to]) {
            return Some(flow);
        }
        let stand_in = &self.build_context.plan.flows[usize::from(rest?.0)];
        let plan = FlowPlan { name: real_flow_name("udp", from, to), start: now, ..stand_in.clone() };
        let Some(flow) = self.open_flow(plan, Endpoints::Real(Box::default())) else { return rest };
        self.real_hosts.as_mut()?.conversations.insert([from, to], flow);
        Some(flow)
    }

    fn build_segment(
        &mut self,
        now: Time,
        ways: [NodeId; 2],
        seen: &HeaderFields,
        tcp: &ParsedTcp,
        ports: [u16; 2],
        datagram: Arc<[u8]>,
    ) -> Option<(FlowId, Body)> {
        let ends = [(seen.source, ports[0]), (seen.destination, ports[1])];
        let Some(place) = self.connection_of(now, ways, ends, tcp) else {
            return self.build_datagram(now, ways, seen, datagram);
        };
        let opened = &mut self.real_hosts.as_mut()?.opened[place];
        let way = if opened.ends[0] == ends[0] { StreamDirection::Forward } else { StreamDirection::Reverse };
        let original = OriginalDatagram::new(datagram, tcp.option_bytes);
        let mut segment = opened.connection.convert_segment(way, tcp, seen.payload_bytes, original);
        segment.sent = now;
        let [data, acknowledged] = match way {
            StreamDirection::Forward => opened.flows,
            StreamDirection::Reverse => [opened.flows[1], opened.flows[0]],
        };
        let is_pure_ack = segment.len == 0 && !segment.flags.syn;
        if segment.len > 0 {
            self.count_data(now, data, &segment, seen.ecn);
        }
        if segment.flags.fin {
            self.half_connection_mut(data)?.on_fin(segment.seq + u64::from(segment.len));
        }
        if segment.flags.ack {
            let half = self.half_connection_mut(acknowledged)?;
            let (is_new, delivered) = (half.on_ack(segment.ack), half.delivered_bytes());
            if is_new {
                self.flows[usize::from(acknowledged.0)].active_period.on_delivered(now);
            }
            if let Some(recorder) = self.recorder.as_mut().filter(|_| is_new) {
                recorder.record_delivery(now, acknowledged, delivered);
            }
        }
        Some((if is_pure_ack { acknowledged } else { data }, Body::Tcp(segment)))
    }

    fn count_data(&mut self, now: Time, flow: FlowId, segment: &airhop_base::Segment, ecn: Ecn) {
        let Flow { endpoints: Endpoints::Real(real), active_period: active, .. } =
            &mut self.flows[usize::from(flow.0)]
        else {
            return;
        };
        real.count_codepoint(ecn);
        let Some(half) = &mut real.tcp else { return };
        real.data_segments += 1;
        active.on_sent(now);
        // The data of a SYN begins after the sequence number of the SYN itself (RFC 7413 §2).
        let seq = segment.seq + u64::from(segment.flags.syn);
        let retransmission = half.on_data(now, seq, seq + u64::from(segment.len));
        if let Some(recorder) = &mut self.recorder {
            let cause = if retransmission { SendCause::Unknown } else { SendCause::New };
            let sent = SendContext {
                retransmission,
                cause,
                cwnd: f64::NAN,
                in_flight_bytes: half.flight_bytes() as u32,
            };
            recorder.record_segment(now, flow, segment, sent);
        }
    }

    pub(super) fn half_connection_mut(&mut self, flow: FlowId) -> Option<&mut HalfConnection> {
        match &mut self.flows[usize::from(flow.0)].endpoints {
            Endpoints::Real(real) => real.tcp.as_mut(),
            _ => None,
        }
    }

    /// Returns the index of the connection between two endpoints. The first segment opens the connection.
    /// `None` if both endpoints are the same, because the two directions could not be distinguished.
    fn connection_of(
        &mut self,
        now: Time,
        ways: [NodeId; 2],
        ends: [Endpoint; 2],
        tcp: &ParsedTcp,
    ) -> Option<usize> {
        if ends[0] == ends[1] {
            return None;
        }
        let key = if ends[0] <= ends[1] { ends } else { [ends[1], ends[0]] };
        let outside = self.real_hosts.as_mut()?;
        let mut number = 1;
        if let Some(&place) = outside.connections.get(&key) {
            let known = &outside.opened[place];
            let way =
                if known.ends[0] == ends[0] { StreamDirection::Forward } else { StreamDirection::Reverse };
            if !known.connection.is_reopened_by(way, tcp) {
                return Some(place);
            }
            number += known.number;
        }
        let place = outside.opened.len();
        let named = |from, to| match number {
            1 => real_flow_name("tcp", from, to),
            _ => format!("{} #{number}", real_flow_name("tcp", from, to)),
        };
        let stand_ins = [ways, [ways[1], ways[0]]].map(|ways| outside.stand_ins.get(&ways).copied());
        let plan = |stand_in: FlowId, name| FlowPlan {
            name,
            start: now,
            ..self.build_context.plan.flows[usize::from(stand_in.0)].clone()
        };
        let there = plan(stand_ins[0]?, named(ends[0], ends[1]));
        let back = plan(stand_ins[1]?, named(ends[1], ends[0]));
        let data = self.next_flow_id();
        let answers = FlowId(data.0 + 1);
        let half = |way, other| {
            let tcp = Some(HalfConnection::new(place, way, other));
            Endpoints::Real(Box::new(RealEndpoints { tcp, ..RealEndpoints::default() }))
        };
        if !self.has_room_for(2) {
            return None;
        }
        self.open_flow(there, half(StreamDirection::Forward, answers))?;
        self.open_flow(back, half(StreamDirection::Reverse, data))?;
        let is_watched = [data, answers].iter().any(|flow| self.has_agents[usize::from(flow.0)]);
        [data, answers].iter().for_each(|flow| self.has_agents[usize::from(flow.0)] = is_watched);
        let outside = self.real_hosts.as_mut()?;
        outside.opened.push(OpenedConnection {
            connection: ObservedConnection::new(),
            ends,
            number,
            flows: [data, answers],
        });
        outside.connections.insert(key, place);
        Some(place)
    }
}

fn endpoints(seen: &HeaderFields) -> Option<[Endpoint; 2]> {
    let [from, to] = seen.ports?;
    Some([(seen.source, from), (seen.destination, to)])
}

/// Formats a name such as `tcp 10.0.0.1:5201 > 10.0.0.2:40312`.
fn real_flow_name(protocol: &str, from: Endpoint, to: Endpoint) -> String {
    let end = |(address, port): Endpoint| match address {
        IpAddr::V4(address) => format!("{address}:{port}"),
        IpAddr::V6(address) => format!("[{address}]:{port}"),
    };
    format!("{protocol} {} > {}", end(from), end(to))
}

impl Flow {
    /// True if the flow represents traffic of real hosts and has sent no packet.
    pub(crate) fn is_idle_real_flow(&self) -> bool {
        matches!(&self.endpoints, Endpoints::Real(real) if real.data_segments + real.datagrams.sent == 0)
    }
}
