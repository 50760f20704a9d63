//! End of a radio link, and the order of its frames.
use super::plan::RadioPlan;
use crate::address::LinkEnd;
use crate::arq::{ArqReceiver, ArqSender, LinkAck, LinkFrame, Nak};
use crate::buffer::PacketBuffer;
use crate::errors::{Damage, ErrorModel, Frame};
use crate::layer::FrameKind;
use crate::link_rate::LinkTransmitter;
use crate::tag::PacketTag;
use airhop_base::{FlowId, Time};
use airhop_engine::{RandomStreams, TimerId, Timers};
use std::collections::VecDeque;

/// State of one end of a radio link. An end transmits its own data and acknowledges the data of the other
/// end.
#[derive(Debug)]
pub(super) struct LinkEndpoint {
    pub sender: Box<dyn ArqSender>,
    /// Accepted packets that the ARQ of either end still needs.
    pub buffer: PacketBuffer,
    pub timer: TimerId,
    /// Start of the present fade: time of the first missing link ACK; `None` outside fades.
    pub fade_start: Option<Time>,
    pub receiver: Box<dyn ArqReceiver>,
    /// Link ACK that waits for transmission, and the tag of the data that it acknowledges.
    pub pending_ack: Option<(LinkAck, PacketTag)>,
    /// Timer of a receiver that sends NAKs. `naks`: NAKs that wait for transmission, each with the tag of the
    /// missing data.
    pub nak_timer: Option<TimerId>,
    pub naks: VecDeque<(Nak, PacketTag)>,
    pub current_transmission: Option<Transmission>,
    /// Frames that have left the transmitter but not arrived, each with its damage and arrival time.
    pub in_flight: VecDeque<(Transmission, Damage, Time)>,
    /// True if the end had room for a packet after the last event.
    pub had_room: bool,
    /// True without recovery: the end then accepts a packet only if its transmitter is idle.
    is_plain: bool,
    errors: Box<dyn ErrorModel>,
    pub link_transmitter: LinkTransmitter,
    overhead: u32,
    /// Length of link ACKs and NAKs for the other end's data in bytes. `empty_bytes` is the length of this
    /// end's frames without data.
    ack_bytes: u32,
    empty_bytes: u32,
    /// Tag of the last data frame of this end.
    last: PacketTag,
}

/// Frame on the transmitter or in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub content: FrameContent,
    pub bytes: u32,
    pub header_bytes: u32,
    pub tag: PacketTag,
    pub start: Time,
    pub end: Time,
}

/// Content of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum FrameContent {
    Data(LinkFrame),
    /// Frame of the ARQ sender without a packet. It announces the lowest number for which the receiver must
    /// still wait ([`LinkFrame::lowest_pending`]).
    Empty(LinkFrame),
    Ack(LinkAck),
    Nak(Nak),
}

impl LinkEndpoint {
    pub fn new(plan: &RadioPlan, end: LinkEnd, timers: &mut Timers, streams: &RandomStreams) -> Self {
        let (this, other) = (usize::from(end), usize::from(1 - end));
        let control_bytes = |end: usize| plan.arq[end].control_bytes();
        LinkEndpoint {
            sender: plan.arq[this].build_sender(),
            buffer: PacketBuffer::new(control_bytes(this).is_some()),
            timer: timers.add(),
            fade_start: None,
            receiver: plan.arq[other].build_receiver(),
            pending_ack: None,
            nak_timer: plan.arq[other].uses_naks().then(|| timers.add()),
            naks: VecDeque::new(),
            current_transmission: None,
            in_flight: VecDeque::new(),
            had_room: true,
            is_plain: control_bytes(this).is_none(),
            errors: plan.rates[this].with_handoff_losses(end, &plan.errors[this]).build(
                streams,
                &plan.name,
                &plan.ends[this],
                &plan.ends[other],
            ),
            link_transmitter: plan.rates[this].idle_transmitter(end),
            overhead: plan.overhead_bytes,
            ack_bytes: control_bytes(other).unwrap_or(0),
            empty_bytes: control_bytes(this).unwrap_or(0),
            last: PacketTag { flow: FlowId::NONE, payload_bytes: 0, seq: 0 },
        }
    }

    /// True if the end accepts a packet.
    pub fn has_room(&self) -> bool {
        self.sender.has_room() && !(self.is_plain && self.current_transmission.is_some())
    }

    /// Returns the next frame to send; `None` if the transmitter is busy or no frame waits. Link ACKs and
    /// NAKs precede data, but do not interrupt a frame. The caller then sets `start` and `end` by the rate of
    /// the link.
    pub fn next_transmission(&mut self, now: Time) -> Option<Transmission> {
        if self.current_transmission.is_some() {
            return None;
        }
        if let Some((ack, tag)) = self.pending_ack.take() {
            return Some(control_frame(now, FrameContent::Ack(ack), self.ack_bytes, tag));
        }
        if let Some((nak, tag)) = self.naks.pop_front() {
            return Some(control_frame(now, FrameContent::Nak(nak), self.ack_bytes, tag));
        }
        let frame = self.sender.next_frame(now)?;
        if frame.is_empty() {
            return Some(control_frame(now, FrameContent::Empty(frame), self.empty_bytes, self.last));
        }
        let held = self.buffer.get(frame.number).expect("a sender sends what is not acknowledged");
        self.last = held.tag;
        let [bytes, header] = [held.bytes, held.header_bytes].map(|bytes| bytes + self.overhead);
        Some(Transmission {
            content: FrameContent::Data(frame),
            bytes,
            header_bytes: header,
            tag: held.tag,
            start: now,
            end: now,
        })
    }

    /// Returns the damage of a frame whose transmission has just ended.
    pub fn draw_damage(&mut self, sent: &Transmission) -> Damage {
        let [bits, header_bits] = [sent.bytes, sent.header_bytes].map(|bytes| u64::from(bytes) * 8);
        let (control, attempt) = (sent.packet_number().is_none(), sent.attempt());
        let (start, end) = (sent.start, sent.end);
        self.errors.draw_damage(&Frame {
            bits,
            header_bits,
            is_control: control,
            is_broadcast: false,
            start,
            end,
            attempt,
        })
    }

    /// True if a transmission of this end ends at `now`, or a frame from this end arrives at `now`.
    pub fn has_frame_edge_at(&self, now: Time) -> bool {
        self.current_transmission.is_some_and(|sent| sent.end == now)
            || self.in_flight.front().is_some_and(|f| f.2 == now)
    }
}

impl Transmission {
    /// Returns the number of a data frame; `None` for other frames.
    pub fn packet_number(&self) -> Option<u64> {
        match self.content {
            FrameContent::Data(frame) => Some(frame.number),
            FrameContent::Empty(_) | FrameContent::Ack(_) | FrameContent::Nak(_) => None,
        }
    }

    /// Returns the kind of the frame.
    pub fn kind(&self) -> FrameKind {
        if self.packet_number().is_some() { FrameKind::Data } else { FrameKind::Ack }
    }

    /// Returns the number of the frame's attempt, from 1.
    pub fn attempt(&self) -> u32 {
        match self.content {
            FrameContent::Data(frame) | FrameContent::Empty(frame) => frame.attempt,
            FrameContent::Ack(_) | FrameContent::Nak(_) => 1,
        }
    }
}

fn control_frame(now: Time, content: FrameContent, bytes: u32, tag: PacketTag) -> Transmission {
    Transmission { content, bytes, header_bytes: bytes, tag, start: now, end: now }
}
