//! Ledger of losses: the true fate of segments, with which a sender's classification of its losses is
//! compared.

use airhop_base::Drop;
use airhop_tcp::seams::{LossClass, LossClassification};
use std::collections::BTreeMap;

/// Counted cause of a drop, and its physical cause: a packet discarded by the link layer (`retries`) was lost
/// by the channel or by a collision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DropReason {
    pub counted: Drop,
    pub cause: Drop,
}

impl From<Drop> for DropReason {
    fn from(why: Drop) -> Self {
        DropReason { counted: why, cause: why }
    }
}

/// True causes with which classifications of losses are compared, in the order of the results.
pub const TRUE_CAUSES: [&str; 5] = ["queue", "aqm", "channel", "collision", "none"];

/// Confusion matrix: number of classifications of each kind, in the order of [`LossClass::ALL`], by true cause, in the order of
/// [`TRUE_CAUSES`].
pub type Confusion = [[u64; TRUE_CAUSES.len()]; LossClass::ALL.len()];

/// Returns the sum of confusion matrices.
pub(crate) fn sum_of_judgements(all: impl Iterator<Item = Confusion>) -> Confusion {
    all.fold(Confusion::default(), |mut sum, one| {
        sum.iter_mut().flatten().zip(one.iter().flatten()).for_each(|(count, more)| *count += more);
        sum
    })
}

/// Lost and not yet retransmitted segments of one flow, by first byte, with the cause; and the
/// classifications of these losses. On a fast path thousands of losses are stored at a time, and each
/// transmission looks one up.
#[derive(Debug, Default)]
pub(crate) struct LossLedger {
    lost: BTreeMap<u64, Drop>,
    confusion: Confusion,
}

impl LossLedger {
    /// Begins a new connection: the losses of the last are no more.
    pub fn begin_connection(&mut self) {
        self.lost.clear();
    }

    /// Records the loss of the segment at `seq`.
    pub fn on_loss(&mut self, seq: u64, cause: Drop) {
        self.lost.insert(seq, cause);
    }

    /// Removes the loss of the segment at `seq`, which was retransmitted: later classifications concern that
    /// transmission.
    pub fn on_retransmission(&mut self, seq: u64) {
        self.lost.remove(&seq);
    }

    /// Counts the sender's classification of a loss; `una`: lowest unacknowledged byte, below which no loss
    /// remains.
    pub fn judge(&mut self, j: LossClassification, una: u64) {
        while self.lost.first_entry().is_some_and(|first| *first.key() < una) {
            self.lost.pop_first();
        }
        let cause = match self.lost.get(&j.seq) {
            Some(Drop::Queue) => 0,
            Some(Drop::Aqm) => 1,
            Some(Drop::Channel | Drop::Retries | Drop::Route) => 2,
            Some(Drop::Collision) => 3,
            // The segment arrived, or is in flight: only its ACK was lost, or late.
            Some(Drop::Agent) | None => 4,
        };
        self.confusion[j.judged as usize][cause] += 1;
    }

    pub fn confusion(&self) -> Confusion {
        self.confusion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(ledger: &mut LossLedger, seq: u64, judged: LossClass, una: u64) {
        ledger.judge(LossClassification { seq, judged }, una);
    }

    // A classification concerns the last copy sent: lost for that cause, or not lost.
    #[test]
    fn classifications_are_compared_with_the_last_copy() {
        let mut ledger = LossLedger::default();
        ledger.on_loss(1, Drop::Queue);
        ledger.on_loss(2001, Drop::Collision);
        judge(&mut ledger, 1, LossClass::Wireless, 1);
        judge(&mut ledger, 2001, LossClass::Wireless, 1);
        ledger.on_retransmission(2001);
        judge(&mut ledger, 2001, LossClass::Congestion, 1);
        ledger.on_loss(2001, Drop::Channel);
        judge(&mut ledger, 2001, LossClass::Undecided, 1001);
        assert_eq!(ledger.confusion(), [[0, 0, 0, 0, 1], [1, 0, 0, 1, 0], [0, 0, 1, 0, 0]]);
        assert_eq!(ledger.lost, BTreeMap::from([(2001, Drop::Channel)]), "what is acknowledged is forgotten");
    }
}
