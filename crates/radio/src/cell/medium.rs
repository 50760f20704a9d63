//! Medium: which stations hear each other, and the fate of signals that overlap.
//!
//! Propagation takes no time: 100 m are 0.33 µs, a slot is 9 to 50 µs. So two stations within hearing collide only if they start at the
//! same instant, which backoffs counted from the same event do.
use super::mac::channel_access::ChannelAccess;
use super::mac::stop_and_wait::StopAndWait;
use super::plan::{CellPlan, Range, Receiving};
use crate::address::{BROADCAST, Station};
use crate::errors::{Damage, ErrorModel, Frame};
use crate::layer::{FrameKind, Reception, Transmitted};
use crate::tag::Tag;
use airhop_base::{Drop, Span, Time};
use airhop_engine::Streams;

/// Transmission on the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmission {
    pub from: Station,
    pub to: Station,
    pub kind: FrameKind,
    /// Length of the MAC frame, bytes.
    pub bytes: u32,
    /// Header bytes at the start; of a control frame, all bytes.
    pub header: u32,
    /// Number of the attempt at its packet, from 1.
    pub attempt: u32,
    pub start: Time,
    pub end: Time,
    /// Duration field: reservation of the medium beyond the end of the frame.
    pub duration: Span,
    pub tag: Tag,
    /// Number of its packet at the station that sends or sent that.
    pub number: u64,
}

/// Place of a transmission in the medium, which one transmission at a time has.
pub(crate) type Slot = u16;

/// Station within the sense range of another.
#[derive(Debug)]
struct Neighbour {
    station: Station,
    /// Received power, in the unit of [`Range::power`].
    power: f64,
    /// True within receive range.
    decodes: bool,
    /// Error model; `None`: a clean link.
    errors: Option<Box<dyn ErrorModel>>,
}

/// Receiver and MAC of a station.
#[derive(Debug)]
pub(crate) struct Member {
    pub receiver: RxState,
    pub access: ChannelAccess,
    pub sender: StopAndWait,
}

/// Reception state of a station's PHY.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RxState {
    /// Signals at the antenna, the own one included.
    signals: u32,
    sending: bool,
    /// Sum of the powers of all other signals; kept under [`Receiving::Sinr`] only.
    energy: f64,
    lock: Option<LockedFrame>,
}

/// Signal that the receiver follows.
#[derive(Clone, Copy, Debug)]
struct LockedFrame {
    signal: Signal,
    overlapped: bool,
    collided: bool,
}

/// Signal at an antenna.
#[derive(Clone, Copy, Debug)]
struct Signal {
    slot: Slot,
    start: Time,
    power: f64,
    decodes: bool,
}

/// Tolerance of a receiver to interference.
#[derive(Clone, Copy, Debug)]
struct Capture {
    /// Minimum ratio of powers: [`Range::capture`].
    ratio: f64,
    receiving: Receiving,
}

/// Outcome of a signal at a station within hearing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Frame received.
    Frame,
    /// Frame with bit errors, all of them behind its headers.
    Damaged,
    /// Frame that began decodably (or at least first) but could not be decoded.
    Garbled(Drop),
    /// Energy only: the station was transmitting, or following another signal.
    Noise,
}

impl Transmission {
    /// Turns the transmission into the control frame with which its addressee answers; the duration field goes on counting.
    pub fn turn(&mut self, kind: FrameKind, bytes: u32, start: Time, airtime: Span) {
        (self.from, self.to, self.kind) = (self.to, self.from, kind);
        (self.bytes, self.header) = (bytes, bytes);
        self.duration = self.duration - start.since(self.end) - airtime;
        (self.start, self.end) = (start, start + airtime);
    }

    /// Returns its row in a trace.
    pub fn transmitted(&self, reception: Reception) -> Transmitted {
        let Transmission { from, to, kind: frame, bytes, tag, attempt, start, .. } = *self;
        let number = Some(self.number);
        Transmitted { from, to, frame, bytes, tag, number, attempt, start, reception }
    }
}

/// Outcome of a transmission that is over.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Outcome at the station addressed, if there is one.
    pub outcome: Heard,
    /// Reception at that station, if transmissions are reported.
    pub reception: Option<Reception>,
}

