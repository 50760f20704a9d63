use crate::seams::Ack;
use crate::sender_state::SenderState;

/// Data that an ACK reports as delivered, with each segment counted once: a duplicate ACK counts for one segment, and a
/// cumulative ACK after duplicates only for the segments that these did not count (Casetti et al. 2001, §2.1).
#[derive(Debug)]
pub struct AckCredit {
    /// Bytes that duplicate ACKs accounted for ahead of the cumulative ACK.
    accounted: u64,
    /// The segments that an ACK counts for at most.
    most: f64,
    keeps_own: bool,
}

impl AckCredit {
    /// An ACK counts for `most` segments at most. A cumulative ACK that duplicates account for wholly still counts for the
    /// segment that caused it; with `keeps_own` that one stays in the account (the paper and UCLA's Westwood), otherwise all
    /// that it acknowledges is taken out (UCLA's WestwoodNR, Linux).
    pub fn new(most: f64, keeps_own: bool) -> Self {
        AckCredit { accounted: 0, most, keeps_own }
    }

    /// Returns the bytes that this ACK, the next one to come, stands for.
    pub fn of(&mut self, a: &Ack, s: &SenderState) -> f64 {
        let mut bytes = a.acked;
        if bytes == 0 {
            self.accounted += s.mss;
            bytes = s.mss;
        } else if bytes > s.mss {
            if self.accounted >= bytes {
                self.accounted -= if self.keeps_own { bytes - s.mss } else { bytes };
                bytes = s.mss;
            } else {
                bytes -= std::mem::take(&mut self.accounted);
            }
        }
        (bytes as f64).min(self.most * s.mss as f64)
    }
}

/// Data that ns-3's Westwood+ counts per ACK: a segment for each duplicate and each partial ACK, and when a recovery ends all bytes that the ACK
/// covers, although the duplicates have already counted for them.
#[derive(Debug, Default)]
pub struct Ns3Credit {
    /// First byte not sent at the beginning of the present recovery.
    recovery_point: u64,
}

impl Ns3Credit {
    /// Recovery begins.
    pub fn on_loss(&mut self, s: &SenderState) {
        self.recovery_point = s.max_sent;
    }

    /// Returns the bytes that this ACK, the next one to come, stands for.
    pub fn of(&self, a: &Ack, s: &SenderState) -> f64 {
        let is_single = a.acked == 0 || s.una < self.recovery_point;
        (if is_single { s.mss } else { a.acked }) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Time;

    /// Returns the segments credited to each ACK of the given numbers of segments; 0 is a duplicate.
    fn credits(mut credit: AckCredit, acked: &[u64]) -> Vec<f64> {
        let s = SenderState::new(&Preset::Ns2.config(1000));
        let ack = |n: u64| Ack::of(Time::ZERO, n * 1000);
        acked.iter().map(|&n| credit.of(&ack(n), &s) / 1000.0).collect()
    }

    // Casetti et al. 2001, §2.1 (AckedCount): five duplicates, then the ACK that the repair causes: six segments arrived.
    #[test]
    fn a_repair_counts_once() {
        let unlimited = || AckCredit::new(f64::INFINITY, true);
        assert_eq!(credits(unlimited(), &[1, 0, 0, 0, 0, 0, 6, 1]), [1.0; 8]);
        // An ACK was lost meanwhile: the segments that no duplicate counted count now.
        assert_eq!(credits(unlimited(), &[0, 0, 0, 6, 1]), [1.0, 1.0, 1.0, 3.0, 1.0]);
        // A delayed ACK is worth all that it acknowledges.
        assert_eq!(credits(unlimited(), &[2, 2]), [2.0, 2.0]);
    }

    // UCLA's modules: two segments at most.
    #[test]
    fn the_limit() {
        assert_eq!(credits(AckCredit::new(2.0, true), &[0, 6, 4]), [1.0, 2.0, 2.0]);
    }

    // Two holes, eight segments: five duplicates, a partial ACK of three, a full ACK of three. The own segment of the partial ACK
    // stays in the account (3 = 5 - 3 + 1, so the full ACK is covered too), or does not (2 = 5 - 3: one counts twice).
    #[test]
    fn what_a_partial_ack_leaves() {
        assert_eq!(credits(AckCredit::new(9.0, true), &[0, 0, 0, 0, 0, 3, 3])[5..], [1.0, 1.0]);
        assert_eq!(credits(AckCredit::new(9.0, false), &[0, 0, 0, 0, 0, 3, 3])[5..], [1.0, 1.0]);
        assert_eq!(credits(AckCredit::new(9.0, false), &[0, 0, 0, 0, 0, 3, 3, 2])[7], 2.0);
        assert_eq!(credits(AckCredit::new(9.0, true), &[0, 0, 0, 0, 0, 3, 3, 2])[7], 1.0);
    }

    // A window of ten loses its first segment: nine duplicates, then the ACK of all ten, together 19. A partial ACK is one more.
    #[test]
    fn ns3_counts_twice() {
        let sent =
            |una, max_sent| SenderState { una, max_sent, ..SenderState::new(&Preset::Ns2.config(1000)) };
        let ack = |n: u64| Ack::of(Time::ZERO, n * 1000);
        let mut credit = Ns3Credit::default();
        assert_eq!(credit.of(&ack(2), &sent(1, 10_001)), 2000.0);
        credit.on_loss(&sent(1, 10_001));
        assert_eq!(credit.of(&ack(0), &sent(1, 10_001)), 1000.0);
        assert_eq!(credit.of(&ack(4), &sent(4001, 10_001)), 1000.0);
        assert_eq!(credit.of(&ack(6), &sent(10_001, 12_001)), 6000.0);
    }
}
