//! Wired link: each direction has a queue, a serialiser and a wire.

mod reordering;
mod scheduled;

use crate::queues::QueuePlan;
use crate::queues::{self, DroppedPackets, OfferOutcome, QueueEntry, QueueState, TxQueue};
use crate::world::event::Event;
use airhop_base::{DropCause, NodeId, Packet, Span, Time};
use airhop_engine::{Arena, EventQueue, Id, RandomStream, Ring};
use airhop_radio::errors::{Damage, ErrorModel, Frame};
use airhop_radio::link_rate::{LinkRate, LinkTransmitter, PacketTimes};
pub(crate) use reordering::Reordering;
use scheduled::ScheduledFifo;
use std::collections::VecDeque;

/// One direction of a wired link. At most two events are scheduled: the next arrival at the far end and, with
/// a queue discipline, the end of the present transmission.
#[derive(Debug)]
pub(crate) struct Link {
    wire: Ring<WirePacket>,
    /// End of the last scheduled transmission of the serialiser.
    free_at: Time,
    pace: LinkTransmitter,
    delay: Span,
    line: LinkQueue,
    impairments: Option<Box<Impairments>>,
    /// Index in the world.
    pub index: u16,
    /// Node at the sending end.
    pub from: NodeId,
    /// Node at the receiving end.
    pub to: NodeId,
    /// Recorder indices of the link's name and of the interfaces at both ends.
    pub trace: LinkTrace,
    /// Name for traces, such as "r1->r2".
    pub name: Box<str>,
}

/// Errors and reordering on the wire.
#[derive(Debug)]
pub(crate) struct Impairments {
    errors: Option<Box<dyn ErrorModel>>,
    reordering: Option<Reordering>,
    /// Transmission times of the first and last bit of each packet on the wire.
    sent: VecDeque<[Time; 2]>,
}

/// Packets queued before the serialiser.
#[derive(Debug)]
pub(crate) enum LinkQueue {
    /// FIFO queue. The departure time of a packet is known on arrival and needs no event.
    Scheduled(ScheduledFifo),
    /// Queue discipline that selects the next packet whenever the serialiser is free.
    Asked {
        queue: TxQueue,
        /// True if an [`Event::LinkFree`] is scheduled.
        free_pending: bool,
    },
}

/// Packet in the serialiser or on the wire. Four fit into a cache line, because thousands of packets exist at
/// a time.
#[derive(Debug, Default)]
pub(crate) struct WirePacket {
    pub packet: Id<Packet>,
    arrival: Time,
}

/// Indices of a link's names in the recorder.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkTrace {
    pub place_index: u32,
    pub from_interface: u16,
    pub to_interface: u16,
}

impl Impairments {
    /// Creates the impairments of a wire; `None` if there are neither errors nor reordering.
    pub fn new(errors: Option<Box<dyn ErrorModel>>, reordering: Option<Reordering>) -> Option<Self> {
        let is_doubtful = errors.is_some() || reordering.is_some();
        is_doubtful.then(|| Impairments { errors, reordering, sent: VecDeque::new() })
    }
}

impl LinkQueue {
    /// Creates the queue of this plan before a serialiser of the rate `pace`.
    pub fn new(plan: &QueuePlan, pace: &LinkRate, stream: RandomStream) -> LinkQueue {
        match (plan, pace) {
            (&QueuePlan::DropTail { packets }, LinkRate::Rate(_) | LinkRate::Deliveries(_)) => {
                LinkQueue::Scheduled(ScheduledFifo::new(packets))
            }
            // A discipline, because a handoff may drop the packets queued for a mobile.
            _ => LinkQueue::Asked {
                queue: queues::build_tx_queue(plan, |bytes| pace.serialisation_time(bytes), stream),
                free_pending: false,
            },
        }
    }
}

