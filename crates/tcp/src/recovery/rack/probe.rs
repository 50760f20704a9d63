use crate::scoreboard::duplicate;
use crate::seams::Ack;
use crate::sender_state::SenderState;
use crate::{Config, Preset};
use airhop_base::{Span, Time};

/// WCDelAckT: longest delay of an ACK (RFC 8985 §7.2).
const LONGEST_DELAY: Span = Span::from_millis(200);
/// Margin of the probe timer in other cases: two ticks of a clock of 1 ms (Linux, tcp_schedule_loss_probe();
/// RFC 8985 §7.2 leaves this margin to the implementation). Without the margin, on short round trips, an ACK
/// slightly later than the previous one would follow the probe.
pub(super) const MARGIN: Span = Span::from_millis(2);
/// Probe timeout before the first round-trip sample.
const WITHOUT_SAMPLE: Span = Span::from_secs(1);

/// Tail loss probe (TLP, RFC 8985 §7): its due time, and the outcome of the last probe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// Probe timer (PTO); `None` while stopped.
    pub due: Option<Time>,
    out: Option<Out>,
    /// True if no round trip was measured since the last probe.
    is_stale: bool,
    /// True if a probe requires a round-trip sample since the last probe; false in Linux, where
    /// tcp_send_loss_probe() checks `tlp_high_seq` alone.
    needs_sample: bool,
}

/// Probe in the network.
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

    /// §7.2: starts the timer at two round trips from now, longer for a lone segment whose ACK may be
    /// delayed.
    pub fn arm(&mut self, now: Time, srtt: Option<Span>, is_alone: bool) {
        let extra = if is_alone { LONGEST_DELAY } else { MARGIN };
        self.due = Some(now + srtt.map_or(WITHOUT_SAMPLE, |srtt| srtt * 2 + extra));
    }

    /// §7.3: true if a probe may be sent: no other is outstanding, and, except in Linux, a round trip was
    /// measured since the last one.
    pub fn may_go(&self) -> bool {
        self.out.is_none() && !(self.needs_sample && self.is_stale)
    }

    /// §7.3: records a probe; `end`: first unsent byte after its transmission; `again`: first byte of the
    /// probe if it is a retransmission.
    pub fn on_sent(&mut self, end: u64, again: Option<u64>) {
        self.out = Some(Out { end, again });
        self.is_stale = true;
    }

    /// Records that a round trip was measured.
    pub fn on_sample(&mut self) {
        self.is_stale = false;
    }

    /// True if a D-SACK with this end reports the outstanding probe.
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

    /// §7.4.2: processes the ACK of all data up to the probe. If the probe repaired a loss, returns the first
    /// byte of the lost segment.
    pub fn on_ack(&mut self, s: &SenderState, a: &Ack) -> Option<u64> {
        let Out { end, again } = self.out.filter(|out| s.una >= out.end)?;
        let Some(start) = again else {
            self.out = None; // the probe was new data
            return None;
        };
        if duplicate(s.una, &a.sack).is_some_and(|b| b.end == end) {
            self.out = None; // both came: nothing was lost
            return None;
        }
        if s.una > end {
            self.out = None;
            return Some(start);
        }
        if a.acked == 0 && a.sack.is_empty() {
            self.out = None; // a duplicate without SACK is that of a receiver without D-SACK: both came
        }
        None
    }
}
