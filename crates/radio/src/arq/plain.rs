//! ARQ without recovery.
use super::{ArqReceiver, ArqReport, ArqSender, LinkAck, LinkFrame, ReceiverOutput};
use airhop_base::Time;

/// Sender without recovery. Each frame is sent once.
#[derive(Debug, Default)]
pub(super) struct PlainSender {
    /// Number of the next frame.
    next: u64,
    /// True if a frame waits for transmission.
    waits: bool,
}

impl ArqSender for PlainSender {
    fn has_room(&self) -> bool {
        !self.waits
    }

    fn push(&mut self) -> u64 {
        self.waits = true;
        self.next
    }

    fn next_frame(&mut self, _: Time) -> Option<LinkFrame> {
        if !std::mem::take(&mut self.waits) {
            return None;
        }
        self.next += 1;
        Some(LinkFrame { number: self.next - 1, attempt: 1, lowest_pending: 0 })
    }

    fn on_ack(&mut self, _: LinkAck, _: &mut Vec<ArqReport>) {}

    fn deadline(&self) -> Option<Time> {
        None
    }

    fn on_timeout(&mut self, _: Time, _: &mut Vec<ArqReport>) {}
}

/// Receiver without recovery. Every frame is delivered on arrival.
#[derive(Debug)]
pub(super) struct PlainReceiver;

impl ArqReceiver for PlainReceiver {
    fn on_frame(&mut self, _: Time, frame: LinkFrame, up: &mut ReceiverOutput) -> Option<LinkAck> {
        up.deliver.push(frame.number);
        None
    }
}
