//! State of a sender that its policies read.

use crate::config::{CwndValidation, WindowGrowth};
use crate::nagle::Nagle;
use crate::scoreboard::Scoreboard;
use crate::usage::WindowUsage;
use crate::{Config, Preset};
use airhop_base::Span;

/// State of a sender that its policies read: sequence space, scoreboard, RTT. Byte numbers are 64-bit stream
/// offsets: the SYN is 0, the first data byte 1.
#[derive(Clone, Debug)]
pub struct SenderState {
    /// Lowest unacknowledged byte.
    pub una: u64,
    /// Next byte to send. Go-back-N moves it back.
    pub nxt: u64,
    /// First byte never sent.
    pub sent_end: u64,
    /// First byte that the application has not yet supplied.
    pub supplied_end: u64,
    /// First byte above the receiver's window.
    pub right_edge: u64,
    /// Payload of a full segment in bytes.
    pub mss: u64,
    /// Number of duplicate ACKs since the last advance of `una`, as counted by the recovery. RACK does not
    /// count duplicate ACKs.
    pub dupacks: u32,
    /// Number of duplicate ACKs that signal a loss.
    pub dupthresh: u32,
    /// True if each of the first two duplicate ACKs releases a new segment (RFC 3042).
    pub limited_transmit: bool,
    /// Window growth per ACK.
    pub growth: WindowGrowth,
    /// Fraction of the window that must be in use before an ACK may increase the window.
    pub validation: CwndValidation,
    /// True if the first segment has one byte. The first packet of ns-2's Agent/TCP/Linux is only a header
    /// and measures the RTT of a small packet; there is no handshake.
    pub opens_with_one_byte: bool,
    /// Smoothed RTT at the last sample; `None` before the first sample.
    pub srtt: Option<Span>,
    /// True if duplicate ACKs do not indicate a loss because the path reorders (Linux, `tp->reordering` above
    /// DupThresh). False in other stacks.
    pub has_reordering: bool,
    /// Lowest unacknowledged byte at the last retransmission timeout; `None` before the first timeout. Zero
    /// if the SYN timed out. Set after the recovery has handled the timeout.
    pub timed_out_una: Option<u64>,
    /// Number of delivered bytes up to which samples are application-limited
    /// (draft-cheng-iccrg-delivery-rate-estimation, C.app_limited). Zero if samples are not
    /// application-limited. Updated only for schemes with delivery reports.
    pub app_limited_until: u64,
    /// Nagle's rule for partial segments.
    pub(crate) nagle: Nagle,
    /// Segments that were sent and not yet acknowledged.
    pub scoreboard: Scoreboard,
    /// Record of window use, for congestion window validation.
    pub window_usage: WindowUsage,
}

impl SenderState {
    /// Creates the state of a connection before its first transmission.
    pub fn new(c: &Config) -> Self {
        let first = if c.handshake { 0 } else { 1 };
        SenderState {
            una: first,
            nxt: first,
            sent_end: first,
            supplied_end: 1,
            right_edge: c.receive_window.saturating_add(1),
            mss: u64::from(c.mss),
            dupacks: 0,
            dupthresh: c.dupthresh,
            limited_transmit: c.limited_transmit,
            growth: c.growth,
            validation: c.cwnd_validation,
            opens_with_one_byte: false,
            srtt: None,
            has_reordering: false,
            timed_out_una: None,
            app_limited_until: 0,
            nagle: Nagle::new(c),
            // Linux, tcp_cwnd_test(): the window counts segments of any size.
            scoreboard: Scoreboard::with_full_segment((c.stack == Preset::Linux).then_some(c.mss.into())),
            window_usage: WindowUsage::default(),
        }
    }

    /// True if any data is unacknowledged.
    pub fn has_outstanding_data(&self) -> bool {
        self.sent_end > self.una
    }

    /// Returns the pipe of RFC 6675 §4, SetPipe(): bytes neither SACKed nor lost, plus retransmitted bytes.
    pub fn pipe(&self) -> u64 {
        (self.nxt - self.una) - self.scoreboard.sacked_bytes() - self.scoreboard.lost_bytes()
    }

