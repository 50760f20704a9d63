//! The link part of LHP, link-layer header protection (Gao, Diggavi and Muthukrishnan 2003, as Yun 2009 §2.1 tells it;
//! reconstructed where that leaves room).
//!
//! A packet is cut into fragments, the first of which has the TCP/IP headers. As many transmissions (slots) are allotted to it as
//! all its fragments would have on their own. The first fragment is sent until it is acknowledged, then the others once each in
//! turn, and those that failed again while slots are left. So a receiver that cannot have the packet often knows which it was.
//!
//! Every fragment pays the overhead of a data frame. Eight bytes of it are LLC and SNAP, which a standard MAC has in the first only.
use super::data_frame::DataFrame;
use crate::cell::frames::Fragmentation;

/// Fragments of a packet at most: the fragment number has four bits (IEEE 802.11-2016 §9.2.4.4.3).
const MOST_FRAGMENTS: u32 = 16;

/// What a packet is cut into, and what became of each piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragments {
    first: DataFrame,
    /// Neither the first nor the last.
    middle: DataFrame,
    last: DataFrame,
    count: u32,
    /// The fragment that is sent now, or as soon as the medium is won.
    current: u32,
    /// Transmissions left, that of `current` included.
    slots: u32,
    /// Bit i: the sender knows that fragment i arrived.
    acknowledged: u16,
    /// Bit i: the receiver has fragment i.
    received: u16,
}

/// What follows the end of a fragment's transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another fragment.
    Fragment,
    /// Nothing, as every fragment is acknowledged.
    Done,
    /// Nothing, as the slots are used up.
    OutOfSlots,
}

impl Fragments {
    /// Cuts a packet of `bytes` bytes with `header` bytes of headers; `frame` makes the data frame for so many bytes of it, of which
    /// so many are headers. `None` if the first fragment takes all.
    pub fn new(
        cut: Fragmentation,
        (bytes, header): (u32, u32),
        attempts: u32,
        frame: impl Fn(u32, u32) -> DataFrame,
    ) -> Option<Self> {
        let first = cut.first.max(header);
        let behind = bytes.checked_sub(first).filter(|rest| *rest > 0)?;
        let rest = cut.rest.max(behind.div_ceil(MOST_FRAGMENTS - 1));
        let count = 1 + behind.div_ceil(rest);
        // What only says which bytes it is of an unknown segment is no header: all or nothing.
        let part = |bytes| frame(bytes, bytes);
        Some(Fragments {
            first: frame(first, header),
            middle: part(rest),
            last: part(behind - (count - 2) * rest),
            count,
            current: 0,
            slots: attempts.saturating_mul(count),
            acknowledged: 0,
            received: 0,
        })
    }

    /// The frame that is sent now, or next.
    pub fn frame(&self) -> &DataFrame {
        self.numbered(self.current)
    }

    /// The frame that follows a SIFS after the ACK of this one, if that comes.
    pub fn following(&self) -> Option<&DataFrame> {
        let then = Fragments { acknowledged: self.acknowledged | self.bit(), slots: self.slots - 1, ..*self };
        then.pending().map(|number| self.numbered(number))
    }

    /// The present fragment reaches the receiver. True if it has them all now, and had not before.
    pub fn arrives(&mut self) -> bool {
        let before = self.received;
        self.received |= self.bit();
        self.received != before && self.received == self.all()
    }

    /// True if the receiver has the first fragment.
    pub fn headers_arrived(&self) -> bool {
        self.received & 1 != 0
    }

    /// The present fragment is acknowledged.
    pub fn acknowledged(&mut self) -> Next {
        self.acknowledged |= self.bit();
        self.go_on()
    }

    /// The present fragment is not acknowledged.
    pub fn failed(&mut self) -> Next {
        self.go_on()
    }

    fn go_on(&mut self) -> Next {
        self.slots -= 1;
        match self.pending() {
            Some(number) => {
                self.current = number;
                Next::Fragment
            }
            None if self.acknowledged == self.all() => Next::Done,
            None => Next::OutOfSlots,
        }
    }

    /// Which fragment comes next: the first until it is acknowledged, then the others in turn, from the present one on.
    fn pending(&self) -> Option<u32> {
        if self.slots == 0 {
            return None;
        }
        let waits = |number: &u32| self.acknowledged & (1 << number) == 0;
        let in_turn = (1..=self.count).map(|i| (self.current + i) % self.count);
        Some(0).filter(waits).or_else(|| in_turn.clone().find(waits))
    }

