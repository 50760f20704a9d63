//! Point-to-point radio link: two ends, full duplex, and the recovery of each direction.

mod buffer;
mod effects;
mod endpoint;
mod plan;

pub use crate::address::End;
use crate::arq::{LinkFrame, Report, Upward};
use crate::errors::Damage;
use crate::tag::Tag;
use airhop_base::{Packet, Span, Time};
use airhop_engine::{EventQueue, Id, Streams, Timers};
pub use effects::{RadioEffect, RadioEvent, RadioWhat, Transmitted};
use endpoint::{Content, LinkEndpoint, Transmission};
pub use plan::{Outgoing, RadioPlan};

/// Link in operation.
///
/// One event of the link waits for each frame that is being sent, one for each that is under way, and one for each end that waits for a
/// link ACK or is to ask again. A data frame and its ACK cost four; the timer next to none, as it moves with every ACK.
#[derive(Debug)]
pub struct RadioLink {
    index: u16,
    /// Propagation delay of frames that leave each end.
    delay: [Span; 2],
    ends: [LinkEndpoint; 2],
    timers: Timers,
    /// True if every transmission is reported as an effect.
    tells_all: bool,
    /// Buffers reused between events, empty then.
    reports: Vec<Report>,
    up: Upward,
}

impl RadioLink {
    /// Builds the link; its randomness comes from `streams` under its own name.
    pub fn new(plan: &RadioPlan, streams: &Streams) -> Self {
        let mut timers = Timers::new();
        let ends = [0, 1].map(|end| LinkEndpoint::new(plan, end, &mut timers, streams));
        let (index, delay) = (plan.index, plan.delay);
        let (reports, up) = (Vec::new(), Upward::default());
        RadioLink { index, delay, ends, timers, tells_all: false, reports, up }
    }

    /// Reports every transmission with [`RadioEffect::Transmitted`]: for a trace, at a cost.
    pub fn tell_all(&mut self) {
        self.tells_all = true;
    }

    /// True if `end` takes a packet: its window has room or, without recovery, its transmitter is idle. It may take several, one after the
    /// other; [`RadioEffect::Ready`] comes when this becomes true again.
    pub fn is_free(&self, end: End) -> bool {
        self.ends[usize::from(end)].is_free()
    }

    /// Returns the packet of a data frame from `end`, as long as it is neither delivered nor dropped.
    pub fn packet(&self, end: End, number: u64) -> Option<&Id<Packet>> {
        self.ends[usize::from(end)].buffer.get(number)?.packet.as_ref()
    }

    /// Returns the number of packets inside.
    pub fn holds(&self) -> usize {
        self.ends.iter().map(|endpoint| endpoint.buffer.len()).sum()
    }

    /// Passes a packet to `end`, which must be free.
    pub fn send<E: Copy + From<RadioEvent>>(
        &mut self,
        now: Time,
        end: End,
        packet: Outgoing,
        queue: &mut EventQueue<E>,
        effects: &mut Vec<RadioEffect>,
    ) {
        let endpoint = &mut self.ends[usize::from(end)];
        debug_assert!(endpoint.is_free(), "end {end} has no room");
        endpoint.sender.push();
        endpoint.buffer.push(packet);
        self.go_on(now, queue, effects);
    }

    /// Handles an event that the link scheduled.
    pub fn on_event<E: Copy + From<RadioEvent>>(
        &mut self,
        now: Time,
        event: RadioWhat,
        queue: &mut EventQueue<E>,
        effects: &mut Vec<RadioEffect>,
    ) {
        match event {
            RadioWhat::Sent(end) => {
                let arrival = self.on_sent(now, end, effects);
                queue.push(arrival, self.event(RadioWhat::Arrived(end)));
            }
            RadioWhat::Arrived(end) => self.on_arrived(now, end, effects),
            RadioWhat::Due(end) | RadioWhat::Ask(end) => {
                if self.ends.iter().any(|endpoint| endpoint.is_heard_now(now)) {
                    // A frame that comes at the deadline comes in time: this event follows it, which is in the queue already.
                    return queue.push(now, self.event(event));
                }
                let LinkEndpoint { timer, asking, .. } = self.ends[usize::from(end)];
                let asks = event == RadioWhat::Ask(end);
                let timer = if asks { asking.expect("only who asks has that timer") } else { timer };
                if !self.timers.fire(timer, self.event(event), queue) {
                    return;
                }
                match asks {
                    true => self.on_unanswered(now, end, effects),
                    false => self.on_due(now, end, effects),
                }
            }
        }
        self.go_on(now, queue, effects);
    }

