//! Link-layer recovery: how one end of a radio link repeats what the other end did not receive.
//!
//! A kind of recovery is one file beside this one: a sender and a receiver, two state machines that know frames by their numbers
//! and nothing of packets, transmitters or events. A frame's number counts up for ever; on a channel that keeps frames in order, as
//! a link does, numbers modulo twice the window and one say the same.

mod go_back_n;
mod plain;
mod rlp;
mod selective_repeat;

use crate::pace::LinkRate;
use airhop_base::{Span, Time};
pub use rlp::RlpRules;

/// The largest window of selective repeat: half of HDLC's extended sequence numbers, which are modulo 128 (ISO/IEC 13239 §5.5.1).
pub const SELECTIVE_WINDOW: u32 = 64;

/// How the data of one direction are recovered.
#[derive(Clone, Debug, PartialEq)]
pub enum ArqPlan {
    /// Not at all: every frame goes once, and nothing answers it.
    None,
    /// The receiver takes frames in order only; at a timeout the sender goes back to the oldest that is not acknowledged
    /// (Kounavis 1996 §5C). With a window of one it is stop-and-wait.
    GoBackN {
        /// What is sent again at a timeout.
        group: Group,
        /// Window, timer and limit.
        rules: ArqRules,
    },
    /// The receiver keeps what comes out of order; only what is missing is sent again (Kounavis 1996 §5C). The window is at most
    /// [`SELECTIVE_WINDOW`].
    SelectiveRepeat {
        /// A gap that a link ACK shows is filled at once, as HDLC's selective reject asks for (SREJ, ISO/IEC 13239); otherwise
        /// only timers have a frame sent again.
        srej: bool,
        /// Window, timer and limit.
        rules: ArqRules,
    },
    /// The receiver asks for what is missing, in rounds of NAKs, and gives up after the last (RLP, TIA/EIA IS-707-A).
    Rlp(RlpRules),
}

/// What the go-back-n sender of Kounavis 1996 §5C ("the whole group of N packets") sends again at a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// All frames outstanding, of a window that slides with every link ACK.
    Sliding,
    /// Blocks of N frames: a block is over when one link ACK covers all of it, and goes again as a whole before.
    Blocks,
}

/// What all kinds of recovery that wait for link ACKs have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArqRules {
    /// Frames without a link ACK at most.
    pub window: u32,
    /// How long a link ACK may be away, from the start of the frame's transmission; see [`derived_timeout`]. It should be no
    /// shorter than the way of a frame and of its ACK: what is given up while a frame of it is still under way stays given up.
    pub timeout: Span,
    /// Transmissions of a frame at most, the first included. Without it the sender never gives up.
    pub attempts: Option<u32>,
    /// Length of a link ACK, bytes.
    pub ack_bytes: u32,
}

/// A data frame of an ARQ sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFrame {
    /// Its number, from 0.
    pub number: u64,
    /// Its transmission, the first is 1.
    pub attempt: u32,
    /// The lowest number that may still come: the receiver need not wait for any below. A frame whose own number is below is
    /// empty, and tells just that. In an idle frame of RLP it is the number of the next new frame.
    pub floor: u64,
}

impl LinkFrame {
    /// True if no packet is inside.
    pub fn is_empty(&self) -> bool {
        self.number < self.floor
    }
}

/// A link ACK: what the receiver has, all of it. So the newest makes older ones superfluous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkAck {
    /// The lowest number that the receiver waits for.
    pub expected: u64,
    /// Which frames came beyond that: bit i stands for number `expected + i`. Those below the highest that are not there are what
    /// HDLC's multiple selective reject would list (ISO/IEC 13239).
    pub beyond: u64,
}

/// What a receiver that answers no frames says of some: that they are missing or, at last, that it has given them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nak {
    /// The first of them.
    pub first: u64,
    /// The last.
    pub last: u64,
    /// They are given up, and need not be sent.
    pub is_abort: bool,
}

/// What a receiver makes of a frame, or of the time that has passed.
#[derive(Debug, Default)]
pub struct Upward {
    /// The numbers that can now go to the layer above, in order.
    pub deliver: Vec<u64>,
    /// Those that it waits for no longer.
    pub given_up: Vec<u64>,
    /// What it tells the sender, one control frame each.
    pub naks: Vec<Nak>,
}

/// What an ARQ sender finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The receiver has the frame of this number, or has not asked for it for so long that it must have. Comes once for each.
    Acknowledged(u64),
    /// A transmission of a frame was not acknowledged in time, or is known to be lost.
    Failed {
        /// The frame.
        number: u64,
        /// The transmission, the first is 1.
        attempt: u32,
        /// True if the frame is sent again; otherwise [`Report::Discarded`] follows.
        retry: bool,
    },
    /// The sender has given this number up.
    Discarded(u64),
    /// The receiver has given this number up, and says so.
    Aborted(u64),
}

