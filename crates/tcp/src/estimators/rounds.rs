/// Counter of round trips by delivered bytes. A round ends with the arrival of a segment sent after the start
/// of the round (draft-ietf-ccwg-bbr §5.5.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundCounter {
    count: u64,
    /// Number of delivered bytes that ends the round. A segment sent after the delivery of these bytes
    /// belongs to the next round.
    ends: u64,
}

impl RoundCounter {
    /// Processes the arrival of a segment. Returns true if a new round begins. `prior` is the number of bytes
    /// delivered when the segment was sent, and `total` the number delivered now.
    pub fn on_arrival(&mut self, prior: u64, total: u64) -> bool {
        let is_next = prior >= self.ends;
        if is_next {
            self.ends = total;
            self.count += 1;
        }
        is_next
    }

    /// Starts a new round before the end of the present round.
    pub fn restart(&mut self, total: u64) {
        self.ends = total;
    }

    /// Returns the number of rounds so far.
    pub fn count(&self) -> u64 {
        self.count
    }
}
