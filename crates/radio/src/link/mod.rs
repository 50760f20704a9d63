//! Point-to-point radio link: two ends, full duplex, with recovery in each direction.

mod endpoint;
mod events;
mod plan;

pub use crate::address::LinkEnd;
use crate::arq::{ArqReport, LinkFrame, ReceiverOutput};
use crate::buffer::PacketBuffer;
use crate::errors::Damage;
use crate::layer::{LinkEffect, LostFrame, OutgoingPacket, Reception, SentFrame, StationIndex};
use crate::tag::PacketTag;
use airhop_base::{AccessCategory, DropCause, Packet, Span, Time};
use airhop_engine::{EventQueue, Id, RandomStreams, Timers};
use endpoint::{FrameContent, LinkEndpoint, Transmission};
pub use events::{RadioEvent, RadioEventKind};
pub use plan::RadioPlan;

/// State of a radio link during a run.
///
/// The event queue contains one event for each frame on a transmitter and one for each frame in flight. An
/// end that waits for a link ACK, or must repeat a NAK, has one more event. A data frame and its ACK need
/// four events: two ends of transmissions and two arrivals. Timers add almost no events, because every link
/// ACK postpones the timer.
#[derive(Debug)]
pub struct RadioLink {
    index: u16,
    /// Propagation delay of the frames that each end sends.
    delay: [Span; 2],
    ends: [LinkEndpoint; 2],
    timers: Timers,
    /// True if every transmission is reported, as [`LinkEffect::Transmitted`].
    tells_all: bool,
    /// Scratch space, empty between events; kept to avoid allocations.
    reports: Vec<ArqReport>,
    up: ReceiverOutput,
}

impl RadioLink {
    /// Builds the link. The name of the link selects its random streams.
    pub fn new(plan: &RadioPlan, streams: &RandomStreams) -> Self {
        let mut timers = Timers::new();
        let ends = [0, 1].map(|end| LinkEndpoint::new(plan, end, &mut timers, streams));
        let (index, delay) = (plan.index, plan.delay);
        let (reports, up) = (Vec::new(), ReceiverOutput::default());
        RadioLink { index, delay, ends, timers, tells_all: false, reports, up }
    }

    /// Enables [`LinkEffect::Transmitted`] for every transmission. Traces need this effect. The effect slows
    /// the simulation of the link.
    pub fn enable_transmission_reports(&mut self) {
        self.tells_all = true;
    }

    /// True if the end `from` accepts a packet. With recovery, the window must have room. Without recovery,
    /// the transmitter must be idle. An end may accept several packets in succession. [`LinkEffect::Ready`]
    /// reports that a full end accepts packets again.
    pub fn has_room(&self, from: StationIndex) -> bool {
        self.ends[usize::from(from)].has_room()
    }

    /// Returns the packet with this number from the end `from`; `None` after its delivery or drop.
    pub fn packet(&self, from: StationIndex, number: u64) -> Option<&Id<Packet>> {
        self.ends[usize::from(from)].buffer.get(number)?.packet.as_ref()
    }

    /// Returns the number of packets in the link, in both directions.
    pub fn packet_count(&self) -> usize {
        self.ends.iter().map(|endpoint| endpoint.buffer.len()).sum()
    }

    /// Passes a packet to the end `from`, and returns the packet's number at that end. The end must have room
    /// ([`Self::has_room`]).
    #[inline(never)]
    pub fn send<E: Copy + From<RadioEvent>>(
        &mut self,
        now: Time,
        from: StationIndex,
        packet: OutgoingPacket,
        queue: &mut EventQueue<E>,
        effects: &mut Vec<LinkEffect>,
    ) -> u64 {
        let endpoint = &mut self.ends[usize::from(from)];
        debug_assert!(endpoint.has_room(), "end {from} has no room");
        endpoint.sender.push();
        let number = endpoint.buffer.push(packet, ());
        self.finish_event(now, queue, effects);
        number
    }

    /// Handles an event that the link scheduled.
    pub fn on_event<E: Copy + From<RadioEvent>>(
        &mut self,
        now: Time,
        event: RadioEventKind,
        queue: &mut EventQueue<E>,
        effects: &mut Vec<LinkEffect>,
    ) {
        match event {
            RadioEventKind::Sent(end) => {
                let arrival = self.on_transmission_end(now, end, effects);
                queue.push(arrival, self.event(RadioEventKind::Arrived(end)));
            }
            RadioEventKind::Arrived(end) => self.on_frame_arrival(now, end, effects),
            RadioEventKind::Due(end) | RadioEventKind::Ask(end) => {
                if self.ends.iter().any(|endpoint| endpoint.has_frame_edge_at(now)) {
                    // A frame that arrives exactly at the deadline is in time. Its event is already in the
                    // queue and is handled before this one, which is queued again.
                    return queue.push(now, self.event(event));
                }
                let LinkEndpoint { timer, nak_timer, .. } = self.ends[usize::from(end)];
                let asks = event == RadioEventKind::Ask(end);
                let timer = if asks {
                    nak_timer.expect("only a recovery with requests has this timer")
                } else {
                    timer
                };
                if !self.timers.expire_if_due(timer, self.event(event), queue) {
                    return;
                }
                match asks {
                    true => self.on_nak_timeout(now, end, effects),
                    false => self.on_ack_timeout(now, end, effects),
                }
            }
        }
        self.finish_event(now, queue, effects);
    }

