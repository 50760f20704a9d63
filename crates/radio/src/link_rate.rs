//! Rate of a transmitter: constant, recorded from another link, or changing by a schedule.

use crate::address::LinkEnd;
use crate::errors::{ErrorPlan, LineError};
use crate::link_schedule::{LinkSchedule, ScheduleCursor};
use airhop_base::{Rate, Span, Time};
use std::sync::Arc;

/// Rate of one direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkRate {
    /// Constant rate.
    Rate(Rate),
    /// Delivery opportunities recorded on another link.
    Deliveries(Arc<DeliveryTrace>),
    /// Schedule of rate and delay.
    Varying(Arc<LinkSchedule>),
}

impl From<Rate> for LinkRate {
    fn from(rate: Rate) -> Self {
        LinkRate::Rate(rate)
    }
}

impl LinkRate {
    /// Returns the rates of both directions of a symmetric link.
    pub fn both_ways(pace: impl Into<LinkRate>) -> [LinkRate; 2] {
        let pace = pace.into();
        [pace.clone(), pace]
    }

    /// Returns one representative rate: the constant rate, the mean rate of a trace of deliveries, or the
    /// lowest rate of a schedule.
    pub fn typical_rate(&self) -> Rate {
        match self {
            LinkRate::Rate(rate) => *rate,
            LinkRate::Deliveries(deliveries) => deliveries.mean_rate(),
            LinkRate::Varying(schedule) => schedule.lowest_rate(),
        }
    }

    /// Returns the serialisation time of a packet of `bytes` bytes. For a trace of deliveries it is the mean
    /// time, and for a schedule the time at the lowest rate.
    pub fn serialisation_time(&self, bytes: u32) -> Span {
        match self {
            LinkRate::Deliveries(deliveries) => deliveries.mean_packet_time(bytes),
            LinkRate::Rate(_) | LinkRate::Varying(_) => self.typical_rate().time_for_bytes(bytes),
        }
    }

    /// Returns the schedule; `None` if rate and delay do not follow a schedule.
    pub fn schedule(&self) -> Option<&LinkSchedule> {
        match self {
            LinkRate::Rate(_) | LinkRate::Deliveries(_) => None,
            LinkRate::Varying(schedule) => Some(schedule),
        }
    }

    /// Returns the error model of frames sent by `end`, with the losses of handoffs added.
    pub fn with_handoff_losses(&self, end: LinkEnd, errors: &ErrorPlan) -> ErrorPlan {
        errors
            .clone()
            .with_outages(self.schedule().map_or(Vec::new(), |schedule| schedule.loss_intervals(end)))
    }

    /// Creates an idle transmitter at `end`.
    pub fn idle_transmitter(&self, end: LinkEnd) -> LinkTransmitter {
        match self {
            LinkRate::Rate(rate) => LinkTransmitter::Rate(Serialiser { rate: *rate, last: (0, Span::ZERO) }),
            LinkRate::Deliveries(deliveries) => LinkTransmitter::Deliveries(DeliveryCursor {
                deliveries: deliveries.clone(),
                next: 0,
                left: 0,
                busy_until: None,
            }),
            LinkRate::Varying(schedule) => {
                LinkTransmitter::Varying(ScheduleCursor::new(schedule.clone(), end))
            }
        }
    }
}

/// Packet-delivery trace in the format of Mahimahi's `mm-link` (Netravali et al. 2015, USENIX ATC). Each line
/// is the time of an opportunity to deliver an IP packet of 1500 bytes. The trace repeats after its last
/// line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryTrace {
    /// Times of the opportunities in chronological order. The last time is also the repetition period.
    times: Vec<Span>,
}

/// Bytes that one opportunity can deliver, as `mm-link` counts them (its PACKET_SIZE): an IP packet of 1500
/// bytes and [`TUN_HEADER_BYTES`].
const OPPORTUNITY_BYTES: u32 = 1504;
/// Header that Linux adds to each packet of a TUN device without IFF_NO_PI (flags and EtherType). `mm-link`
/// counts this header with every packet.
const TUN_HEADER_BYTES: u32 = 4;
/// Latest time in a trace, milliseconds.
const MAX_TIME_MS: u64 = 1_000_000_000;

