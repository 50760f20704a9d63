//! Stop-and-wait: one packet at a time, with an ACK for each frame (IEEE 802.11-2016 §10.3.2.9, §10.3.4.4).
use super::fragments::NextStep;
use super::service::HeadOfLineMsdu;
use airhop_base::{Packet, Time};
use airhop_engine::Id;

/// Maximum number of consecutive failed RTS frames: dot11ShortRetryLimit (IEEE 802.11-2016 §10.3.4.4). At
/// this limit the packet is discarded.
const SHORT_RETRY_LIMIT: u32 = 7;

/// Outcome of a link ACK for the packet in service.
pub(crate) enum AckOutcome {
    /// The packet is delivered.
    Packet,
    /// A fragment is delivered; the next fragment is sent one SIFS later.
    Fragment,
    /// A fragment is delivered, but the packet is discarded, because no transmission is left for its other
    /// fragments.
    GaveUp(HeadOfLineMsdu),
}

/// Outcome of a failed attempt.
pub(crate) struct FailedAttempt {
    /// Number of the failed attempt, from 1.
    pub attempt: u32,
    /// The discarded packet, if this attempt was the last.
    pub discarded: Option<HeadOfLineMsdu>,
}

/// Sender of the packet in service, with at most one packet.
#[derive(Debug, Default)]
pub(crate) struct StopAndWait {
    service: Option<HeadOfLineMsdu>,
}

impl StopAndWait {
    /// True if no packet is in service.
    pub fn is_free(&self) -> bool {
        self.service.is_none()
    }

    /// True if the packet in service has not been delivered.
    pub fn holds_packet(&self) -> bool {
        self.service.as_ref().is_some_and(|service| service.packet.is_some())
    }

    /// Starts the service of a packet.
    pub fn start_service(&mut self, now: Time, mut service: HeadOfLineMsdu) {
        debug_assert!(self.is_free(), "the MAC is not free");
        service.accepted_at = now;
        self.service = Some(service);
    }

    /// Returns the packet in service.
    ///
    /// # Panics
    /// If no packet is in service.
    pub fn head_of_line(&self) -> &HeadOfLineMsdu {
        self.service.as_ref().expect("a station sends only if it has a packet")
    }

    /// Starts a frame exchange. If the packet's lifetime has ended, discards and returns the packet.
    pub fn begin_exchange(&mut self, now: Time) -> Option<HeadOfLineMsdu> {
        self.service.take_if(|service| !service.begin_exchange(now))
    }

    /// Marks the data frame as received by the addressed station. Returns the packet when it is first
    /// complete, with the start and end of its contention.
    pub fn mark_received(&mut self) -> Option<(Id<Packet>, [Time; 2])> {
        let service = self.service.as_mut()?;
        service.mark_received().map(|packet| (packet, [service.accepted_at, service.exchange_start]))
    }

    /// Records the arrival of the CTS.
    pub fn on_cts(&mut self) {
        if let Some(service) = &mut self.service {
            service.rts_failures = 0;
        }
    }

    /// Records the ACK of a frame. `then`: start of a next fragment.
    pub fn on_ack(&mut self, then: Time) -> AckOutcome {
        let fragments = self.service.as_mut().and_then(|service| service.fragments.as_deref_mut());
        let next = fragments.map_or(NextStep::Done, |fragments| fragments.on_ack(then));
        match (next, self.service.take()) {
            (NextStep::Fragment, service) => {
                self.service = service;
                AckOutcome::Fragment
            }
            (NextStep::GiveUp, Some(service)) => AckOutcome::GaveUp(service),
            _ => AckOutcome::Packet,
        }
    }

    /// Completes a broadcast and returns the packet. A broadcast gets no response.
    ///
    /// # Panics
    ///
    /// If no broadcast is in progress.
    pub fn complete_broadcast(&mut self) -> Id<Packet> {
        let packet = self.service.take().and_then(|service| service.packet);
        packet.expect("a broadcast belongs to a packet")
    }

    /// Counts a failed attempt of an RTS (`is_rts`) or data frame. `attempts`: maximum number of
    /// transmissions of a data frame.
    pub fn on_failure(&mut self, is_rts: bool, attempts: u32) -> FailedAttempt {
        let service = self.service.as_mut().expect("a timeout belongs to a frame");
        let attempt = service.attempt();
        service.failures += 1;
        let last = if is_rts {
            service.rts_failures += 1;
            service.rts_failures >= SHORT_RETRY_LIMIT
        } else {
            service.data_failures += 1;
            match &mut service.fragments {
                None => service.data_failures >= attempts,
                Some(fragments) => fragments.on_failure() == NextStep::GiveUp,
            }
        };
        FailedAttempt { attempt, discarded: self.service.take_if(|_| last) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::mac::data_frame::DataFrame;
    use crate::tag::PacketTag;
    use airhop_base::{Body, Datagram, FlowId, NodeId, Span};
    use airhop_engine::Arena;

    /// IEEE 802.11-2016 §10.3.4.4: failures of data frames and of RTS frames are counted separately, and a
    /// CTS resets the count of RTS frames.
    #[test]
    fn the_last_failed_attempt_discards_the_packet() {
        let body = Body::Udp(Datagram { sequence_number: 0, len: 12, sent: Time::ZERO, original: None });
        let packet = Arena::new().insert(Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, body));
        let tag = PacketTag { flow: FlowId(0), payload_bytes: 0, seq: 0 };
        let frame = DataFrame { bytes: 1076, header_bytes: 76, airtime: Span::from_micros(975) };
        let mut sender = StopAndWait::default();
        sender.start_service(Time::ZERO, HeadOfLineMsdu::new(1, packet, 0, tag, frame, None));
        let mut fail = |is_rts, cleared| {
            if cleared {
                sender.on_cts();
            }
            let failure = sender.on_failure(is_rts, 2);
            (failure.attempt, failure.discarded.is_some())
        };
        assert_eq!([1, 2, 3, 4, 5, 6].map(|n| fail(true, false) == (n, false)), [true; 6]);
        assert_eq!(fail(false, true), (7, false));
        assert_eq!(fail(true, false), (8, false));
        assert_eq!(fail(false, false), (9, true));
    }
}