impl Link {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        index: u16,
        name: String,
        from: NodeId,
        to: NodeId,
        pace: LinkTransmitter,
        delay: Span,
        line: LinkQueue,
        impairments: Option<Impairments>,
    ) -> Self {
        let trace = LinkTrace::default();
        Link {
            wire: Ring::default(),
            free_at: Time::ZERO,
            pace,
            delay,
            line,
            impairments: impairments.map(Box::new),
            index,
            from,
            to,
            trace,
            name: name.into(),
        }
    }

    /// Offers a packet of `bytes` bytes. Packets that the queue drops are added to `dropped`.
    #[inline(always)]
    pub fn offer(
        &mut self,
        now: Time,
        packet: Id<Packet>,
        bytes: u32,
        arena: &mut Arena<Packet>,
        events: &mut EventQueue<Event>,
        dropped: &mut DroppedPackets,
    ) {
        let LinkQueue::Scheduled(line) = &mut self.line else {
            return self.offer_to_discipline(now, packet, bytes, arena, events, dropped);
        };
        if self.free_at <= now {
            line.add_unqueued();
            self.transmit(now, packet, bytes, events);
        } else if line.is_full(now) {
            dropped.push((QueueEntry { id: packet, next_station: 0, offered_at: now }, DropCause::Queue));
        } else {
            line.enqueue(now, self.free_at);
            self.transmit(self.free_at, packet, bytes, events);
        }
    }

    /// Removes packets that have departed from a scheduled queue before `now`. Calls `show` with each
    /// departure time and the number of packets still queued. Returns the number of queued packets.
    pub fn remove_departed(&mut self, now: Time, show: impl FnMut(Time, usize)) -> usize {
        match &mut self.line {
            LinkQueue::Scheduled(line) => line.remove_departed(now, show),
            LinkQueue::Asked { queue, .. } => queue.len(),
        }
    }

    #[inline(never)]
    fn offer_to_discipline(
        &mut self,
        now: Time,
        packet: Id<Packet>,
        bytes: u32,
        arena: &mut Arena<Packet>,
        events: &mut EventQueue<Event>,
        dropped: &mut DroppedPackets,
    ) {
        let LinkQueue::Asked { queue, free_pending } = &mut self.line else { return };
        let free_since = (self.free_at <= now).then_some(self.free_at);
        match queue.offer(
            now,
            free_since,
            QueueEntry { id: packet, next_station: 0, offered_at: now },
            arena,
            dropped,
        ) {
            OfferOutcome::Passes(packet) => self.transmit(now, packet.id, bytes, events),
            OfferOutcome::Pushed if !*free_pending => {
                *free_pending = true;
                events.push(self.free_at.max(now), Event::LinkFree(self.index));
            }
            OfferOutcome::Pushed | OfferOutcome::Refused => {}
        }
    }

    /// Passes a packet to the serialiser. The serialiser becomes free at `start`.
    #[inline(always)]
    fn transmit(&mut self, start: Time, packet: Id<Packet>, bytes: u32, events: &mut EventQueue<Event>) {
        let PacketTimes { start, end, arrival } = self.pace.send(start, bytes, self.delay);
        self.free_at = end;
        if let Some(impairments) = &mut self.impairments {
            impairments.sent.push_back([start, end]);
        }
        let is_first = self.wire.is_empty();
        self.wire.push(WirePacket { packet, arrival });
        if is_first {
            events.push(arrival, Event::LinkArrival(self.index));
        }
    }

    /// Sends the next packet when the serialiser becomes free. Packets that the queue drops are added to
    /// `dropped`.
    pub fn on_free(
        &mut self,
        now: Time,
        arena: &mut Arena<Packet>,
        events: &mut EventQueue<Event>,
        dropped: &mut DroppedPackets,
    ) {
        let LinkQueue::Asked { queue, free_pending } = &mut self.line else { return };
        // If the queue was empty, because it had dropped all packets, a packet that arrived at the same time
        // may already be in the serialiser.
        let next = if now < self.free_at { None } else { queue.pop(now, arena, dropped) };
        *free_pending = queue.has_waiting();
        let others_wait = *free_pending;
        if let Some(packet) = next {
            let bytes = arena.get(&packet.id).bytes;
            self.transmit(now, packet.id, bytes, events);
        }
        if others_wait {
            events.push(self.free_at, Event::LinkFree(self.index));
        }
    }

    /// Removes and returns the packet that arrives now, the oldest on the wire.
    #[inline(always)]
    pub fn on_wire_arrival(&mut self, events: &mut EventQueue<Event>) -> Option<WirePacket> {
        let arrived = self.wire.pop()?;
        if let LinkQueue::Scheduled(line) = &mut self.line {
            line.limit_queued(self.wire.len());
        }
        if let Some(next) = self.wire.oldest() {
            events.push(next.arrival, Event::LinkArrival(self.index));
        }
        Some(arrived)
    }

    /// True if the plan configures errors or reordering for the wire.
    #[inline]
    pub fn has_impairments(&self) -> bool {
        self.impairments.is_some()
    }

    fn reordering(&mut self) -> Option<&mut Reordering> {
        self.impairments.as_mut()?.reordering.as_mut()
    }

    /// Draws whether the arriving packet is delayed by reordering. Must be called once for each packet.
    pub fn draw_delayed(&mut self) -> bool {
        self.reordering().is_some_and(Reordering::draw_delayed)
    }

    /// Stores a delayed packet.
    pub fn hold_delayed(&mut self, now: Time, packet: Id<Packet>, events: &mut EventQueue<Event>) {
        let link = self.index;
        if let Some(reordering) = self.reordering() {
            reordering.hold_delayed(now, link, packet, events);
        }
    }

    /// Removes and returns the delayed packet that arrives now.
    pub fn on_delayed_arrival(&mut self, events: &mut EventQueue<Event>) -> Option<Id<Packet>> {
        let link = self.index;
        self.reordering()?.on_delayed_arrival(link, events)
    }

    /// Returns the damage of the packet that has just arrived. Must be called once for each packet.
    pub fn draw_damage(&mut self, packet: &Packet) -> Damage {
        let Some(impairments) = &mut self.impairments else { return Damage::None };
        let (sent, model) = (impairments.sent.pop_front(), impairments.errors.as_mut());
        let (Some([start, end]), Some(model)) = (sent, model) else { return Damage::None };
        let [bits, header_bits] = [packet.bytes, packet.header_bytes()].map(|bytes| u64::from(bytes) * 8);
        model.draw_damage(&Frame {
            bits,
            header_bits,
            is_control: false,
            is_broadcast: false,
            start,
            end,
            attempt: 1,
        })
    }

    /// Drops all packets queued in a discipline.
    pub fn clear_queue(&mut self, dropped: &mut DroppedPackets) {
        if let LinkQueue::Asked { queue, .. } = &mut self.line {
            queue.clear(dropped);
        }
    }

    /// Returns the number of queued packets.
    pub fn queued_packets(&self, now: Time) -> usize {
        match &self.line {
            LinkQueue::Scheduled(line) => line.queued_packets(now),
            LinkQueue::Asked { queue, .. } => queue.len(),
        }
    }

    /// Returns the queue capacity in packets.
    pub fn capacity(&self) -> usize {
        match &self.line {
            LinkQueue::Scheduled(line) => line.capacity(),
            LinkQueue::Asked { queue, .. } => queue.capacity(),
        }
    }

    /// Returns the queue's state for the results.
    pub fn queue_state(&self) -> QueueState<'_> {
        match &self.line {
            LinkQueue::Scheduled(line) => QueueState { sojourn: line.sojourn_summary(), marker: None },
            LinkQueue::Asked { queue, .. } => queue.queue_state(),
        }
    }

    /// Ends the warm-up. Only sojourn times recorded later count.
    pub fn end_warm_up(&mut self) {
        match &mut self.line {
            LinkQueue::Scheduled(line) => line.end_warm_up(),
            LinkQueue::Asked { queue, .. } => queue.end_warm_up(),
        }
    }

    /// Returns the number of packets in the link: queued, on the wire, and delayed.
    pub fn packet_count(&self) -> usize {
        let asked = match &self.line {
            LinkQueue::Scheduled(_) => 0,
            LinkQueue::Asked { queue, .. } => queue.len(),
        };
        let late = self.impairments.as_ref().and_then(|impairments| impairments.reordering.as_ref());
        asked + self.wire.len() + late.map_or(0, Reordering::packet_count)
    }
}

#[cfg(test)]
mod tests;
