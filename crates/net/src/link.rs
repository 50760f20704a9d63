//! Wired link: each direction has a queue, a serialiser and a wire.

mod reordering;

use crate::queues::QueuePlan;
use crate::queues::{self, Dropped, Offered, QueueState, Queued, TxQueue, Waits};
use crate::world::event::Event;
use airhop_base::{Drop, NodeId, Packet, Span, Time};
use airhop_engine::{Arena, EventQueue, Id, Stream};
use airhop_radio::errors::{Damage, ErrorModel, Frame};
use airhop_radio::pace::{LinkRate, Pace, Sending};
pub(crate) use reordering::Reordering;
use std::collections::VecDeque;

/// One direction of a wired link. At most two of its events are scheduled: the next arrival at the far end,
/// and the end of the present transmission if a discipline selects the next packet.
#[derive(Debug)]
pub(crate) struct Link {
    wire: VecDeque<OnWire>,
    /// End of the last scheduled transmission of the serialiser.
    free_at: Time,
    pace: Pace,
    delay: Span,
    line: Line,
    impairments: Option<Box<Impairments>>,
    /// Index in the world.
    pub index: u16,
    /// Node at the sending end.
    pub from: NodeId,
    /// Node at the receiving end.
    pub to: NodeId,
    /// Indices in the recorder of the link's name, and of the interfaces at both ends.
    pub trace: LinkTrace,
    /// Name for traces, such as "r1->r2".
    pub name: Box<str>,
}

/// Errors and reordering on the wire.
#[derive(Debug)]
pub(crate) struct Impairments {
    pub errors: Option<Box<dyn ErrorModel>>,
    pub reordering: Option<Reordering>,
}

/// Packets queued before the serialiser.
#[derive(Debug)]
pub(crate) enum Line {
    /// First come, first served queue with a capacity. The departure time of a packet is known at its
    /// arrival, so the departure needs no event. A packet that arrives at the time of a departure still finds
    /// the departing packet in the queue.
    Scheduled {
        /// Queue capacity, packets.
        capacity: u32,
        /// Number of packets on the wire that are already counted as departed from the serialiser.
        gone: u32,
        /// Sojourn times, recorded when a packet enters the queue.
        waits: Waits,
    },
    /// Queue discipline that selects the next packet whenever the serialiser is free.
    Asked {
        queue: TxQueue,
        /// True if an [`Event::LinkFree`] is scheduled.
        free_pending: bool,
    },
}

/// Packet in the serialiser or on the wire.
#[derive(Debug)]
pub(crate) struct OnWire {
    pub packet: Id<Packet>,
    /// Transmission time of the first bit.
    start: Time,
    /// Transmission time of the last bit.
    end: Time,
    arrival: Time,
}

/// Indices of a link's names in the recorder.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkTrace {
    pub place: u32,
    pub from_interface: u16,
    pub to_interface: u16,
}

