//! Radio links in the world: the world passes packets to them, and carries out the effects of a link.

use super::sites::RadioSite;
use crate::agents::LinkEventKind;
use crate::ground_truth::loss_ledger::DropReason;
use crate::queues::{Offered, Queued};
use crate::routing::Hop;
use crate::world::{World, tag};
use airhop_base::{Drop, Packet, Time};
use airhop_engine::Id;
use airhop_radio::Tag;
use airhop_radio::layer::{LinkEffect, Outgoing, Reception, Station, Transmitted};
use airhop_radio::link::{End, RadioEvent};
use airhop_trace::{AirKind, AirOutcome, AirRow, Direction, DropRow, Spot, Step};

impl World {
    pub(crate) fn on_radio_event(&mut self, now: Time, event: RadioEvent) {
        let site = &mut self.links.radios[event.link as usize];
        site.link.on_event(now, event.what, &mut self.events, &mut self.effects);
        while let Some(effect) = self.effects.pop_front() {
            self.apply_radio(now, event.link, effect);
        }
    }

    pub(crate) fn offer_to_radio(&mut self, now: Time, link: u16, end: End, id: Id<Packet>) {
        let place = self.links.radios[link as usize].ends[end as usize].place;
        self.step(now, Step::Offered, Spot::Place(place), &id);
        let site = &mut self.links.radios[link as usize];
        let from = &mut site.ends[end as usize];
        let free_since = site.link.is_free(end.into()).then_some(from.idle_since);
        let packet = Queued { id, to: Station::from(1 - end) };
        match from.queue.offer(now, free_since, packet, &mut self.arena, &mut self.dropped_by_queue) {
            Offered::Passes(packet) => self.hand_to_radio(now, link, end, packet.id),
            Offered::Refused => self.drop_at_link(now, place),
            Offered::Pushed => {
                self.drop_at_link(now, place);
                self.record_radio_queue(now, link, end);
            }
        }
    }

    fn hand_to_radio(&mut self, now: Time, link: u16, end: End, id: Id<Packet>) {
        let packet = self.arena.get(&id);
        let RadioSite { link, ends } = &mut self.links.radios[link as usize];
        if self.recorder.is_some() {
            ends[end as usize].taken.push(packet);
        }
        let (tag, bytes, header) = (tag(packet), packet.bytes, packet.header_bytes());
        let [from, to] = [end, 1 - end].map(Station::from);
        let outgoing = Outgoing { to, packet: id, tag, bytes, header, fragments: None };
        link.send(now, from, outgoing, &mut self.events, &mut self.effects);
    }

    fn apply_radio(&mut self, now: Time, link: u16, effect: LinkEffect) {
        let end = |from: Station| from as End;
        let hop = |from| Hop::Radio { link, end: end(from) };
        match effect {
            LinkEffect::Deliver { from, packet, .. } => self.on_radio_delivery(now, link, end(from), packet),
            LinkEffect::AttemptFailed { from, tag, attempt, retry, .. } => {
                self.on_attempt_failed(now, hop(from), tag, attempt, retry);
            }
            LinkEffect::Acknowledged { from, tag, .. } => {
                self.tell_agents(now, hop(from), LinkEventKind::Delivered, tag);
            }
            LinkEffect::Discarded { from, tag, packet, .. } => {
                self.on_radio_given_up(now, link, end(from), packet);
                self.tell_agents(now, hop(from), LinkEventKind::Discarded, tag);
            }
            LinkEffect::GivenUp { from, packet, .. } => {
                self.on_radio_given_up(now, link, end(from), Some(packet))
            }
            LinkEffect::Aborted { from, tag, .. } => {
                self.tell_agents(now, hop(from), LinkEventKind::Discarded, tag);
            }
            LinkEffect::FrameLost { from, tag, bytes, number, header_intact, packet, .. } => {
                let end = end(from);
                let lost =
                    packet.as_ref().or_else(|| self.links.radios[link as usize].link.packet(from, number?));
                let remains = lost.filter(|_| header_intact).and_then(|id| self.remains(self.arena.get(id)));
                match packet {
                    Some(packet) => {
                        let place = self.links.radios[link as usize].ends[end as usize].place;
                        self.drop_packet(now, packet, Drop::Channel.into(), Some(place));
                    }
                    None => self.on_radio_frame_lost(now, link, end, number, bytes, tag),
                }
                if let Some(packet) = remains {
                    let to = &self.links.radios[link as usize].ends[usize::from(1 - end)];
                    let (node, interface) = (to.node, to.interface);
                    self.enter(now, node, interface, packet);
                }
            }
            LinkEffect::FadeStart { from, .. } => self.tell_of_fade(now, hop(from), LinkEventKind::FadeStart),
            LinkEffect::FadeEnd { from, lasted, .. } => {
                self.tell_of_fade(now, hop(from), LinkEventKind::FadeEnd(lasted));
            }
            LinkEffect::Transmitted(sent) => self.record_radio_transmission(now, link, &sent),
            LinkEffect::Ready(from) => self.on_radio_ready(now, link, end(from)),
            other => unreachable!("{other:?} is no effect of a radio link"),
        }
    }

