//! Recipient of a Block Ack agreement: scoreboard and reorder buffer.
use super::{Bitmap, BlockAck, MAX_WINDOW};

/// Recipient of a Block Ack agreement.
///
/// The scoreboard (full-state operation, IEEE 802.11-2020 §10.25.6.3) and the reorder buffer (§10.25.6.6)
/// have separate windows. The buffer's window never starts below the scoreboard's window. Every MPDU in the
/// buffer is also marked in the scoreboard, so one bitmap represents both.
#[derive(Debug)]
pub(crate) struct Recipient {
    /// Size of both windows, MPDUs.
    window: u32,
    /// WinStartR: first number of the scoreboard.
    board: u64,
    /// Bitmap of received numbers, from `board` on.
    received: Bitmap,
    /// WinStartB: first number that is neither delivered nor skipped.
    expected: u64,
}

impl Recipient {
    /// Creates the recipient.
    ///
    /// # Panics
    /// If the window is zero or larger than [`MAX_WINDOW`].
    pub fn new(window: u32) -> Self {
        assert!((1..=MAX_WINDOW).contains(&window), "a window of {window} MPDUs");
        Recipient { window, board: 0, received: Bitmap::default(), expected: 0 }
    }

    /// Handles an MPDU, and appends the numbers that can now be delivered in order to `deliver`. Returns
    /// false if the MPDU is a duplicate, or lies below the scoreboard.
    ///
    /// If the number lies above the end of a window, the window advances until the number is its last
    /// (§10.25.6.3 and §10.25.6.6.2).
    pub fn on_mpdu(&mut self, number: u64, deliver: &mut Vec<u64>) -> bool {
        if number < self.board {
            return false;
        }
        let start = (number + 1).saturating_sub(self.window.into());
        self.advance_buffer(start, deliver);
        self.advance_scoreboard(start);
        let bit = (number - self.board) as u32;
        let is_new = !self.received.contains(bit); // below `expected` the scoreboard contains every number
        self.received.insert(bit);
        self.deliver_in_order(deliver);
        is_new
    }

    /// Handles a BlockAckReq with the starting sequence number `start`. Both windows advance to `start`, and
    /// the buffer delivers its MPDUs below `start` (§10.25.6.3, §10.25.6.6.3).
    pub fn on_request(&mut self, start: u64, deliver: &mut Vec<u64>) {
        self.advance_buffer(start, deliver);
        self.deliver_in_order(deliver);
        self.advance_scoreboard(start);
    }

    /// Returns the BlockAck for the present scoreboard.
    pub fn block_ack(&self) -> BlockAck {
        BlockAck { start: self.board, bitmap: self.received }
    }

    /// True if the buffer stores the MPDU with this number, because an earlier MPDU is missing.
    pub fn holds(&self, number: u64) -> bool {
        number >= self.expected && self.block_ack().acknowledges(number)
    }

    /// True if the MPDU with this number has arrived and waits for an earlier MPDU.
    pub fn is_waiting(&self, number: u64) -> bool {
        number >= self.expected
    }

    /// Returns the lowest number of a stored MPDU; `None` if the buffer is empty.
    pub fn lowest_held(&self) -> Option<u64> {
        (self.expected..self.board + u64::from(MAX_WINDOW)).find(|number| self.holds(*number))
    }

    /// Advances the buffer's window to `start`: delivers the stored MPDUs below `start`, and skips the
    /// missing ones.
    fn advance_buffer(&mut self, start: u64, deliver: &mut Vec<u64>) {
        let known = self.board + u64::from(MAX_WINDOW); // numbers from here on have not been received
        for number in self.expected..start.min(known) {
            if self.holds(number) {
                deliver.push(number);
            }
        }
        self.expected = self.expected.max(start);
    }

    /// Delivers the stored MPDUs that have no missing MPDU before them.
    fn deliver_in_order(&mut self, deliver: &mut Vec<u64>) {
        while self.holds(self.expected) {
            deliver.push(self.expected);
            self.expected += 1;
        }
    }

