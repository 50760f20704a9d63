//! I-TCP: the connection ends at the base station, and a second connection leads to the receiver (Bakre and
//! Badrinath 1995).
//!
//! Towards each endpoint, the base station acts as the other endpoint and uses the other endpoint's address.
//! Data of the first connection is acknowledged by the base station, and buffered until acknowledged on the
//! second connection. The advertised window is the free space of the buffer.

use super::{Agent, AgentActions, PacketAction};
use crate::plan::{FlowPlan, Transport};
use crate::services::DataDirection;
use airhop_base::{FlowId, NodeId, Packet, Span, Time};
use airhop_tcp::{Receiver, Sender};

/// Default capacity of the base station's buffer in segments, chosen by Airhop.
const DEFAULT_BUFFER_SEGMENTS: f64 = 64.0;

/// Interval after which a window update is repeated if no data arrives. The interval doubles each time.
/// Updates may be lost, and Airhop's sender does not send the window probes of RFC 9293 §3.8.6.1.
const WINDOW_UPDATE_INTERVAL: Span = Span::from_millis(200);

/// Proxy of a split connection at the base station.
#[derive(Debug)]
pub struct SplitProxy {
    way: DataDirection,
    to: NodeId,
    /// Receiver of the first connection.
    receiver: Receiver,
    /// Sender of the second connection.
    sender: Sender,
    /// Capacity of the buffer in bytes.
    capacity: u64,
    /// Segment size of the connection in bytes.
    mss: u64,
    /// Number of bytes passed from `receiver` to `sender` so far.
    taken: u64,
    /// Right edge of the advertised window in the last ACK.
    told: u64,
    /// Time of the next window update, and interval since the previous update. `None` unless the data's
    /// sender waits for room.
    reminder: Option<(Time, Span)>,
}

impl SplitProxy {
    /// Creates the proxy of a TCP flow. `way` is the direction of the data through the base station.
    ///
    /// # Panics
    ///
    /// If the flow is not TCP.
    pub fn new(flow: FlowId, plan: &FlowPlan, way: DataDirection) -> Self {
        let Transport::Tcp { scheme, params, config } = &plan.transport else {
            unreachable!("only TCP flows have services");
        };
        let segments = params.find("buffer").unwrap_or(DEFAULT_BUFFER_SEGMENTS);
        let mss = u64::from(config.mss);
        let capacity = (segments as u64 * mss).min(config.receive_window);
        let mut receiver = Receiver::new(flow, plan.to, plan.from, config, scheme.features);
        receiver.set_window_right_edge(1 + capacity);
        SplitProxy {
            way,
            to: plan.to,
            receiver,
            sender: Sender::new(
                flow,
                plan.from,
                plan.to,
                config,
                scheme.features,
                (scheme.build)(params, config),
            ),
            capacity,
            mss,
            taken: 0,
            told: 1 + capacity,
            reminder: None,
        }
    }

    /// Passes in-order data to the second connection, and sends the segments of both connections.
    ///
    /// The second connection opens together with the first.
    fn relay_segments(&mut self, now: Time, actions: &mut AgentActions) {
        if !self.sender.is_closed() {
            self.sender.supply_data(self.receiver.delivered_bytes() - self.taken);
            self.taken = self.receiver.delivered_bytes();
            if self.receiver.has_ended() {
                self.sender.close();
            }
        }
        let edge = self.sender.state().una.max(1) + self.capacity;
        self.receiver.set_window_right_edge(edge);
        self.announce_window(now, edge);
        while let Some(ack) = self.receiver.poll_transmit(now) {
            self.told = ack.segment().map_or(self.told, |s| s.ack.max(1) + s.window);
            actions.packets.push(ack);
        }
        while let Some(data) = self.sender.poll_transmit(now) {
            actions.packets.push(data);
        }
        // The results do not include the loss classifications of the proxy's sender.
        while self.sender.poll_classification().is_some() {}
    }

    /// Sends a window update to a sender that stopped because the buffer was full. The update is sent when
    /// the window opens by at least two segments (RFC 9293 §3.8.6.2.2).
    fn announce_window(&mut self, now: Time, edge: u64) {
        let expected = self.receiver.rcv_nxt().max(1);
        let has_stopped = expected + self.mss > self.told;
        let has_room = edge >= expected + (2 * self.mss).min(self.capacity);
        let since = match self.reminder {
            Some((due, since)) if due <= now => since * 2,
            _ if has_stopped && has_room => WINDOW_UPDATE_INTERVAL,
            _ => return,
        };
        self.receiver.queue_window_update(now);
        self.reminder = Some((now + since, since));
    }
}

impl Agent for SplitProxy {
    fn on_packet(
        &mut self,
        now: Time,
        packet: &mut Packet,
        _: f64,
        actions: &mut AgentActions,
    ) -> PacketAction {
        if packet.segment().is_none() {
            return PacketAction::Forward;
        }
        if packet.dst == self.to {
            self.reminder = None;
            self.receiver.on_segment(now, packet);
        } else {
            self.sender.on_segment(now, packet);
        }
        self.relay_segments(now, actions);
        PacketAction::Take
    }

    fn proxied_direction(&self) -> Option<DataDirection> {
        Some(self.way)
    }

    fn set_seed(&mut self, seed: u32) {
        self.sender.set_seed(seed);
    }

    fn initial_window(&self) -> Option<u64> {
        Some(self.capacity)
    }

    fn poll_timeout(&self) -> Option<Time> {
        let reminder = self.reminder.map(|(due, _)| due);
        [self.receiver.poll_timeout(), self.sender.poll_timeout(), reminder].into_iter().flatten().min()
    }

    fn on_timeout(&mut self, now: Time, actions: &mut AgentActions) {
        self.receiver.on_timeout(now);
        self.sender.on_timeout(now);
        self.relay_segments(now, actions);
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
