//! Lost segments of a flow with the true causes of loss. The sender's classifications are compared with these
//! causes.

use airhop_base::DropCause;
use airhop_tcp::seams::{LossClass, LossClassification};
use std::collections::BTreeMap;

/// Counted and physical cause of a drop. The two causes differ if the link layer gives up a packet. The
/// counted cause is then `retries`, and the physical cause is the channel or a collision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DropReason {
    pub counted_cause: DropCause,
    pub physical_cause: DropCause,
}

impl From<DropCause> for DropReason {
    fn from(why: DropCause) -> Self {
        DropReason { counted_cause: why, physical_cause: why }
    }
}

/// True causes of loss in the order of the results. The sender's classifications are compared with these
/// causes.
pub const TRUE_CAUSES: [&str; 5] = ["queue", "aqm", "channel", "collision", "none"];

/// Confusion matrix of loss classifications. Rows are classes in the order of [`LossClass::ALL`]; columns are
/// true causes in the order of [`TRUE_CAUSES`].
pub type Confusion = [[u64; TRUE_CAUSES.len()]; LossClass::ALL.len()];

/// Returns the sum of the confusion matrices of several flows.
pub(crate) fn sum_of_confusion_matrices(all: impl Iterator<Item = Confusion>) -> Confusion {
    all.fold(Confusion::default(), |mut sum, one| {
        sum.iter_mut().flatten().zip(one.iter().flatten()).for_each(|(count, more)| *count += more);
        sum
    })
}

/// Lost segments of one flow that have not been retransmitted, with the cause of loss, by first byte. Also
/// counts the sender's classifications. An index keeps lookups fast: a fast path stores thousands of losses,
/// and each transmission searches for one.
#[derive(Debug, Default)]
pub(crate) struct LossLedger {
    lost: BTreeMap<u64, DropCause>,
    confusion: Confusion,
}

impl LossLedger {
    /// Begins a new connection, and removes the losses of the previous connection.
    pub fn begin_connection(&mut self) {
        self.lost.clear();
    }

    /// Records the loss of the segment at `seq`.
    pub fn on_loss(&mut self, seq: u64, cause: DropCause) {
        self.lost.insert(seq, cause);
    }

    /// Removes the loss of the segment at `seq` on retransmission. Later classifications of the segment refer
    /// to the retransmission.
    pub fn on_retransmission(&mut self, seq: u64) {
        self.lost.remove(&seq);
    }

    /// Counts the sender's classification of a loss. Also removes all losses below `una`, the lowest
    /// unacknowledged byte.
    #[inline(never)]
    pub fn count_classification(&mut self, j: LossClassification, una: u64) {
        while self.lost.first_entry().is_some_and(|first| *first.key() < una) {
            self.lost.pop_first();
        }
        let cause = match self.lost.get(&j.seq) {
            Some(DropCause::Queue) => 0,
            Some(DropCause::Aqm) => 1,
            Some(DropCause::Channel | DropCause::Retries | DropCause::Route) => 2,
            Some(DropCause::Collision) => 3,
            // The segment was not lost: it has arrived and its ACK was lost or is delayed, or it is still in
            // flight.
            Some(DropCause::Agent) | None => 4,
        };
        self.confusion[j.class as usize][cause] += 1;
    }

    pub fn confusion(&self) -> Confusion {
        self.confusion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(ledger: &mut LossLedger, seq: u64, judged: LossClass, una: u64) {
        ledger.count_classification(LossClassification { seq, class: judged }, una);
    }

    // A classification is compared with the last transmission of the segment: the cause of its loss, or
    // "none" if it was not lost.
    #[test]
    fn a_classification_is_checked_against_the_last_transmission() {
        let mut ledger = LossLedger::default();
        ledger.on_loss(1, DropCause::Queue);
        ledger.on_loss(2001, DropCause::Collision);
        judge(&mut ledger, 1, LossClass::Wireless, 1);
        judge(&mut ledger, 2001, LossClass::Wireless, 1);
        ledger.on_retransmission(2001);
        judge(&mut ledger, 2001, LossClass::Congestion, 1);
        ledger.on_loss(2001, DropCause::Channel);
        judge(&mut ledger, 2001, LossClass::Undecided, 1001);
        assert_eq!(ledger.confusion(), [[0, 0, 0, 0, 1], [1, 0, 0, 1, 0], [0, 0, 1, 0, 0]]);
        assert_eq!(
            ledger.lost,
            BTreeMap::from([(2001, DropCause::Channel)]),
            "acknowledged segments are removed"
        );
    }
}
