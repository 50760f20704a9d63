//! Reordering on a wire: a fraction of the packets is delayed, and later packets overtake them.
//!
//! Real paths reorder packets on subpaths of different lengths: parallel links within routers (Bennett,
//! Partridge and Shectman 1999) or several routes. Each packet is delayed independently of the others, as
//! with netem's option `reorder`.

use crate::world::event::Event;
use airhop_base::{Packet, Span, Time};
use airhop_engine::{EventQueue, Id, RandomStream};
use std::collections::VecDeque;

/// Delayed packets of one direction. All packets have the same additional delay and stay in order, so only
/// the first event is scheduled.
#[derive(Debug)]
pub(crate) struct Reordering {
    share: f64,
    by: Span,
    stream: RandomStream,
    late: VecDeque<(Id<Packet>, Time)>,
}

impl Reordering {
    /// Creates the model. A fraction `share` of the packets has an additional delay of `by`.
    pub fn new(share: f64, by: Span, stream: RandomStream) -> Reordering {
        Reordering { share, by, stream, late: VecDeque::new() }
    }

    /// Draws whether the next packet is delayed.
    pub fn draw_delayed(&mut self) -> bool {
        self.stream.random_bool(self.share)
    }

    /// Stores a delayed packet. `link`: index of the direction.
    pub fn hold_delayed(&mut self, now: Time, link: u16, packet: Id<Packet>, events: &mut EventQueue<Event>) {
        let arrival = now + self.by;
        if self.late.is_empty() {
            events.push(arrival, Event::LateArrival(link));
        }
        self.late.push_back((packet, arrival));
    }

    /// Returns the delayed packet that arrives now.
    pub fn on_delayed_arrival(&mut self, link: u16, events: &mut EventQueue<Event>) -> Option<Id<Packet>> {
        let (packet, _) = self.late.pop_front()?;
        if let Some((_, next)) = self.late.front() {
            events.push(*next, Event::LateArrival(link));
        }
        Some(packet)
    }

    /// Returns the number of delayed packets.
    pub fn packet_count(&self) -> usize {
        self.late.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{Body, Datagram, FlowId, NodeId};
    use airhop_engine::{Arena, RandomStreams};

    /// Delayed packets arrive in order with the same additional delay. Only one event is scheduled at a time.
    #[test]
    fn reordered_packets_have_the_configured_extra_delay() {
        let mut late = Reordering::new(1.0, Span::from_millis(5), RandomStreams::new(1, 0).stream("late"));
        let (mut arena, mut events) = (Arena::new(), EventQueue::new());
        let at = |ms| Time::ZERO + Span::from_millis(ms);
        for (number, ms) in [(0, 1), (1, 2), (2, 9)] {
            while let Some((now, event)) = events.pop_until(at(ms)) {
                assert_eq!(
                    (now, event),
                    (at(6 + u64::from(late.packet_count() == 1)), Event::LateArrival(7))
                );
                assert!(late.on_delayed_arrival(7, &mut events).is_some());
            }
            assert!(late.draw_delayed());
            let body = Body::Udp(Datagram { sequence_number: number, len: 72, sent: at(ms), original: None });
            let packet = Packet::new(FlowId(0), NodeId(0), NodeId(1), 100, body);
            late.hold_delayed(at(ms), 7, arena.insert(packet), &mut events);
        }
        assert_eq!(
            (late.packet_count(), events.pop_until(Time::MAX)),
            (1, Some((at(14), Event::LateArrival(7))))
        );
    }

    /// 100 000 draws at 1 % have a standard deviation of 31. The tolerance is five standard deviations (false
    /// alarm 6e-7).
    #[test]
    fn the_configured_share_of_packets_is_reordered() {
        let mut late = Reordering::new(0.01, Span::from_millis(5), RandomStreams::new(1, 0).stream("late"));
        let number = (0..100_000).filter(|_| late.draw_delayed()).count();
        assert!(number.abs_diff(1000) < 160, "{number}");
    }
}
