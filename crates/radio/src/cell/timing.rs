//! Durations of a cell's frames.
use super::frames::FrameLengths;
use super::plan::{AccessMethod, CellPlan};
use crate::layer::FrameKind;
use crate::phy::MAX_PPDU_TIME;
use crate::phy::ampdu::{Psdu, PsduLimits, fill_psdu};
use crate::phy::amsdu::{MpduBody, MpduFraming};
use crate::phy::{
    ACK_BYTES, BASIC_RATES, BLOCK_ACK_REQ_BYTES, CF_END_BYTES, CTS_BYTES, DELIMITER_BYTES,
    MAC_OVERHEAD_BYTES, Phy, PpduFormat, RTS_BYTES, TxMode, block_ack_bytes,
};
use airhop_base::{Rate, Span};

/// Durations of a cell's frames. Durations of control frames are computed once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameTiming {
    phy: Phy,
    data: DataMode,
    control_rate: Rate,
    pub rts: Span,
    pub cts: Span,
    pub ack: Span,
    pub block_ack: Span,
    /// Length of a BlockAck, bytes.
    pub block_ack_bytes: u32,
    pub block_ack_req: Span,
    pub cf_end: Span,
}

/// Transmission mode of data frames that are addressed to a single station.
#[derive(Clone, Copy, Debug)]
enum DataMode {
    /// Single rate of 802.11, 802.11b or 802.11g.
    Rate(Rate),
    /// Transmission mode of 802.11n, ac or ax.
    Ht(TxMode),
}

impl FrameTiming {
    pub fn new(plan: &CellPlan) -> FrameTiming {
        let (phy, control_rate) = (plan.phy, plan.control_rate);
        let data = match &plan.ht {
            None => DataMode::Rate(plan.data_rate),
            Some(ht) => DataMode::Ht(ht.mode),
        };
        let (cts_rate, answer_rate) = (plan.cts_rate(), plan.response_rate());
        let window =
            plan.ht.as_ref().and_then(|ht| ht.ampdu.as_ref()).map_or(0, |ampdu| ampdu.block_ack_window);
        FrameTiming {
            phy,
            data,
            control_rate,
            rts: phy.airtime(RTS_BYTES, control_rate),
            cts: phy.airtime(CTS_BYTES, cts_rate),
            ack: phy.airtime(ACK_BYTES, answer_rate),
            block_ack_bytes: block_ack_bytes(window),
            block_ack: phy.airtime(block_ack_bytes(window), answer_rate),
            block_ack_req: phy.airtime(BLOCK_ACK_REQ_BYTES, answer_rate),
            cf_end: phy.airtime(CF_END_BYTES, control_rate),
        }
    }

    /// Returns the transmission mode of 802.11n, ac or ax; `None` with 802.11, 802.11b and 802.11g.
    pub fn mode(&self) -> Option<&TxMode> {
        match &self.data {
            DataMode::Rate(_) => None,
            DataMode::Ht(mode) => Some(mode),
        }
    }

    /// Returns the airtime of a PPDU with a single data frame of `bytes` bytes, to one station.
    #[inline]
    pub fn frame_airtime(&self, bytes: u32) -> Span {
        match &self.data {
            DataMode::Rate(rate) => self.phy.airtime(bytes, *rate),
            DataMode::Ht(mode) => single_mpdu_airtime(mode, bytes),
        }
    }

    /// Returns the airtime of a PPDU with a PSDU of `bytes` bytes to one station.
    pub fn psdu_airtime(&self, bytes: u32) -> Span {
        match &self.data {
            DataMode::Rate(rate) => self.phy.airtime(bytes, *rate),
            DataMode::Ht(mode) => mode.airtime(bytes),
        }
    }

    /// Returns the airtime of the Ack or BlockAck for a frame of this kind.
    pub fn response_airtime(&self, kind: FrameKind) -> Span {
        if kind == FrameKind::Ampdu { self.block_ack } else { self.ack }
    }

    /// Returns the airtime of a group-addressed frame. The rate is one that all stations can receive (IEEE
    /// 802.11-2016 §10.7.5.3).
    pub fn group_airtime(&self, bytes: u32) -> Span {
        self.phy.airtime(bytes, self.control_rate)
    }
}

impl CellPlan {
    /// Returns the rate of a CTS. In 802.11n, ac and ax, the rate is the highest basic rate not above that of
    /// the RTS (IEEE 802.11-2020 §10.6.6.5).
    pub fn cts_rate(&self) -> Rate {
        let basic = BASIC_RATES.into_iter().rev().find(|basic| *basic <= self.control_rate);
        if self.ht.is_some() { basic.unwrap_or(BASIC_RATES[0]) } else { self.control_rate }
    }

    /// Returns the rate of Ack, BlockAck and BlockAckReq frames.
    pub fn response_rate(&self) -> Rate {
        self.ht.as_ref().map_or(self.control_rate, |ht| ht.mode.response_rate())
    }

