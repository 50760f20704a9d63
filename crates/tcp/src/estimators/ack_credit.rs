use crate::seams::Ack;
use crate::sender_state::SenderState;

/// Counter of delivered data that counts each segment once. A duplicate ACK counts for one segment. A later
/// cumulative ACK counts only for the segments not yet counted by duplicate ACKs (Casetti et al. 2001, §2.1).
#[derive(Debug)]
pub struct AckCredit {
    /// Bytes above the cumulative ACK already counted by duplicate ACKs.
    accounted: u64,
    /// Maximum number of segments counted per ACK.
    most: f64,
    keeps_own: bool,
}

impl AckCredit {
    /// Creates the counter, with at most `most` segments per ACK.
    ///
    /// A cumulative ACK counts for one segment even if duplicate ACKs have counted all of its segments: for
    /// the segment that triggered the ACK. `keeps_own` decides what is then subtracted from the bytes already
    /// counted. If true, all acknowledged bytes except this segment are subtracted (the paper and UCLA's
    /// Westwood). If false, all acknowledged bytes are subtracted (UCLA's WestwoodNR, Linux).
    pub fn new(most: f64, keeps_own: bool) -> Self {
        AckCredit { accounted: 0, most, keeps_own }
    }

    /// Returns the number of bytes counted for this ACK. The caller must pass every ACK in the order of
    /// arrival.
    pub fn count_bytes(&mut self, a: &Ack, s: &SenderState) -> f64 {
        let mut bytes = a.acked_bytes;
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

/// Counter of delivered data in ns-3's Westwood+. Each duplicate ACK and each partial ACK counts for one
/// segment. The ACK that ends a recovery counts for all acknowledged bytes, including those already counted
/// by duplicate ACKs.
#[derive(Debug, Default)]
pub struct Ns3Credit {
    /// First unsent byte at the start of the present recovery.
    recovery_point: u64,
}

impl Ns3Credit {
    /// Records the start of a recovery.
    pub fn on_loss(&mut self, s: &SenderState) {
        self.recovery_point = s.sent_end;
    }

    /// Returns the number of bytes counted for this ACK. The caller must pass every ACK in the order of
    /// arrival.
    pub fn count_bytes(&self, a: &Ack, s: &SenderState) -> f64 {
        let is_single = a.acked_bytes == 0 || s.una < self.recovery_point;
        (if is_single { s.mss } else { a.acked_bytes }) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Time;

    /// Returns the number of segments counted for each ACK. `acked` lists the number of segments that each
    /// ACK acknowledges, 0 for a duplicate ACK.
    fn credits(mut credit: AckCredit, acked: &[u64]) -> Vec<f64> {
        let s = SenderState::new(&Preset::Ns2.config(1000));
        let ack = |n: u64| Ack::with_acked_bytes(Time::ZERO, n * 1000);
        acked.iter().map(|&n| credit.count_bytes(&ack(n), &s) / 1000.0).collect()
    }

    // Casetti et al. 2001, §2.1 (AckedCount): after five duplicate ACKs and the ACK of the retransmission,
    // six segments have arrived.
    #[test]
    fn a_retransmitted_segment_counts_once() {
        let unlimited = || AckCredit::new(f64::INFINITY, true);
        assert_eq!(credits(unlimited(), &[1, 0, 0, 0, 0, 0, 6, 1]), [1.0; 8]);
        // If a duplicate ACK is lost, the cumulative ACK counts the segment that caused it.
        assert_eq!(credits(unlimited(), &[0, 0, 0, 6, 1]), [1.0, 1.0, 1.0, 3.0, 1.0]);
        // A delayed ACK counts for all segments that it acknowledges.
        assert_eq!(credits(unlimited(), &[2, 2]), [2.0, 2.0]);
    }

    // UCLA's modules: at most two segments per ACK.
    #[test]
    fn an_ack_counts_for_at_most_two_segments() {
        assert_eq!(credits(AckCredit::new(2.0, true), &[0, 6, 4]), [1.0, 2.0, 2.0]);
    }

    // Two holes among eight segments: five duplicate ACKs, a partial ACK of three segments, and a full ACK of
    // three. If the segment that caused the partial ACK remains counted, 3 = 5 - 3 + 1 counted segments
    // remain and cover the full ACK. If not, 2 = 5 - 3 remain, and one segment counts twice.
    #[test]
    fn a_partial_ack_counts_its_trigger_segment_once() {
        assert_eq!(credits(AckCredit::new(9.0, true), &[0, 0, 0, 0, 0, 3, 3])[5..], [1.0, 1.0]);
        assert_eq!(credits(AckCredit::new(9.0, false), &[0, 0, 0, 0, 0, 3, 3])[5..], [1.0, 1.0]);
        assert_eq!(credits(AckCredit::new(9.0, false), &[0, 0, 0, 0, 0, 3, 3, 2])[7], 2.0);
        assert_eq!(credits(AckCredit::new(9.0, true), &[0, 0, 0, 0, 0, 3, 3, 2])[7], 1.0);
    }

    // The first segment of a window of ten is lost: nine duplicate ACKs and then the ACK of all ten count for
    // 19 segments. A partial ACK counts for one more.
    #[test]
    fn ns3_counts_duplicate_acks_and_the_full_ack() {
        let sent = |una, max_sent| SenderState {
            una,
            sent_end: max_sent,
            ..SenderState::new(&Preset::Ns2.config(1000))
        };
        let ack = |n: u64| Ack::with_acked_bytes(Time::ZERO, n * 1000);
        let mut credit = Ns3Credit::default();
        assert_eq!(credit.count_bytes(&ack(2), &sent(1, 10_001)), 2000.0);
        credit.on_loss(&sent(1, 10_001));
        assert_eq!(credit.count_bytes(&ack(0), &sent(1, 10_001)), 1000.0);
        assert_eq!(credit.count_bytes(&ack(4), &sent(4001, 10_001)), 1000.0);
        assert_eq!(credit.count_bytes(&ack(6), &sent(10_001, 12_001)), 6000.0);
    }
}
