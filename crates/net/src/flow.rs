//! Flow with its two endpoints: TCP sender and receiver, or sender and receiver of datagrams.

use crate::apps::AppFlow;
use crate::delays::{DelayHistogram, StreamDelay};
use crate::ground_truth::lateness::LatenessTracker;
use crate::ground_truth::loss_ledger::LossLedger;
use crate::ground_truth::spurious::SpuriousTimeouts;
use crate::outside::{HalfConnection, RealEndpoints};
use crate::plan::FlowPlan;
use crate::transit::{ActivePeriod, DatagramCounters};
use crate::turnaround::WakeUpQueue;

use airhop_base::{Body, Datagram, FlowId, NodeId, Notice, Packet, Segment, Time, UDP_IP_HEADER_BYTES};
use airhop_engine::TimerId;
use airhop_tcp::scoreboard::FirstTransmission;
use airhop_tcp::{Counters, Receiver, Sender};
use std::ops::{AddAssign, Range};
use std::sync::Arc;

/// Flow of a world, with its endpoints and its state.
#[derive(Debug)]
pub(crate) struct Flow {
    pub plan: FlowPlan,
    pub id: FlowId,
    /// Name of the flow's class in the results.
    pub class: Arc<str>,
    /// Number of hops on the shortest path of the flow.
    pub route_hops: usize,
    /// Hash of the flow's name, for the fingerprint.
    pub hash: u64,
    pub endpoints: Endpoints,
    /// Times of the first segment and of the last delivery.
    pub active_period: ActivePeriod,
    /// Application of the flow, and the flow's index in it; `None` for flows of real hosts.
    pub app_flow: Option<AppFlowRef>,
    /// Side of an application's connection; `None` for a flow that opens once and never closes.
    pub connection_side: Option<ConnectionSide>,
    /// Number of delivered bytes at which the application is notified; `u64::MAX` without a request.
    pub notify_at_bytes: u64,
    /// Agents on the path of the flow, ordered by node. Each has its node and its index in the world. A proxy
    /// is the last agent of its node.
    pub agents: Vec<(NodeId, u16)>,
    /// True if link layers also deliver segments with a damaged payload.
    pub accepts_damaged: bool,
    /// True if 802.11 sends the flow's data in fragments that protect the headers.
    pub uses_fragments: bool,
    /// True if 802.11 stations add their contention time to a field in the flow's data.
    pub adds_contention_time: bool,
}

/// Application of a flow, and the flow's place in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AppFlowRef {
    /// Index of the application in `World::apps`.
    pub app: u16,
    /// Index of the flow among those of its application.
    pub flow: AppFlow,
}

/// One side of a connection that an application opens and closes. After the close, a later connection reuses
/// the two flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionSide {
    /// Index of the application in `World::apps`.
    pub app: u16,
    /// Flow with the data of the opposite direction.
    pub reverse_flow: FlowId,
    /// Flow that sums all connections of this direction and application in the report.
    pub report_flow: FlowId,
    /// True if both sides are closed and both FINs are acknowledged.
    pub is_closed: bool,
}

impl Flow {
    /// Returns the flow's name in the report, without the number of the connection.
    pub fn report_name(&self) -> &str {
        let numbered = self.connection_side.and_then(|_| self.plan.name.rsplit_once('#'));
        numbered.map_or(&self.plan.name, |(name, _)| name)
    }

    /// Returns the flow that includes this flow's results in the report.
    pub fn report_flow(&self) -> FlowId {
        self.connection_side.map_or(self.id, |side| side.report_flow)
    }

    /// Returns the range of a node's agents in `agents`. If the path of the flow is not known in advance,
    /// every station has agents.
    pub fn agents_at(&self, node: NodeId) -> Range<usize> {
        let first = self.agents.partition_point(|&(at, _)| at < node);
        let here = self.agents[first..].iter().take_while(|&&(at, _)| at == node);
        first..first + here.count()
    }
}

/// Both endpoints of a flow.
#[derive(Debug)]
pub(crate) enum Endpoints {
    Tcp(Box<TcpEndpoints>),
    Udp(UdpEndpoints),
    /// Flow between real hosts.
    Real(Box<RealEndpoints>),
}

