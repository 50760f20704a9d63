//! Remaining time of a TXOP, and the frames that fit into it.
use super::mac::block_ack::originator::ExchangeLimits;
use super::mac::channel_access::ChannelAccess;
use super::plan::AccessMethod;
use super::timing::FrameTiming;
use crate::address::{BROADCAST, StationIndex};
use crate::phy::ampdu::PsduLimits;
use airhop_base::{Span, Time};

/// Remaining time of a station's TXOP.
pub(super) struct TxopRemainder<'a> {
    access: &'a ChannelAccess,
    method: AccessMethod,
    timing: &'a FrameTiming,
    sifs: Span,
    /// True if the TXOP already contains an exchange.
    is_continued: bool,
}

impl<'a> TxopRemainder<'a> {
    pub fn new(
        access: &'a ChannelAccess,
        method: AccessMethod,
        timing: &'a FrameTiming,
        sifs: Span,
        is_continued: bool,
    ) -> Self {
        TxopRemainder { access, method, timing, sifs, is_continued }
    }

    /// Returns the limits of an exchange with a receiver: the cell's PSDU `limits`, reduced to the remaining
    /// time of the TXOP.
    pub fn exchange_limits(&self, now: Time, to: StationIndex, limits: &PsduLimits) -> ExchangeLimits {
        let Some((rest, mode)) = self.access.txop_end().map(|end| end - now).zip(self.timing.mode()) else {
            return ExchangeLimits::without_txop_limit(*limits);
        };
        let rest = rest.saturating_sub(self.rts_cts_time(to));
        let for_frame = |response: Span| rest.saturating_sub(self.sifs + response);
        let (alone, together) = (for_frame(self.timing.ack), for_frame(self.timing.block_ack));
        let shortened = limits.limited_to_txop(mode, alone, together);
        let has_request = !self.is_continued || together >= self.timing.block_ack_req;
        ExchangeLimits {
            psdu_limits: if self.is_continued { shortened } else { limits.with_aggregate_limit(&shortened) },
            may_request: has_request,
        }
    }

    /// True if an exchange with a single data frame of this airtime fits into the remaining time;
    /// false for a broadcast.
    pub fn fits(&self, now: Time, to: StationIndex, frame: Span) -> bool {
        let end = now + self.rts_cts_time(to) + frame + self.sifs + self.timing.ack;
        to != BROADCAST && self.access.txop_end().is_some_and(|limit| end <= limit)
    }

    /// Returns the time of RTS and CTS before an exchange with a receiver; zero if no RTS is
    /// needed.
    fn rts_cts_time(&self, to: StationIndex) -> Span {
        match self.method {
            AccessMethod::RtsCts if self.access.needs_rts(to) => {
                self.timing.rts + self.timing.cts + self.sifs * 2
            }
            AccessMethod::Basic | AccessMethod::RtsCts => Span::ZERO,
        }
    }
}
