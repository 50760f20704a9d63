//! Methods that end slow start before the first loss: HyStart and HyStart++.

mod hystart;
mod hystart_plus_plus;

use crate::seams::Window;
use airhop_base::{Span, Time};
use hystart::HyStart;
use hystart_plus_plus::HyStartPlusPlus;

/// Method that ends slow start.
#[derive(Debug)]
pub(crate) enum SlowStartMethod {
    /// The first loss ends slow start (RFC 5681 §3.1).
    Standard,
    /// HyStart (Ha and Rhee 2011).
    HyStart(HyStart),
    /// HyStart++ (RFC 9406); `None` after the first loss. The first loss sets ssthresh (§4.3).
    HyStartPlusPlus(Option<HyStartPlusPlus>),
}

/// ACK of new data in slow start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowStartAck {
    /// Arrival time of the ACK.
    pub now: Time,
    /// Lowest unacknowledged byte after the ACK.
    pub una: u64,
    /// First unsent byte at the arrival of the ACK.
    pub nxt: u64,
    /// RTT of the newest acknowledged segment; `None` if the segment was sent more than once.
    pub rtt: Option<Span>,
    /// Minimum RTT of the connection; `None` before the first sample.
    pub min_rtt: Option<Span>,
}

impl SlowStartMethod {
    /// Creates HyStart for a sender with or without pacing.
    pub fn hystart(is_paced: bool) -> Self {
        SlowStartMethod::HyStart(HyStart::new(is_paced))
    }

    /// Creates HyStart++ for a sender with or without pacing.
    pub fn hystart_plus_plus(is_paced: bool) -> Self {
        SlowStartMethod::HyStartPlusPlus(Some(HyStartPlusPlus::new(is_paced)))
    }

    /// Returns the growth of cwnd for an ACK in slow start, at most `segments`. Does not change cwnd. If slow
    /// start ends with this ACK, sets ssthresh to cwnd.
    pub fn on_ack(&mut self, w: &mut Window, segments: f64, sample: &SlowStartAck) -> f64 {
        match self {
            SlowStartMethod::Standard | SlowStartMethod::HyStartPlusPlus(None) => segments,
            SlowStartMethod::HyStart(hystart) => {
                if hystart.on_ack(w.cwnd, sample) {
                    w.ssthresh = w.cwnd;
                }
                segments
            }
            SlowStartMethod::HyStartPlusPlus(Some(hystart)) => {
                let growth = hystart.on_ack(segments, sample);
                if hystart.is_over() {
                    w.ssthresh = w.cwnd;
                }
                growth
            }
        }
    }

    /// Handles a loss. `nxt` is the first unsent byte.
    pub fn on_loss(&mut self, by_timeout: bool, now: Time, nxt: u64) {
        match self {
            SlowStartMethod::HyStart(hystart) if by_timeout => hystart.restart(now, nxt),
            SlowStartMethod::HyStartPlusPlus(hystart) => *hystart = None,
            SlowStartMethod::Standard | SlowStartMethod::HyStart(_) => {}
        }
    }
}

/// Returns the RTT increase that indicates a queue: an eighth of `least`, between 4 and 16 ms. `least` is the
/// minimum RTT of the connection (HyStart) or of the last round (RFC 9406 §4.2).
fn threshold(least: Span) -> Span {
    (least / 8).clamp(Span::from_millis(4), Span::from_millis(16))
}

/// Minimum number of RTT samples per round, for both methods (RFC 9406 §4.2, N_RTT_SAMPLE).
const MIN_RTT_SAMPLES: u32 = 8;