impl Endpoints {
    /// Returns the datagrams of a flow without TCP; `None` for TCP.
    pub fn datagrams_mut(&mut self) -> Option<&mut DatagramCounters> {
        match self {
            Endpoints::Udp(udp) => Some(&mut udp.datagrams),
            Endpoints::Real(real) if real.tcp.is_none() => Some(&mut real.datagrams),
            Endpoints::Tcp(_) | Endpoints::Real(_) => None,
        }
    }

    /// Returns the simulated TCP; `None` for other flows.
    pub fn tcp(&self) -> Option<&TcpEndpoints> {
        match self {
            Endpoints::Tcp(tcp) => Some(tcp),
            Endpoints::Udp(_) | Endpoints::Real(_) => None,
        }
    }

    /// Ends the warm-up. Distributions keep only later samples.
    pub fn end_warm_up(&mut self) {
        if let Endpoints::Tcp(tcp) = self {
            tcp.latency.delay.end_warm_up();
            tcp.latency.rtt_samples = DelayHistogram::default();
        }
        if let Some(datagrams) = self.datagrams_mut() {
            datagrams.end_warm_up();
        }
    }

    /// Returns the protocol of real hosts, "tcp" or "udp"; `None` for simulated endpoints.
    pub fn real_protocol(&self) -> Option<&'static str> {
        match self {
            Endpoints::Tcp(_) | Endpoints::Udp(_) => None,
            Endpoints::Real(real) => Some(if real.tcp.is_some() { "tcp" } else { "udp" }),
        }
    }

    /// Returns the distribution of one-way delays; `None` for TCP of real hosts.
    pub fn delays(&self) -> Option<&DelayHistogram> {
        match self {
            Endpoints::Tcp(tcp) => Some(tcp.latency.delay.delays()),
            Endpoints::Udp(udp) => Some(udp.datagrams.delays()),
            Endpoints::Real(real) => real.tcp.is_none().then(|| real.datagrams.delays()),
        }
    }

    /// Returns the half connection of a TCP flow of real hosts; `None` for others.
    pub fn half_connection(&self) -> Option<&HalfConnection> {
        match self {
            Endpoints::Real(real) => real.tcp.as_ref(),
            Endpoints::Tcp(_) | Endpoints::Udp(_) => None,
        }
    }
}

/// Latencies of a TCP connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionLatency {
    /// One-way delay of the stream, from the sender to the receiving application.
    pub delay: StreamDelay,
    /// RTT samples of ACKs.
    pub rtt_samples: DelayHistogram,
}

/// Sums of the counters over the earlier connections of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ConnectionTotals {
    pub counters: Counters,
    /// Payload bytes delivered to the application.
    pub delivered_bytes: u64,
    /// Number of data segments without new bytes.
    pub duplicate_segments: u64,
}

impl AddAssign for ConnectionTotals {
    /// Adds the counters of another connection.
    fn add_assign(&mut self, other: ConnectionTotals) {
        self.counters += other.counters;
        self.delivered_bytes += other.delivered_bytes;
        self.duplicate_segments += other.duplicate_segments;
    }
}

/// Endpoints of a TCP connection, and the observations of the simulator.
#[derive(Debug)]
pub(crate) struct TcpEndpoints {
    pub sender: Sender,
    pub receiver: Receiver,
    pub sender_timer: TimerId,
    pub receiver_timer: TimerId,
    pub spurious_timeouts: SpuriousTimeouts,
    pub lateness: Box<LatenessTracker>,
    pub loss_ledger: Box<LossLedger>,
    pub latency: Box<ConnectionLatency>,
    /// True if a proxy on the path terminates the connection. The segments of the proxy do not carry the
    /// transmission times of the sender.
    pub has_proxy: bool,
    /// Counters of the flow's earlier connections.
    pub earlier_connections: Option<Box<ConnectionTotals>>,
    /// Packets that wait for the turnaround time of the receiver's host; `None` without a turnaround time.
    pub turnaround: Option<Box<WakeUpQueue<Packet>>>,
}

impl TcpEndpoints {
    /// Handles the expiry of the sender's timer.
    pub fn on_sender_timer(&mut self, now: Time) {
        let (una, timeouts) = (self.sender.state().una, self.sender.counters().timeouts);
        self.sender.on_timeout(now);
        if self.sender.counters().timeouts > timeouts {
            self.spurious_timeouts.on_timeout(now, una, self.receiver.rcv_nxt());
            self.lateness.on_timeout(now);
        }
    }

