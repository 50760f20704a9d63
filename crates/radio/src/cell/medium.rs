//! Medium: sense and receive relations of stations, and outcome of overlapping signals.
//!
//! The propagation delay is zero: 100 m are 0.33 µs, and a slot is 9 to 50 µs. Two stations that sense each
//! other therefore collide only if they start at the same time. Simultaneous starts happen if the backoffs
//! count from the same event.
use super::mac::access_rules::AccessRules;
use super::mac::block_ack::Bitmap;
use super::mac::channel_access::ChannelAccess;
use super::mac::mpdu::Mpdu;
use super::mac_queue::MacQueue;
use super::plan::{CellPlan, RadioRange};
use super::rx_state::{AirSlot, CaptureRule, RxState, Signal};
use crate::address::{BROADCAST, StationIndex};
use crate::errors::{Damage, ErrorModel, Frame};
use crate::layer::{FrameKind, Reception, SentFrame};
use crate::phy::ampdu::subframe_bytes;
use crate::tag::PacketTag;
use airhop_base::{AccessCategory, DropCause, Span, Time};
use airhop_engine::RandomStreams;

/// Packet number of frames that belong to no packet: BlockAckReq, its response, and CF-End.
pub(crate) const NO_PACKET: u64 = u64::MAX;

/// Transmission on the air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmission {
    pub from: StationIndex,
    pub to: StationIndex,
    pub kind: FrameKind,
    /// Length of the MAC frame, bytes.
    pub bytes: u32,
    /// Length of the headers at the start of the frame, bytes; for a control frame, length of the whole
    /// frame.
    pub header_bytes: u32,
    /// Number of the attempt for its packet, from 1.
    pub attempt: u32,
    pub start: Time,
    pub end: Time,
    /// Duration field: time for which the medium is reserved after the end of the frame.
    pub duration: Span,
    pub tag: PacketTag,
    /// Number of the transmission's packet at the data sender, or [`NO_PACKET`].
    pub packet_number: u64,
}

/// Station within the sense range of another station.
#[derive(Debug)]
struct Neighbour {
    station: StationIndex,
    /// Received power, in the unit of [`RadioRange::relative_received_power`].
    power: f64,
    /// True if the station is within receive range.
    decodes: bool,
    /// Error model of the link; `None` for a link without errors.
    errors: Option<Box<dyn ErrorModel>>,
}

/// Receiver and MAC of a station.
#[derive(Debug)]
pub(crate) struct StationState {
    pub receiver: RxState,
    pub access: ChannelAccess,
    /// Queue of the current function.
    pub current_queue: MacQueue,
    /// Queues of the other functions, in the order of [`ChannelAccess`], from place 1 on.
    pub other_queues: Box<[MacQueue]>,
    /// Airtime of the exchanges that the station started, including responses.
    pub airtime: Span,
    /// Length and airtime of the last data frame to one station.
    pub last_frame: (u32, Span),
}

impl StationState {
    /// Returns mutable access to the queue of the function at `place`.
    #[inline]
    pub fn queue_at(&mut self, place: usize) -> &mut MacQueue {
        place.checked_sub(1).map_or(&mut self.current_queue, |other| &mut self.other_queues[other])
    }

    /// Makes the transmitting function the current function.
    pub fn select_winner(&mut self, now: Time, rules: &AccessRules) {
        let winner = self.access.winner(now, rules);
        self.access.swap_with_current(winner);
        if let Some(other) = winner.checked_sub(1) {
            std::mem::swap(&mut self.current_queue, &mut self.other_queues[other]);
        }
    }

    /// Returns the queues of all functions.
    pub fn queues(&self) -> impl Iterator<Item = &MacQueue> {
        std::iter::once(&self.current_queue).chain(&self.other_queues)
    }
}

/// Outcome of a signal at a station within sense range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignalOutcome {
    /// The frame was received.
    Frame,
    /// The frame has bit errors only after its headers.
    Damaged,
    /// The receiver locked on the frame but could not decode it.
    Garbled(DropCause),
    /// The station sensed energy only, because it was transmitting or receiving another signal.
    Noise,
}

impl Transmission {
    /// Converts the transmission into the responding control frame of its addressee. The Duration field of
    /// the response covers the remaining time.
    pub fn turn_into_response(&mut self, kind: FrameKind, bytes: u32, start: Time, airtime: Span) {
        (self.from, self.to, self.kind) = (self.to, self.from, kind);
        (self.bytes, self.header_bytes) = (bytes, bytes);
        self.duration = self.duration - start.since(self.end) - airtime;
        (self.start, self.end) = (start, start + airtime);
    }