impl DeliveryTrace {
    /// Parses a trace of delivery opportunities. Each line is the time of an opportunity in integer
    /// milliseconds; equal lines are opportunities at the same time.
    ///
    /// # Errors
    ///
    /// [`LineError`] for the first malformed line.
    pub fn parse(text: &str) -> Result<DeliveryTrace, LineError> {
        let mut times: Vec<Span> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let ms: Option<u64> = text.trim().parse().ok().filter(|ms| *ms <= MAX_TIME_MS);
            let before = times.last().copied().unwrap_or(Span::ZERO);
            let what = match ms.map(Span::from_millis) {
                Some(time) if time >= before => {
                    times.push(time);
                    continue;
                }
                Some(_) => format!("expected a time not before the time in the previous line, got {text:?}"),
                None => format!(
                    "expected the time of a delivery, 0 to {MAX_TIME_MS} whole milliseconds, got {text:?}"
                ),
            };
            return Err(LineError { line, message: what });
        }
        let line = times.len().max(1);
        let refused = |what: &str| Err(LineError { line, message: what.to_string() });
        match times.last() {
            None => refused("expected the time of a delivery, got the end of the file"),
            Some(&Span::ZERO) => refused("expected a trace that ends after 0 ms, got one that ends at 0 ms"),
            Some(_) => Ok(DeliveryTrace { times }),
        }
    }

    fn period(&self) -> Span {
        *self.times.last().expect("a trace has deliveries")
    }

    /// Returns the time of the opportunity with this number, from 0, counted through all repetitions.
    fn opportunity_time(&self, number: u64) -> Time {
        let many = self.times.len() as u64;
        Time::ZERO + self.period() * (number / many) + self.times[(number % many) as usize]
    }

    /// Returns the number of the first opportunity after `now`.
    fn first_opportunity_after(&self, now: Time) -> u64 {
        let since = now - Time::ZERO;
        let laps = since.whole_multiples(self.period());
        let within = since - self.period() * laps;
        laps * self.times.len() as u64 + self.times.partition_point(|t| *t <= within) as u64
    }

    /// Returns the rate of a saturated link with IP packets of 1500 B, at least 1 bit/s.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.times.len() as u128 * u128::from(OPPORTUNITY_BYTES - TUN_HEADER_BYTES) * 8;
        let per_second = bits * 1_000_000_000 / u128::from(self.period().nanos());
        Rate::from_bps(u64::try_from(per_second).unwrap_or(u64::MAX).max(1))
    }

    /// Returns the mean time per packet of `bytes` bytes on a saturated link.
    fn mean_packet_time(&self, bytes: u32) -> Span {
        let charged = u128::from(bytes + TUN_HEADER_BYTES) * u128::from(self.period().nanos());
        let per_period = self.times.len() as u128 * u128::from(OPPORTUNITY_BYTES);
        Span::from_nanos(u64::try_from(charged.div_ceil(per_period)).unwrap_or(u64::MAX))
    }
}

/// State of the transmitter of one direction; calls must be in chronological order.
#[derive(Debug)]
pub enum LinkTransmitter {
    /// Constant rate.
    Rate(Serialiser),
    /// Position in a trace of deliveries.
    Deliveries(DeliveryCursor),
    /// Position in a schedule.
    Varying(ScheduleCursor),
}

/// Serialisation at a constant rate. The time for the last packet length is cached, because nearly all
/// packets of a direction have the same length. The division costs as much time as all other work of a hop.
#[derive(Debug)]
pub struct Serialiser {
    rate: Rate,
    last: (u32, Span),
}

impl Serialiser {
    #[inline]
    fn serialisation_time(&mut self, bytes: u32) -> Span {
        if self.last.0 != bytes {
            self.last = (bytes, self.rate.time_for_bytes(bytes));
        }
        self.last.1
    }
}

/// Position of a transmitter in its trace of deliveries.
#[derive(Debug)]
pub struct DeliveryCursor {
    deliveries: Arc<DeliveryTrace>,
    /// Number of the next opportunity.
    next: u64,
    /// Bytes left in the last opportunity that was used.
    left: u32,
    /// End of the last packet's transmission.
    busy_until: Option<Time>,
}

/// Times of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketTimes {
    /// Time at which the first bit is sent.
    pub start: Time,
    /// Time at which the last bit is sent.
    pub end: Time,
    /// Time at which the last bit is received.
    pub arrival: Time,
}

