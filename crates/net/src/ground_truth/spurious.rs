//! Spurious timeouts: the segment had arrived or was still to arrive, which only an observer of both ends
//! knows.

use airhop_base::Time;

/// Detector of spurious timeouts: a timeout is spurious if an earlier transmission of the retransmitted
/// segment reaches the receiver, or has reached it.
///
/// The link layer may deliver that copy much later, after several timeouts of the same segment, each of which
/// was spurious. The loss of a timeout's own retransmission does not make the timeout less spurious.
#[derive(Debug, Default)]
pub(crate) struct SpuriousTimeouts {
    /// Timeouts whose segment the receiver did not have: first byte of the segment, and the times.
    open: Vec<(u64, Time)>,
    pub count: u64,
}

impl SpuriousTimeouts {
    /// Begins a new connection: the segments of the last are no more.
    pub fn begin_connection(&mut self) {
        self.open.clear();
    }

    /// Records a timeout; `una`: the sender's lowest unacknowledged byte; `expected`: next byte expected by
    /// the receiver.
    pub fn on_timeout(&mut self, now: Time, una: u64, expected: u64) {
        if una < expected {
            self.count += 1;
        } else {
            self.open.push((una, now));
        }
    }

    /// Records the arrival of the segment at `seq`, sent at `sent`; `expected`: next byte expected by the
    /// receiver afterwards.
    pub fn on_arrival(&mut self, seq: u64, sent: Time, expected: u64) {
        if self.open.is_empty() {
            return;
        }
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

    /// Returns the state after timeouts of segment 1001, sent at 0 s, after 1, 3 and 7 s, while the receiver
    /// still waits for it.
    fn three() -> SpuriousTimeouts {
        let mut spurious = SpuriousTimeouts::default();
        [1, 3, 7].into_iter().for_each(|s| spurious.on_timeout(at(s), 1001, 1001));
        spurious
    }

    // A persistent link layer delivers the first copy at the end of the fade: all timeouts were spurious,
    // whatever arrives later.
    #[test]
    fn the_original_arrives_seconds_later() {
        let mut spurious = three();
        spurious.on_arrival(2001, at(0), 1001);
        assert_eq!(spurious.count, 0);
        [0, 1, 3, 7].into_iter().for_each(|s| spurious.on_arrival(1001, at(s), 3001));
        assert_eq!((spurious.count, spurious.open.len()), (3, 0));
    }

    // The original is lost. The retransmission of the first timeout arrives late: that timeout was needed,
    // the later ones were spurious.
    #[test]
    fn the_copy_of_the_first_timeout_arrives() {
        let mut spurious = three();
        spurious.on_arrival(1001, at(1), 2001);
        assert_eq!((spurious.count, spurious.open.len()), (2, 0));
    }

    #[test]
    fn all_copies_but_the_last_are_lost() {
        let mut spurious = three();
        spurious.on_arrival(1001, at(7), 2001);
        assert_eq!((spurious.count, spurious.open.len()), (0, 0));
    }

    // The ACK was lost or is late, and the retransmission of the timeout may be lost as well.
    #[test]
    fn the_receiver_has_it() {
        let mut spurious = SpuriousTimeouts::default();
        spurious.on_timeout(at(1), 1001, 2001);
        assert_eq!((spurious.count, spurious.open.len()), (1, 0));
    }
}
