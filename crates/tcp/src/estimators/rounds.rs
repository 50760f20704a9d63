/// Round trips, counted by packets: one ends when something arrives that was sent after it began (draft-ietf-ccwg-bbr §5.5.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    count: u64,
    /// Delivered bytes at which the round trip ends: segments sent from then on belong to the next one.
    ends: u64,
}

impl Rounds {
    /// Something arrived before whose sending `prior` bytes were delivered; now it is `total`. True if a round trip begins.
    pub fn on_arrival(&mut self, prior: u64, total: u64) -> bool {
        let is_next = prior >= self.ends;
        if is_next {
            self.ends = total;
            self.count += 1;
        }
        is_next
    }

    /// A round trip begins now, out of turn.
    pub fn restart(&mut self, total: u64) {
        self.ends = total;
    }

    /// Round trips so far.
    pub fn count(&self) -> u64 {
        self.count
    }
}