    /// Passes a packet to the receiver. Returns the total number of delivered payload bytes if the packet
    /// increased it; `None` otherwise.
    #[inline(always)]
    pub fn receive_packet(&mut self, now: Time, packet: &Packet) -> Option<u64> {
        let before = self.receiver.delivered_bytes();
        self.receiver.on_segment(now, packet);
        // A pure ACK is filtered out, because it does not transmit the segment that has its sequence number.
        let segment =
            packet.segment().filter(|segment| segment.has_data_or_fin() && !packet.has_payload_errors)?;
        self.spurious_timeouts.on_arrival(segment.seq, segment.sent, self.receiver.rcv_nxt());
        let delivered = self.receiver.delivered_bytes();
        if delivered == before {
            self.latency.delay.store_out_of_order(first_sent(segment), before);
            return None;
        }
        self.latency.delay.record_delivery(now, segment.sent, before, delivered);
        Some(delivered)
    }

    /// Records the first transmission of a segment if a proxy is on the path.
    #[inline]
    pub fn on_transmission(&mut self, segment: &Segment) {
        if self.has_proxy {
            self.store_transmission(segment);
        }
    }

    #[cold]
    fn store_transmission(&mut self, segment: &Segment) {
        self.latency.delay.store_retransmission(first_sent(segment), self.receiver.delivered_bytes());
    }

    /// Records a retransmission. The last part of the segment may be new data.
    #[cold]
    pub fn on_retransmission(&mut self, segment: &Segment) {
        self.loss_ledger.on_retransmission(segment.seq);
        let (mut rest, delivered) = (first_sent(segment), self.receiver.delivered_bytes());
        for &sent in self.sender.state().scoreboard.first_transmissions() {
            self.latency.delay.store_retransmission(sent, delivered);
            rest.start = if sent.start <= rest.start { sent.end } else { rest.start };
        }
        self.latency.delay.store_retransmission(rest, delivered);
    }

    /// Returns the counters of this connection and of the earlier connections, summed.
    pub fn total_counters(&self) -> ConnectionTotals {
        let mut counts = self.earlier_connections.as_deref().copied().unwrap_or_default();
        counts.counters += *self.sender.counters();
        counts.delivered_bytes += self.receiver.delivered_bytes();
        counts.duplicate_segments += self.receiver.duplicate_segments();
        counts
    }

    /// Replaces the sender and receiver for a new connection. Adds the counters of the old connection to
    /// `earlier_connections`.
    pub fn replace_connection(&mut self, fresh: TcpEndpoints) {
        self.earlier_connections = Some(Box::new(self.total_counters()));
        (self.sender, self.receiver, self.turnaround) = (fresh.sender, fresh.receiver, fresh.turnaround);
        self.spurious_timeouts.begin_connection();
        self.lateness.begin_connection();
        self.loss_ledger.begin_connection();
        self.latency.delay.begin_connection();
    }

    /// Passes a notice to the sender. Returns the lateness of the notice in ms; `None` if there was no
    /// timeout to prevent.
    pub fn on_notice(&mut self, now: Time, notice: Notice) -> Option<f64> {
        let lateness = self.lateness.on_notice_arrival(now, &notice, self.sender.rto_expiry());
        self.sender.on_notice(now, notice);
        lateness
    }
}

/// Returns the byte range of a segment's payload, and the time of its transmission.
fn first_sent(segment: &Segment) -> FirstTransmission {
    FirstTransmission { start: segment.seq, end: segment.seq + u64::from(segment.len), at: segment.sent }
}

/// Stream of datagrams.
#[derive(Debug)]
pub(crate) struct UdpEndpoints {
    /// Payload of a datagram in bytes.
    pub payload_bytes: u32,
    /// True if the application handles the arrival of each datagram.
    pub is_conversation: bool,
    pub datagrams: DatagramCounters,
}

impl UdpEndpoints {
    pub fn new(bytes: u32, is_conversation: bool) -> Self {
        UdpEndpoints { payload_bytes: bytes, is_conversation, datagrams: DatagramCounters::default() }
    }

    /// Creates the datagram to be sent at `now`.
    pub fn next_datagram(&mut self, now: Time, id: FlowId, plan: &FlowPlan) -> Packet {
        let number = self.datagrams.record_sent(self.payload_bytes);
        let body = Body::Udp(Datagram {
            sequence_number: number,
            len: self.payload_bytes,
            sent: now,
            original: None,
        });
        Packet::new(id, plan.from, plan.to, UDP_IP_HEADER_BYTES + self.payload_bytes, body)
    }
}
