//! One end of a radio link: what it sends next.
use super::buffer::Buffer;
use super::plan::RadioPlan;
use crate::address::End;
use crate::arq::{ArqReceiver, ArqSender, LinkAck, LinkFrame, Nak};
use crate::errors::{Damage, ErrorModel, Frame};
use crate::pace::Pace;
use crate::tag::Tag;
use airhop_base::{FlowId, Time};
use airhop_engine::{Streams, TimerId, Timers};
use std::collections::VecDeque;

/// One end: it sends its own data, and answers those of the other.
#[derive(Debug)]
pub(super) struct LinkEndpoint {
    pub sender: Box<dyn ArqSender>,
    /// What it sends, until it is delivered at the other end.
    pub buffer: Buffer,
    pub timer: TimerId,
    /// Since when link ACKs fail to come.
    pub fading: Option<Time>,
    pub receiver: Box<dyn ArqReceiver>,
    /// The link ACK that waits to be sent, for data of this tag.
    pub answer: Option<(LinkAck, Tag)>,
    /// The timer of a receiver that asks for frames, and what it has to say, each of data of this tag.
    pub asking: Option<TimerId>,
    pub naks: VecDeque<(Nak, Tag)>,
    pub transmitter: Option<Transmission>,
    /// The frames that have left and not arrived: what is left of them, and when they arrive.
    pub under_way: VecDeque<(Transmission, Damage, Time)>,
    /// It has said that it takes packets.
    pub was_ready: bool,
    /// Its data go once: it takes a packet only when it can send it.
    is_plain: bool,
    errors: Box<dyn ErrorModel>,
    pub pace: Pace,
    overhead: u32,
    /// Length of its control frames: link ACKs and NAKs for the other end's data, and what its own ARQ tells without data.
    ack_bytes: u32,
    empty_bytes: u32,
    /// What was in its last data frame.
    last: Tag,
}

/// A frame in the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub content: Content,
    pub bytes: u32,
    pub header: u32,
    pub tag: Tag,
    pub start: Time,
    pub end: Time,
}

/// What is in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    Data(LinkFrame),
    /// A frame of the ARQ sender that has no packet in it.
    Empty(LinkFrame),
    Ack(LinkAck),
    Nak(Nak),
}

impl LinkEndpoint {
    pub fn new(plan: &RadioPlan, end: End, timers: &mut Timers, streams: &Streams) -> Self {
        let (this, other) = (usize::from(end), usize::from(1 - end));
        let control_bytes = |end: usize| plan.arq[end].control_bytes();
        LinkEndpoint {
            sender: plan.arq[this].sender(),
            buffer: Buffer::new(control_bytes(this).is_some()),
            timer: timers.add(),
            fading: None,
            receiver: plan.arq[other].receiver(),
            answer: None,
            asking: plan.arq[other].asks().then(|| timers.add()),
            naks: VecDeque::new(),
            transmitter: None,
            under_way: VecDeque::new(),
            was_ready: true,
            is_plain: control_bytes(this).is_none(),
            errors: plan.pace[this].with_losses(end, &plan.errors[this]).build(
                streams,
                &plan.name,
                &plan.ends[this],
                &plan.ends[other],
            ),
            pace: plan.pace[this].start(end),
            overhead: plan.overhead,
            ack_bytes: control_bytes(other).unwrap_or(0),
            empty_bytes: control_bytes(this).unwrap_or(0),
            last: Tag { flow: FlowId::NONE, seq: 0, end: 0 },
        }
    }

    /// True if it takes a packet.
    pub fn is_free(&self) -> bool {
        self.sender.has_room() && !(self.is_plain && self.transmitter.is_some())
    }

    /// What goes on the air now, if the transmitter is free and there is something: link ACKs and NAKs before data, and never
    /// between the bits of a frame. When that is, its pace says: `start` and `end` are still open.
    pub fn next(&mut self, now: Time) -> Option<Transmission> {
        if self.transmitter.is_some() {
            return None;
        }
        if let Some((ack, tag)) = self.answer.take() {
            return Some(control(now, Content::Ack(ack), self.ack_bytes, tag));
        }
        if let Some((nak, tag)) = self.naks.pop_front() {
            return Some(control(now, Content::Nak(nak), self.ack_bytes, tag));
        }
        let frame = self.sender.next_frame(now)?;
        if frame.is_empty() {
            return Some(control(now, Content::Empty(frame), self.empty_bytes, self.last));
        }
        let held = self.buffer.get(frame.number).expect("a sender sends what is not acknowledged");
        self.last = held.tag;
        let [bytes, header] = [held.bytes, held.header].map(|bytes| bytes + self.overhead);
        Some(Transmission {
            content: Content::Data(frame),
            bytes,
            header,
            tag: held.tag,
            start: now,
            end: now,
        })
    }

    /// What the channel leaves of a frame that has just been sent.
    pub fn damage(&mut self, sent: &Transmission) -> Damage {
        let [bits, header_bits] = [sent.bytes, sent.header].map(|bytes| u64::from(bytes) * 8);
        let (control, attempt) = (sent.number().is_none(), sent.attempt());
        let (start, end) = (sent.start, sent.end);
        self.errors.damage(&Frame { bits, header_bits, control, broadcast: false, start, end, attempt })
    }

    /// True if one of its frames ends or arrives now.
    pub fn is_heard_now(&self, now: Time) -> bool {
        self.transmitter.is_some_and(|sent| sent.end == now)
            || self.under_way.front().is_some_and(|f| f.2 == now)
    }
}

impl Transmission {
    /// The number of a data frame.
    pub fn number(&self) -> Option<u64> {
        match self.content {
            Content::Data(frame) => Some(frame.number),
            Content::Empty(_) | Content::Ack(_) | Content::Nak(_) => None,
        }
    }

    /// Which transmission of it this is, from 1.
    pub fn attempt(&self) -> u32 {
        match self.content {
            Content::Data(frame) | Content::Empty(frame) => frame.attempt,
            Content::Ack(_) | Content::Nak(_) => 1,
        }
    }
}

fn control(now: Time, content: Content, bytes: u32, tag: Tag) -> Transmission {
    Transmission { content, bytes, header: bytes, tag, start: now, end: now }
}
