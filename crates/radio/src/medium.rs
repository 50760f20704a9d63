//! Who hears whom, and what becomes of signals that overlap.
//!
//! Propagation takes no time: 100 m are 0.33 µs, a slot is 9 to 50 µs. So two stations collide within hearing only if they start
//! at the same instant, which backoffs counted from the same event do.
use crate::cell::{BROADCAST, CellPlan, FrameKind, Range, Reception, Station, Tag, Transmitted};
use crate::errors::{Damage, ErrorModel, Frame};
use airhop_base::{Drop, Span, Time};
use airhop_engine::Streams;

/// A transmission on the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmission {
    pub from: Station,
    pub to: Station,
    pub kind: FrameKind,
    /// Length of the MAC frame.
    pub bytes: u32,
    /// So many of them, at the front, are headers; all of a control frame.
    pub header: u32,
    /// The attempt at its packet, from 1.
    pub attempt: u32,
    pub start: Time,
    pub end: Time,
    /// The duration field: what the medium is claimed for beyond the end.
    pub duration: Span,
    pub tag: Tag,
}

/// A transmission by its place in the medium; one at a time has it.
pub(crate) type Slot = u16;

/// A station within the sense range of another.
#[derive(Debug)]
struct Ear {
    station: Station,
    /// Received power, in the unit of [`Range::power`].
    power: f64,
    /// Within receive range.
    decodes: bool,
    /// `None`: a clean link.
    errors: Option<Box<dyn ErrorModel>>,
}

/// What a station's receiver is doing.
#[derive(Clone, Copy, Debug, Default)]
struct Receiver {
    /// Signals at the antenna, the own one included.
    signals: u32,
    sending: bool,
    lock: Option<Lock>,
}

/// The receiver follows one signal: the first after silence.
#[derive(Clone, Copy, Debug)]
struct Lock {
    slot: Slot,
    power: f64,
    overlapped: bool,
    collided: bool,
}

/// What the end of a signal means to a station within hearing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A frame.
    Frame,
    /// A frame with bit errors, all of them behind its headers.
    Damaged,
    /// A frame that began readably (or at least first) but could not be decoded.
    Garbled(Drop),
    /// Energy only: the station was sending itself, or following another signal.
    Noise,
}

impl Transmission {
    /// What a trace is told of it.
    pub fn told(&self, reception: Reception) -> Transmitted {
        let Transmission { from, to, kind: frame, bytes, tag, attempt, start, .. } = *self;
        Transmitted { from, to, frame, bytes, tag, attempt, start, reception }
    }
}

/// What became of a transmission that is over.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What the station it was for, if it was for one, made of it.
    pub outcome: Heard,
    /// The same in a word.
    pub reception: Reception,
}

impl Reception {
    /// Of a frame of which a station within receive range made `outcome`; `overlapped`: while it followed the frame, another
    /// signal came.
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
    /// By sending station: who is within its sense range, in the order of the stations.
    ears: Vec<Vec<Ear>>,
    receivers: Vec<Receiver>,
    air: Vec<Transmission>,
    unused: Vec<Slot>,
    /// [`Range::capture`].
    capture: f64,
    shared: bool,
}

impl Medium {
    pub fn new(plan: &CellPlan, streams: &Streams) -> Self {
        let n = plan.stations.len();
        let ears = (0..n).map(|from| (0..n).filter_map(|to| ear(plan, streams, from, to)).collect());
        Medium {
            ears: ears.collect(),
            receivers: vec![Receiver::default(); n],
            air: Vec::new(),
            unused: Vec::new(),
            capture: plan.range.map_or(Range::CAPTURE, |range| range.capture),
            shared: plan.range.is_none(),
        }
    }

    /// True if all hear all, so that the medium is busy or idle for everybody at the same time.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// True if `station` senses nothing and sends nothing.
    pub fn is_idle(&self, station: Station) -> bool {
        self.receivers[usize::from(station)].signals == 0
    }

    /// The transmission in `slot`.
    pub fn get(&self, slot: Slot) -> &Transmission {
        &self.air[usize::from(slot)]
    }

    /// True if a transmission ends now, and [`Medium::end`] was not told. Where all hear all nobody begins at the end of another.
    pub fn ends_something(&self, now: Time) -> bool {
        !self.shared && self.air.iter().any(|tx| tx.end == now)
    }

    /// Gives a transmission its place, before it begins.
    pub fn place(&mut self, tx: Transmission) -> Slot {
        if let Some(slot) = self.unused.pop() {
            self.replace(slot, tx);
            return slot;
        }
        self.air.push(tx);
        Slot::try_from(self.air.len() - 1).expect("a station sends one frame at a time")
    }