    /// Returns the time from the end of the backoff to the reception of an IP packet of `bytes` bytes. With
    /// RTS/CTS, the time includes RTS, CTS and two SIFS. If the packet is fragmented, the time includes a
    /// link ACK and two SIFS between consecutive fragments.
    pub fn packet_delivery_time(&self, bytes: u32) -> Span {
        let timing = FrameTiming::new(self);
        let sifs = self.phy.sifs;
        let threshold = self.fragmentation_threshold.unwrap_or(u32::MAX);
        let lengths = FrameLengths::new(
            bytes + self.overhead_bytes,
            self.overhead_bytes.min(MAC_OVERHEAD_BYTES),
            threshold,
        );
        let others = timing.frame_airtime(lengths.frame_bytes) + self.link_ack_time() + sifs;
        self.rts_cts_time(&timing)
            + others * u64::from(lengths.count - 1)
            + timing.frame_airtime(lengths.last_frame_bytes)
    }

    /// Returns the time from the end of the backoff to the start of the data frame: zero without RTS/CTS.
    fn rts_cts_time(&self, timing: &FrameTiming) -> Span {
        match self.access_method {
            AccessMethod::Basic => Span::ZERO,
            AccessMethod::RtsCts => timing.rts + timing.cts + self.phy.sifs * 2,
        }
    }

    /// Returns the time between the reception of a frame and the reception of its link ACK: SIFS and ACK.
    pub fn link_ack_time(&self) -> Span {
        self.phy.sifs + FrameTiming::new(self).ack
    }

    /// Returns the time for which an IP packet of `bytes` bytes occupies a cell: interframe space, frame,
    /// SIFS and link ACK. The backoff is excluded.
    pub fn exchange_time(&self, bytes: u32) -> Span {
        self.ifs() + self.packet_delivery_time(bytes) + self.link_ack_time()
    }

    /// Returns the mean time per IP packet of `bytes` bytes for a single saturated sender: an exchange with
    /// its mean backoff. In a cell with aggregation, the time of the longest A-MPDU's exchange is divided by
    /// the number of packets.
    pub fn saturated_packet_time(&self, bytes: u32) -> Span {
        self.time_per_packet(bytes, self.mean_backoff())
    }

    /// Returns the mean time for which an IP packet of `bytes` bytes occupies a cell, without backoffs.
    /// Without aggregation this is [`CellPlan::exchange_time`]. With aggregation, the time of the longest
    /// A-MPDU's exchange is divided by the number of packets.
    pub fn exchange_time_per_packet(&self, bytes: u32) -> Span {
        self.time_per_packet(bytes, Span::ZERO)
    }

    fn time_per_packet(&self, bytes: u32, backoff: Span) -> Span {
        let Some((psdu, msdus)) =
            self.longest_psdu(bytes).filter(|(psdu, msdus)| psdu.mpdu_count() * msdus > 1)
        else {
            return self.exchange_time(bytes) + backoff;
        };
        let timing = FrameTiming::new(self);
        let answer = if psdu.mpdu_count() > 1 { timing.block_ack } else { timing.ack };
        let exchange =
            self.rts_cts_time(&timing) + timing.psdu_airtime(psdu.bytes()) + self.phy.sifs + answer;
        (self.ifs() + backoff + exchange) / u64::from(psdu.mpdu_count() * msdus)
    }

    /// Returns the longest PSDU of packets of `bytes` bytes each, and the number of packets per MPDU; `None`
    /// if the cell does not aggregate.
    fn longest_psdu(&self, bytes: u32) -> Option<(Psdu, u32)> {
        let (ht, ampdu) = self.ht.as_ref().and_then(|ht| Some((ht, ht.ampdu.as_ref()?)))?;
        let framing =
            MpduFraming::new(&ht.mode, ampdu.max_amsdu_bytes, ampdu.max_ampdu_bytes, self.overhead_bytes);
        let mut body = MpduBody::default();
        while framing.append(&mut body, bytes) {}
        let limits = PsduLimits::new(&ht.mode, ampdu.max_ampdu_bytes, ampdu.block_ack_window, MAX_PPDU_TIME);
        let mpdus = std::iter::repeat_n(framing.mpdu_bytes(&body), ampdu.block_ack_window as usize);
        Some((fill_psdu(&limits, mpdus), body.msdu_count()))
    }
}

/// Returns the airtime of a PPDU with a single MPDU of `bytes` bytes; in VHT and HE modes it is an S-MPDU.
#[inline(never)]
fn single_mpdu_airtime(mode: &TxMode, bytes: u32) -> Span {
    match mode.settings().format {
        PpduFormat::Ht => mode.airtime(bytes),
        _ => mode.airtime(bytes + DELIMITER_BYTES),
    }
}