impl Reception {
    /// Classifies the reception of a frame from its `outcome` at a station within receive range; `overlapped`: another signal was there,
    /// under [`Receiving::Lock`] a later one.
    fn new(outcome: Heard, overlapped: bool) -> Self {
        match outcome {
            Heard::Frame if overlapped => Reception::Captured,
            Heard::Frame => Reception::Received,
            Heard::Damaged | Heard::Garbled(Drop::Channel) => Reception::Channel,
            Heard::Garbled(_) | Heard::Noise => Reception::Collision,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Medium {
    /// Stations within the sense range of each sending station, in the order of the stations.
    neighbours: Vec<Vec<Neighbour>>,
    air: Vec<Transmission>,
    unused: Vec<Slot>,
    capture: Capture,
    shared: bool,
    /// True if every transmission is reported with its reception.
    tells_all: bool,
}

impl Medium {
    pub fn new(plan: &CellPlan, streams: &Streams) -> Self {
        let n = plan.stations.len();
        let neighbours =
            (0..n).map(|from| (0..n).filter_map(|to| neighbour(plan, streams, from, to)).collect());
        Medium {
            neighbours: neighbours.collect(),
            air: Vec::new(),
            unused: Vec::new(),
            capture: Capture {
                ratio: plan.range.map_or(Range::CAPTURE, |range| range.capture),
                receiving: plan.rules.receiving,
            },
            shared: plan.range.is_none(),
            tells_all: false,
        }
    }

    /// Reports the reception of every transmission that ends from now on.
    pub fn tell_all(&mut self) {
        self.tells_all = true;
    }

    /// True if all stations hear each other, so that the medium is busy or idle for all at the same time.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Returns the transmission in `slot`.
    pub fn get(&self, slot: Slot) -> &Transmission {
        &self.air[usize::from(slot)]
    }

    /// Returns mutable access to the transmission in `slot`, to replace it when it is over.
    pub fn get_mut(&mut self, slot: Slot) -> &mut Transmission {
        &mut self.air[usize::from(slot)]
    }

    /// True if a transmission ends now and [`Medium::end`] was not called for it. In a shared medium nobody begins at the end of another
    /// transmission.
    pub fn ends_something(&self, now: Time) -> bool {
        !self.shared && self.air.iter().any(|tx| tx.end == now)
    }

    /// Assigns a slot to a transmission, before it begins.
    pub fn place(&mut self, tx: Transmission) -> Slot {
        if let Some(slot) = self.unused.pop() {
            *self.get_mut(slot) = tx;
            return slot;
        }
        self.air.push(tx);
        Slot::try_from(self.air.len() - 1).expect("a station sends one frame at a time")
    }

    /// Frees the slot of a transmission that is over.
    pub fn free(&mut self, slot: Slot) {
        self.air[usize::from(slot)].end = Time::ZERO;
        self.unused.push(slot);
    }

    /// Begins the transmission in `slot`. Calls `busy` for every station whose medium was idle until now.
    pub fn begin(
        &self,
        slot: Slot,
        stations: &mut [Member],
        mut busy: impl FnMut(Station, &mut ChannelAccess),
    ) {
        let &Transmission { from, start, .. } = self.get(slot);
        let Member { receiver, access, .. } = &mut stations[usize::from(from)];
        if receiver.sends() {
            busy(from, access);
        }
        for neighbour in &self.neighbours[usize::from(from)] {
            let Member { receiver, access, .. } = &mut stations[usize::from(neighbour.station)];
            let signal = Signal { slot, start, power: neighbour.power, decodes: neighbour.decodes };
            if receiver.arrives(signal, &self.capture) {
                busy(neighbour.station, access);
            }
        }
    }

    /// Ends the transmission in `slot`, which is then to be freed or reused. Calls `heard` with the outcome at every station within
    /// hearing.
    pub fn end(
        &mut self,
        slot: Slot,
        stations: &mut [Member],
        mut heard: impl FnMut(Station, &mut ChannelAccess, Heard),
    ) -> Ended {
        let tx = &self.air[usize::from(slot)];
        let sender = &mut stations[usize::from(tx.from)].receiver;
        sender.sending = false;
        sender.signals -= 1;
        let [bits, header_bits] = [tx.bytes, tx.header].map(|bytes| u64::from(bytes) * 8);
        let frame = Frame {
            bits,
            header_bits,
            control: !matches!(tx.kind, FrameKind::Data | FrameKind::Broadcast),
            broadcast: tx.kind == FrameKind::Broadcast,
            start: tx.start,
            end: tx.end,
            attempt: tx.attempt,
        };
        // The default: beyond the sense range.
        let reception = self.tells_all.then_some(Reception::Unheard);
        let mut ended = Ended { outcome: Heard::Garbled(Drop::Channel), reception };
        for neighbour in &mut self.neighbours[usize::from(tx.from)] {
            // One draw for every frame on the link, whatever else happens to it: the n-th frame has the same fate in every run.
            let damage = neighbour.errors.as_mut().map_or(Damage::None, |e| e.damage(&frame));
            let Member { receiver, access, .. } = &mut stations[usize::from(neighbour.station)];
            let lock = receiver.ends(slot, neighbour.power, &self.capture);
            let outcome = match (lock, damage) {
                (None, _) => Heard::Noise,
                (Some(lock), _) if lock.collided => Heard::Garbled(Drop::Collision),
                _ if !neighbour.decodes => Heard::Garbled(Drop::Channel),
                (_, Damage::None) => Heard::Frame,
                (_, Damage::Payload) => Heard::Damaged,
                (_, Damage::Header) => Heard::Garbled(Drop::Channel),
            };
            heard(neighbour.station, access, outcome);
            if tx.to == neighbour.station || tx.to == BROADCAST {
                ended.outcome = outcome;
                if neighbour.decodes
                    && let Some(best) = &mut ended.reception
                {
                    let overlapped = lock.is_some_and(|lock| lock.overlapped);
                    *best = Reception::new(outcome, overlapped).max(*best);
                }
            }
        }
        ended
    }

    /// Calls `f` with every station around `from`, and `from` itself, whose medium is idle.
    pub fn for_idle_around(
        &self,
        from: Station,
        stations: &mut [Member],
        mut f: impl FnMut(Station, &mut ChannelAccess),
    ) {
        let around = self.neighbours[usize::from(from)].iter().map(|neighbour| neighbour.station);
        around.chain([from]).for_each(|station| {
            let Member { receiver, access, .. } = &mut stations[usize::from(station)];
            if receiver.is_idle() {
                f(station, access);
            }
        });
    }
}

impl RxState {
    /// True if the receiver senses nothing, and its station sends nothing.
    pub fn is_idle(&self) -> bool {
        self.signals == 0
    }

    /// True if the receiver senses nothing but its station's own signal.
    pub fn is_undisturbed(&self) -> bool {
        self.signals == u32::from(self.sending)
    }

    /// True if the receiver follows the signal in `slot`.
    pub fn follows(&self, slot: Slot) -> bool {
        self.lock.is_some_and(|lock| lock.signal.slot == slot)
    }

    /// True if the receiver follows a signal whose preamble and header of length `plcp` are over: PHY-RXSTART came, PHY-RXEND did not.
    pub fn has_begun(&self, now: Time, plcp: Span) -> bool {
        self.lock.is_some_and(|lock| lock.signal.start + plcp <= now)
    }

    /// Starts a transmission of the own station: half duplex, the station receives nothing meanwhile. True if the medium was idle.
    fn sends(&mut self) -> bool {
        debug_assert!(!self.sending, "a station sends two frames at once");
        self.sending = true;
        self.lock = None;
        self.signals += 1;
        self.signals == 1
    }

    /// Adds a signal at the antenna. True if the medium was idle.
    fn arrives(&mut self, signal: Signal, capture: &Capture) -> bool {
        self.signals += 1;
        let first = self.signals == 1;
        match capture.receiving {
            Receiving::Lock if first => self.lock = Some(LockedFrame::on(signal, false)),
            Receiving::Lock => self.spoil(signal.power, capture.ratio),
            Receiving::Sinr => self.arrives_among(signal, capture.ratio),
        }
        first
    }

    /// Adds a signal under [`Receiving::Sinr`], where powers add up.
    fn arrives_among(&mut self, signal: Signal, ratio: f64) {
        let others = self.energy;
        self.energy += signal.power;
        if self.sending {
            return;
        }
        let is_readable = signal.decodes && signal.power >= ratio * others;
        let follows = match &self.lock {
            None => is_readable || self.signals == 1,
            Some(lock) => is_readable && (!lock.signal.decodes || lock.signal.start == signal.start),
        };
        if follows {
            self.lock = Some(LockedFrame::on(signal, self.signals > 1));
        } else if let Some(lock) = &self.lock {
            self.spoil(self.energy - lock.signal.power, ratio);
        }
    }

    /// Spoils the followed signal if interference of this power is too strong.
    fn spoil(&mut self, power: f64, ratio: f64) {
        if let Some(lock) = &mut self.lock {
            lock.overlapped = true;
            lock.collided |= lock.signal.power < ratio * power;
        }
    }

    /// Removes a signal that is over. Returns the state of its reception, if the receiver followed it.
    fn ends(&mut self, slot: Slot, power: f64, capture: &Capture) -> Option<LockedFrame> {
        self.signals -= 1;
        if capture.receiving == Receiving::Sinr {
            // Silence is exact: the rounding error of the sum ends with it.
            self.energy = if self.is_undisturbed() { 0.0 } else { self.energy - power };
        }
        self.lock.take_if(|lock| lock.signal.slot == slot)
    }
}

impl LockedFrame {
    fn on(signal: Signal, overlapped: bool) -> Self {
        LockedFrame { signal, overlapped, collided: false }
    }
}

/// Returns the link on which station `to` hears station `from`, if there is one.
fn neighbour(plan: &CellPlan, streams: &Streams, from: usize, to: usize) -> Option<Neighbour> {
    if from == to {
        return None;
    }
    let (power, decodes) = match plan.range {
        None => (1.0, true),
        Some(range) => {
            let [dx, dy] = [0, 1].map(|i| plan.stations[from].1[i] - plan.stations[to].1[i]);
            let square = dx * dx + dy * dy;
            if square > range.sense * range.sense {
                return None;
            }
            (range.power(square), square <= range.receive * range.receive)
        }
    };
    let station = to as Station;
    Some(Neighbour { station, power, decodes, errors: errors(plan, streams, from, to) })
}

/// Builds the error model of the directed link.
fn errors(plan: &CellPlan, streams: &Streams, from: usize, to: usize) -> Option<Box<dyn ErrorModel>> {
    let errors = plan.errors_between(from, to)?;
    Some(errors.build(streams, &plan.name, &plan.stations[from].0, &plan.stations[to].0))
}

#[cfg(test)]
#[path = "receiver_tests.rs"]
mod tests;