    /// Handles the end of a transmission at `end`; returns the arrival of the frame.
    fn on_sent(&mut self, now: Time, end: End, effects: &mut Vec<RadioEffect>) -> Time {
        let endpoint = &mut self.ends[usize::from(end)];
        let sent = endpoint.transmitter.take().expect("only what is on the air leaves it");
        let damage = endpoint.damage(&sent);
        if self.tells_all {
            let Transmission { tag, bytes, start, .. } = sent;
            let (number, attempt) = (sent.number(), sent.attempt());
            let all = Transmitted { end, tag, bytes, number, attempt, start, damage };
            effects.push(RadioEffect::Transmitted(all));
        }
        let arrival = endpoint.pace.arrival(now, self.delay[usize::from(end)]);
        endpoint.under_way.push_back((sent, damage, arrival));
        arrival
    }

    /// Handles the arrival of the oldest frame from `end` at the other end.
    fn on_arrived(&mut self, now: Time, end: End, effects: &mut Vec<RadioEffect>) {
        let (from, to) = pair(&mut self.ends, end);
        let (sent, damage, _) = from.under_way.pop_front().expect("only what is under way arrives");
        if damage != Damage::None {
            let Transmission { tag, bytes, .. } = sent;
            let (number, header_intact) = (sent.number(), damage == Damage::Payload);
            let packet = number.and_then(|number| from.buffer.lost(number));
            return effects.push(RadioEffect::FrameLost { end, tag, bytes, number, header_intact, packet });
        }
        match sent.content {
            Content::Data(frame) | Content::Empty(frame) => self.on_frame(now, end, frame, sent.tag, effects),
            Content::Ack(ack) => {
                if let Some(since) = to.fading.take() {
                    effects.push(RadioEffect::FadeEnd { end: 1 - end, lasted: now - since });
                }
                to.sender.on_ack(ack, &mut self.reports);
                self.pass_on(1 - end, effects);
            }
            Content::Nak(nak) => {
                to.sender.on_nak(now, nak, &mut self.reports);
                self.pass_on(1 - end, effects);
            }
        }
    }

    /// Handles a frame of the ARQ sender at `end`: delivers packets that can go up, and queues the answer for the transmitter. At most one
    /// answer waits, as the newest covers all.
    fn on_frame(&mut self, now: Time, end: End, frame: LinkFrame, tag: Tag, effects: &mut Vec<RadioEffect>) {
        let (from, to) = pair(&mut self.ends, end);
        if let Some(ack) = to.receiver.on_frame(now, frame, &mut self.up) {
            to.answer = Some((ack, tag));
        }
        if to.asking.is_some() {
            self.pass_up(end, effects);
            return;
        }
        let packets = self.up.deliver.drain(..).filter_map(|number| from.buffer.take(number));
        effects.extend(packets.map(|packet| RadioEffect::Deliver { end, packet }));
    }

    /// Handles the timeout of a NAK of the receiver at `end`.
    fn on_unanswered(&mut self, now: Time, end: End, effects: &mut Vec<RadioEffect>) {
        self.ends[usize::from(end)].receiver.on_timeout(now, &mut self.up);
        self.pass_up(1 - end, effects);
    }

