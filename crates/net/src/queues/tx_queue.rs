use super::{DroppedPackets, Marker, QueueDisc, QueueEntry, QueueState, SojournTimes};
use airhop_base::{DropCause, Packet, Time};
use airhop_engine::{Arena, Id};

/// Transmit queue: a queue discipline before a transmitter. A packet passes without queueing if the
/// transmitter is free and the queue is empty.
#[derive(Debug)]
pub struct TxQueue {
    discipline: Box<dyn QueueDisc>,
    record: Box<Record>,
}

/// Properties of the queue that can be read without a call of the discipline.
#[derive(Debug, Default)]
struct Record {
    /// False if the queue is certainly empty. The discipline is then not called.
    may_wait: bool,
    /// Sojourn times of packets that left the queue.
    waits: SojournTimes,
}

/// Outcome of a packet offered to a [`TxQueue`].
#[derive(Debug)]
pub enum OfferOutcome {
    /// The packet passes to the transmitter without queueing.
    Passes(QueueEntry),
    /// The discipline dropped the packet instead of passing it without queueing.
    Refused,
    /// The packet was offered to the discipline, and is queued or in the list of dropped packets.
    Pushed,
}

impl TxQueue {
    /// Creates the queue before a transmitter.
    pub fn new(discipline: Box<dyn QueueDisc>) -> Self {
        TxQueue { discipline, record: Box::default() }
    }

    /// Offers a packet. `free_since`: time since which the transmitter has been free; `None` if it is busy.
    /// Dropped packets are added to `dropped`, whether queued or offered.
    #[inline]
    pub fn offer(
        &mut self,
        now: Time,
        free_since: Option<Time>,
        packet: QueueEntry,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> OfferOutcome {
        if let Some(since) = free_since
            && !self.has_waiting()
        {
            let Some(why) = self.discipline.pass_unqueued(now, since, &packet.id, arena) else {
                self.record.waits.add_unqueued();
                return OfferOutcome::Passes(packet);
            };
            dropped.push((packet, why));
            return OfferOutcome::Refused;
        }
        self.record.may_wait = true;
        self.discipline.push(now, packet, arena, dropped);
        OfferOutcome::Pushed
    }

    /// Removes and returns the next packet. Packets that the discipline drops first are added to `dropped`.
    #[inline]
    pub fn pop(
        &mut self,
        now: Time,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> Option<QueueEntry> {
        if !self.record.may_wait {
            return None;
        }
        let next = self.discipline.pop(now, arena, dropped);
        match &next {
            Some(packet) => self.record.waits.add_queued(now - packet.offered_at),
            None => self.record.may_wait = false,
        }
        next
    }

    /// True if a packet is queued.
    #[inline]
    pub fn has_waiting(&mut self) -> bool {
        self.record.may_wait = self.record.may_wait && self.discipline.len() > 0;
        self.record.may_wait
    }

    /// Removes and returns the first packet for which `matches` returns true, at any position in the queue.
    pub fn remove_first(&mut self, matches: &dyn Fn(&QueueEntry) -> bool) -> Option<QueueEntry> {
        self.discipline.remove_first(matches)
    }

    /// Drops all queued packets, because their route is lost.
    pub fn clear(&mut self, dropped: &mut DroppedPackets) {
        while let Some(packet) = self.remove_first(&|_| true) {
            dropped.push((packet, DropCause::Route));
        }
    }

    /// Passes the queued packets to `matches`; see [`QueueDisc::any_waiting`].
    pub fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.discipline.any_waiting(matches)
    }

    /// Returns the number of queued packets.
    pub fn len(&self) -> usize {
        self.discipline.len()
    }

    /// Returns the queue capacity in packets.
    pub fn capacity(&self) -> usize {
        self.discipline.capacity()
    }

    /// Returns the marker; `None` if the discipline marks no packets.
    pub fn marker(&self) -> Option<&Marker> {
        self.discipline.marker()
    }

    /// Returns the state of the queue for the results.
    pub fn queue_state(&self) -> QueueState<'_> {
        QueueState { sojourn: self.record.waits.summary(), marker: self.marker() }
    }

    /// Ends the warm-up. Only packets that leave the queue later count in the sojourn times.
    pub fn end_warm_up(&mut self) {
        self.record.waits = SojournTimes::default();
    }
}

#[cfg(test)]
mod tests {
    use super::super::QueuePlan;
    use super::super::testing::{datagram, number};
    use super::*;
    use airhop_engine::RandomStreams;

    /// A packet passes without queueing only if the transmitter is free and the queue is empty. Each packet
    /// keeps its next station.
    #[test]
    fn a_packet_passes_a_free_transmitter_without_queueing() {
        let (plan, stream) = (QueuePlan::DropTail { packets: 2 }, RandomStreams::new(1, 0).stream("queue"));
        let mut queue = super::super::build_tx_queue(&plan, |_| airhop_base::Span::ZERO, stream);
        let (mut arena, mut dropped) = (Arena::new(), DroppedPackets::new());
        let mut offer = |queue: &mut TxQueue, number, free: bool| {
            let packet = QueueEntry {
                id: arena.insert(datagram(number)),
                next_station: number as u16 + 10,
                offered_at: Time::ZERO,
            };
            match queue.offer(Time::ZERO, free.then_some(Time::ZERO), packet, &mut arena, &mut dropped) {
                OfferOutcome::Passes(packet) => Some(self::number(&arena.take(packet.id))),
                _ => None,
            }
        };
        assert_eq!(offer(&mut queue, 0, true), Some(0));
        assert_eq!([1, 2, 3].map(|number| offer(&mut queue, number, false)), [None; 3]);
        assert_eq!(offer(&mut queue, 4, true), None, "other queues are served first");
        assert_eq!(dropped.iter().map(|(packet, _)| packet.next_station).collect::<Vec<_>>(), [13, 14]);
        let mut next = || queue.pop(Time::ZERO, &mut arena, &mut dropped).map(|packet| packet.next_station);
        assert_eq!([next(), next(), next()], [Some(11), Some(12), None]);
        assert!(!queue.has_waiting());
    }
}