impl LinkTransmitter {
    /// Returns the times of a packet of `bytes` bytes that reaches the transmitter at `now`. `delay` is the
    /// delay of the link. Combines `transmission_start`, `transmission_end` and `arrival`.
    #[inline]
    pub fn send(&mut self, now: Time, bytes: u32, delay: Span) -> PacketTimes {
        if let LinkTransmitter::Rate(serialiser) = self {
            let end = now + serialiser.serialisation_time(bytes);
            return PacketTimes { start: now, end, arrival: end + delay };
        }
        let (start, end) = (self.transmission_start(now), self.transmission_end(now, bytes));
        PacketTimes { start, end, arrival: self.arrival_time(end, delay) }
    }

    /// Returns the time of the first bit of a packet that reaches the transmitter at `start`. This is
    /// `start`, or the end of an outage or handoff at that time. Must be called before [`LinkTransmitter::transmission_end`].
    pub fn transmission_start(&mut self, start: Time) -> Time {
        match self {
            LinkTransmitter::Rate(_) | LinkTransmitter::Deliveries(_) => start,
            LinkTransmitter::Varying(walk) => walk.transmission_start(start),
        }
    }

    /// Returns the time of the last bit of a packet of `bytes` bytes that reaches the transmitter at `start`.
    /// A packet that arrives exactly at the end of the previous packet counts as queued.
    pub fn transmission_end(&mut self, start: Time, bytes: u32) -> Time {
        match self {
            LinkTransmitter::Rate(serialiser) => start + serialiser.serialisation_time(bytes),
            LinkTransmitter::Deliveries(clock) => clock.transmission_end(start, bytes),
            LinkTransmitter::Varying(walk) => walk.transmission_end(start, bytes),
        }
    }

    /// Returns the arrival time of a packet with its last bit sent at `sent`. The delay of a schedule
    /// replaces `delay`.
    pub fn arrival_time(&mut self, sent: Time, delay: Span) -> Time {
        match self {
            LinkTransmitter::Rate(_) | LinkTransmitter::Deliveries(_) => sent + delay,
            LinkTransmitter::Varying(walk) => walk.arrival_time(sent),
        }
    }
}

