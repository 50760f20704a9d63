use airhop_base::{Span, Time};
use std::collections::VecDeque;

/// When each outstanding segment was sent: a round-trip sample for every ACK of new data, to the nanosecond. ns-2's Vegas and
/// the timestamps of Linux give as much; the retransmission timer alone samples once a round trip.
#[derive(Debug, Default)]
pub struct SendTimes {
    sent: VecDeque<Sent>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    start: u64,
    end: u64,
    at: Time,
    again: bool,
}

impl SendTimes {
    /// The bytes `[start, end)` were sent.
    pub fn on_sent(&mut self, at: Time, start: u64, end: u64) {
        if self.sent.back().is_none_or(|last| start >= last.end) {
            self.sent.push_back(Sent { start, end, at, again: false });
        } else if let Some(sent) = self.get_mut(start) {
            (sent.at, sent.again) = (at, true);
        }
    }

    /// The time of the last transmission of the segment that begins at `start`, and whether it was sent more than once.
    pub fn of(&self, start: u64) -> Option<(Time, bool)> {
        let i = self.sent.partition_point(|sent| sent.start < start);
        self.sent.get(i).filter(|sent| sent.start == start).map(|sent| (sent.at, sent.again))
    }

    /// When the segment that begins at `start` was sent, if that was once: of what was sent twice nobody knows which copy arrived.
    pub fn once(&self, start: u64) -> Option<Time> {
        self.of(start).filter(|&(_, again)| !again).map(|(at, _)| at)
    }

    /// Everything below `una` is acknowledged. Returns the round trip of the newest segment among that which was sent once
    /// only: an ACK of one sent twice is ambiguous (Karn's rule).
    pub fn on_ack(&mut self, now: Time, una: u64) -> Option<Span> {
        let mut newest = None;
        while let Some(sent) = self.sent.front().filter(|sent| sent.end <= una) {
            newest = (!sent.again).then(|| now - sent.at).or(newest);
            self.sent.pop_front();
        }
        newest
    }

    fn get_mut(&mut self, start: u64) -> Option<&mut Sent> {
        let i = self.sent.partition_point(|sent| sent.start < start);
        self.sent.get_mut(i).filter(|sent| sent.start == start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    // Karn and Partridge 1987: no sample from a segment that was sent twice.
    #[test]
    fn the_newest_segment_that_was_sent_once_gives_the_sample() {
        let mut times = SendTimes::default();
        for (ms, start) in [(0, 1), (10, 1001), (20, 2001), (30, 3001)] {
            times.on_sent(at(ms), start, start + 1000);
        }
        times.on_sent(at(50), 2001, 3001);
        assert_eq!(
            (times.of(2001), times.once(2001), times.once(3001)),
            (Some((at(50), true)), None, Some(at(30)))
        );
        assert_eq!(times.on_ack(at(100), 1001), Some(Span::from_millis(100)));
        assert_eq!(times.on_ack(at(110), 3001), Some(Span::from_millis(100)), "1001, not 2001");
        assert_eq!(times.of(2001), None);
        assert_eq!(times.on_ack(at(120), 3001), None);
        assert_eq!(times.on_ack(at(120), 4001), Some(Span::from_millis(90)));
    }
}