    /// Handles the end of a transmission at `end`. Returns the arrival time of the frame.
    fn on_transmission_end(&mut self, now: Time, end: LinkEnd, effects: &mut Vec<LinkEffect>) -> Time {
        let endpoint = &mut self.ends[usize::from(end)];
        let sent = endpoint.current_transmission.take().expect("only a frame on the air can end");
        let damage = endpoint.draw_damage(&sent);
        if self.tells_all {
            let Transmission { tag, bytes, start, .. } = sent;
            let ([from, to], frame) = (stations(end), sent.kind());
            let (number, attempt) = (sent.packet_number(), sent.attempt());
            let reception = if damage == Damage::None { Reception::Received } else { Reception::Channel };
            let all = SentFrame {
                from,
                to,
                kind: frame,
                bytes,
                tag,
                packet_number: number,
                attempt,
                start,
                category: None,
                reception,
            };
            effects.push(LinkEffect::Transmitted(all));
        }
        let arrival = endpoint.link_transmitter.arrival_time(now, self.delay[usize::from(end)]);
        endpoint.in_flight.push_back((sent, damage, arrival));
        arrival
    }

    /// Handles the arrival of the oldest frame from `end` at the other end.
    fn on_frame_arrival(&mut self, now: Time, end: LinkEnd, effects: &mut Vec<LinkEffect>) {
        let (from, to) = both_ends(&mut self.ends, end);
        let (sent, damage, _) = from.in_flight.pop_front().expect("only a frame in flight arrives");
        if damage != Damage::None {
            let Transmission { tag, bytes, .. } = sent;
            let (frame, number) = (sent.kind(), sent.packet_number());
            let (cause, header_intact) = (DropCause::Channel, damage == Damage::Payload);
            let packet = number.and_then(|number| from.buffer.take_lost(number));
            let [from, to] = stations(end);
            let msdu = 0;
            let lost = LostFrame {
                from,
                to,
                kind: frame,
                bytes,
                tag,
                packet_number: number,
                msdu_index: msdu,
                cause,
                is_header_intact: header_intact,
                packet,
            };
            return effects.push(LinkEffect::FrameLost(lost));
        }
        match sent.content {
            FrameContent::Data(frame) | FrameContent::Empty(frame) => {
                self.on_frame(now, end, frame, sent.tag, effects)
            }
            FrameContent::Ack(ack) => {
                if let Some(since) = to.fade_start.take() {
                    let [to, from] = stations(end);
                    effects.push(LinkEffect::FadeEnd { from, to, lasted: now - since });
                }
                to.sender.on_ack(ack, &mut self.reports);
                self.apply_sender_reports(1 - end, effects);
            }
            FrameContent::Nak(nak) => {
                to.sender.on_nak(now, nak, &mut self.reports);
                self.apply_sender_reports(1 - end, effects);
            }
        }
    }

    /// Handles a frame of the ARQ sender at `end`: delivers the packets without a gap before them, and stores
    /// the receiver's response. The newest response replaces all earlier ones.
    fn on_frame(
        &mut self,
        now: Time,
        end: LinkEnd,
        frame: LinkFrame,
        tag: PacketTag,
        effects: &mut Vec<LinkEffect>,
    ) {
        let (from, to) = both_ends(&mut self.ends, end);
        if let Some(ack) = to.receiver.on_frame(now, frame, &mut self.up) {
            to.pending_ack = Some((ack, tag));
        }
        if to.nak_timer.is_some() {
            self.apply_receiver_output(end, effects);
            return;
        }
        deliver(end, &mut from.buffer, &mut self.up.deliver, effects);
    }

    /// Handles the timeout of the ARQ receiver at `end`: requested retransmissions are overdue.
    fn on_nak_timeout(&mut self, now: Time, end: LinkEnd, effects: &mut Vec<LinkEffect>) {
        self.ends[usize::from(end)].receiver.on_timeout(now, &mut self.up);
        self.apply_receiver_output(1 - end, effects);
    }

    /// Executes the output of a NAK-based ARQ receiver for data from `end`: sends NAKs, drops discarded
    /// packets, and delivers packets.
    fn apply_receiver_output(&mut self, end: LinkEnd, effects: &mut Vec<LinkEffect>) {
        let ([from, to], (sender, receiver)) = (stations(end), both_ends(&mut self.ends, end));
        let (buffer, ReceiverOutput { discarded: given_up, naks, .. }) = (&mut sender.buffer, &mut self.up);
        for nak in naks.drain(..) {
            let held = buffer.get(nak.first).expect("no missing packet was delivered");
            receiver.naks.push_back((nak, held.tag));
        }
        let lost = given_up.drain(..).filter_map(|number| Some((number, buffer.take(number)?)));
        effects.extend(lost.map(|(number, packet)| LinkEffect::GivenUp { from, to, number, packet }));
        deliver(end, buffer, &mut self.up.deliver, effects);
    }

