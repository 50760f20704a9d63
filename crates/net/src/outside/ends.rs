//! Endpoints of a flow between real hosts, as the network observes them. The network sees data that entered
//! and data that was acknowledged. The state in the kernels of the hosts is unknown.

use crate::report::{EcnCounts, FlowReport};
use crate::transit::DatagramCounters;
use airhop_base::{Ecn, FlowId, NoticeKind, Span, Time};
use airhop_wire::real::StreamDirection;

/// Counters of a flow between real hosts.
#[derive(Debug, Default)]
pub(crate) struct RealEndpoints {
    /// Observed state of the TCP connection; `None` for other protocols.
    pub tcp: Option<HalfConnection>,
    /// Number of TCP data segments that entered the network.
    pub data_segments: u64,
    /// Datagrams of protocols other than TCP.
    pub datagrams: DatagramCounters,
    /// Number of notices to the sender of the flow, by kind.
    pub notices: [u64; NoticeKind::ALL.len()],
    /// ECN counters of the endpoints. Marks set by queues are counted in the queues.
    pub ecn_counts: EcnCounts,
}

impl RealEndpoints {
    /// Counts the ECN codepoint of data that enters the network.
    pub fn count_codepoint(&mut self, ecn: Ecn) {
        match ecn {
            Ecn::Ect0 => self.ecn_counts.ect0 += 1,
            Ecn::Ect1 => self.ecn_counts.ect1 += 1,
            Ecn::NotEct | Ecn::Ce => {}
        }
    }

    /// Returns the report of a flow. Timeouts, recoveries, window reductions and loss classifications are
    /// zero, because only the host's kernel knows them.
    pub fn report(&self, blank: FlowReport) -> FlowReport {
        let report = FlowReport { notices: self.notices, marks: self.ecn_counts, is_real: true, ..blank };
        match &self.tcp {
            Some(half) => FlowReport {
                transport: "tcp",
                sent_segments: self.data_segments,
                delivered_bytes: half.delivered_bytes(),
                retransmissions: half.retransmissions,
                srtt_ms: half.srtt.map(Span::millis_f64),
                ..report
            },
            None => report.with_datagrams(&self.datagrams),
        }
    }
}

/// Data of one direction of a TCP connection between real hosts, as the network observes it.
#[derive(Debug)]
pub(crate) struct HalfConnection {
    /// Index of the connection in [`super::RealHosts::opened_count`].
    pub connection: usize,
    /// Direction of the data.
    pub direction: StreamDirection,
    /// Flow with the data of the opposite direction.
    pub reverse_flow: FlowId,
    /// Byte after the highest byte that has entered the network.
    pub max_sent: u64,
    /// First byte that the receiver's kernel has not acknowledged, as observed at the receiver's node.
    pub acked: u64,
    /// Highest ACK that was passed to the sender's kernel.
    heard: u64,
    /// Payload bytes of all segments that entered the network, retransmissions included.
    sent_bytes: u64,
    /// Acknowledged payload bytes. ACKs for data that has not entered yet do not count.
    delivered: u64,
    /// Sequence number of the FIN; `None` before the FIN.
    fin: Option<u64>,
    pub retransmissions: u64,
    /// Segment of the RTT measurement: number after its last byte, and entry time.
    timed: Option<(u64, Time)>,
    pub srtt: Option<Span>,
}

impl HalfConnection {
    /// Creates the state of a connection. The first data byte has number 1.
    pub fn new(connection: usize, way: StreamDirection, other: FlowId) -> Self {
        HalfConnection {
            connection,
            direction: way,
            reverse_flow: other,
            max_sent: 1,
            acked: 1,
            heard: 1,
            sent_bytes: 0,
            delivered: 0,
            fin: None,
            retransmissions: 0,
            timed: None,
            srtt: None,
        }
    }

    /// Records data that enters the network. Returns true if a part of the data is a retransmission.
    pub fn on_data(&mut self, now: Time, seq: u64, end: u64) -> bool {
        let again = seq < self.max_sent;
        self.retransmissions += u64::from(again);
        self.max_sent = self.max_sent.max(end);
        self.sent_bytes += end - seq;
        match self.timed {
            // Karn's rule: a segment that was sent twice yields no RTT sample.
            Some((timed, _)) if again && seq < timed => self.timed = None,
            None if !again => self.timed = Some((end, now)),
            _ => {}
        }
        again
    }

    /// Records a FIN that enters.
    pub fn on_fin(&mut self, seq: u64) {
        self.fin = Some(seq);
    }

