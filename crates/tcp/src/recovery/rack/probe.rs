use crate::scoreboard::duplicate;
use crate::seams::Ack;
use crate::sender_state::SenderState;
use crate::{Config, Preset};
use airhop_base::{Span, Time};

/// WCDelAckT: longest delay of a delayed ACK (RFC 8985 §7.2).
const LONGEST_DELAY: Span = Span::from_millis(200);
/// Margin of the probe timer for a flight of several segments: two ticks of a 1 ms clock (Linux,
/// tcp_schedule_loss_probe(); RFC 8985 §7.2 leaves the margin to the implementation). On a path with a short
/// RTT and no margin, an ACK slightly later than the previous one would arrive after the probe was sent.
pub(super) const MARGIN: Span = Span::from_millis(2);
/// Probe timeout before the first RTT sample.
const WITHOUT_SAMPLE: Span = Span::from_secs(1);

/// Tail loss probe (TLP, RFC 8985 §7): its due time, and the outcome of the last probe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// Probe timer (PTO); `None` while stopped.
    pub due: Option<Time>,
    out: Option<Out>,
    /// True if no RTT sample was measured since the last probe.
    is_stale: bool,
    /// True if a probe requires an RTT sample since the last probe; false in Linux, where
    /// tcp_send_loss_probe() checks only `tlp_high_seq`.
    needs_sample: bool,
}

/// Probe that is outstanding.
#[derive(Clone, Copy, Debug)]
struct Out {
    /// TLP.end_seq: first unsent byte after the probe.
    end: u64,
    /// First byte of the probe if it is a retransmission (TLP.is_retrans); else `None`.
    again: Option<u64>,
}

impl Probe {
    /// Creates the timer of a new connection.
    pub fn new(c: &Config) -> Self {
        Probe { needs_sample: c.stack != Preset::Linux, ..Probe::default() }
    }

    /// Starts the timer at two round trips from now; later for a single segment, whose ACK the receiver may
    /// delay (§7.2).
    pub fn arm(&mut self, now: Time, srtt: Option<Span>, is_alone: bool) {
        let extra = if is_alone { LONGEST_DELAY } else { MARGIN };
        self.due = Some(now + srtt.map_or(WITHOUT_SAMPLE, |srtt| srtt * 2 + extra));
    }

    /// True if a probe may be sent (§7.3): no probe is outstanding, and, except in Linux, an RTT sample was
    /// measured since the last probe.
    pub fn may_go(&self) -> bool {
        self.out.is_none() && !(self.needs_sample && self.is_stale)
    }

    /// Records a probe (§7.3). `end`: first unsent byte after its transmission; `again`: first byte of the
    /// probe if it is a retransmission.
    pub fn on_sent(&mut self, end: u64, again: Option<u64>) {
        self.out = Some(Out { end, again });
        self.is_stale = true;
    }

    /// Records that an RTT sample was measured.
    pub fn on_sample(&mut self) {
        self.is_stale = false;
    }

    /// True if a D-SACK that ends at `end` reports the outstanding probe.
    pub fn is_of(&self, end: u64) -> bool {
        self.out.is_some_and(|out| out.end == end)
    }

    /// Records a reduction for a mark, after which the outcome of the outstanding probe is irrelevant (Linux,
    /// tcp_init_cwnd_reduction()).
    pub fn settle(&mut self) {
        self.out = None;
    }

    /// Records the start of another recovery, after which the outcome of the probe is irrelevant.
    pub fn forget(&mut self) {
        self.due = None;
        self.out = None;
    }

    /// Processes an ACK while a probe is outstanding (§7.4.2). Returns the first byte of the lost segment if
    /// the ACK shows that the probe has repaired its loss, else `None`.
    pub fn on_ack(&mut self, s: &SenderState, a: &Ack) -> Option<u64> {
        let Out { end, again } = self.out.filter(|out| s.una >= out.end)?;
        let Some(start) = again else {
            self.out = None; // the probe was new data
            return None;
        };
        if duplicate(s.una, a.sack).is_some_and(|b| b.end == end) {
            self.out = None; // the original and the probe arrived: no segment was lost
            return None;
        }
        if s.una > end {
            self.out = None;
            return Some(start);
        }
        if a.acked == 0 && a.sack.is_empty() {
            // a duplicate ACK without SACK comes from a receiver without D-SACK: the original and the probe
            // arrived
            self.out = None;
        }
        None
    }
}