    /// Carries out the requests of the receiver of data from `end`, if its recovery asks for frames.
    fn pass_up(&mut self, end: End, effects: &mut Vec<RadioEffect>) {
        let (from, to) = pair(&mut self.ends, end);
        let Upward { deliver, given_up, naks } = &mut self.up;
        for nak in naks.drain(..) {
            let held = from.buffer.get(nak.first).expect("nothing that is missing has left");
            to.naks.push_back((nak, held.tag));
        }
        let lost = given_up.drain(..).filter_map(|number| from.buffer.take(number));
        effects.extend(lost.map(|packet| RadioEffect::GivenUp { end, packet }));
        let packets = deliver.drain(..).filter_map(|number| from.buffer.take(number));
        effects.extend(packets.map(|packet| RadioEffect::Deliver { end, packet }));
    }

    /// Handles the timeout of a link ACK for data from `end`.
    fn on_due(&mut self, now: Time, end: End, effects: &mut Vec<RadioEffect>) {
        let endpoint = &mut self.ends[usize::from(end)];
        endpoint.sender.on_timeout(now, &mut self.reports);
        let fails = self.reports.iter().any(|report| matches!(report, Report::Failed { .. }));
        if endpoint.fading.is_none() && fails {
            endpoint.fading = Some(now);
            effects.push(RadioEffect::FadeStart { end });
        }
        self.pass_on(end, effects);
    }

    /// Reports the findings of the ARQ sender at `end`.
    fn pass_on(&mut self, end: End, effects: &mut Vec<RadioEffect>) {
        let (from, to) = pair(&mut self.ends, end);
        for report in self.reports.drain(..) {
            let (Report::Acknowledged(number)
            | Report::Discarded(number)
            | Report::Aborted(number)
            | Report::Failed { number, .. }) = report;
            let tag = from.buffer.get(number).expect("the sender has not done with it").tag;
            match report {
                Report::Failed { attempt, retry, .. } => {
                    effects.push(RadioEffect::AttemptFailed { end, tag, attempt, retry });
                }
                Report::Acknowledged(_) => {
                    from.buffer.settle(number);
                    effects.push(RadioEffect::Acknowledged { end, tag });
                }
                Report::Discarded(_) => {
                    let packet = if to.receiver.holds(number) { None } else { from.buffer.take(number) };
                    from.buffer.settle(number);
                    effects.push(RadioEffect::Discarded { end, tag, packet });
                }
                Report::Aborted(_) => {
                    from.buffer.settle(number);
                    effects.push(RadioEffect::Aborted { end, tag });
                }
            }
        }
    }

    /// Continues after any event: each end sends what it can, schedules its deadlines, and reports if it takes packets again.
    fn go_on<E: Copy + From<RadioEvent>>(
        &mut self,
        now: Time,
        queue: &mut EventQueue<E>,
        effects: &mut Vec<RadioEffect>,
    ) {
        for end in [0, 1] {
            let [sent, due] = [RadioWhat::Sent(end), RadioWhat::Due(end)].map(|what| self.event(what));
            let endpoint = &mut self.ends[usize::from(end)];
            if let Some(mut next) = endpoint.next(now) {
                next.start = endpoint.pace.begin(now);
                next.end = endpoint.pace.finish(now, next.bytes);
                queue.push(next.end, sent);
                endpoint.transmitter = Some(next);
            }
            // A deadline that passed while the transmitter was busy, or while another frame was to go first, is due now.
            let from_now = |deadline: Option<Time>| deadline.map(|at| at.max(now));
            self.timers.set(endpoint.timer, from_now(endpoint.sender.deadline()), due, queue);
            if let Some(timer) = endpoint.asking {
                let ask = RadioEvent { link: self.index, what: RadioWhat::Ask(end) }.into();
                self.timers.set(timer, from_now(endpoint.receiver.deadline()), ask, queue);
            }
            let is_free = endpoint.is_free();
            if is_free && !endpoint.was_ready {
                effects.push(RadioEffect::Ready(end));
            }
            endpoint.was_ready = is_free;
        }
    }

    fn event<E: From<RadioEvent>>(&self, what: RadioWhat) -> E {
        RadioEvent { link: self.index, what }.into()
    }
}

/// Returns an end, and the other end.
fn pair(ends: &mut [LinkEndpoint; 2], end: End) -> (&mut LinkEndpoint, &mut LinkEndpoint) {
    let [a, b] = ends;
    if end == 0 { (a, b) } else { (b, a) }
}