    /// Gives a transmission the place of one that is over.
    pub fn replace(&mut self, slot: Slot, tx: Transmission) {
        self.air[usize::from(slot)] = tx;
    }

    /// The place of a transmission that is over is free again.
    pub fn free(&mut self, slot: Slot) {
        self.air[usize::from(slot)].end = Time::ZERO;
        self.unused.push(slot);
    }

    /// The transmission in `slot` begins. `busy` is told every station whose medium was idle until now.
    pub fn begin(&mut self, slot: Slot, mut busy: impl FnMut(Station)) {
        let from = self.air[usize::from(slot)].from;
        let sender = &mut self.receivers[usize::from(from)];
        debug_assert!(!sender.sending, "station {from} sends two frames at once");
        sender.sending = true;
        sender.lock = None; // half duplex
        sender.signals += 1;
        if sender.signals == 1 {
            busy(from);
        }
        for ear in &self.ears[usize::from(from)] {
            let receiver = &mut self.receivers[usize::from(ear.station)];
            receiver.arrives(slot, ear.power, self.capture);
            if receiver.signals == 1 {
                busy(ear.station);
            }
        }
    }

    /// The transmission in `slot` ends; its place is to be freed, or given to another. `heard` is told what every station within
    /// hearing made of it.
    pub fn end(&mut self, slot: Slot, mut heard: impl FnMut(Station, Heard)) -> Ended {
        let tx = &self.air[usize::from(slot)];
        let sender = &mut self.receivers[usize::from(tx.from)];
        sender.sending = false;
        sender.signals -= 1;
        let [bits, header_bits] = [tx.bytes, tx.header].map(|bytes| u64::from(bytes) * 8);
        let control = !matches!(tx.kind, FrameKind::Data | FrameKind::Broadcast);
        let frame = Frame { bits, header_bits, control, start: tx.start, end: tx.end, attempt: tx.attempt };
        let mut addressee = Heard::Garbled(Drop::Channel); // beyond the sense range, if nothing else comes
        let mut reception = Reception::Unheard;
        for ear in &mut self.ears[usize::from(tx.from)] {
            // Once for every frame on the link, whatever else happens to it: the n-th frame has the same fate in every run.
            let damage = ear.errors.as_mut().map_or(Damage::None, |e| e.damage(&frame));
            let receiver = &mut self.receivers[usize::from(ear.station)];
            receiver.signals -= 1;
            let mut overlapped = false;
            let outcome = match receiver.lock {
                Some(lock) if lock.slot == slot => {
                    receiver.lock = None;
                    overlapped = lock.overlapped;
                    match damage {
                        _ if lock.collided => Heard::Garbled(Drop::Collision),
                        _ if !ear.decodes => Heard::Garbled(Drop::Channel),
                        Damage::None => Heard::Frame,
                        Damage::Payload => Heard::Damaged,
                        Damage::Header => Heard::Garbled(Drop::Channel),
                    }
                }
                _ => Heard::Noise,
            };
            heard(ear.station, outcome);
            if ear.station == tx.to {
                addressee = outcome;
            }
            if ear.decodes && (tx.to == ear.station || tx.to == BROADCAST) {
                reception = reception.max(Reception::new(outcome, overlapped));
            }
        }
        Ended { outcome: addressee, reception }
    }

    /// Calls `f` with every station around `from`, and `from` itself, whose medium is idle.
    pub fn for_idle_around(&self, from: Station, mut f: impl FnMut(Station)) {
        let around = self.ears[usize::from(from)].iter().map(|ear| ear.station);
        around.chain([from]).filter(|s| self.is_idle(*s)).for_each(&mut f);
    }
}

impl Receiver {
    /// A signal reaches the antenna. The first after silence is followed; a later one spoils it unless it is `capture` times
    /// weaker, and is never followed itself (schemes.md 4.1.3).
    fn arrives(&mut self, slot: Slot, power: f64, capture: f64) {
        self.signals += 1;
        if self.sending {
            return;
        }
        match &mut self.lock {
            Some(lock) => {
                lock.overlapped = true;
                lock.collided |= lock.power < capture * power;
            }
            None if self.signals == 1 => {
                self.lock = Some(Lock { slot, power, overlapped: false, collided: false });
            }
            None => {}
        }
    }
}

/// What station `to` hears of station `from`, if anything.
fn ear(plan: &CellPlan, streams: &Streams, from: usize, to: usize) -> Option<Ear> {
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
    Some(Ear { station, power, decodes, errors: errors(plan, streams, from, to) })
}

/// The error model of the directed link.
fn errors(plan: &CellPlan, streams: &Streams, from: usize, to: usize) -> Option<Box<dyn ErrorModel>> {
    let errors = plan.errors_between(from, to)?;
    Some(errors.build(streams, &plan.name, &plan.stations[from].0, &plan.stations[to].0))
}
