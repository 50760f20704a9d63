//! One 802.11 channel: stations, the medium between them, and the effects it reports.
use crate::errors::ErrorPlan;
use crate::exchange::Exchange;
use crate::phy::Phy;
use airhop_base::{Drop, FlowId, Packet, Rate, Span, Time};
use airhop_engine::{EventQueue, Id, Streams, TimerId, Timers};
use std::collections::VecDeque;

/// A station of a cell, by its position in [`CellPlan::stations`].
pub type Station = u16;

/// Broadcast address. Such a frame is sent once, at the control rate, without an RTS and without an ACK
/// (IEEE 802.11-2016 §10.3.6).
pub const BROADCAST: Station = Station::MAX;

/// What the link layer remembers of a packet after it was handed over: enough to say which TCP segment a frame was
/// (Yun 2009 §3.1: "flow information, sequence number").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// The flow.
    pub flow: FlowId,
    /// First byte of the TCP payload.
    pub seq: u64,
    /// First byte after it; equal to `seq` if the packet carries no TCP payload.
    pub end: u64,
}

/// A packet on its way into a station's MAC.
#[derive(Debug)]
pub struct Outgoing {
    /// The station it is for, or [`BROADCAST`].
    pub to: Station,
    /// The packet.
    pub packet: Id<Packet>,
    /// Length of the IP datagram, bytes.
    pub bytes: u32,
    /// Header bytes at the start: IP and transport.
    pub header: u32,
    /// What it is.
    pub tag: Tag,
    /// How the MAC cuts it into fragments that protect its headers; `None`: it goes in one frame.
    pub fragments: Option<Fragmentation>,
}

/// The sizes of the fragments that LHP sends a packet in (Gao, Diggavi and Muthukrishnan 2003; Yun 2009 §2.1). The sizes are
/// Airhop's: the seed papers have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragmentation {
    /// Bytes of the IP datagram in the first fragment; never less than its headers.
    pub first: u32,
    /// In the others at most, unless that would make more than 16 fragments (IEEE 802.11-2016 §9.2.4.4.3).
    pub rest: u32,
}

impl Default for Fragmentation {
    fn default() -> Self {
        Fragmentation { first: 100, rest: 256 }
    }
}

/// An event of a cell, to be wrapped into the world's own event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellEvent {
    /// Which cell: [`CellPlan::index`].
    pub cell: u16,
    /// What happens.
    pub what: AirEvent,
}

/// What can happen in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirEvent {
    /// The earliest deadline among the stations: the end of a backoff, or an answer that did not come.
    Due,
    /// The start of an answer a SIFS after what it answers, by its slot in the medium.
    Start(u16),
    /// The end of a transmission, by its slot in the medium.
    End(u16),
}

/// What a cell tells the world, in the order in which it happened.
///
/// With [`Effect::Acknowledged`], [`Effect::Discarded`] and [`Effect::Broadcast`] the MAC of the sending station is free: the next packet
/// of its queue may follow.
#[derive(Debug)]
pub enum Effect {
    /// A packet reached `to` for the first time (duplicates by lost link ACKs are filtered, 802.11 §10.3.2.14).
    Deliver {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// The packet.
        packet: Id<Packet>,
        /// How long it contended for the medium: from when the MAC took it until the exchange began that delivered it.
        contended: Span,
    },
    /// A broadcast reached `to`. Comes for each station that received it, and before [`Effect::Broadcast`].
    Heard {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
    },
    /// A broadcast is over.
    Broadcast {
        /// The sending station.
        from: Station,
        /// The packet.
        packet: Id<Packet>,
    },
    /// An attempt failed as the sender sees it: no CTS or no ACK came.
    AttemptFailed {
        /// The sending station.
        from: Station,
        /// The station it was for.
        to: Station,
        /// Which packet.
        tag: Tag,
        /// The attempt that failed, the first is 1.
        attempt: u32,
        /// True if another attempt follows.
        retry: bool,
    },
    /// The sender's link layer gave a packet up. `packet` is `None` if it had in fact arrived and only its ACKs were lost.
    Discarded {
        /// The sending station.
        from: Station,
        /// The station it was for.
        to: Station,
        /// Which packet.
        tag: Tag,
        /// The packet itself.
        packet: Option<Id<Packet>>,
    },
    /// The sender's link layer gave up a packet of which the receiving station has the first fragment, and not all others: it
    /// knows what it lost. Comes just before [`Effect::Discarded`].
    HeaderOnly {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// Which packet.
        tag: Tag,
    },
    /// The sender's link layer learned that a packet arrived.
    Acknowledged {
        /// The sending station.
        from: Station,
        /// The station that has it.
        to: Station,
        /// Which packet.
        tag: Tag,
    },
    /// A frame was not received by the station it was for. `cause` is `Channel` or `Collision`.
    FrameLost {
        /// The sending station.
        from: Station,
        /// The station it was for.
        to: Station,
        /// Which kind of frame.
        frame: FrameKind,
        /// Length of the MAC frame, bytes.
        bytes: u32,
        /// The packet inside (or, for a control frame, the one it serves).
        tag: Tag,
        /// Why.
        cause: Drop,
        /// The bit errors of a data frame left its headers alone. Never so in a collision.
        header_intact: bool,
    },
    /// A transmission is over; only if [`Cell::tell_all`] asked for it. Comes before what follows from it.
    Transmitted(Transmitted),
}

