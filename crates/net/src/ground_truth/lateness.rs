//! Lateness of notices. An ERSN, EBSN or RTTN should arrive before the timeout that it is meant to prevent.
//! Only an observer of the whole network can measure the lateness.

use airhop_base::{Notice, NoticeKind, Time};
use std::iter::Sum;

/// Lateness of the notices that can change the retransmission timer: ERSN, EBSN and RTTN.
///
/// The lateness is the arrival time of a notice minus the time of the timeout to be prevented. If the timer
/// expired while the notice was in flight, the first expiry counts, and the notice is late. Otherwise the
/// next scheduled expiry counts, and the lateness is at most zero. A notice without an expiry has no
/// lateness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoticeLateness {
    /// Number of notices with a lateness.
    pub notices: u64,
    /// Number of notices that arrived after the timeout.
    pub late_notices: u64,
    /// Sum of all latenesses in ns.
    pub sum_ns: i64,
}

impl NoticeLateness {
    /// Returns the mean lateness in ms; `None` if no notice has a lateness.
    pub fn mean_ms(&self) -> Option<f64> {
        (self.notices > 0).then(|| self.sum_ns as f64 / self.notices as f64 / 1e6)
    }

    /// Subtracts the counts of `earlier`.
    pub(crate) fn leave_out(&mut self, earlier: &NoticeLateness) {
        let NoticeLateness { notices, late_notices: late, sum_ns } = earlier;
        self.notices -= notices;
        self.late_notices -= late;
        self.sum_ns -= sum_ns;
    }
}

impl Sum for NoticeLateness {
    fn sum<I: Iterator<Item = NoticeLateness>>(all: I) -> NoticeLateness {
        all.fold(NoticeLateness::default(), |sum, one| NoticeLateness {
            notices: sum.notices + one.notices,
            late_notices: sum.late_notices + one.late_notices,
            sum_ns: sum.sum_ns + one.sum_ns,
        })
    }
}

/// Notices of one flow that can change the retransmission timer, and the expiries of the timer.
#[derive(Debug, Default)]
pub(crate) struct LatenessTracker {
    /// Number of notices in flight: sent, and neither received nor lost.
    in_flight: u32,
    /// Times of the sender's timeouts since the transmission of the oldest notice in flight.
    expiries: Vec<Time>,
    counts: NoticeLateness,
    timeouts_warned_late: u64,
}

impl LatenessTracker {
    pub fn lateness(&self) -> NoticeLateness {
        self.counts
    }

    /// Returns the number of timeouts while a notice that can change the timer was in flight.
    pub fn timeouts_warned_late(&self) -> u64 {
        self.timeouts_warned_late
    }

    /// Begins a new connection. Notices of the previous connection no longer count.
    pub fn begin_connection(&mut self) {
        self.in_flight = 0;
        self.expiries.clear();
    }

    /// Records the transmission of a notice.
    pub fn on_notice_sent(&mut self, kind: NoticeKind) {
        self.in_flight += u32::from(moves_timer(kind));
    }

    /// Records the loss of a notice.
    pub fn on_notice_lost(&mut self, kind: NoticeKind) {
        if moves_timer(kind) {
            self.remove_in_flight();
        }
    }

    /// Records a timeout of the sender.
    pub fn on_timeout(&mut self, now: Time) {
        if self.in_flight > 0 {
            self.timeouts_warned_late += 1;
            self.expiries.push(now);
        }
    }

    /// Records the arrival of a notice. `expiry`: next expiry of the sender's timer. Returns the lateness of
    /// the notice in ms; `None` if there was no timeout to prevent.
    pub fn on_notice_arrival(&mut self, now: Time, notice: &Notice, expiry: Option<Time>) -> Option<f64> {
        if !moves_timer(notice.kind) {
            return None;
        }
        let missed =
            self.expiries[self.expiries.partition_point(|&at| at < notice.created)..].first().copied();
        self.remove_in_flight();
        let due = missed.or(expiry)?;
        let lateness = now.nanos() as i64 - due.nanos() as i64;
        self.counts.notices += 1;
        self.counts.late_notices += u64::from(missed.is_some());
        self.counts.sum_ns += lateness;
        Some(lateness as f64 / 1e6)
    }