    /// True if the segment at `seq` is outstanding and not SACKed.
    pub fn is_missing(&self, seq: u64) -> bool {
        self.una <= seq && self.scoreboard.get(seq).is_some_and(|e| !e.sacked)
    }

    /// Returns the number of segments that limited transmit adds to the window: one per duplicate ACK, at
    /// most two (RFC 3042 §2).
    pub fn limited_transmit_extra(&self) -> u32 {
        if self.limited_transmit && self.dupacks < self.dupthresh { self.dupacks } else { 0 }
    }

    /// True if a further segment of `len` bytes fits `window` segments beside a flight of `in_flight` bytes.
    /// The window counts bytes of full segments (RFC 5681 §2). Under the preset linux, the window counts
    /// segments of any size. A margin absorbs the rounding errors of many small increments of cwnd.
    pub fn has_room(&self, len: u64, in_flight: u64, window: f64) -> bool {
        // The scoreboard's shortfall is the sum of the bytes by which the segments in flight are shorter than
        // the MSS. The shortfall does not apply while go-back-N has yet to retransmit data, because that data
        // is not in flight.
        let is_whole = self.nxt == self.sent_end;
        let shortfall = if is_whole { self.scoreboard.shortfall(len) } else { 0 };
        bytes_to_f64(in_flight + len + shortfall) <= window * bytes_to_f64(self.mss) + 1e-6
    }

    /// Returns the number of segments in a flight of `in_flight` bytes: bytes divided by the MSS. Under the
    /// preset linux, counts segments of any size.
    pub fn segments_in_flight(&self, in_flight: u64) -> f64 {
        (in_flight + self.scoreboard.shortfall(self.mss)) as f64 / self.mss as f64
    }

    /// Returns the segment at `nxt`. `None` if no data is available, if the receiver's window or a window of
    /// `window` segments is full, or if Nagle's algorithm delays the segment.
    pub fn next_sendable_segment(&self, in_flight: u64, window: f64) -> Option<(u64, u64)> {
        let (start, end) = self.next_acceptable_segment()?;
        let may_go = !self.is_delayed_by_nagle(start, end) && self.has_room(end - start, in_flight, window);
        may_go.then_some((start, end))
    }

    /// True if nothing but the window prevents the transmission of the segment at `nxt`.
    pub fn may_send_next(&self) -> bool {
        self.next_acceptable_segment().is_some_and(|(start, end)| !self.is_delayed_by_nagle(start, end))
    }

    /// True if Nagle's algorithm delays a segment.
    fn is_delayed_by_nagle(&self, start: u64, end: u64) -> bool {
        end - start < self.mss
            && start >= self.sent_end
            && self.nagle.is_partial_segment_held(self.una, self.sent_end)
    }

    /// Returns start and end of the segment at `nxt`; `None` if no data is available or the segment exceeds
    /// the receiver's window.
    pub fn next_acceptable_segment(&self) -> Option<(u64, u64)> {
        let most = if self.opens_with_one_byte && self.nxt == 1 { 1 } else { self.mss };
        let len = most.min(self.supplied_end.saturating_sub(self.nxt));
        let end = self.nxt + len;
        (len > 0 && end <= self.right_edge).then_some((self.nxt, end))
    }

    /// Returns the end of the segment that begins at `una`.
    pub(crate) fn first_segment_end(&self) -> u64 {
        self.supplied_end.min(self.una + self.mss)
    }

    /// Returns the end of the segment that begins at `start`. The segment must have been sent before.
    pub fn segment_end(&self, start: u64) -> u64 {
        let full = || start.saturating_add(self.mss).min(self.sent_end);
        self.scoreboard.get(start).map_or_else(full, |e| e.end)
    }
}

/// Converts a number of bytes far below 2^63. A conversion from a signed integer needs only one instruction.
fn bytes_to_f64(bytes: u64) -> f64 {
    bytes as i64 as f64
}
