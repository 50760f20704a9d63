use crate::scoreboard::duplicate;
use crate::seams::Ack;
use crate::sender_state::SenderState;
use crate::{Config, Preset};
use airhop_base::{Span, Time};

/// WCDelAckT: how long an ACK is delayed at most (RFC 8985 §7.2).
const LONGEST_DELAY: Span = Span::from_millis(200);
/// Margin of the probe timer otherwise: two ticks of a clock of 1 ms (Linux, tcp_schedule_loss_probe(); RFC 8985 §7.2
/// leaves this margin to the implementation). Without it an ACK slightly later than the last would follow a probe on
/// short round trips.
pub(super) const MARGIN: Span = Span::from_millis(2);
/// Before there is a round-trip sample.
const WITHOUT_SAMPLE: Span = Span::from_secs(1);

/// The tail loss probe (TLP, RFC 8985 §7): its due time, and the outcome of the last probe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// The probe timer (PTO).
    pub due: Option<Time>,
    out: Option<Out>,
    /// No round trip was measured since the last probe.
    is_stale: bool,
    /// A probe waits for a round trip that was measured since the last one; not in Linux, where tcp_send_loss_probe() asks for `tlp_high_seq` alone.
    needs_sample: bool,
}

/// A probe in the network.
#[derive(Clone, Copy, Debug)]
struct Out {
    /// TLP.end_seq: the first byte that had not been sent when it went out, itself included.
    end: u64,
    /// TLP.is_retrans, and then its first byte.
    again: Option<u64>,
}

impl Probe {
    /// Creates the timer of a new connection.
    pub fn new(c: &Config) -> Self {
        Probe { needs_sample: c.stack != Preset::Linux, ..Probe::default() }
    }

    /// §7.2: two round trips after now, and for a lone segment whose ACK may be delayed longer still.
    pub fn arm(&mut self, now: Time, srtt: Option<Span>, is_alone: bool) {
        let extra = if is_alone { LONGEST_DELAY } else { MARGIN };
        self.due = Some(now + srtt.map_or(WITHOUT_SAMPLE, |srtt| srtt * 2 + extra));
    }

    /// §7.3: one probe at a time, and, but for Linux, a round-trip sample since the last one.
    pub fn may_go(&self) -> bool {
        self.out.is_none() && !(self.needs_sample && self.is_stale)
    }

    /// §7.3: records a probe; `end` is the first unsent byte at its transmission, `again` its first byte if it is a
    /// retransmission.
    pub fn on_sent(&mut self, end: u64, again: Option<u64>) {
        self.out = Some(Out { end, again });
        self.is_stale = true;
    }

    /// A round trip was measured.
    pub fn on_sample(&mut self) {
        self.is_stale = false;
    }

    /// True if a D-SACK that ends here is that of the probe that is out.
    pub fn is_of(&self, end: u64) -> bool {
        self.out.is_some_and(|out| out.end == end)
    }

    /// Records a reduction for a mark: the outcome of the present probe no longer matters (Linux,
    /// tcp_init_cwnd_reduction()).
    pub fn settle(&mut self) {
        self.out = None;
    }

    /// Another recovery has started: the outcome of the probe no longer matters.
    pub fn forget(&mut self) {
        self.due = None;
        self.out = None;
    }

    /// §7.4.2: the ACK of everything up to the probe. Returns the first byte of the segment that was lost and that the probe has
    /// repaired, if so.
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