/// A transmission that just ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmitted {
    /// The sending station.
    pub from: Station,
    /// The station it was for.
    pub to: Station,
    /// Which kind of frame.
    pub frame: FrameKind,
    /// Length of the MAC frame, bytes.
    pub bytes: u32,
    /// The packet inside (or, for a control frame, the one it serves).
    pub tag: Tag,
    /// The attempt at that packet, the first is 1.
    pub attempt: u32,
    /// When it began.
    pub start: Time,
    /// What became of it.
    pub reception: Reception,
}

/// What became of a frame at the station it was for, from the worst to the best; of a broadcast, where it fared best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reception {
    /// The station was not in receive range.
    Unheard,
    /// It was lost by bit errors.
    Channel,
    /// It was lost by another signal, or because the station was sending.
    Collision,
    /// It was received though another signal overlapped it; under [`Receiving::Lock`] a later one.
    Captured,
    /// It was received, and nothing else was on the air there.
    Received,
}

/// The kinds of 802.11 frames in this model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A data frame.
    Data,
    /// A data frame for all who hear it.
    Broadcast,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Link-layer acknowledgement.
    Ack,
}

/// Channel access (IEEE 802.11-2016 §10.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Data and ACK.
    Basic,
    /// RTS, CTS, data, ACK.
    RtsCts,
}

/// Where IEEE 802.11 and ns-2 differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRules {
    /// True: a packet that finds the medium idle for DIFS and no backoff pending goes out at once (IEEE 802.11-2016
    /// §10.3.4.2). False: a backoff always precedes it, as in ns-2.
    pub immediate_access: bool,
    /// When a frame without an answer has failed.
    pub ack_timeout: AckTimeout,
    /// What overlapping signals do to each other.
    pub receiving: Receiving,
}

impl CellRules {
    /// IEEE 802.11-2016.
    pub const IEEE: CellRules =
        CellRules { immediate_access: true, ack_timeout: AckTimeout::Ieee, receiving: Receiving::Sinr };

    /// ns-2.35.
    pub const NS2: CellRules =
        CellRules { immediate_access: false, ack_timeout: AckTimeout::Ns2, receiving: Receiving::Lock };

    /// The presets by name.
    pub const PRESETS: [(&str, CellRules); 2] = [("802.11", Self::IEEE), ("ns2", Self::NS2)];
}

/// When a frame without an answer has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckTimeout {
    /// AckTimeout and CTSTimeout: SIFS, slot and aRxPHYStartDelay after its end, if no frame began to be received by then; otherwise at
    /// the end of that frame. DIFS elapses meanwhile (IEEE 802.11-2016 §10.3.2.7, §10.3.2.9).
    Ieee,
    /// SIFS, the whole answer and a slot after its end. DIFS follows.
    Ns2,
}

impl AckTimeout {
    /// The rules by name.
    pub const ALL: [(&str, AckTimeout); 2] = [("802.11", Self::Ieee), ("ns2", Self::Ns2)];
}

/// What overlapping signals do to each other at a receiver. In both it is [`Range::capture`] that a frame has to be above, and a receiver
/// that follows a frame it can decode follows it to its end, whatever comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiving {
    /// A frame survives if it is above the sum of all other signals, earlier and later ones. A receiver leaves a signal from beyond
    /// the receive range for one that it can decode, and of two that begin together it follows the stronger.
    Sinr,
    /// The receiver follows the first signal after silence, decodable or not, and no later one (ns-2). That is above each later signal
    /// on its own, or lost.
    Lock,
}

impl Receiving {
    /// The rules by name.
    pub const ALL: [(&str, Receiving); 2] = [("sinr", Self::Sinr), ("lock", Self::Lock)];
}

/// Everything that a cell is built from.
#[derive(Clone, Debug)]
pub struct CellPlan {
    /// Its index among the cells of the world.
    pub index: u16,
    /// Its name, the root of the names of its random streams.
    pub name: String,
    /// Timing of the standard.
    pub phy: Phy,
    /// Data rate.
    pub rate: Rate,
    /// Rate of RTS, CTS and ACK frames.
    pub control_rate: Rate,
    /// Basic access or RTS/CTS.
    pub access: Access,
    /// Transmissions of a data frame at most, the first included.
    pub attempts: u32,
    /// Pause before each of them but the first, for link layers whose ARQ is slow. The packets behind wait.
    pub retry_delay: Span,
    /// Bytes that the MAC and LLC add to an IP packet in a data frame (24 + 8 + 4 by default).
    pub overhead: u32,
    /// Those of the standard, or ns-2's.
    pub rules: CellRules,
    /// Name and position (metres) of every station.
    pub stations: Vec<(String, [f64; 2])>,
    /// Receive and sense range in metres; without it all hear all.
    pub range: Option<Range>,
    /// The error model of each direction that has one.
    pub errors: Vec<LinkErrors>,
}