    /// Records an ACK for this data that enters the network. Returns true if the ACK acknowledges more
    /// payload bytes. Data that was never sent (RFC 9293 §3.10.7.4), skipped sequence numbers and the FIN do
    /// not count.
    pub fn on_ack(&mut self, ack: u64) -> bool {
        self.acked = self.acked.max(ack.min(self.max_sent));
        let of_data = self.fin.map_or(self.acked, |fin| self.acked.min(fin));
        let bytes = of_data.saturating_sub(1).min(self.sent_bytes);
        let is_new = bytes > self.delivered;
        self.delivered = self.delivered.max(bytes);
        is_new
    }

    /// Records an ACK for this data that leaves to the sender. Updates the smoothed RTT (RFC 6298 §2).
    /// Returns true if the ACK acknowledges more bytes.
    pub fn on_leaving_ack(&mut self, now: Time, ack: u64) -> bool {
        if let Some((_, since)) = self.timed.take_if(|(end, _)| *end <= ack) {
            let sample = now - since;
            self.srtt = Some(self.srtt.map_or(sample, |srtt| (srtt * 7 + sample) / 8));
        }
        let is_new = ack > self.heard;
        self.heard = self.heard.max(ack);
        is_new
    }

    /// Returns the number of payload bytes that the receiver's kernel has acknowledged.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered
    }

    /// Returns the bytes in flight as the network observes them: entered, but not yet acknowledged at the
    /// receiver's node.
    pub fn flight_bytes(&self) -> u64 {
        self.max_sent.saturating_sub(self.acked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(t: u64) -> Time {
        Time::ZERO + Span::from_millis(t)
    }

    // RFC 9293 §3.4: SYN and FIN each have a sequence number, but are not data bytes.
    #[test]
    fn syn_and_fin_count_as_no_data_bytes() {
        let mut half = HalfConnection::new(0, StreamDirection::Forward, FlowId(1));
        half.on_data(ms(0), 1, 1001);
        half.on_fin(1001);
        assert!(half.on_ack(1002));
        assert_eq!((half.delivered_bytes(), half.flight_bytes()), (1000, 0));
        assert!(!half.on_ack(500), "an old ACK has no effect");
        half.on_fin(200);
        assert!(!half.on_ack(1002) && half.delivered_bytes() == 1000, "a second FIN has no effect");
        let mut closing = HalfConnection::new(0, StreamDirection::Forward, FlowId(1));
        closing.on_data(ms(0), 1, 1001);
        closing.on_fin(1001);
        assert!(closing.on_ack(1001));
        assert!(!closing.on_ack(1002), "an ACK of the FIN alone");
    }

    // A sender may skip sequence numbers, which are then acknowledged; only bytes that have entered count.
    #[test]
    fn delivered_bytes_never_exceed_sent_bytes() {
        let mut half = HalfConnection::new(0, StreamDirection::Forward, FlowId(1));
        half.on_data(ms(0), 1, 101);
        half.on_data(ms(1), 1 << 31, (1 << 31) + 50);
        assert!(half.on_ack((1 << 31) + 50));
        assert_eq!(half.delivered_bytes(), 150);
    }

    // RFC 9293 §3.10.7.4: an ACK for data that was not yet sent does not count, even if the data is sent
    // later. The number of delivered bytes never decreases.
    #[test]
    fn an_ack_counts_only_data_sent_before() {
        let mut half = HalfConnection::new(0, StreamDirection::Forward, FlowId(1));
        assert!(!half.on_ack(5001));
        half.on_data(ms(0), 1, 1001);
        assert_eq!(half.delivered_bytes(), 0);
        assert!(half.on_ack(1001));
        half.on_fin(501);
        assert_eq!(half.delivered_bytes(), 1000);
    }

    // Karn and Partridge 1987: an ACK for data that was sent twice yields no RTT sample. RFC 6298 §2: the
    // gain of the smoothed RTT is 1/8.
    #[test]
    fn only_segments_sent_once_yield_rtt_samples() {
        let mut half = HalfConnection::new(0, StreamDirection::Forward, FlowId(1));
        assert!(!half.on_data(ms(0), 1, 1001));
        assert!(half.on_data(ms(200), 1, 1001));
        half.on_leaving_ack(ms(210), 1001);
        assert_eq!((half.srtt, half.retransmissions), (None, 1));
        half.on_data(ms(300), 1001, 2001);
        half.on_leaving_ack(ms(340), 2001);
        assert_eq!(half.srtt, Some(Span::from_millis(40)));
        half.on_data(ms(400), 2001, 3001);
        half.on_data(ms(401), 3001, 4001);
        half.on_leaving_ack(ms(420), 1500);
        half.on_leaving_ack(ms(480), 4001);
        assert_eq!(half.srtt, Some(Span::from_millis(45)));
    }
}
