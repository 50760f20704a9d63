/// Round trips, counted in delivered bytes: a round ends at the arrival of a segment that was sent after the
/// round's start (draft-ietf-ccwg-bbr §5.5.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    count: u64,
    /// Delivered bytes at which the round ends: segments sent from then on belong to the next round.
    ends: u64,
}

impl Rounds {
    /// Processes an arrival: `prior` bytes were delivered when the segment was sent, `total` are delivered
    /// now. True if a round begins.
    pub fn on_arrival(&mut self, prior: u64, total: u64) -> bool {
        let is_next = prior >= self.ends;
        if is_next {
            self.ends = total;
            self.count += 1;
        }
        is_next
    }

    /// Starts a new round now, before the present one has ended.
    pub fn restart(&mut self, total: u64) {
        self.ends = total;
    }

    /// Returns the number of rounds so far.
    pub fn count(&self) -> u64 {
        self.count
    }
}