    /// Returns the frame as passed to error models.
    fn frame(&self) -> Frame {
        let [bits, header_bits] = [self.bytes, self.header_bytes].map(|bytes| u64::from(bytes) * 8);
        Frame {
            bits,
            header_bits,
            is_control: !self.kind.carries_packets(),
            is_broadcast: self.kind == FrameKind::Broadcast,
            start: self.start,
            end: self.end,
            attempt: self.attempt,
        }
    }

    /// Returns the MPDUs of an A-MPDU as passed to error models; each has its share of the airtime.
    fn mpdus(&self, aggregate: &[Mpdu]) -> impl Iterator<Item = Frame> {
        let airtime = (self.end - self.start).nanos();
        let total = u64::from(self.bytes.max(1));
        let mut before = 0;
        aggregate.iter().map(move |mpdu| {
            let [bits, header_bits] = [mpdu.bytes, mpdu.header_bytes].map(|bytes| u64::from(bytes) * 8);
            let at = |bytes: u64| self.start + Span::from_nanos(airtime * bytes.min(total) / total);
            let begun = before;
            before += u64::from(subframe_bytes(mpdu.bytes));
            Frame {
                bits,
                header_bits,
                is_control: false,
                is_broadcast: false,
                start: at(begun),
                end: at(before),
                attempt: mpdu.attempt,
            }
        })
    }

    /// Returns the trace row of the transmission. `category` is the access category of the exchange.
    pub fn sent_frame(&self, category: Option<AccessCategory>, reception: Reception) -> SentFrame {
        let Transmission { from, to, kind: frame, bytes, tag, attempt, start, .. } = *self;
        let number = (self.packet_number != NO_PACKET).then_some(self.packet_number);
        SentFrame {
            from,
            to,
            kind: frame,
            bytes,
            tag,
            packet_number: number,
            attempt,
            start,
            category,
            reception,
        }
    }
}

/// Outcome of a transmission that has ended.
#[derive(Debug)]
pub(crate) struct EndedTransmission {
    /// Outcome at the addressed station, if there is one. An A-MPDU is received if at least one MPDU is
    /// received.
    pub outcome: SignalOutcome,
    /// Reception at the addressed station, if transmissions are reported.
    pub reception: Option<Reception>,
}

