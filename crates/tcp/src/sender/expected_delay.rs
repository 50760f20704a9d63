//! RTTN: base stations announce the additional round-trip time that fades of their links will cause (Kounavis
//! 1996 §4, reconstructed).

use airhop_base::{NodeId, Span, Time};

/// Validity of an announcement.
const VALIDITY: Span = Span::from_secs(60);

/// Newest announcement of each base station. A path has one or two base stations.
#[derive(Debug, Default)]
pub(super) struct ExpectedDelay {
    announced: Vec<Announcement>,
}

#[derive(Clone, Copy, Debug)]
struct Announcement {
    origin: NodeId,
    delay: Span,
    /// End of the announcement's validity.
    until: Time,
}

impl ExpectedDelay {
    /// Stores the announcement of base station `origin`: a round trip through its wireless link may take up
    /// to `delay` longer.
    pub fn announce(&mut self, now: Time, origin: NodeId, delay: Span) {
        self.announced.retain(|announced| announced.origin != origin && now < announced.until);
        self.announced.push(Announcement { origin, delay, until: now + VALIDITY });
    }

    /// Returns the sum of the valid announcements: the additional time of a round trip through all base
    /// stations of the path. `None` if no announcement is valid.
    pub fn sum(&self, now: Time) -> Option<Span> {
        let valid = self.announced.iter().filter(|announced| now < announced.until);
        valid.map(|announced| announced.delay).reduce(|sum, delay| sum + delay)
    }
}
