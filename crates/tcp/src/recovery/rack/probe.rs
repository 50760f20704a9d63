use crate::scoreboard::find_dsack;
use crate::seams::Ack;
use crate::sender_state::SenderState;
use crate::{Config, Preset};
use airhop_base::{Span, Time};

/// WCDelAckT: worst-case delay of a delayed ACK (RFC 8985 §7.2).
const MAX_ACK_DELAY: Span = Span::from_millis(200);
/// Margin of the probe timer for a flight of several segments: two ticks of a 1 ms clock (Linux,
/// tcp_schedule_loss_probe()). RFC 8985 §7.2 leaves the margin to the implementation. Without a margin, an
/// ACK that is slightly late on a short path would arrive after the probe was sent.
pub(super) const PTO_MARGIN: Span = Span::from_millis(2);
/// Probe timeout before the first RTT sample.
const INITIAL_PTO: Span = Span::from_secs(1);

/// Tail loss probe (TLP, RFC 8985 §7), with the probe timer and the last probe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailLossProbe {
    /// Expiry of the probe timer (PTO); `None` while stopped.
    pub deadline: Option<Time>,
    out: Option<OutstandingProbe>,
    /// True if no RTT sample was measured since the last probe.
    is_stale: bool,
    /// True if a probe requires an RTT sample since the last probe. False in Linux, where
    /// tcp_send_loss_probe() checks only `tlp_high_seq`.
    needs_sample: bool,
}

/// Outstanding probe.
#[derive(Clone, Copy, Debug)]
struct OutstandingProbe {
    /// TLP.end_seq: first unsent byte when the probe was sent.
    end: u64,
    /// First byte of a probe that is a retransmission (TLP.is_retrans); `None` for new data.
    again: Option<u64>,
}

impl TailLossProbe {
    /// Creates the timer of a new connection.
    pub fn new(c: &Config) -> Self {
        TailLossProbe { needs_sample: c.stack != Preset::Linux, ..TailLossProbe::default() }
    }

    /// Starts the timer at two round trips from now. A single segment gets more time, because the receiver
    /// may delay the ACK (§7.2).
    pub fn arm(&mut self, now: Time, srtt: Option<Span>, is_alone: bool) {
        let extra = if is_alone { MAX_ACK_DELAY } else { PTO_MARGIN };
        self.deadline = Some(now + srtt.map_or(INITIAL_PTO, |srtt| srtt * 2 + extra));
    }

    /// True if a probe may be sent (§7.3). No probe may be outstanding. Except in Linux, an RTT sample must
    /// have followed the last probe.
    pub fn may_send(&self) -> bool {
        self.out.is_none() && !(self.needs_sample && self.is_stale)
    }

    /// Records a probe (§7.3). `end` is the first unsent byte after the probe. `again` is the first byte of a
    /// probe that is a retransmission.
    pub fn on_sent(&mut self, end: u64, again: Option<u64>) {
        self.out = Some(OutstandingProbe { end, again });
        self.is_stale = true;
    }

    /// Records that an RTT sample was measured.
    pub fn on_sample(&mut self) {
        self.is_stale = false;
    }

    /// True if a D-SACK that ends at `end` reports the outstanding probe.
    pub fn is_probe_dsack(&self, end: u64) -> bool {
        self.out.is_some_and(|out| out.end == end)
    }

    /// Discards the outstanding probe at a reduction for an ECN mark (Linux, tcp_init_cwnd_reduction()).
    pub fn discard_outstanding(&mut self) {
        self.out = None;
    }

    /// Stops the timer and discards the outstanding probe, at the start of another recovery.
    pub fn cancel(&mut self) {
        self.deadline = None;
        self.out = None;
    }

    /// Processes an ACK while a probe is outstanding (§7.4.2). Returns the first byte of the lost segment if
    /// the probe repaired a loss; `None` otherwise.
    pub fn on_ack(&mut self, s: &SenderState, a: &Ack) -> Option<u64> {
        let OutstandingProbe { end, again } = self.out.filter(|out| s.una >= out.end)?;
        let Some(start) = again else {
            self.out = None; // the probe was new data
            return None;
        };
        if find_dsack(s.una, a.sack).is_some_and(|b| b.end == end) {
            self.out = None; // the original and the probe arrived: no segment was lost
            return None;
        }
        if s.una > end {
            self.out = None;
            return Some(start);
        }
        if a.acked_bytes == 0 && a.sack.is_empty() {
            // a duplicate ACK without SACK comes from a receiver without D-SACK: the original and the probe
            // arrived
            self.out = None;
        }
        None
    }
}