    fn numbered(&self, number: u32) -> &DataFrame {
        match number {
            0 => &self.first,
            n if n + 1 == self.count => &self.last,
            _ => &self.middle,
        }
    }

    fn bit(&self) -> u16 {
        1 << self.current
    }

    fn all(&self) -> u16 {
        u16::MAX >> (MOST_FRAGMENTS - self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    /// Fragments whose frames are as long as they have bytes of the packet.
    fn cut(first: u32, rest: u32, packet: (u32, u32), attempts: u32) -> Option<Fragments> {
        let frame = |bytes, header| DataFrame { bytes, header, airtime: Span::from_micros(bytes.into()) };
        Fragments::new(Fragmentation { first, rest }, packet, attempts, frame)
    }

    fn sizes(fragments: &Fragments) -> Vec<u32> {
        (0..fragments.count).map(|i| fragments.numbered(i).bytes).collect()
    }

    #[test]
    fn a_packet_is_cut_into_its_headers_and_at_most_fifteen_more() {
        let of = |first, rest, bytes| cut(first, rest, (bytes, 52), 1).map(|f| sizes(&f));
        assert_eq!(of(100, 256, 1052), Some(vec![100, 256, 256, 256, 184]));
        assert_eq!(of(100, 256, 612), Some(vec![100, 256, 256]));
        assert_eq!(of(100, 256, 101), Some(vec![100, 1]));
        assert_eq!(of(100, 256, 100), None);
        assert_eq!(of(0, 1000, 1052), Some(vec![52, 1000]), "never less than the headers");
        let many = of(100, 0, 1052).expect("it is cut");
        assert_eq!((many.len(), many.iter().sum::<u32>()), (16, 1052), "{many:?}");
        let headers = |i| cut(100, 256, (1052, 52), 1).map(|f| f.numbered(i).header);
        assert_eq!([0, 1, 4].map(headers), [Some(52), Some(256), Some(184)]);
    }

    /// Plays acknowledgements (true) and failures; returns the fragments sent, and how it ended.
    fn play(attempts: u32, script: impl IntoIterator<Item = bool>) -> (Vec<u32>, Next) {
        let mut fragments = cut(100, 100, (400, 52), attempts).expect("four fragments");
        let mut sent = Vec::new();
        for acknowledged in script {
            let announced = fragments.following().map(|f| f.bytes);
            sent.push(fragments.current);
            let next = if acknowledged { fragments.acknowledged() } else { fragments.failed() };
            if acknowledged {
                assert_eq!(announced.is_some(), next == Next::Fragment, "{sent:?}");
            }
            if next != Next::Fragment {
                return (sent, next);
            }
        }
        panic!("the script is too short: {sent:?}");
    }

    /// The first until it is acknowledged; then each once; then again those that failed.
    #[test]
    fn the_first_fragment_goes_before_all_others_and_these_take_turns() {
        assert_eq!(play(1, [true; 4]), (vec![0, 1, 2, 3], Next::Done));
        assert_eq!(play(1, [false; 4]), (vec![0; 4], Next::OutOfSlots));
        assert_eq!(play(2, [false; 8]), (vec![0; 8], Next::OutOfSlots));
        assert_eq!(play(1, [true, false, true, true]), (vec![0, 1, 2, 3], Next::OutOfSlots));
        let script = [false, false, true, false, true, false, true, true];
        assert_eq!(play(2, script), (vec![0, 0, 0, 1, 2, 3, 1, 3], Next::Done));
        let script = [true, false, false, true, false, true, false, false];
        assert_eq!(play(2, script), (vec![0, 1, 2, 3, 1, 2, 1, 1], Next::OutOfSlots));
    }

    #[test]
    fn a_packet_arrives_once_with_its_last_missing_fragment() {
        let mut fragments = cut(100, 100, (300, 52), 9).expect("three fragments");
        let mut arrive = |number| {
            fragments.current = number;
            (fragments.arrives(), fragments.headers_arrived())
        };
        let arrivals = [2, 2, 0, 1, 1, 0].map(&mut arrive);
        let expect =
            [(false, false), (false, false), (false, true), (true, true), (false, true), (false, true)];
        assert_eq!(arrivals, expect);
    }
}