    fn on_radio_delivery(&mut self, now: Time, link: u16, end: End, id: Id<Packet>) {
        let to = &self.links.radios[link as usize].ends[usize::from(1 - end)];
        let (node, interface) = (to.node, to.interface);
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) {
            recorder.packet(now, node, interface, Direction::In, self.arena.get(&id), None);
        }
        let place = self.links.radios[link as usize].ends[usize::from(end)].place;
        self.step(now, Step::Arrived, Spot::Place(place), &id);
        self.visit(now, node, interface, id);
    }

    /// Handles the discard of a packet by the link recovery at an end.
    fn on_radio_given_up(&mut self, now: Time, link: u16, end: End, packet: Option<Id<Packet>>) {
        let place = self.links.radios[link as usize].ends[end as usize].place;
        match packet {
            Some(id) => {
                let reason = DropReason { counted: Drop::Retries, cause: Drop::Channel };
                self.drop_packet(now, id, reason, Some(place));
            }
            // The packet arrived, but the sending end does not know: for its link layer it is lost.
            None => self.drops[Drop::Retries as usize] += 1,
        }
    }

    /// Handles a lost frame whose packet, if it has one, is not lost.
    fn on_radio_frame_lost(
        &mut self,
        now: Time,
        link: u16,
        end: End,
        number: Option<u64>,
        bytes: u32,
        tag: Tag,
    ) {
        self.drops[Drop::Channel as usize] += 1;
        let Some(recorder) = &mut self.recorder else { return };
        let from = &self.links.radios[link as usize].ends[end as usize];
        let (kind, seq) = from.taken.kind(number, tag);
        recorder.dropped(now, from.place, DropRow { flow: tag.flow, cause: Drop::Channel, kind, seq, bytes });
    }

    /// Refills an end that takes packets again from its queue, as long as there is room.
    fn on_radio_ready(&mut self, now: Time, link: u16, end: End) {
        let mut popped = false;
        while self.links.radios[link as usize].link.is_free(end.into()) {
            let from = &mut self.links.radios[link as usize].ends[end as usize];
            let place = from.place;
            let Some(packet) = from.queue.pop(now, &mut self.arena, &mut self.dropped_by_queue) else {
                from.idle_since = now;
                break;
            };
            popped = true;
            self.drop_at_link(now, place);
            self.hand_to_radio(now, link, end, packet.id);
        }
        if popped {
            self.record_radio_queue(now, link, end);
        }
    }

    pub(crate) fn record_radio_queue(&mut self, now: Time, link: u16, end: End) {
        if let Some(recorder) = &mut self.recorder {
            let end = &self.links.radios[link as usize].ends[end as usize];
            recorder.queue(now, end.place, end.queue.len());
        }
    }

    /// Records a frame that has just left an end in the trace, and its packet in the captures.
    fn record_radio_transmission(&mut self, now: Time, link: u16, sent: &Transmitted) {
        let Some(recorder) = &mut self.recorder else { return };
        let RadioSite { link, ends } = &self.links.radios[link as usize];
        let (from, to) = (&ends[usize::from(sent.from)], &ends[usize::from(sent.to)]);
        let is_lost = sent.reception != Reception::Received;
        if let Some(id) =
            sent.number.and_then(|number| link.packet(sent.from, number)).filter(|_| recorder.wants_packets())
        {
            let comment = is_lost.then(|| format!("lost on {}: channel", from.name));
            let packet = self.arena.get(id);
            recorder.packet(now, from.node, from.interface, Direction::Out, packet, comment.as_deref());
        }
        let (packet, seq) = from.taken.kind(sent.number, sent.tag);
        recorder.transmission(AirRow {
            start: sent.start,
            end: now,
            from: from.node,
            to: Some(to.node),
            kind: if sent.number.is_some() { AirKind::Data } else { AirKind::Ack },
            bytes: sent.bytes,
            flow: sent.tag.flow,
            packet,
            seq,
            attempt: sent.attempt,
            outcome: if is_lost { AirOutcome::Channel } else { AirOutcome::Received },
        });
    }
}
