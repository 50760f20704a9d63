//! Fragments of a packet in service: acknowledged and received fragments, and the next fragment to be sent.
//!
//! [`FragmentOrder`] is the order of fragments: that of the standard, or that of LHP (link-layer header
//! protection). Both orders send fragments in bursts after one contention. Each further fragment follows the
//! previous ACK after a SIFS, as long as ACKs arrive (IEEE 802.11-2016 §10.3.4.5).
use super::data_frame::DataFrame;
use super::turns::FragmentOrder;
use airhop_base::{Fragment, Time};

/// Frames with the fragments of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct FragmentFrames {
    pub first: DataFrame,
    /// Frame of each fragment except the first and the last.
    pub middle: DataFrame,
    pub last: DataFrame,
    pub count: u32,
    /// Bytes of the MSDU in the first fragment, and in each later fragment except the last.
    pub msdu_bytes: [u32; 2],
}

/// Fragments of a packet and their state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragments {
    pieces: FragmentFrames,
    turns: FragmentOrder,
    /// Number of the fragment on the air, or of the next fragment to be sent.
    current: u32,
    /// Remaining transmissions, including that of `current`. With LHP all fragments share this count.
    /// Otherwise the count is for `current` alone.
    left: u32,
    /// Bitmap of acknowledged fragments: bit i is set if the sender has received the link ACK of fragment i.
    acknowledged: u16,
    /// Bitmap of received fragments: bit i is set if the receiver has fragment i.
    received: u16,
}

/// Next step after the transmission of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// Another fragment is sent.
    Fragment,
    /// The packet is complete: every fragment is acknowledged.
    Done,
    /// The packet is discarded: no transmission remains, or its lifetime has ended.
    GiveUp,
}

impl Fragments {
    pub(super) fn new(pieces: FragmentFrames, turns: FragmentOrder, transmissions: u32) -> Self {
        Fragments { pieces, turns, current: 0, left: transmissions, acknowledged: 0, received: 0 }
    }

    /// Returns the frame on the air, or the next frame to be sent.
    pub fn frame(&self) -> &DataFrame {
        self.pieces.frame_of_fragment(self.current)
    }

    /// Returns the part of the MSDU in the frame on the air.
    pub fn current_fragment(&self) -> Fragment {
        let [first, each] = self.pieces.msdu_bytes;
        let (start, bytes) = match self.current.checked_sub(1) {
            None => (0, first),
            Some(between) => (first + between * each, each),
        };
        Fragment {
            number: self.current as u8,
            is_last: self.current + 1 == self.pieces.count,
            offset: start,
            bytes,
        }
    }

    /// Returns the frame that will follow the ACK of the present frame after a SIFS. `None` if the packet is
    /// then complete, or if no transmission remains.
    pub fn following_frame(&self) -> Option<&DataFrame> {
        self.after_attempt(true).next_fragment().map(|number| self.pieces.frame_of_fragment(number))
    }

    /// Starts a burst of fragments. Returns false if the packet's lifetime has ended.
    pub fn begin_burst(&mut self, now: Time) -> bool {
        self.turns.begin_burst(now)
    }

    /// Marks the present fragment as received. Returns true if the packet is now complete.
    pub fn mark_received(&mut self) -> bool {
        let before = self.received;
        self.received |= self.current_fragment_bit();
        self.received != before && self.received == self.full_bitmap()
    }

    /// True if the receiver has the first fragment and can use the packet's headers alone, as with LHP.
    pub fn headers_arrived(&self) -> bool {
        matches!(self.turns, FragmentOrder::HeadersFirst) && self.received & 1 != 0
    }

    /// Marks the present fragment as acknowledged. `then`: start of the next frame.
    pub fn on_ack(&mut self, then: Time) -> NextStep {
        let next = self.continue_burst(true);
        if next == NextStep::Fragment && !self.begin_burst(then) { NextStep::GiveUp } else { next }
    }

    /// Counts a failed attempt of the present fragment, and returns the next step.
    pub fn on_failure(&mut self) -> NextStep {
        self.continue_burst(false)
    }

    fn continue_burst(&mut self, acknowledged: bool) -> NextStep {
        *self = self.after_attempt(acknowledged);
        match self.next_fragment() {
            Some(number) => {
                self.current = number;
                NextStep::Fragment
            }
            None if self.acknowledged == self.full_bitmap() => NextStep::Done,
            None => NextStep::GiveUp,
        }
    }

    /// Returns the state after a transmission of the present fragment, acknowledged or not.
    fn after_attempt(&self, acknowledged: bool) -> Self {
        let left = match self.turns {
            FragmentOrder::Standard(limits) if acknowledged => limits.max_attempts,
            _ => self.left - 1,
        };
        let arrived = if acknowledged { self.current_fragment_bit() } else { 0 };
        Fragments { left, acknowledged: self.acknowledged | arrived, ..*self }
    }

    /// Returns the number of the next fragment to send; `None` if none is left, or no transmission remains.
    fn next_fragment(&self) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        self.turns.next_fragment(self.acknowledged, self.pieces.count, self.current)
    }

    fn current_fragment_bit(&self) -> u16 {
        1 << self.current
    }

    fn full_bitmap(&self) -> u16 {
        u16::MAX >> (u16::BITS - self.pieces.count)
    }
}

impl FragmentFrames {
    fn frame_of_fragment(&self, number: u32) -> &DataFrame {
        match number {
            0 => &self.first,
            n if n + 1 == self.count => &self.last,
            _ => &self.middle,
        }
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Returns the lengths of the fragments' frames in bytes.
    pub fn frame_sizes(fragments: &Fragments) -> Vec<u32> {
        (0..fragments.pieces.count).map(|i| fragments.pieces.frame_of_fragment(i).bytes).collect()
    }

    /// Returns the header bytes of a fragment.
    pub fn fragment_header_bytes(fragments: &Fragments, number: u32) -> u32 {
        fragments.pieces.frame_of_fragment(number).header_bytes
    }

    /// Simulates a sequence of acknowledgements (true) and failures (false). Returns the sent fragments, and
    /// the final step.
    pub fn simulate_outcomes(
        mut fragments: Fragments,
        script: impl IntoIterator<Item = bool>,
    ) -> (Vec<u32>, NextStep) {
        let mut sent = Vec::new();
        for acknowledged in script {
            let announced = fragments.following_frame().map(|f| f.bytes);
            sent.push(fragments.current);
            let next = if acknowledged { fragments.on_ack(Time::ZERO) } else { fragments.on_failure() };
            if acknowledged {
                assert_eq!(announced.is_some(), next == NextStep::Fragment, "{sent:?}");
            }
            if next != NextStep::Fragment {
                return (sent, next);
            }
        }
        panic!("the script is too short: {sent:?}");
    }

    /// Simulates the arrival of fragments. For each fragment, returns two booleans: true if the packet is
    /// complete, and true if the headers alone are usable.
    pub fn simulate_arrivals(mut fragments: Fragments, numbers: &[u32]) -> Vec<(bool, bool)> {
        let mut arrive = |number: &u32| {
            fragments.current = *number;
            (fragments.mark_received(), fragments.headers_arrived())
        };
        numbers.iter().map(&mut arrive).collect()
    }
}
