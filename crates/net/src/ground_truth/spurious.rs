//! Spurious timeouts: the segment had already arrived, or was still in flight. Only an observer of both
//! endpoints can detect spurious timeouts.

use airhop_base::Time;

/// Counter of spurious timeouts. A timeout is spurious if the segment has already arrived, or if a
/// transmission from before the timeout arrives later.
///
/// A late arrival can make several timeouts of the same segment spurious. A timeout remains spurious even if
/// the retransmission is lost.
#[derive(Debug, Default)]
pub(crate) struct SpuriousTimeouts {
    /// Timeouts of segments that had not arrived: first byte of the segment, and time of the timeout.
    open: Vec<(u64, Time)>,
    pub count: u64,
}

impl SpuriousTimeouts {
    /// Begins a new connection, and removes the timeouts of the previous connection.
    pub fn begin_connection(&mut self) {
        self.open.clear();
    }

    /// Records a timeout. `una`: lowest unacknowledged byte at the sender; `expected`: next byte that the
    /// receiver expects.
    pub fn on_timeout(&mut self, now: Time, una: u64, expected: u64) {
        if una < expected {
            self.count += 1;
        } else {
            self.open.push((una, now));
        }
    }

    /// Records the arrival of the segment at `seq`, sent at `sent`. `expected`: next byte that the receiver
    /// expects after the arrival.
    #[inline]
    pub fn on_arrival(&mut self, seq: u64, sent: Time, expected: u64) {
        if !self.open.is_empty() {
            self.count_if_spurious(seq, sent, expected);
        }
    }

    #[cold]
    fn count_if_spurious(&mut self, seq: u64, sent: Time, expected: u64) {
        let of_this = self.open.iter().filter(|&&(una, _)| una == seq);
        self.count += of_this.filter(|&&(_, timeout)| sent < timeout).count() as u64;
        self.open.retain(|&(una, _)| una >= expected);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    fn at(s: u64) -> Time {
        Time::ZERO + Span::from_secs(s)
    }

    /// Returns the state after three timeouts of segment 1001, at 1, 3 and 7 s. The segment was sent at 0 s
    /// and has not arrived.
    fn three() -> SpuriousTimeouts {
        let mut spurious = SpuriousTimeouts::default();
        [1, 3, 7].into_iter().for_each(|s| spurious.on_timeout(at(s), 1001, 1001));
        spurious
    }

    // A link layer without a limit of attempts delivers the first transmission at the end of a fade. All
    // timeouts were spurious, whatever arrives later.
    #[test]
    fn all_timeouts_are_spurious_if_the_original_arrives() {
        let mut spurious = three();
        spurious.on_arrival(2001, at(0), 1001);
        assert_eq!(spurious.count, 0);
        [0, 1, 3, 7].into_iter().for_each(|s| spurious.on_arrival(1001, at(s), 3001));
        assert_eq!((spurious.count, spurious.open.len()), (3, 0));
    }

    // The first transmission is lost. The retransmission of the first timeout arrives late. The first timeout
    // was therefore not spurious, but the later timeouts were.
    #[test]
    fn later_timeouts_are_spurious_if_the_first_copy_arrives() {
        let mut spurious = three();
        spurious.on_arrival(1001, at(1), 2001);
        assert_eq!((spurious.count, spurious.open.len()), (2, 0));
    }

    #[test]
    fn no_timeout_is_spurious_if_only_the_last_copy_arrives() {
        let mut spurious = three();
        spurious.on_arrival(1001, at(7), 2001);
        assert_eq!((spurious.count, spurious.open.len()), (0, 0));
    }

    // The receiver has the segment, and its ACK is lost or delayed. The timeout is spurious even if its
    // retransmission is lost.
    #[test]
    fn a_timeout_for_a_received_segment_is_spurious() {
        let mut spurious = SpuriousTimeouts::default();
        spurious.on_timeout(at(1), 1001, 2001);
        assert_eq!((spurious.count, spurious.open.len()), (1, 0));
    }
}