    /// Advances the first number of the scoreboard to `start`. No effect if the scoreboard already begins at
    /// `start` or above.
    fn advance_scoreboard(&mut self, start: u64) {
        if let Some(count) = start.checked_sub(self.board) {
            self.received.shift(count);
            self.board = start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(recipient: &mut Recipient, numbers: impl IntoIterator<Item = u64>) -> (Vec<bool>, Vec<u64>) {
        let mut deliver = Vec::new();
        let new = numbers.into_iter().map(|number| recipient.on_mpdu(number, &mut deliver)).collect();
        (new, deliver)
    }

    fn request(recipient: &mut Recipient, start: u64) -> Vec<u64> {
        let mut deliver = Vec::new();
        recipient.on_request(start, &mut deliver);
        deliver
    }

    fn shown(recipient: &Recipient) -> (u64, Vec<u64>) {
        let ack = recipient.block_ack();
        (ack.start, (ack.start..ack.start + 300).filter(|number| ack.acknowledges(*number)).collect())
    }

    #[test]
    fn a_missing_mpdu_delays_all_later_mpdus() {
        let mut recipient = Recipient::new(64);
        assert_eq!(take(&mut recipient, [0, 2, 3]), (vec![true; 3], vec![0]));
        assert!(recipient.holds(2) && !recipient.holds(0) && !recipient.holds(1));
        assert_eq!(shown(&recipient), (0, vec![0, 2, 3]));
        assert_eq!(take(&mut recipient, [1]), (vec![true], vec![1, 2, 3]));
    }

    /// After the loss of a BlockAck, the originator retransmits MPDUs that had already arrived.
    #[test]
    fn duplicate_mpdus_are_detected_delivered_or_buffered() {
        let mut recipient = Recipient::new(64);
        take(&mut recipient, [0, 2]);
        assert_eq!(take(&mut recipient, [0, 2, 1]), (vec![false, false, true], vec![1, 2]));
        take(&mut recipient, [200]);
        assert_eq!(take(&mut recipient, [1, 200]), (vec![false; 2], vec![]), "below the scoreboard, held");
    }

    /// IEEE 802.11-2020 §10.25.6.6.3: stored MPDUs below the starting sequence number are delivered, and
    /// missing MPDUs are skipped. An older request has no effect.
    #[test]
    fn a_block_ack_req_advances_scoreboard_and_buffer() {
        let mut recipient = Recipient::new(64);
        take(&mut recipient, [1, 3, 4, 6]);
        assert_eq!(request(&mut recipient, 3), [1, 3, 4]);
        assert_eq!(shown(&recipient), (3, vec![3, 4, 6]));
        assert_eq!(request(&mut recipient, 2), [0; 0]);
        assert_eq!(shown(&recipient), (3, vec![3, 4, 6]));
        assert_eq!(take(&mut recipient, [2, 5]), (vec![false, true], vec![5, 6]));
        assert_eq!(request(&mut recipient, 5000), [0; 0]);
        assert_eq!(take(&mut recipient, [4999, 5000]), (vec![false, true], vec![5000]));
    }

    /// IEEE 802.11-2020 §10.25.6.6.2: an MPDU above the window becomes the last MPDU of the window.
    #[test]
    fn an_mpdu_above_the_window_advances_the_window() {
        let mut recipient = Recipient::new(64);
        take(&mut recipient, [1, 2, 63]);
        assert_eq!(take(&mut recipient, [64]), (vec![true], vec![1, 2]));
        assert_eq!(shown(&recipient), (1, vec![1, 2, 63, 64]));
        assert_eq!(take(&mut recipient, [1000]), (vec![true], vec![63, 64]));
        assert_eq!(shown(&recipient), (937, vec![1000]));
    }

    /// An MPDU above the scoreboard's end advances the scoreboard; every in-order MPDU advances the buffer.
    #[test]
    fn an_mpdu_above_only_the_scoreboard_delivers_no_mpdu() {
        let mut recipient = Recipient::new(64);
        take(&mut recipient, 0..60);
        assert_eq!(take(&mut recipient, [100]), (vec![true], vec![]));
        assert_eq!(shown(&recipient), (37, (37..60).chain([100]).collect()));
        assert_eq!(take(&mut recipient, [60]), (vec![true], vec![60]));
    }

    #[test]
    fn a_block_ack_bitmap_has_as_many_bits_as_the_window() {
        let mut recipient = Recipient::new(256);
        take(&mut recipient, (1..256).rev());
        assert_eq!(shown(&recipient), (0, (1..256).collect()));
        assert_eq!(take(&mut recipient, [0]).1, (0..256).collect::<Vec<_>>());
        take(&mut recipient, [256]);
        assert_eq!(shown(&recipient), (1, (1..257).collect()));
    }
}
