use crate::scoreboard::{OutstandingSegment, Scoreboard};
use crate::seams::NextSegment;
use airhop_base::{Span, Time};
use std::collections::VecDeque;

/// Delivery-rate estimator: one sample per ACK that reports an arrival
/// (draft-cheng-iccrg-delivery-rate-estimation; draft-ietf-ccwg-bbr §4.1).
///
/// A sample is the data delivered between the transmission of a segment and its ACK, divided by an interval.
/// The interval is the longer of two: the interval in which this data was sent, and the interval in which it
/// was acknowledged. Neither bunched ACKs nor an idle sender thus raise the rate. A sample also contains the
/// losses between the transmission and the ACK.
///
/// The sender's [`Scoreboard`] reports arrivals and losses. The estimator stores its own counters at each
/// transmission.
#[derive(Debug, Default)]
pub struct DeliveryRateEstimator {
    /// Transmissions in sending order. The first has the number `first`.
    flights: VecDeque<TransmissionRecord>,
    first: u64,
    /// C.delivered: bytes known to have arrived.
    delivered: u64,
    /// C.delivered_time: time of the last ACK that reported an arrival.
    delivered_at: Time,
    /// C.first_sent_time: transmission time of the most recently sampled segment.
    first_sent_at: Time,
    /// C.app_limited: number of delivered bytes up to which samples are application-limited; zero if there is
    /// no limit.
    app_limited_until: u64,
    /// C.lost: bytes marked lost so far.
    lost: u64,
}

/// Transmission of a segment, with the values of the counters at that time.
#[derive(Clone, Copy, Debug)]
struct TransmissionRecord {
    /// First byte of the segment.
    start: u64,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    limited: bool,
    /// P.tx_in_flight in bytes. `lost_before` is P.lost in bytes.
    in_flight: u64,
    lost_before: u64,
    /// True if the segment is marked lost.
    lost: bool,
}

/// Arrivals reported by an ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrivals {
    /// Bytes newly reported as arrived.
    pub newly_delivered_bytes: u64,
    /// Bytes known to have arrived, `fresh` included.
    pub total_delivered_bytes: u64,
    /// RTT of the last newly arrived segment that was sent only once; `None` without such a segment.
    pub rtt: Option<Span>,
    /// Minimum RTT so far, including the handshake's sample; `None` before the first sample.
    pub min_rtt: Option<Span>,
    /// Rate sample; `None` if the ACK yields no valid sample.
    pub rate: Option<RateSample>,
}

/// Sample of the delivery rate: bytes delivered, and the interval of their delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Number of delivered bytes.
    pub delivered_bytes: u64,
    /// Time in which the bytes were sent or acknowledged, whichever is longer.
    pub interval: Span,
    /// Bytes delivered before the transmission of the sampled segment. A round trip has passed since this
    /// number of bytes was delivered.
    pub prior_delivered_bytes: u64,
    /// True if the sender was application-limited when it sent the sampled segment.
    pub is_app_limited: bool,
    /// Bytes in flight at the transmission of the sampled segment, including this segment (P.tx_in_flight).
    pub tx_in_flight: u64,
    /// Bytes marked lost since the transmission of the sampled segment (RS.lost).
    pub lost_bytes: u64,
}

/// Segment newly marked lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostSegment {
    /// First byte of the segment.
    pub start: u64,
    /// First byte after the segment.
    pub end: u64,
    /// Bytes in flight at the segment's transmission, including this segment.
    pub tx_in_flight: u64,
    /// Bytes marked lost since the segment's transmission, including this segment.
    pub lost_bytes: u64,
    /// True if the sender was application-limited when it sent the segment.
    pub is_app_limited: bool,
    /// Bytes known to have arrived.
    pub delivered_bytes: u64,
}

impl RateSample {
    /// Returns the delivery rate in bytes per second.
    pub fn bytes_per_second(&self) -> f64 {
        self.delivered_bytes as f64 / self.interval.secs_f64()
    }
}

