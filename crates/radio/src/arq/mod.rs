//! Link-layer ARQ: one end of a radio link retransmits the frames that the other end did not receive.
//!
//! Each kind of ARQ has a file with a sender and a receiver. Both are state machines without packets,
//! transmitters or events. Frames are identified by sequence numbers that do not wrap. On a link that keeps
//! the order of frames, this is equivalent to numbers modulo 2W + 1 for a window W.

mod go_back_n;
mod plain;
mod rlp;
mod selective_repeat;

use crate::link_rate::LinkRate;
use airhop_base::{Span, Time};
pub use rlp::RlpRules;

/// Largest window of selective repeat, frames. HDLC's extended sequence numbers are modulo 128 (ISO/IEC 13239
/// §5.5.1), and selective repeat can use half of them.
pub const MAX_SELECTIVE_REPEAT_WINDOW: u32 = 64;

/// Link-layer recovery of the data of one direction.
#[derive(Clone, Debug, PartialEq)]
pub enum ArqPlan {
    /// No recovery: every frame is sent once, and the receiver sends no response.
    None,
    /// Go-back-n: the receiver accepts frames only in order. After a timeout the sender retransmits from the
    /// oldest unacknowledged frame on (Kounavis 1996 §5C). With a window of one frame it is stop-and-wait.
    GoBackN {
        /// Frames that are retransmitted after a timeout.
        group: RetransmissionGroup,
        /// Window, timeout and limit of attempts.
        rules: ArqRules,
    },
    /// Selective repeat: the receiver stores frames out of order, and the sender retransmits only missing
    /// frames (Kounavis 1996 §5C). The window is at most [`MAX_SELECTIVE_REPEAT_WINDOW`].
    SelectiveRepeat {
        /// True if the sender retransmits at once when a link ACK shows a gap, as with selective reject in
        /// HDLC (SREJ, ISO/IEC 13239). False if only timeouts cause retransmissions.
        srej: bool,
        /// Window, timeout and limit of attempts.
        rules: ArqRules,
    },
    /// RLP: the receiver requests missing frames in rounds of NAKs, and discards frames still missing after
    /// the last round (TIA/EIA IS-707-A).
    Rlp(RlpRules),
}

/// Set of frames that the sender of go-back-n retransmits at a timeout. Kounavis 1996 §5C calls this set "the
/// whole group of N packets".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetransmissionGroup {
    /// All outstanding frames, in a window that advances with every link ACK.
    Sliding,
    /// Blocks of N frames. A block is complete when one link ACK acknowledges all frames of the block.
    /// Otherwise the whole block is retransmitted.
    Blocks,
}

/// Rules shared by the kinds of ARQ that use link ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArqRules {
    /// Window in frames: maximum number of frames that await a link ACK.
    pub window: u32,
    /// Timeout of a link ACK, counted from the start of the frame's transmission; see [`derived_timeout`].
    /// The timeout should be at least the round trip of a frame and its ACK. With a shorter timeout the
    /// sender may discard a packet that still arrives.
    pub timeout: Span,
    /// Maximum number of transmissions of a frame, including the first; `None`: no limit.
    pub max_attempts: Option<u32>,
    /// Length of a link ACK, bytes.
    pub ack_bytes: u32,
}

/// Data frame of an ARQ sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFrame {
    /// Number of the frame, from 0.
    pub number: u64,
    /// Number of this transmission, from 1.
    pub attempt: u32,
    /// Lowest number that the sender may still send. The receiver stops waiting for lower numbers. A frame
    /// with a number below its floor carries no packet, and only announces the floor. The floor of an RLP
    /// idle frame is the number of the next new frame.
    pub lowest_pending: u64,
}

impl LinkFrame {
    /// True if the frame carries no packet.
    pub fn is_empty(&self) -> bool {
        self.number < self.lowest_pending
    }
}

/// Link ACK. It contains the complete state of the receiver, so a later link ACK replaces all earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkAck {
    /// Lowest number for which the receiver still waits.
    pub expected: u64,
    /// Bitmap of the frames received above `expected`: bit i represents number `expected + i`. Zero bits
    /// below the highest set bit are missing frames. HDLC lists missing frames in its multiple selective
    /// reject (ISO/IEC 13239).
    pub received_bitmap: u64,
}

/// NAK of a receiver that sends no link ACKs. The NAK reports a range of frames as missing or, after the last
/// round of requests, as discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nak {
    /// First number of the range.
    pub first: u64,
    /// Last number of the range.
    pub last: u64,
    /// True if the receiver has discarded the frames; the sender then stops sending them.
    pub is_abort: bool,
}

/// Output of an [`ArqReceiver`] after a frame or a timeout.
#[derive(Debug, Default)]
pub struct ReceiverOutput {
    /// Numbers to deliver to the layer above, in order.
    pub deliver: Vec<u64>,
    /// Numbers of the frames that the receiver has discarded as missing.
    pub discarded: Vec<u64>,
    /// NAKs for the sender, one control frame each.
    pub naks: Vec<Nak>,
}

/// Report of an ARQ sender on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArqReport {
    /// Delivery of a frame, reported once for each number. Either a link ACK has arrived, or the receiver has
    /// sent no NAK within the time limit.
    Acknowledged(u64),
    /// Failure of one transmission of a frame: its link ACK is overdue, or the receiver has reported it
    /// missing.
    Failed {
        /// Number of the frame.
        number: u64,
        /// Number of the transmission, from 1.
        attempt: u32,
        /// True if the frame is retransmitted; if not, [`ArqReport::Discarded`] follows.
        retry: bool,
    },
    /// The sender discarded the frame with this number.
    Discarded(u64),
    /// The receiver discarded the frame with this number, and reported the discard in a NAK.
    Aborted(u64),
}