    /// Removes a notice from the number in flight. After the last notice, also removes the recorded timeouts.
    fn remove_in_flight(&mut self) {
        self.in_flight -= 1;
        if self.in_flight == 0 {
            self.expiries.clear();
        }
    }
}

fn moves_timer(kind: NoticeKind) -> bool {
    matches!(kind, NoticeKind::Ersn | NoticeKind::Ebsn | NoticeKind::Rttn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn made(kind: NoticeKind, ms: u64) -> Notice {
        Notice { created: at(ms), ..Notice::with_segment(kind, 1, 1001) }
    }

    fn counts(book: &LatenessTracker) -> (u64, u64, Option<f64>, u64) {
        let counts = book.lateness();
        (counts.notices, counts.late_notices, counts.mean_ms(), book.timeouts_warned_late())
    }

    use NoticeKind::{Ebsn, Eln, Ersn, Nak, Rttn};

    // A notice is sent at 1000 ms and arrives at 1300 ms, before the expiry at 1500 ms. A second notice
    // arrives when no timer runs.
    #[test]
    fn a_notice_before_the_expiry_is_early() {
        let mut book = LatenessTracker::default();
        book.on_timeout(at(900)); // no notice was in flight
        book.on_notice_sent(Ebsn);
        assert_eq!(book.on_notice_arrival(at(1300), &made(Ebsn, 1000), Some(at(1500))), Some(-200.0));
        book.on_notice_sent(Ebsn);
        assert_eq!(book.on_notice_arrival(at(1400), &made(Ebsn, 1100), None), None);
        assert_eq!(counts(&book), (1, 0, Some(-200.0), 0));
    }

    // The sender times out at 1200 and 1900 ms. Of three notices, sent at 1000, 1500 and 2000 ms, the first
    // two arrive after a timeout; the timer that runs at their arrival has no effect.
    #[test]
    fn a_notice_after_the_expiry_is_late() {
        let mut book = LatenessTracker::default();
        book.on_notice_sent(Rttn);
        book.on_timeout(at(1200));
        book.on_notice_sent(Rttn);
        book.on_timeout(at(1900));
        book.on_notice_sent(Rttn);
        assert_eq!(book.on_notice_arrival(at(2100), &made(Rttn, 1000), Some(at(4000))), Some(900.0));
        assert_eq!(book.on_notice_arrival(at(2200), &made(Rttn, 1500), None), Some(300.0));
        assert_eq!(book.on_notice_arrival(at(2500), &made(Rttn, 2000), Some(at(2600))), Some(-100.0));
        assert_eq!(counts(&book), (3, 2, Some(1100.0 / 3.0), 2));
        assert!(book.expiries.is_empty(), "no notice in flight could arrive after these timeouts");
    }

    // "At or after the notice was made": an expiry exactly at the time of the transmission counts.
    #[test]
    fn a_notice_sent_as_the_timer_expires_is_late() {
        let mut book = LatenessTracker::default();
        book.on_notice_sent(Ersn);
        book.on_timeout(at(1000));
        assert_eq!(book.on_notice_arrival(at(1001), &made(Ersn, 1000), None), Some(1.0));
    }

    // A lost notice has no lateness, and neither have other kinds of notices.
    #[test]
    fn lost_notices_and_other_kinds_have_no_lateness() {
        let mut book = LatenessTracker::default();
        for kind in [Eln, Nak] {
            book.on_notice_sent(kind);
        }
        book.on_notice_sent(Ebsn);
        book.on_notice_lost(Ebsn);
        book.on_notice_lost(Eln);
        book.on_timeout(at(500));
        assert_eq!(book.on_notice_arrival(at(600), &made(Nak, 400), Some(at(700))), None);
        assert_eq!(counts(&book), (0, 0, None, 0));
    }

    #[test]
    fn notice_lateness_excludes_the_warm_up() {
        let mut book = LatenessTracker::default();
        book.on_notice_sent(Ebsn);
        book.on_timeout(at(1));
        book.on_notice_arrival(at(2), &made(Ebsn, 0), None);
        let earlier = book.lateness();
        book.on_notice_sent(Ebsn);
        book.on_notice_arrival(at(5), &made(Ebsn, 4), Some(at(12)));
        let mut measured = book.lateness();
        measured.leave_out(&earlier);
        assert_eq!(measured, NoticeLateness { notices: 1, late_notices: 0, sum_ns: -7_000_000 });
    }
}