/// The sending side. Whoever owns it keeps the packets, and calls [`ArqSender::on_timeout`] at the deadline.
pub trait ArqSender: std::fmt::Debug + Send {
    /// True if the window has room for another packet.
    fn has_room(&self) -> bool;

    /// Takes a packet, if there is room for it; returns its number, which is one more than that of the packet before.
    fn push(&mut self) -> u64;

    /// The frame that is transmitted from `now` on, if there is something to transmit.
    fn next_frame(&mut self, now: Time) -> Option<LinkFrame>;

    /// A link ACK came.
    fn on_ack(&mut self, ack: LinkAck, reports: &mut Vec<Report>);

    /// A NAK came.
    fn on_nak(&mut self, _now: Time, _nak: Nak, _reports: &mut Vec<Report>) {}

    /// When the next timeout is due.
    fn deadline(&self) -> Option<Time>;

    /// The deadline has come.
    fn on_timeout(&mut self, now: Time, reports: &mut Vec<Report>);
}

/// The receiving side.
pub trait ArqReceiver: std::fmt::Debug + Send {
    /// A frame came. What follows is added to `up`; returns the answer.
    fn on_frame(&mut self, now: Time, frame: LinkFrame, up: &mut Upward) -> Option<LinkAck>;

    /// When it asks again, or gives up; asked only if [`ArqPlan::asks`].
    fn deadline(&self) -> Option<Time> {
        None
    }

    /// The deadline has come.
    fn on_timeout(&mut self, _now: Time, _up: &mut Upward) {}

    /// True if the frame of this number is here and waits for one before it.
    fn holds(&self, _number: u64) -> bool {
        false
    }
}

impl ArqPlan {
    /// The sending side at work.
    pub fn sender(&self) -> Box<dyn ArqSender> {
        match self {
            ArqPlan::None => Box::new(plain::PlainSender::default()),
            ArqPlan::GoBackN { group, rules } => Box::new(go_back_n::Sender::new(*group, *rules)),
            ArqPlan::SelectiveRepeat { srej, rules } => {
                Box::new(selective_repeat::Sender::new(*srej, *rules))
            }
            ArqPlan::Rlp(rules) => Box::new(rlp::Sender::new(rules)),
        }
    }

    /// The receiving side at work.
    pub fn receiver(&self) -> Box<dyn ArqReceiver> {
        match self {
            ArqPlan::None => Box::new(plain::PlainReceiver),
            ArqPlan::GoBackN { .. } => Box::new(go_back_n::Receiver::default()),
            ArqPlan::SelectiveRepeat { .. } => Box::new(selective_repeat::Receiver::default()),
            ArqPlan::Rlp(rules) => Box::new(rlp::Receiver::new(rules)),
        }
    }

    /// Length of a link ACK, bytes; `None` if there are no link ACKs.
    pub fn ack_bytes(&self) -> Option<u32> {
        match self {
            ArqPlan::None | ArqPlan::Rlp(_) => None,
            ArqPlan::GoBackN { rules, .. } | ArqPlan::SelectiveRepeat { rules, .. } => Some(rules.ack_bytes),
        }
    }

    /// Length of its control frames, bytes; `None` if there are none, as nothing is recovered.
    pub fn control_bytes(&self) -> Option<u32> {
        match self {
            ArqPlan::Rlp(rules) => Some(rules.nak_bytes),
            other => other.ack_bytes(),
        }
    }

    /// True if the receiver has a timer, and asks for frames.
    pub fn asks(&self) -> bool {
        matches!(self, ArqPlan::Rlp(_))
    }
}

impl ArqRules {
    /// True if a frame that failed `attempt` times is sent again.
    fn retry(&self, attempt: u32) -> bool {
        self.attempts.is_none_or(|most| attempt < most)
    }
}

/// Returns a timeout that is long enough: a window of frames, the link ACK of the last, both ways, and a frame of the
/// other direction that the ACK may have to wait for. Sizes are those on the air, in bytes; of no frame (0) none is awaited.
pub fn derived_timeout(
    [there, back]: [&LinkRate; 2],
    delays: Span,
    window: u32,
    frame_bytes: u32,
    ack_bytes: u32,
    reverse_bytes: u32,
) -> Span {
    let reverse = if reverse_bytes == 0 { Span::ZERO } else { back.time_for(reverse_bytes) };
    there.time_for(frame_bytes) * u64::from(window) + back.time_for(ack_bytes) + delays + reverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Rate;

    /// By hand: frames of 128 bytes last 53.3 ms at 19.2 kbit/s, the ACK of 6 bytes 2.5 ms; three frames, two ways of
    /// 10 ms, and a frame in the way are 235.8 ms.
    #[test]
    fn the_timeout_covers_a_window_and_its_ack() {
        let air = LinkRate::Rate(Rate::from_bps(19_200));
        let timeout = derived_timeout([&air, &air], Span::from_millis(20), 3, 128, 6, 128).secs_f64();
        assert!((timeout - (4.0 * 1024.0 / 19_200.0 + 48.0 / 19_200.0 + 0.020)).abs() < 1e-8, "{timeout}");
    }
}
