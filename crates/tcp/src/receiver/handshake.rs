//! Handshake of the receiving endpoint: SYN, agreement on options, and the RTT of the SYN-ACK.

use super::{FIRST_BYTE, Receiver, echo, timestamp};
use airhop_base::{Segment, Time};

/// State of the RTT measurement of the SYN-ACK.
#[derive(Clone, Copy, Debug)]
pub(super) enum SynAckTiming {
    /// No SYN has arrived, the RTT is ambiguous, or the caller has already read the RTT.
    Unknown,
    /// The receiver sent a SYN-ACK at `at`. `again` is true if the SYN-ACK was a retransmission.
    Answered { at: Time, again: bool },
    /// A segment that arrived at `at` acknowledged the SYN-ACK sent at `sent`.
    Acknowledged { sent: Time, at: Time },
}

impl Receiver {
    /// Returns the transmission time of the SYN-ACK and the arrival time of its ACK. `None` at later calls,
    /// if the peer did not open the connection, or if the ACK may belong to either of two SYN-ACKs.
    pub fn take_syn_ack_times(&mut self) -> Option<(Time, Time)> {
        let SynAckTiming::Acknowledged { sent, at } = self.handshake else { return None };
        self.handshake = SynAckTiming::Unknown;
        Some((sent, at))
    }

    #[cold]
    pub(super) fn on_syn(&mut self, now: Time, syn: &Segment) {
        self.stream.rcv_nxt = self.stream.rcv_nxt.max(FIRST_BYTE);
        self.negotiate_options(syn);
        self.note_timestamp(syn);
        if self.stream.rcv_nxt > FIRST_BYTE {
            // The SYN arrives late: data has already arrived, so the connection is established (RFC 9293
            // §3.10.7.4).
            return self.acknowledge(now, None);
        }
        // A SYN-ACK needs no timer: if the SYN-ACK is lost, the peer retransmits its SYN, which is answered
        // again.
        let mut reply = self.segment(now, self.eln(), self.arrival);
        reply.seq = 0;
        reply.flags.syn = true;
        reply.flags.ece = self.echo.is_some();
        reply.sack_permitted = self.sack_blocks > 0;
        // RFC 7323 §4.3 (1): Last.ACK.sent is the acknowledgement number of the last segment sent, which may
        // be the SYN-ACK.
        if let Some(clock) = &mut self.clock {
            clock.on_ack(reply.ack);
        }
        let again = matches!(self.handshake, SynAckTiming::Answered { .. });
        self.handshake = SynAckTiming::Answered { at: now, again };
        self.queue_ack(reply);
    }

    /// Handles the ACK of the SYN-ACK, the first segment after the SYN-ACK. By Karn's rule, the ACK of a
    /// retransmitted SYN-ACK is ambiguous unless the ACK echoes a timestamp (RFC 7323 §4.1).
    #[cold]
    pub(super) fn on_syn_acknowledged(&mut self, now: Time, s: &Segment, last: Time, again: bool) {
        let echoed = s.timestamps.filter(|_| self.clock.is_some()).map(|ts| {
            let age = timestamp(now).wrapping_sub(ts.tsecr);
            Time::from_nanos(now.nanos().saturating_sub(u64::from(age) * 1_000_000))
        });
        let sent = if again { echoed } else { Some(last) };
        self.handshake =
            sent.map_or(SynAckTiming::Unknown, |sent| SynAckTiming::Acknowledged { sent, at: now });
    }

    /// Disables options that the SYN does not offer: ECN, offered by ECE and CWR together (RFC 3168 §6.1.1),
    /// SACK (RFC 2018 §2), and timestamps (RFC 7323 §3.2).
    fn negotiate_options(&mut self, syn: &Segment) {
        let is_agreed = self.is_ecn_capable && syn.flags.ece && syn.flags.cwr;
        if is_agreed != self.echo.is_some() {
            self.echo = is_agreed.then(|| echo::build(self.features.echo_mode));
        }
        self.sack_blocks *= usize::from(syn.sack_permitted);
        self.clock.take_if(|_| syn.timestamps.is_none());
    }
}
