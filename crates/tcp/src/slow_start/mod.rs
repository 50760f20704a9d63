//! Slow start may end before something is lost: HyStart and HyStart++.

mod hystart;
mod hystart_plus_plus;

use crate::seams::Window;
use airhop_base::{Span, Time};
use hystart::HyStart;
use hystart_plus_plus::HyStartPlusPlus;

/// A way to end slow start.
#[derive(Debug)]
pub(crate) enum SlowStart {
    /// With the first loss (RFC 5681 §3.1).
    Standard,
    /// HyStart (Ha and Rhee 2011).
    HyStart(HyStart),
    /// HyStart++ (RFC 9406); none after the first loss, when ssthresh is known (§4.3).
    HyStartPlusPlus(Option<HyStartPlusPlus>),
}

/// An ACK of new data in slow start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Time of arrival.
    pub now: Time,
    /// Lowest byte not acknowledged, after it.
    pub una: u64,
    /// First byte not sent when it came.
    pub nxt: u64,
    /// The round trip of the newest segment that it acknowledges, if that was sent once.
    pub rtt: Option<Span>,
    /// The smallest round trip of the connection.
    pub least_rtt: Option<Span>,
}

impl SlowStart {
    /// HyStart of a sender whose segments are paced, or not.
    pub fn hystart(is_paced: bool) -> Self {
        SlowStart::HyStart(HyStart::new(is_paced))
    }

    /// Creates HyStart++ for a sender with or without pacing.
    pub fn hystart_plus_plus(is_paced: bool) -> Self {
        SlowStart::HyStartPlusPlus(Some(HyStartPlusPlus::new(is_paced)))
    }

    /// Returns the growth of cwnd for an ACK of slow start, at most `segments`, without applying it; sets ssthresh =
    /// cwnd if slow start ends here.
    pub fn on_ack(&mut self, w: &mut Window, segments: f64, sample: &Sample) -> f64 {
        match self {
            SlowStart::Standard | SlowStart::HyStartPlusPlus(None) => segments,
            SlowStart::HyStart(hystart) => {
                if hystart.ends(w.cwnd, sample) {
                    w.ssthresh = w.cwnd;
                }
                segments
            }
            SlowStart::HyStartPlusPlus(Some(hystart)) => {
                let growth = hystart.growth(segments, sample);
                if hystart.is_over() {
                    w.ssthresh = w.cwnd;
                }
                growth
            }
        }
    }

    /// Something was lost; all below `nxt` had been sent then.
    pub fn on_loss(&mut self, by_timeout: bool, now: Time, nxt: u64) {
        match self {
            SlowStart::HyStart(hystart) if by_timeout => hystart.restart(now, nxt),
            SlowStart::HyStartPlusPlus(hystart) => *hystart = None,
            SlowStart::Standard | SlowStart::HyStart(_) => {}
        }
    }
}

/// Returns an eighth of a round trip, from 4 to 16 ms: how much longer than the smallest one of a connection (HyStart) or of the last round
/// (RFC 9406 §4.2) tells of a queue.
fn threshold(least: Span) -> Span {
    (least / 8).clamp(Span::from_millis(4), Span::from_millis(16))
}

/// Round trips that a round must have before their smallest counts, in both (RFC 9406 §4.2, N_RTT_SAMPLE).
const ENOUGH: u32 = 8;
