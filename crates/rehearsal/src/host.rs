//! The two ends of an Airhop TCP connection, which exchange datagrams only.

use super::DataConnection;
use airhop_base::{Body, FlowId, NodeId, Packet, Time};
use airhop_tcp::{Config, Receiver, Sender};
use airhop_wire::{Conversation, decode, encode};

/// Datagrams, each with its sending node.
pub(super) type SentDatagrams = Vec<(NodeId, Vec<u8>)>;

/// TCP connection with its sender and receiver.
pub(super) struct Connection {
    flow: FlowId,
    ends: [NodeId; 2],
    /// Opening time and number of bytes to send; `None` after the opening.
    opens: Option<(Time, u64)>,
    sender: Sender,
    receiver: Receiver,
    conversation: Conversation,
    /// Window scales of the two ends, as read from the SYNs.
    shifts: [u8; 2],
}

impl Connection {
    pub fn new(number: u16, data: &DataConnection<'_>) -> Self {
        let DataConnection { from, to, scheme, params, .. } = *data;
        // The handshake is necessary, because window scales are read from SYNs.
        let config = Config { handshake: true, ..*data.config };
        let flow = FlowId(number);
        let parts = (scheme.build)(params, &config);
        Connection {
            flow,
            ends: [from, to],
            opens: Some((data.start, data.bytes)),
            sender: Sender::new(flow, from, to, &config, scheme.features, parts),
            receiver: Receiver::new(flow, to, from, &config, scheme.features),
            conversation: Conversation::new(from, to),
            shifts: [0; 2],
        }
    }

    /// Returns the time of the next timer; `None` if no timer is set. An arriving datagram can cause earlier
    /// actions.
    pub fn next_deadline(&self) -> Option<Time> {
        let opens = self.opens.map(|(at, _)| at);
        [opens, self.sender.poll_timeout(), self.receiver.poll_timeout()].into_iter().flatten().min()
    }

    /// Executes all actions that are due at `now`.
    pub fn run_due_actions(&mut self, now: Time, sent: &mut SentDatagrams) {
        if let Some((_, bytes)) = self.opens.take_if(|(at, _)| *at <= now) {
            self.sender.supply_data(bytes);
        }
        if self.sender.poll_timeout().is_some_and(|due| due <= now) {
            self.sender.on_timeout(now);
        }
        if self.receiver.poll_timeout().is_some_and(|due| due <= now) {
            self.receiver.on_timeout(now);
        }
        self.transmit(now, sent);
    }

    /// Handles a datagram that arrives at a node. A datagram of another connection is ignored.
    pub fn receive(&mut self, now: Time, node: NodeId, datagram: &[u8], sent: &mut SentDatagrams) {
        let Ok(decoded) = decode(datagram) else { return };
        let mut packet = decoded.packet;
        let side = usize::from(packet.src != self.ends[0]);
        if packet.flow != self.flow || [packet.src, packet.dst] != [self.ends[side], self.ends[1 - side]] {
            return;
        }
        let Body::Tcp(segment) = &mut packet.body else { return };
        if let Some(shift) = decoded.window_shift {
            self.shifts[side] = shift;
        }
        segment.window <<= if segment.flags.syn { 0 } else { self.shifts[side] };
        if node == self.ends[1] {
            self.receiver.on_segment(now, &packet);
        } else {
            self.sender.on_segment(now, &packet);
        }
        self.transmit(now, sent);
    }

    fn transmit(&mut self, now: Time, sent: &mut SentDatagrams) {
        while let Some(packet) = self.sender.poll_transmit(now) {
            self.push_encoded(&packet, sent);
        }
        while let Some(packet) = self.receiver.poll_transmit(now) {
            self.push_encoded(&packet, sent);
        }
    }

    fn push_encoded(&mut self, packet: &Packet, sent: &mut SentDatagrams) {
        self.conversation.record_window_scale(packet);
        let mut bytes = Vec::new();
        if encode(packet, &self.conversation, &mut bytes).is_ok() {
            sent.push((packet.src, bytes));
        }
    }
}