impl DeliveryRateEstimator {
    /// Records the transmission of a segment while `in_flight` other bytes are in flight. Returns true if the
    /// segment ends an idle period. In an idle period, no data is outstanding and the sender has no data to
    /// send. Must be called before the segment is added to `board`.
    pub fn on_sent(&mut self, board: &Scoreboard, at: Time, sent: &NextSegment, in_flight: u64) -> bool {
        let is_idle = board.is_empty();
        if is_idle {
            // Samples must not include the idle period that ends with this transmission.
            (self.first_sent_at, self.delivered_at) = (at, at);
        }
        if self.flights.is_empty() {
            self.first = board.next_transmission_number();
        }
        let limited = self.app_limited_until > 0;
        self.flights.push_back(TransmissionRecord {
            start: sent.start,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited,
            in_flight: in_flight + (sent.end - sent.start),
            lost_before: self.lost,
            lost: false,
        });
        is_idle && limited
    }

    /// Marks the sender as application-limited: the `in_flight` bytes outstanding are fewer than permitted.
    /// Until these bytes have arrived, samples of newly sent segments measure the rate of the application or
    /// of the scheme. Returns C.app_limited.
    pub fn mark_app_limited(&mut self, in_flight: u64) -> u64 {
        self.app_limited_until = (self.delivered + in_flight).max(1);
        self.app_limited_until
    }

    /// Returns C.app_limited as a number of delivered bytes; zero if the sender is not application-limited.
    pub fn app_limited_until(&self) -> u64 {
        self.app_limited_until
    }

    /// Processes an ACK. Must be called after `board` has processed the ACK.
    pub fn on_ack(&mut self, now: Time, board: &Scoreboard) -> Arrivals {
        let fresh = board.delivered();
        self.delivered += fresh;
        if fresh > 0 {
            self.delivered_at = now;
        }
        if self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let arrived = board.newly_arrived().iter().filter(|e| !e.arrived);
        let newest = arrived.max_by_key(|e| (e.sent_at, e.end));
        let rate = newest.and_then(|e| self.sample(now, e, board.min_rtt()));
        self.drop_settled(board);
        Arrivals {
            newly_delivered_bytes: fresh,
            total_delivered_bytes: self.delivered,
            rtt: board.newest_rtt(),
            min_rtt: board.min_rtt(),
            rate,
        }
    }

    /// Returns the sample of the most recently sent segment that arrived (§3.3 of the first draft); `None` if
    /// the interval of the sample is too short.
    fn sample(&mut self, now: Time, e: &OutstandingSegment, least_rtt: Option<Span>) -> Option<RateSample> {
        let flight = *self.transmission_mut(e.transmission_number)?;
        self.first_sent_at = e.sent_at;
        let interval = (e.sent_at - flight.first_sent_at).max(now - flight.delivered_at);
        // "it is possible for the ACK of a retransmission to be that of the original": the interval from the
        // retransmission to that ACK is shorter than a round trip.
        let is_flight = interval > Span::ZERO && least_rtt.is_none_or(|least| interval >= least);
        is_flight.then_some(RateSample {
            delivered_bytes: self.delivered - flight.delivered,
            interval,
            prior_delivered_bytes: flight.delivered,
            is_app_limited: flight.limited,
            tx_in_flight: flight.in_flight,
            lost_bytes: self.lost - flight.lost_before,
        })
    }

    /// Handles the loss of the segment that begins at `start`. Returns `None` if the last transmission of
    /// this segment is already marked lost.
    pub fn on_lost(&mut self, board: &Scoreboard, start: u64) -> Option<LostSegment> {
        let e = board.get(start).filter(|e| !e.arrived)?;
        let flight = self.transmission_mut(e.transmission_number).filter(|flight| !flight.lost)?;
        flight.lost = true;
        let flight = *flight;
        self.lost += e.bytes();
        Some(LostSegment {
            start,
            end: e.end,
            tx_in_flight: flight.in_flight,
            lost_bytes: self.lost - flight.lost_before,
            is_app_limited: flight.limited,
            delivered_bytes: self.delivered,
        })
    }

    fn transmission_mut(&mut self, order: u64) -> Option<&mut TransmissionRecord> {
        self.flights.get_mut(order.checked_sub(self.first)? as usize)
    }