impl Line {
    /// Creates the queue of this plan before a serialiser of the rate `pace`.
    pub fn new(plan: &QueuePlan, pace: &LinkRate, stream: Stream) -> Line {
        match (plan, pace) {
            (&QueuePlan::DropTail { packets }, LinkRate::Rate(_) | LinkRate::Deliveries(_)) => {
                Line::Scheduled {
                    capacity: u32::try_from(packets).unwrap_or(u32::MAX),
                    gone: 0,
                    waits: Waits::default(),
                }
            }
            // A discipline, because a handoff may drop the packets queued for a mobile.
            _ => Line::Asked {
                queue: queues::build(plan, |bytes| pace.time_for(bytes), stream),
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
        pace: Pace,
        delay: Span,
        line: Line,
        impairments: Impairments,
    ) -> Self {
        let trace = LinkTrace::default();
        let is_doubtful = impairments.errors.is_some() || impairments.reordering.is_some();
        Link {
            wire: VecDeque::new(),
            free_at: Time::ZERO,
            pace,
            delay,
            line,
            impairments: is_doubtful.then(|| Box::new(impairments)),
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
        dropped: &mut Dropped,
    ) {
        let Line::Scheduled { gone, waits, .. } = &mut self.line else {
            return self.offer_to_discipline(now, packet, bytes, arena, events, dropped);
        };
        if self.free_at <= now {
            *gone = self.wire.len() as u32 + 1; // the present packet and all packets before it
            waits.pass();
            self.transmit(now, packet, bytes, events);
        } else if self.is_full(now) {
            dropped.push((Queued { id: packet, to: 0, since: now }, Drop::Queue));
        } else {
            if let Line::Scheduled { waits, .. } = &mut self.line {
                waits.add(self.free_at - now);
            }
            self.transmit(self.free_at, packet, bytes, events);
        }
    }

    /// True if a scheduled queue has no room.
    #[inline]
    fn is_full(&mut self, now: Time) -> bool {
        let Line::Scheduled { capacity, gone, .. } = self.line else { return false };
        let capacity = capacity as usize;
        self.wire.len() - gone as usize >= capacity && self.release(now, |_, _| {}) >= capacity
    }

    /// Counts the packets that have departed from a scheduled queue before `now`. Calls `show` with each
    /// departure time and the number of packets queued at that time. Returns the number of queued packets.
    pub fn release(&mut self, now: Time, mut show: impl FnMut(Time, usize)) -> usize {
        let Line::Scheduled { gone, .. } = &mut self.line else { return self.waiting(now) };
        for next in self.wire.range(*gone as usize..).take_while(|next| next.start < now) {
            *gone += 1;
            show(next.start, self.wire.len() - *gone as usize);
        }
        self.wire.len() - *gone as usize
    }

    #[inline(never)]
    fn offer_to_discipline(
        &mut self,
        now: Time,
        packet: Id<Packet>,
        bytes: u32,
        arena: &mut Arena<Packet>,
        events: &mut EventQueue<Event>,
        dropped: &mut Dropped,
    ) {
        let Line::Asked { queue, free_pending } = &mut self.line else { return };
        let free_since = (self.free_at <= now).then_some(self.free_at);
        match queue.offer(now, free_since, Queued { id: packet, to: 0, since: now }, arena, dropped) {
            Offered::Passes(packet) => self.transmit(now, packet.id, bytes, events),
            Offered::Pushed if !*free_pending => {
                *free_pending = true;
                events.push(self.free_at.max(now), Event::LinkFree(self.index));
            }
            Offered::Pushed | Offered::Refused => {}
        }
    }

    /// Passes a packet to the serialiser, which becomes free at `start`.
    #[inline(always)]
    fn transmit(&mut self, start: Time, packet: Id<Packet>, bytes: u32, events: &mut EventQueue<Event>) {
        let Sending { start, end, arrival } = self.pace.send(start, bytes, self.delay);
        self.free_at = end;
        let is_first = self.wire.is_empty();
        self.wire.push_back(OnWire { packet, start, end, arrival });
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
        dropped: &mut Dropped,
    ) {
        let Line::Asked { queue, free_pending } = &mut self.line else { return };
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

    /// Removes and returns the oldest packet on the wire, which arrives now.
    #[inline(always)]
    pub fn on_arrival(&mut self, events: &mut EventQueue<Event>) -> Option<OnWire> {
        let arrived = self.wire.pop_front()?;
        if let Line::Scheduled { gone, .. } = &mut self.line {
            *gone = gone.saturating_sub(1);
        }
        if let Some(next) = self.wire.front() {
            events.push(next.arrival, Event::LinkArrival(self.index));
        }
        Some(arrived)
    }

    /// True if the plan configures errors or reordering for the wire.
    #[inline]
    pub fn is_doubtful(&self) -> bool {
        self.impairments.is_some()
    }

    fn reordering(&mut self) -> Option<&mut Reordering> {
        self.impairments.as_mut()?.reordering.as_mut()
    }

    /// Draws whether the packet that arrives now is delayed by reordering. Must be called for each packet.
    pub fn draws_late(&mut self) -> bool {
        self.reordering().is_some_and(Reordering::draws_late)
    }

    /// Stores a delayed packet.
    pub fn keep_late(&mut self, now: Time, packet: Id<Packet>, events: &mut EventQueue<Event>) {
        let link = self.index;
        if let Some(reordering) = self.reordering() {
            reordering.keep(now, link, packet, events);
        }
    }

    /// Removes and returns the oldest delayed packet, which arrives now.
    pub fn on_late_arrival(&mut self, events: &mut EventQueue<Event>) -> Option<Id<Packet>> {
        let link = self.index;
        self.reordering()?.on_arrival(link, events)
    }

    /// Returns the damage of a packet that has arrived.
    pub fn damage(&mut self, arrived: &OnWire, packet: &Packet) -> Damage {
        let model = self.impairments.as_mut().and_then(|impairments| impairments.errors.as_mut());
        let Some(model) = model else { return Damage::None };
        let [bits, header_bits] = [packet.bytes, packet.header_bytes()].map(|bytes| u64::from(bytes) * 8);
        let (start, end) = (arrived.start, arrived.end);
        model.damage(&Frame { bits, header_bits, control: false, broadcast: false, start, end, attempt: 1 })
    }

    /// Drops all packets queued in a discipline.
    pub fn clear_queue(&mut self, dropped: &mut Dropped) {
        if let Line::Asked { queue, .. } = &mut self.line {
            queue.clear(dropped);
        }
    }

    /// Returns the number of queued packets.
    pub fn waiting(&self, now: Time) -> usize {
        match &self.line {
            Line::Scheduled { gone, .. } => {
                self.wire.len() - self.wire.partition_point(|next| next.start < now).max(*gone as usize)
            }
            Line::Asked { queue, .. } => queue.len(),
        }
    }

    /// Returns the queue capacity, packets.
    pub fn capacity(&self) -> usize {
        match &self.line {
            Line::Scheduled { capacity, .. } => *capacity as usize,
            Line::Asked { queue, .. } => queue.capacity(),
        }
    }

    /// Returns the queue's state, as in the results.
    pub fn state(&self) -> QueueState<'_> {
        match &self.line {
            Line::Scheduled { waits, .. } => QueueState { wait: waits.summary(), marker: None },
            Line::Asked { queue, .. } => queue.state(),
        }
    }

    /// Ends the warm-up. From now on, sojourn times are those of packets that enter a scheduled queue, or
    /// leave a discipline, later.
    pub fn begin_anew(&mut self) {
        match &mut self.line {
            Line::Scheduled { waits, .. } => *waits = Waits::default(),
            Line::Asked { queue, .. } => queue.begin_anew(),
        }
    }

    /// Returns the number of packets in the link: queued, on the wire, and delayed.
    pub fn holds(&self) -> usize {
        let asked = match &self.line {
            Line::Scheduled { .. } => 0,
            Line::Asked { queue, .. } => queue.len(),
        };
        let late = self.impairments.as_ref().and_then(|impairments| impairments.reordering.as_ref());
        asked + self.wire.len() + late.map_or(0, Reordering::holds)
    }
}

#[cfg(test)]
mod tests;