impl Reception {
    /// Classifies the reception of a frame from its `outcome` at a station within receive range.
    /// `overlapped`: another signal was present; with [`InterferenceRule::Lock`], a later signal.
    fn new(outcome: SignalOutcome, overlapped: bool) -> Self {
        match outcome {
            SignalOutcome::Frame if overlapped => Reception::Captured,
            SignalOutcome::Frame => Reception::Received,
            SignalOutcome::Damaged | SignalOutcome::Garbled(DropCause::Channel) => Reception::Channel,
            SignalOutcome::Garbled(_) | SignalOutcome::Noise => Reception::Collision,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Medium {
    /// Stations within the sense range of each sending station, in the order of the stations.
    neighbours: Vec<Vec<Neighbour>>,
    air: Vec<Transmission>,
    /// MPDUs of the A-MPDU in each slot.
    aggregates: Vec<Vec<Mpdu>>,
    /// MPDUs that the addressed station received from the last A-MPDU.
    received: Bitmap,
    unused: Vec<AirSlot>,
    capture: CaptureRule,
    shared: bool,
    /// True if every transmission is reported with its reception.
    tells_all: bool,
}

impl Medium {
    pub fn new(plan: &CellPlan, streams: &RandomStreams) -> Self {
        let n = plan.stations.len();
        let neighbours =
            (0..n).map(|from| (0..n).filter_map(|to| build_neighbour(plan, streams, from, to)).collect());
        Medium {
            neighbours: neighbours.collect(),
            air: Vec::new(),
            aggregates: Vec::new(),
            received: Bitmap::default(),
            unused: Vec::new(),
            capture: CaptureRule {
                ratio: plan.range.map_or(RadioRange::DEFAULT_CAPTURE_RATIO, |range| range.capture_ratio),
                interference_rule: plan.rules.interference_rule,
            },
            shared: plan.range.is_none(),
            tells_all: false,
        }
    }

    /// Enables the report of the reception of every transmission.
    pub fn enable_transmission_reports(&mut self) {
        self.tells_all = true;
    }

    /// True if all stations sense each other, i.e. if the medium has the same state for all stations.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Returns the transmission in `slot`.
    pub fn transmission(&self, slot: AirSlot) -> &Transmission {
        &self.air[usize::from(slot)]
    }

    /// Returns mutable access to the transmission in `slot`. The response to it uses the same slot.
    pub fn transmission_mut(&mut self, slot: AirSlot) -> &mut Transmission {
        &mut self.air[usize::from(slot)]
    }

    /// True if a transmission ends at `now` and [`Medium::end_transmission`] has not been called for it.
    pub fn has_ended_signal(&self, now: Time) -> bool {
        self.air.iter().any(|tx| tx.end == now)
    }

    /// Assigns a slot to a transmission before it starts.
    #[inline(always)]
    pub fn assign_slot(&mut self, tx: Transmission) -> AirSlot {
        if let Some(slot) = self.unused.pop() {
            *self.transmission_mut(slot) = tx;
            return slot;
        }
        self.air.push(tx);
        self.aggregates.push(Vec::new());
        AirSlot::try_from(self.air.len() - 1).expect("a station sends one frame at a time")
    }

    /// Assigns these MPDUs to the A-MPDU in `slot`.
    pub fn set_aggregate(&mut self, slot: AirSlot, mpdus: &[Mpdu]) {
        let aggregate = &mut self.aggregates[usize::from(slot)];
        aggregate.clear();
        aggregate.extend_from_slice(mpdus);
    }

    /// Returns the MPDUs that the addressed station received from the last A-MPDU.
    pub fn received_mpdus(&self) -> &Bitmap {
        &self.received
    }

    /// Frees the slot of an ended transmission.
    pub fn free_slot(&mut self, slot: AirSlot) {
        self.air[usize::from(slot)].end = Time::ZERO;
        self.unused.push(slot);
    }

    /// Starts the transmission in `slot`. Calls `busy` for every station whose medium was idle until now.
    pub fn begin_transmission(
        &self,
        slot: AirSlot,
        stations: &mut [StationState],
        mut busy: impl FnMut(StationIndex, &mut ChannelAccess),
    ) {
        let &Transmission { from, start, .. } = self.transmission(slot);
        let StationState { receiver, access, .. } = &mut stations[usize::from(from)];
        if receiver.begin_sending() {
            busy(from, access);
        }
        for neighbour in &self.neighbours[usize::from(from)] {
            let StationState { receiver, access, .. } = &mut stations[usize::from(neighbour.station)];
            let signal = Signal { slot, start, power: neighbour.power, is_decodable: neighbour.decodes };
            if receiver.add_signal(signal, &self.capture) {
                busy(neighbour.station, access);
            }
        }
    }

    /// Ends the transmission in `slot`; the caller then frees or reuses the slot. Calls `heard` with the
    /// outcome at every station within sense range.
    pub fn end_transmission(
        &mut self,
        slot: AirSlot,
        stations: &mut [StationState],
        mut heard: impl FnMut(StationIndex, &mut ChannelAccess, SignalOutcome),
    ) -> EndedTransmission {
        let tx = &self.air[usize::from(slot)];
        stations[usize::from(tx.from)].receiver.end_sending();
        let is_aggregate = tx.kind == FrameKind::Ampdu;
        // The outcome applies if the addressed station is beyond the sense range.
        let mut ended =
            EndedTransmission { outcome: SignalOutcome::Garbled(DropCause::Channel), reception: None };
        if is_aggregate {
            self.received = Bitmap::default();
        }
        for neighbour in &mut self.neighbours[usize::from(tx.from)] {
            // The error model draws once for every frame on the link, for any other outcome of the frame, so
            // the n-th frame has the same damage in every run.
            let damage = match &mut neighbour.errors {
                errors if is_aggregate => {
                    let received = (tx.to == neighbour.station).then_some(&mut self.received);
                    draw_aggregate_damage(errors, tx, &self.aggregates[usize::from(slot)], received)
                }
                Some(errors) => errors.draw_damage(&tx.frame()),
                None => Damage::None,
            };
            let StationState { receiver, access, .. } = &mut stations[usize::from(neighbour.station)];
            let disturbance = receiver.remove_signal(slot, neighbour.power, &self.capture);
            let outcome = match (disturbance, damage) {
                (None, _) => SignalOutcome::Noise,
                (Some(others), _) if others.collided => SignalOutcome::Garbled(DropCause::Collision),
                _ if !neighbour.decodes => SignalOutcome::Garbled(DropCause::Channel),
                (_, Damage::None) => SignalOutcome::Frame,
                (_, Damage::Payload) => SignalOutcome::Damaged,
                (_, Damage::Header) => SignalOutcome::Garbled(DropCause::Channel),
            };
            heard(neighbour.station, access, outcome);
            if tx.to == neighbour.station || tx.to == BROADCAST {
                ended.outcome = outcome;
                if is_aggregate && outcome != SignalOutcome::Frame {
                    self.received = Bitmap::default();
                }
                if self.tells_all && neighbour.decodes {
                    let overlapped = disturbance.is_some_and(|others| others.overlapped);
                    ended.reception = ended.reception.max(Some(Reception::new(outcome, overlapped)));
                }
            }
        }
        if self.tells_all {
            ended.reception.get_or_insert(Reception::Unheard);
        }
        ended
    }

    /// Calls `f` for `from`, and for every station within its sense range, if its medium is idle.
    pub fn for_each_idle_station(
        &self,
        from: StationIndex,
        stations: &mut [StationState],
        mut f: impl FnMut(StationIndex, &mut ChannelAccess),
    ) {
        let around = self.neighbours[usize::from(from)].iter().map(|neighbour| neighbour.station);
        around.chain([from]).for_each(|station| {
            let StationState { receiver, access, .. } = &mut stations[usize::from(station)];
            if receiver.is_idle() {
                f(station, access);
            }
        });
    }
}

/// Draws the damage to an A-MPDU on one link. For the addressed station the model draws for each MPDU, and
/// `received` is set to the undamaged MPDUs. Any other station needs one undamaged MPDU to read the duration
/// field.
#[inline(never)]
fn draw_aggregate_damage(
    errors: &mut Option<Box<dyn ErrorModel>>,
    tx: &Transmission,
    aggregate: &[Mpdu],
    received: Option<&mut Bitmap>,
) -> Damage {
    let Some(errors) = errors else {
        if let Some(received) = received {
            *received = Bitmap::with_first_bits(aggregate.len());
        }
        return Damage::None;
    };
    let mut arrives = |frame: Frame| errors.draw_damage(&frame) == Damage::None;
    let is_heard = match received {
        None => tx.mpdus(aggregate).any(arrives),
        Some(received) => {
            let mpdus = (0..).zip(tx.mpdus(aggregate));
            mpdus.filter(|(_, frame)| arrives(*frame)).for_each(|(place, _)| received.insert(place));
            !received.is_empty()
        }
    };
    if is_heard { Damage::None } else { Damage::Header }
}

/// Returns the link over which station `to` senses station `from`; `None` if station `from` is out of sense
/// range.
fn build_neighbour(plan: &CellPlan, streams: &RandomStreams, from: usize, to: usize) -> Option<Neighbour> {
    if from == to {
        return None;
    }
    let (power, decodes) = match plan.range {
        None => (1.0, true),
        Some(range) => {
            let square = square_of_distance(plan, from, to);
            if square > range.sense_metres * range.sense_metres {
                return None;
            }
            (range.relative_received_power(square), square <= range.receive_metres * range.receive_metres)
        }
    };
    let station = to as StationIndex;
    Some(Neighbour { station, power, decodes, errors: build_error_model(plan, streams, from, to) })
}

/// Builds the error model of the link from station `from` to station `to`.
fn build_error_model(
    plan: &CellPlan,
    streams: &RandomStreams,
    from: usize,
    to: usize,
) -> Option<Box<dyn ErrorModel>> {
    let errors = plan.errors_between(from, to)?.at_distance(libm::sqrt(square_of_distance(plan, from, to)));
    Some(errors.build(streams, &plan.name, &plan.stations[from].0, &plan.stations[to].0))
}

/// Returns the square of the distance between two stations in m².
fn square_of_distance(plan: &CellPlan, from: usize, to: usize) -> f64 {
    let [dx, dy] = [0, 1].map(|i| plan.stations[from].1[i] - plan.stations[to].1[i]);
    dx * dx + dy * dy
}