    /// Removes the oldest transmissions if the segment is acknowledged or was retransmitted later.
    fn drop_settled(&mut self, board: &Scoreboard) {
        let una = board.iter().next().map_or(u64::MAX, |e| e.start);
        while let Some(flight) = self.flights.front() {
            if board.get(flight.start.max(una)).is_some_and(|e| e.transmission_number == self.first) {
                break;
            }
            self.flights.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seams::TransmissionCause;
    use airhop_base::{Sack, SackBlock};

    /// Delivery-rate estimator and scoreboard of a test.
    #[derive(Default)]
    struct Meter {
        board: Scoreboard,
        meter: DeliveryRateEstimator,
    }

    impl Meter {
        fn on_sent(&mut self, at: Time, start: u64, end: u64, in_flight: u64) -> bool {
            let sent = NextSegment { start, end, cause: TransmissionCause::New };
            let restarts = self.meter.on_sent(&self.board, at, &sent, in_flight);
            self.board.on_sent(at, start, end);
            restarts
        }

        fn on_ack(&mut self, now: Time, una: u64, sack: &Sack) -> Arrivals {
            self.board.on_ack(now, una, u64::MAX, sack);
            self.meter.on_ack(now, &self.board)
        }

        fn on_lost(&mut self, start: u64) -> Option<LostSegment> {
            self.meter.on_lost(&self.board, start)
        }
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Sends 1000-byte segments with these numbers.
    fn send(meter: &mut Meter, ms: u64, segments: impl IntoIterator<Item = u64>) {
        segments.into_iter().for_each(|n| {
            meter.on_sent(at(ms), n * 1000, (n + 1) * 1000, 0);
        });
    }

    /// Delivers an ACK of all segments below `next`; returns the bytes and milliseconds of its sample.
    fn ack(meter: &mut Meter, ms: u64, next: u64) -> Option<(u64, f64)> {
        let rate = meter.on_ack(at(ms), next * 1000, &Sack::EMPTY).rate;
        rate.map(|r| (r.delivered_bytes, r.interval.millis_f64()))
    }

    // Ten segments are sent as a burst over a link with 10 ms per segment. The times of the burst do not show
    // the rate; the times of its ACKs do. Segment 11 is sent at the first ACK. Until its ACK, ten segments
    // are delivered, in 100 ms.
    #[test]
    fn a_burst_does_not_raise_the_delivery_rate() {
        let mut m = Meter::default();
        send(&mut m, 0, 1..=10);
        assert_eq!(ack(&mut m, 100, 2), Some((1000, 100.0)));
        send(&mut m, 100, [11]);
        for n in 2..=10 {
            assert_eq!(ack(&mut m, 90 + 10 * n, n + 1), Some((1000 * n, 90.0 + 10.0 * n as f64)));
        }
        assert_eq!(ack(&mut m, 200, 12), Some((10_000, 100.0)));
    }

    // draft-cheng-iccrg-delivery-rate-estimation §2.2, bunched ACKs: segments are sent every 30 ms. Five
    // segments are acknowledged within 100 ms, but they were sent within 150 ms.
    #[test]
    fn compressed_acks_do_not_raise_the_delivery_rate() {
        let mut m = Meter::default();
        for n in 1..=5 {
            send(&mut m, 30 * (n - 1), [n]);
        }
        ack(&mut m, 150, 2);
        send(&mut m, 150, [6]);
        assert_eq!(ack(&mut m, 250, 7), Some((5000, 150.0)));
    }

    // Delivered data counts once, whether a SACK block or the cumulative ACK reports it first. If a part of a
    // segment is reported, only that part counts.
    #[test]
    fn delivered_bytes_count_once() {
        let mut m = Meter::default();
        send(&mut m, 0, 1..=5);
        let mut sack = Sack::EMPTY;
        sack.push(SackBlock { start: 3000, end: 5000 });
        let fresh: Vec<u64> = [(1000, sack), (1000, sack), (1500, sack), (4000, sack), (6000, Sack::EMPTY)]
            .iter()
            .map(|(una, sack)| m.on_ack(at(100), *una, sack).newly_delivered_bytes)
            .collect();
        assert_eq!(fresh, [2000, 0, 500, 1500, 1000]);
        assert_eq!(m.meter.delivered, 5000);
        // A retransmission of delivered data does not count again, whether the whole segment or only its
        // first bytes had arrived.
        let mut m = Meter::default();
        send(&mut m, 0, 1..=2);
        let mut sack = Sack::EMPTY;
        sack.push(SackBlock { start: 2000, end: 3000 });
        assert_eq!(m.on_ack(at(100), 1000, &sack).newly_delivered_bytes, 1000);
        send(&mut m, 110, [2]);
        m.on_sent(at(110), 1000, 1400, 0);
        assert_eq!(
            (m.on_ack(at(200), 3000, &Sack::EMPTY).newly_delivered_bytes, m.meter.delivered),
            (1000, 2000)
        );
    }

    // §3.3: an interval below the minimum RTT yields no sample. Two segments are retransmitted just before
    // their originals are acknowledged; by Karn's rule neither segment yields an RTT sample.
    #[test]
    fn an_interval_below_the_minimum_rtt_yields_no_sample() {
        let mut m = Meter::default();
        send(&mut m, 0, [1]);
        ack(&mut m, 100, 2);
        send(&mut m, 100, [2, 3]);
        send(&mut m, 195, [2]);
        assert_eq!(ack(&mut m, 200, 3), Some((1000, 100.0))); // since the idle period ended, at 100 ms
        send(&mut m, 201, [3]);
        let arrivals = m.on_ack(at(205), 4000, &Sack::EMPTY);
        assert_eq!((arrivals.newly_delivered_bytes, arrivals.rate, arrivals.rtt), (1000, None, None));
        assert_eq!(arrivals.min_rtt, Some(Span::from_millis(100)));
    }

    // An interval of zero yields no sample. Here the link has neither transmission time nor delay, and the
    // segment was sent twice, so it yields no RTT sample.
    #[test]
    fn an_interval_of_zero_yields_no_sample() {
        let mut m = Meter::default();
        send(&mut m, 0, [1]);
        send(&mut m, 0, [1]);
        assert_eq!(ack(&mut m, 0, 2), None);
    }

    // §3.4: samples of segments sent while the sender is application-limited are marked. Samples of segments
    // sent after the arrival of those segments are not marked. An idle period yields no sample.
    #[test]
    fn application_limited_samples_are_marked() {
        let mut m = Meter::default();
        send(&mut m, 0, [1, 2]);
        m.meter.mark_app_limited(2000);
        assert!(!m.on_ack(at(100), 2000, &Sack::EMPTY).rate.is_some_and(|r| r.is_app_limited), "sent before");
        send(&mut m, 100, [3]);
        ack(&mut m, 100, 3);
        assert!(m.on_ack(at(200), 4000, &Sack::EMPTY).rate.is_some_and(|r| r.is_app_limited));
        assert!(!m.on_sent(at(5000), 4000, 5000, 0), "the arrival of all data ended the limit");
        assert_eq!(ack(&mut m, 5100, 5), Some((1000, 100.0)));
        m.meter.mark_app_limited(0);
        assert!(m.on_sent(at(9000), 5000, 6000, 0), "the application had no data");
        assert!(m.on_ack(at(9100), 6000, &Sack::EMPTY).rate.is_some_and(|r| r.is_app_limited));
    }

    // draft-ietf-ccwg-bbr §4.1.2.2, §5.5.10.2: P.tx_in_flight includes the segment itself. Losses between the
    // transmission of a segment and its ACK count in its sample. A loss counts once per transmission.
    #[test]
    fn losses_count_in_the_samples_of_their_flight() {
        let mut m = Meter::default();
        for n in 1..=4 {
            m.on_sent(at(n), n * 1000, (n + 1) * 1000, (n - 1) * 1000);
        }
        let mut sack = Sack::EMPTY;
        sack.push(SackBlock { start: 3000, end: 4000 });
        m.on_ack(at(100), 1000, &sack);
        let first = m.on_lost(1000).expect("the arrival is new information");
        assert_eq!(
            (first.end, first.tx_in_flight, first.lost_bytes, first.delivered_bytes),
            (2000, 1000, 1000, 1000)
        );
        assert_eq!(m.on_lost(2000).map(|lost| (lost.tx_in_flight, lost.lost_bytes)), Some((2000, 2000)));
        assert_eq!((m.on_lost(2000), m.on_lost(3000), m.on_lost(9000)), (None, None, None));
        m.on_sent(at(101), 1000, 2000, 1000); // the fourth segment is still in flight
        assert_eq!(m.on_lost(1000).map(|lost| (lost.tx_in_flight, lost.lost_bytes)), Some((2000, 1000)));
        let rate = m.on_ack(at(200), 5000, &Sack::EMPTY).rate.expect("a sample");
        assert_eq!(
            (rate.tx_in_flight, rate.lost_bytes),
            (2000, 1000),
            "of the last transmissions, the first segment"
        );
    }
}