impl CellPlan {
    /// What the channel does from one station to another, if anything: the most specific entry, the last of equally specific ones.
    pub fn errors_between(&self, from: usize, to: usize) -> Option<&ErrorPlan> {
        let matches = |end: Option<Station>, station: usize| end.is_none_or(|s| usize::from(s) == station);
        let specific = |e: &&LinkErrors| u8::from(e.from.is_some()) + u8::from(e.to.is_some());
        let all = self.errors.iter().filter(|e| matches(e.from, from) && matches(e.to, to));
        all.max_by_key(specific).map(|entry| &entry.model).filter(|model| **model != ErrorPlan::Clean)
    }
}

/// How far signals reach, and how their power falls on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Frames can be received up to here, metres.
    pub receive: f64,
    /// The medium is sensed busy up to here, metres.
    pub sense: f64,
    /// A signal survives others that it is so many times as strong as: [`Receiving`]. A ratio of powers, at least 1.
    pub capture: f64,
    /// Power falls with the square of the distance up to here, metres, and with its fourth power beyond. Infinite in free space.
    pub crossover: f64,
}

/// Errors on the directed link from one station to another; `None` stands for every station.
#[derive(Clone, Debug)]
pub struct LinkErrors {
    /// The sending station.
    pub from: Option<Station>,
    /// The receiving station.
    pub to: Option<Station>,
    /// The model.
    pub model: ErrorPlan,
}

/// The cell at work.
///
/// One event of a cell waits in the queue for the earliest deadline of all its stations, and one for every transmission on the
/// air. A data frame and its ACK cost three events: the end of the backoff and the ends of the two frames.
#[derive(Debug)]
pub struct Cell {
    index: u16,
    exchange: Exchange,
    timers: Timers,
    due: TimerId,
}

impl Cell {
    /// Builds the cell; its randomness comes from `streams` under its own name.
    pub fn new(plan: &CellPlan, streams: &Streams) -> Self {
        let mut timers = Timers::new();
        let due = timers.add();
        Cell { index: plan.index, exchange: Exchange::new(plan, streams), timers, due }
    }

    /// Has the cell tell of every transmission, [`Effect::Transmitted`]: for a trace, at a cost.
    pub fn tell_all(&mut self) {
        self.exchange.tell_all();
    }

    /// True if the MAC of `station` can take a packet.
    pub fn is_free(&self, station: Station) -> bool {
        self.exchange.is_free(station)
    }

    /// Hands a packet to the MAC of `station`, which must be free.
    pub fn send<E: Copy + From<CellEvent>>(
        &mut self,
        now: Time,
        station: Station,
        packet: Outgoing,
        queue: &mut EventQueue<E>,
    ) {
        self.exchange.enqueue(now, station, packet);
        self.wait(queue);
    }

    /// Handles an event that the cell scheduled.
    pub fn on_event<E: Copy + From<CellEvent>>(
        &mut self,
        now: Time,
        event: AirEvent,
        queue: &mut EventQueue<E>,
        effects: &mut VecDeque<Effect>,
    ) {
        let index = self.index;
        let begins = !matches!(event, AirEvent::End(_));
        let end_is_due = begins && queue.more_is_due() && self.exchange.ends_something(now);
        let mut schedule = |at, what| queue.push(at, CellEvent { cell: index, what }.into());
        if end_is_due {
            // A signal that begins as another one ends does not overlap it: behind that end, which is in the queue already.
            return schedule(now, event);
        }
        match event {
            AirEvent::Start(slot) => self.exchange.on_start(now, slot, &mut schedule),
            AirEvent::End(slot) => self.exchange.on_end(now, slot, effects, &mut schedule),
            AirEvent::Due => {
                let event = CellEvent { cell: index, what: AirEvent::Due }.into();
                if !self.timers.fire(self.due, event, queue) {
                    return;
                }
                let mut schedule = |at, what| queue.push(at, CellEvent { cell: index, what }.into());
                self.exchange.on_due(now, effects, &mut schedule);
            }
        }
        self.wait(queue);
    }

    /// The transmission in a slot of the medium.
    #[cfg(test)]
    pub(crate) fn transmission(&self, slot: u16) -> crate::medium::Transmission {
        self.exchange.transmission(slot)
    }

    /// Has the queue wake the cell at the earliest deadline.
    fn wait<E: Copy + From<CellEvent>>(&mut self, queue: &mut EventQueue<E>) {
        let event = CellEvent { cell: self.index, what: AirEvent::Due }.into();
        let earliest = self.exchange.earliest();
        self.timers.set(self.due, (earliest < Time::MAX).then_some(earliest), event, queue);
    }
}