    /// Handles the timeout of a link ACK for data from `end`.
    fn on_ack_timeout(&mut self, now: Time, end: LinkEnd, effects: &mut Vec<LinkEffect>) {
        let endpoint = &mut self.ends[usize::from(end)];
        endpoint.sender.on_timeout(now, &mut self.reports);
        let fails = self.reports.iter().any(|report| matches!(report, ArqReport::Failed { .. }));
        if endpoint.fade_start.is_none() && fails {
            endpoint.fade_start = Some(now);
            let [from, to] = stations(end);
            effects.push(LinkEffect::FadeStart { from, to });
        }
        self.apply_sender_reports(end, effects);
    }

    /// Reports the results of the ARQ sender at `end` to the world.
    fn apply_sender_reports(&mut self, end: LinkEnd, effects: &mut Vec<LinkEffect>) {
        let ([from, to], (sender, receiver)) = (stations(end), both_ends(&mut self.ends, end));
        let buffer = &mut sender.buffer;
        effects.extend(self.reports.drain(..).map(|report| {
            let (ArqReport::Acknowledged(number)
            | ArqReport::Discarded(number)
            | ArqReport::Aborted(number)
            | ArqReport::Failed { number, .. }) = report;
            let tag = buffer.get(number).expect("the sender has not finished it").tag;
            match report {
                ArqReport::Failed { attempt, retry, .. } => {
                    LinkEffect::AttemptFailed { from, to, number, tag, attempt, retry }
                }
                ArqReport::Acknowledged(_) => {
                    buffer.finish_sending(number);
                    LinkEffect::Acknowledged { from, to, number, tag }
                }
                ArqReport::Discarded(_) => {
                    let packet = if receiver.receiver.holds(number) { None } else { buffer.take(number) };
                    buffer.finish_sending(number);
                    LinkEffect::Discarded { from, to, number, tag, packet }
                }
                ArqReport::Aborted(_) => {
                    buffer.finish_sending(number);
                    LinkEffect::Aborted { from, to, number, tag }
                }
            }
        }));
    }

    /// Completes the handling of an event. Each end starts possible transmissions, schedules its deadlines,
    /// and reports whether it accepts packets again.
    fn finish_event<E: Copy + From<RadioEvent>>(
        &mut self,
        now: Time,
        queue: &mut EventQueue<E>,
        effects: &mut Vec<LinkEffect>,
    ) {
        for end in [0, 1] {
            let [sent, due] =
                [RadioEventKind::Sent(end), RadioEventKind::Due(end)].map(|what| self.event(what));
            let endpoint = &mut self.ends[usize::from(end)];
            if let Some(mut next) = endpoint.next_transmission(now) {
                next.start = endpoint.link_transmitter.transmission_start(now);
                next.end = endpoint.link_transmitter.transmission_end(now, next.bytes);
                queue.push(next.end, sent);
                endpoint.current_transmission = Some(next);
            }
            // A deadline that passed while the transmitter was busy, or while another frame had precedence,
            // is due now.
            let from_now = |deadline: Option<Time>| deadline.map(|at| at.max(now));
            self.timers.set_deadline(endpoint.timer, from_now(endpoint.sender.deadline()), due, queue);
            if let Some(timer) = endpoint.nak_timer {
                let ask = RadioEvent { link: self.index, kind: RadioEventKind::Ask(end) }.into();
                self.timers.set_deadline(timer, from_now(endpoint.receiver.deadline()), ask, queue);
            }
            let has_room = endpoint.has_room();
            if has_room && !endpoint.had_room {
                effects.push(LinkEffect::Ready(end.into(), AccessCategory::default()));
            }
            endpoint.had_room = has_room;
        }
    }

    fn event<E: From<RadioEvent>>(&self, what: RadioEventKind) -> E {
        RadioEvent { link: self.index, kind: what }.into()
    }
}

/// Delivers the packets from `end` with these numbers, except those already delivered or dropped.
fn deliver(end: LinkEnd, buffer: &mut PacketBuffer, numbers: &mut Vec<u64>, effects: &mut Vec<LinkEffect>) {
    let ([from, to], contended) = (stations(end), Span::ZERO);
    let packets = numbers.drain(..).filter_map(|number| Some((number, buffer.take(number)?)));
    effects.extend(packets.map(|(number, packet)| LinkEffect::Deliver {
        from,
        to,
        number,
        packet,
        contended,
    }));
}

/// Returns the station of an end, and the station of the other end.
fn stations(end: LinkEnd) -> [StationIndex; 2] {
    [end.into(), (1 - end).into()]
}

/// Returns mutable access to an end and to the other end.
fn both_ends(ends: &mut [LinkEndpoint; 2], end: LinkEnd) -> (&mut LinkEndpoint, &mut LinkEndpoint) {
    let [a, b] = ends;
    if end == 0 { (a, b) } else { (b, a) }
}
