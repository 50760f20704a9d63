//! RTTNs. Base stations announce the additional RTT that fades of their links will cause (Kounavis 1996 §4,
//! reconstructed).

use airhop_base::{NodeId, Span, Time};

/// Validity of an announcement.
const VALIDITY: Span = Span::from_secs(60);

/// Newest announcement of each base station on the path. A path has at most two base stations.
#[derive(Debug, Default)]
pub(super) struct DelayAnnouncements {
    announced: Vec<Announcement>,
}

#[derive(Clone, Copy, Debug)]
struct Announcement {
    origin: NodeId,
    delay: Span,
    /// Time at which the announcement expires.
    until: Time,
}

impl DelayAnnouncements {
    /// Stores an announcement of base station `origin`: a round trip over its wireless link may take up to
    /// `delay` longer.
    pub fn record_announcement(&mut self, now: Time, origin: NodeId, delay: Span) {
        self.announced.retain(|announced| announced.origin != origin && now < announced.until);
        self.announced.push(Announcement { origin, delay, until: now + VALIDITY });
    }

    /// Returns the sum of the valid announcements, i.e. the additional RTT over all base stations of the
    /// path; `None` without a valid announcement.
    #[inline]
    pub fn total_delay(&self, now: Time) -> Option<Span> {
        if self.announced.is_empty() { None } else { self.sum_valid(now) }
    }

    #[cold]
    #[inline(never)]
    fn sum_valid(&self, now: Time) -> Option<Span> {
        let valid = self.announced.iter().filter(|announced| now < announced.until);
        valid.map(|announced| announced.delay).reduce(|sum, delay| sum + delay)
    }
}
