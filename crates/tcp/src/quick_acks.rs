use crate::Config;
use airhop_base::{Span, Time};

/// Linux' quick ACKs: ACKs without delay while the sender may be in slow start. Quick ACKs follow the first
/// data, an idle period longer than a timeout, and a duplicate segment. No quick ACKs are sent in pingpong
/// mode, because the host's own data then carries the ACK.
#[derive(Debug)]
pub(crate) struct QuickAcks {
    /// Number of quick ACKs after the first data, after an idle period, or after a duplicate segment.
    most: u32,
    /// Idle period after which the sender presumably restarts in slow start. The value is the minimum RTO,
    /// because a receiver that sends no data does not measure its RTO.
    pause: Span,
    /// Number of quick ACKs that remain.
    left: u32,
    /// Time of the last arrival of data in order; `None` before the first.
    last: Option<Time>,
    /// True while the host answers with data (Linux, inet_csk_in_pingpong_mode()).
    is_interactive: bool,
    /// True if a segment with PSH is not yet acknowledged.
    is_pushed: bool,
}

/// Maximum time from the arrival of a segment to data in the other direction that counts as an answer (Linux,
/// TCP_ATO_MIN, the minimum of `ato`).
const MAX_ANSWER_DELAY: Span = Span::from_millis(40);

impl QuickAcks {
    pub(crate) fn new(config: &Config) -> Self {
        QuickAcks {
            most: config.quick_acks,
            pause: config.rto.min,
            left: 0,
            last: None,
            is_interactive: false,
            is_pushed: false,
        }
    }

    /// Processes arriving data. Returns true if the ACK must not be delayed. `new` is true if the in-order
    /// data advanced, and `duplicate` if the segment contained duplicate bytes.
    pub(crate) fn on_data(&mut self, now: Time, new: bool, duplicate: bool) -> bool {
        let pauses = self.last.is_none_or(|last| now.since(last) > self.pause);
        if duplicate || (new && pauses) {
            self.left = self.most;
        }
        self.is_interactive &= !duplicate; // tcp_enter_quickack_mode()
        if new {
            self.last = Some(now);
        }
        self.left > 0 && !self.is_interactive
    }

    /// Processes the arrival of a segment with PSH. Returns true if the ACK must not be delayed. In pingpong
    /// mode, only the second segment with PSH since the last ACK forces an ACK (ICSK_ACK_PUSHED2 in
    /// tcp_cleanup_rbuf()).
    pub(crate) fn on_push(&mut self) -> bool {
        let is_second = std::mem::replace(&mut self.is_pushed, true);
        is_second || !self.is_interactive
    }

    /// Records that the host sends data. The data counts as an answer if other data arrived shortly before
    /// (tcp_event_data_sent()).
    pub(crate) fn on_data_sent(&mut self, now: Time) {
        self.is_interactive |= self.last.is_some_and(|last| now.since(last) < MAX_ANSWER_DELAY);
    }

    /// Records the peer's FIN. If data arrived before the FIN, pingpong mode begins, because the host will
    /// answer with a FIN (tcp_fin()).
    pub(crate) fn on_fin(&mut self) {
        self.is_interactive |= self.last.is_some();
    }

    /// Handles the timeout of a delayed ACK. Pingpong mode ends, because the host had no data to send
    /// (tcp_delack_timer_handler()).
    pub(crate) fn on_timeout(&mut self) {
        self.is_interactive = false;
    }

    /// Records the transmission of an ACK.
    pub(crate) fn on_ack(&mut self) {
        self.left = self.left.saturating_sub(1);
        self.is_pushed = false;
    }
}