impl DeliveryCursor {
    /// Returns the time of the last bit of a packet. Bytes count as in Mahimahi's LinkQueue, including the
    /// TUN header. A packet uses as many opportunities as necessary. The next queued packet uses the rest of
    /// the last opportunity. An opportunity without a queued packet is lost, even if a packet arrives at the
    /// same time.
    fn transmission_end(&mut self, start: Time, bytes: u32) -> Time {
        if self.busy_until != Some(start) {
            self.next = self.deliveries.first_opportunity_after(start);
            self.left = 0;
        }
        let (mut missing, mut end) = (bytes + TUN_HEADER_BYTES, start);
        while missing > self.left {
            missing -= self.left;
            self.left = OPPORTUNITY_BYTES;
            end = self.deliveries.opportunity_time(self.next);
            self.next += 1;
        }
        self.left -= missing;
        self.busy_until = Some(end);
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn pace(trace: &str) -> LinkTransmitter {
        LinkRate::Deliveries(Arc::new(DeliveryTrace::parse(trace).expect("a good trace"))).idle_transmitter(0)
    }

    /// Returns the completion times in ms of packets of these sizes, which are all queued from the start.
    fn backlog(trace: &str, sizes: &[u32]) -> Vec<u64> {
        let (mut pace, mut now) = (pace(trace), Time::ZERO);
        let mut send = |bytes: &u32| {
            now = pace.transmission_end(now, *bytes);
            now.nanos() / 1_000_000
        };
        sizes.iter().map(&mut send).collect()
    }

    // Values computed by hand, from LinkQueue::rationalize of mm-link.
    #[test]
    fn packets_use_delivery_opportunities_as_in_mahimahi() {
        // Each opportunity delivers one IP packet of 1500 B. A packet that arrives at time 0 misses the
        // opportunity at time 0.
        assert_eq!(backlog("0\n5\n7\n20\n", &[1500; 5]), [5, 7, 20, 20, 25]);
        // Several opportunities fall into the same millisecond.
        assert_eq!(backlog("3\n3\n3\n10\n", &[1500; 5]), [3, 3, 3, 10, 13]);
        // Small packets share an opportunity, each with its TUN header. Bytes beyond the end of an
        // opportunity use the next opportunity.
        assert_eq!(backlog("1\n2\n3\n", &[748, 748, 748, 749, 1]), [1, 1, 2, 3, 3]);
        // A large packet uses several opportunities: 1504, 1504 and 992 bytes. The remaining 512 bytes of the
        // last opportunity are left for other packets.
        assert_eq!(backlog("1\n4\n6\n9\n", &[3996, 508, 1]), [6, 6, 9]);
        assert_eq!(backlog("1\n4\n6\n9\n", &[3996, 509]), [6, 9]);
        // The trace repeats after its last time: 10, 12, 20, 22, …
        assert_eq!(backlog("2\n10\n", &[1500; 5]), [2, 10, 12, 20, 22]);
    }

    #[test]
    fn unused_delivery_opportunities_are_lost() {
        let mut pace = pace("1\n2\n3\n10\n");
        assert_eq!(pace.transmission_end(Time::ZERO, 100), at(1));
        // The remaining 1400 bytes of the first opportunity are lost. The opportunity at 2 ms is also lost,
        // because the packet arrives only at that time.
        assert_eq!(pace.transmission_end(at(2), 100), at(3));
        // The packet is queued behind the previous packet, so the two share an opportunity.
        assert_eq!(pace.transmission_end(at(3), 1396), at(3));
        // Opportunities in unused repetitions are also lost: those of the fifth repetition are at 41, 42, 43
        // and 50 ms.
        assert_eq!(pace.transmission_end(at(42) + Span::from_nanos(1), 1500), at(43));
        assert_eq!(pace.transmission_end(at(43), 1500), at(50));
        assert_eq!(pace.transmission_end(at(50), 1500), at(51));
    }

    /// A saturated link delivers all bytes of its trace, for any packet sizes: an IP packet of 1500 bytes for
    /// each line. 4 bytes of each packet are the TUN header.
    #[test]
    fn a_saturated_link_has_the_mean_rate_of_its_trace() {
        let trace = "0\n0\n13\n13\n13\n14\n200\n201\n999\n1000\n";
        let deliveries = DeliveryTrace::parse(trace).expect("a good trace");
        assert_eq!(deliveries.mean_rate(), Rate::from_bps(10 * 1500 * 8));
        for bytes in [40, 577, 1040, 1500, 9000] {
            let plan = LinkRate::Deliveries(Arc::new(deliveries.clone()));
            let mut pace = plan.idle_transmitter(0);
            let (mut now, mut sent) = (Time::ZERO, 0);
            while now < at(100_000) {
                now = pace.transmission_end(now, bytes);
                sent += 1;
            }
            // The first packet misses the two opportunities at time 0; all others are used. The last packet
            // may need more bytes than remain of its opportunity.
            let room = (now.nanos() / 1_000_000_000 * 10 - 2) * 1504;
            let charged = sent * u64::from(bytes + 4);
            assert!(charged.abs_diff(room) < 1504 * 12, "{bytes}: {charged} B, room for {room} B");
            let mean = plan.serialisation_time(bytes).nanos() * sent;
            assert!(mean.abs_diff(now.nanos()) < 1_200_000_000, "{bytes}: {mean} ns of {now}");
        }
    }

    #[test]
    fn a_constant_rate_serialises_each_packet_at_that_rate() {
        let plan = LinkRate::from(Rate::from_bps(8000));
        let mut pace = plan.idle_transmitter(0);
        assert_eq!(pace.transmission_end(at(5), 10), at(15));
        assert_eq!(pace.transmission_end(at(100), 10), at(110));
        assert_eq!(
            (plan.typical_rate(), plan.serialisation_time(10)),
            (Rate::from_bps(8000), Span::from_millis(10))
        );
    }

    #[test]
    fn delivery_trace_errors_name_their_line() {
        let cases = [
            ("", 1, "got the end of the file"),
            ("0\n0\n", 2, "got one that ends at 0 ms"),
            ("1\n\n2\n", 2, "whole milliseconds, got \"\""),
            ("1\n2.5\n", 2, "whole milliseconds, got \"2.5\""),
            ("1\n-2\n", 2, "whole milliseconds"),
            ("1\n1000000001\n", 2, "0 to 1000000000 whole milliseconds"),
            ("1\n3\n2\n", 3, "not before the time in the previous line, got \"2\""),
        ];
        for (text, line, expect) in cases {
            let bad = DeliveryTrace::parse(text).expect_err(text);
            assert!(bad.line == line && bad.message.contains(expect), "{text:?}: {bad:?}");
        }
    }
}