/// Sending side of an ARQ. The radio link that owns it stores the packets, and calls
/// [`ArqSender::on_timeout`] at the time of [`ArqSender::deadline`].
pub trait ArqSender: std::fmt::Debug + Send {
    /// True if the window has room for another packet.
    fn has_room(&self) -> bool;

    /// Adds a packet and returns its number. Numbers increase by one. The window must have room.
    fn push(&mut self) -> u64;

    /// Returns the frame whose transmission starts at `now`; `None` if no frame may be sent.
    fn next_frame(&mut self, now: Time) -> Option<LinkFrame>;

    /// Handles a link ACK.
    fn on_ack(&mut self, ack: LinkAck, reports: &mut Vec<ArqReport>);

    /// Handles a NAK.
    fn on_nak(&mut self, _now: Time, _nak: Nak, _reports: &mut Vec<ArqReport>) {}

    /// Returns the time of the next timeout; `None` if no timer runs.
    fn deadline(&self) -> Option<Time>;

    /// Handles the timeout.
    fn on_timeout(&mut self, now: Time, reports: &mut Vec<ArqReport>);
}

/// Receiving side of an ARQ.
pub trait ArqReceiver: std::fmt::Debug + Send {
    /// Handles a frame. Adds deliveries and NAKs to `up`; returns the link ACK, if the receiver sends one.
    fn on_frame(&mut self, now: Time, frame: LinkFrame, up: &mut ReceiverOutput) -> Option<LinkAck>;

    /// Returns the time of the next NAK or discard; `None` if no frame is missing. Used only if
    /// [`ArqPlan::uses_naks`].
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// Handles the timeout at the time of [`ArqReceiver::deadline`].
    fn on_timeout(&mut self, _now: Time, _up: &mut ReceiverOutput) {}

    /// True if the receiver stores the frame with this number because an earlier frame is missing.
    fn holds(&self, _number: u64) -> bool {
        false
    }
}

impl ArqPlan {
    /// Creates the sending side.
    pub fn build_sender(&self) -> Box<dyn ArqSender> {
        match self {
            ArqPlan::None => Box::new(plain::PlainSender::default()),
            ArqPlan::GoBackN { group, rules } => Box::new(go_back_n::Sender::new(*group, *rules)),
            ArqPlan::SelectiveRepeat { srej, rules } => {
                Box::new(selective_repeat::Sender::new(*srej, *rules))
            }
            ArqPlan::Rlp(rules) => Box::new(rlp::Sender::new(rules)),
        }
    }

    /// Creates the receiving side.
    pub fn build_receiver(&self) -> Box<dyn ArqReceiver> {
        match self {
            ArqPlan::None => Box::new(plain::PlainReceiver),
            ArqPlan::GoBackN { .. } => Box::new(go_back_n::Receiver::default()),
            ArqPlan::SelectiveRepeat { .. } => Box::new(selective_repeat::Receiver::default()),
            ArqPlan::Rlp(rules) => Box::new(rlp::Receiver::new(rules)),
        }
    }

    /// Returns the length of a link ACK in bytes; `None` without link ACKs.
    pub fn ack_bytes(&self) -> Option<u32> {
        match self {
            ArqPlan::None | ArqPlan::Rlp(_) => None,
            ArqPlan::GoBackN { rules, .. } | ArqPlan::SelectiveRepeat { rules, .. } => Some(rules.ack_bytes),
        }
    }

    /// Returns the length of control frames in bytes; `None` without recovery.
    pub fn control_bytes(&self) -> Option<u32> {
        match self {
            ArqPlan::Rlp(rules) => Some(rules.nak_bytes),
            other => other.ack_bytes(),
        }
    }

    /// True if the receiver has a timer and requests frames by NAKs.
    pub fn uses_naks(&self) -> bool {
        matches!(self, ArqPlan::Rlp(_))
    }
}

impl ArqRules {
    /// True if a frame may be retransmitted after `attempt` failed transmissions.
    fn may_retry(&self, attempt: u32) -> bool {
        self.max_attempts.is_none_or(|most| attempt < most)
    }
}

/// Returns a link ACK timeout that suffices if no frame is lost. The timeout is the sum of both propagation
/// delays, a window of frames, the link ACK, and a preceding reverse frame. Lengths are bytes on the air; 0
/// means that no such frame exists.
pub fn derived_timeout(
    [there, back]: [&LinkRate; 2],
    delays: Span,
    window: u32,
    frame_bytes: u32,
    ack_bytes: u32,
    reverse_bytes: u32,
) -> Span {
    let reverse = if reverse_bytes == 0 { Span::ZERO } else { back.serialisation_time(reverse_bytes) };
    there.serialisation_time(frame_bytes) * u64::from(window)
        + back.serialisation_time(ack_bytes)
        + delays
        + reverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Rate;

    /// Values computed by hand. At 19.2 kbit/s a frame of 128 bytes lasts 53.3 ms, and an ACK of 6 bytes 2.5
    /// ms. The timeout is 235.8 ms: three frames, twice the delay of 10 ms, the ACK, and a frame before the
    /// ACK.
    #[test]
    fn the_arq_timeout_covers_a_window_and_its_link_ack() {
        let air = LinkRate::Rate(Rate::from_bps(19_200));
        let timeout = derived_timeout([&air, &air], Span::from_millis(20), 3, 128, 6, 128).secs_f64();
        assert!((timeout - (4.0 * 1024.0 / 19_200.0 + 48.0 / 19_200.0 + 0.020)).abs() < 1e-8, "{timeout}");
    }
}
