use airhop_base::{Sack, Span, Time};
use std::collections::VecDeque;

/// The rate at which data is delivered, a sample with each ACK that tells of an arrival
/// (draft-cheng-iccrg-delivery-rate-estimation; draft-ietf-ccwg-bbr §4.1).
///
/// Over the flight of a segment so much was delivered beside it: the slower of the rate at which that was sent and the rate at which
/// it was acknowledged. ACKs that arrive in a bunch do not raise it, nor does a pause of the sender.
#[derive(Debug, Default)]
pub struct DeliveryRate {
    /// What is outstanding, in sequence order.
    segments: VecDeque<Sent>,
    /// C.delivered: bytes known to have arrived so far.
    delivered: u64,
    /// C.delivered_time: when the last of them were acknowledged.
    delivered_at: Time,
    /// C.first_sent_time: when that segment was sent which the last sample was taken from.
    first_sent_at: Time,
    /// C.app_limited: until so much is delivered, the sender sent less than the path may have taken; zero if it did not.
    limited_until: u64,
    /// The least round trip so far.
    least_rtt: Option<Span>,
}

/// A segment that was sent, with what was known then.
#[derive(Clone, Copy, Debug)]
struct Sent {
    start: u64,
    end: u64,
    at: Time,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    limited: bool,
    again: bool,
    arrived: bool,
}

/// What an ACK says of arrivals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrivals {
    /// Bytes that it shows to have arrived for the first time.
    pub fresh: u64,
    /// Bytes known to have arrived so far, these included.
    pub total: u64,
    /// The round trip of the last of these segments that were sent once only.
    pub rtt: Option<Span>,
    /// The least round trip so far, the handshake's included.
    pub least_rtt: Option<Span>,
    /// The rate, if it gives a valid sample.
    pub rate: Option<RateSample>,
}

/// So much was delivered in so long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSample {
    /// Bytes.
    pub delivered: u64,
    /// The longer of the times in which they were sent and acknowledged.
    pub interval: Span,
    /// Bytes known to have arrived when the segment was sent that the sample is taken from: what is sent later than that belongs to
    /// a later round trip.
    pub prior: u64,
    /// The sender had less to send than the path may have taken.
    pub limited: bool,
}

impl RateSample {
    /// Bytes per second.
    pub fn rate(&self) -> f64 {
        self.delivered as f64 / self.interval.secs_f64()
    }
}

impl DeliveryRate {
    /// The bytes `[start, end)` are sent. True if nothing was outstanding and the sender had nothing to send before.
    pub fn on_sent(&mut self, at: Time, start: u64, end: u64) -> bool {
        let is_idle = self.segments.is_empty();
        if is_idle {
            // The pause that ends belongs to no sample.
            (self.first_sent_at, self.delivered_at) = (at, at);
        }
        let sent = Sent {
            start,
            end,
            at,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited: self.limited_until > 0,
            again: false,
            arrived: false,
        };
        if self.segments.back().is_none_or(|last| start >= last.end) {
            self.segments.push_back(sent);
        } else if let Some(before) = self.get_mut(start) {
            *before = Sent { end: before.end, again: true, arrived: before.arrived, ..sent };
        }
        is_idle && sent.limited
    }

    /// All that is outstanding, `in_flight` bytes, is less than what may be: samples of what is sent from now until it has arrived
    /// show what the application supplied, or what the scheme chose to send.
    pub fn limit(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// An ACK up to `una` with these SACK blocks.
    pub fn on_ack(&mut self, now: Time, una: u64, sack: &Sack) -> Arrivals {
        let before = self.delivered;
        let mut newest: Option<Sent> = None;
        let mut newest_once: Option<Time> = None;
        let mut arrive = |e: &mut Sent| {
            if std::mem::replace(&mut e.arrived, true) {
                return 0;
            }
            if newest.is_none_or(|n| (n.at, n.end) < (e.at, e.end)) {
                newest = Some(*e);
            }
            if !e.again {
                newest_once = newest_once.max(Some(e.at));
            }
            e.end - e.start
        };
        let mut fresh = 0;
        while let Some(e) = self.segments.front_mut().filter(|e| e.start < una) {
            if e.end > una {
                fresh += if e.arrived { 0 } else { una - e.start };
                e.start = una; // the rest is still out
                break;
            }
            fresh += arrive(e);
            self.segments.pop_front();
        }
        for block in sack.blocks() {
            let first = self.segments.partition_point(|e| e.start < block.start);
            fresh += self
                .segments
                .range_mut(first..)
                .take_while(|e| e.end <= block.end)
                .map(&mut arrive)
                .sum::<u64>();
        }
        self.delivered = before + fresh;
        if fresh > 0 {
            self.delivered_at = now;
        }
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        let rtt = newest_once.map(|at| now - at);
        self.least_rtt = [self.least_rtt, rtt].into_iter().flatten().min();
        let rate = newest.and_then(|e| self.sample(now, &e));
        Arrivals { fresh, total: self.delivered, rtt, least_rtt: self.least_rtt, rate }
    }

    /// §3.3 of the first draft: the sample that the newest segment among those that arrived gives.
    fn sample(&mut self, now: Time, e: &Sent) -> Option<RateSample> {
        self.first_sent_at = e.at;
        let interval = (e.at - e.first_sent_at).max(now - e.delivered_at);
        // "it is possible for the ACK of a retransmission to be that of the original": too short to be a flight.
        let is_flight = interval > Span::ZERO && self.least_rtt.is_none_or(|least| interval >= least);
        is_flight.then_some(RateSample {
            delivered: self.delivered - e.delivered,
            interval,
            prior: e.delivered,
            limited: e.limited,
        })
    }

    fn get_mut(&mut self, start: u64) -> Option<&mut Sent> {
        let i = self.segments.partition_point(|e| e.start < start);
        self.segments.get_mut(i).filter(|e| e.start == start)
    }
}
