//! Errors by SNR: the packet error rate (PER) of an MPDU depends on the distance of the two stations, the
//! transmission mode, and the MPDU length.

mod budget;
mod nist;
mod table;
mod yans;

use super::by_length::LossCache;
use super::{Damage, ErrorModel, Frame};
use crate::phy::{BASIC_RATES, Modulation, TxMode};
use airhop_base::Rate;
use airhop_engine::RandomStream;
pub use budget::LinkBudget;

/// Errors by SNR on the link between two stations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnrPlan {
    /// Model of the PER.
    pub model: PerModel,
    /// Channel code of frames with data; group-addressed frames always have BCC.
    pub coding: ChannelCode,
    /// Transmission mode of frames with data.
    pub mode: TxMode,
    /// Rate of group-addressed frames, a basic rate of OFDM.
    pub group_rate: Rate,
    /// Power, path loss and noise.
    pub budget: LinkBudget,
    /// Distance of the two stations, metres.
    pub metres: f64,
}

/// Model of the PER as a function of the SNR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerModel {
    /// Curves of simulated links in white Gaussian noise.
    Table,
    /// Union bound (Pei and Henderson 2010).
    Nist,
    /// First terms of the union bound (Lacage and Henderson 2006).
    Yans,
}

impl PerModel {
    /// All models, with their names.
    pub const ALL: [(&str, PerModel); 3] =
        [("table", PerModel::Table), ("nist", PerModel::Nist), ("yans", PerModel::Yans)];
}

/// Channel code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelCode {
    /// Binary convolutional code, decoded by Viterbi's algorithm.
    Bcc,
    /// Low-density parity-check code.
    Ldpc,
}

impl ChannelCode {
    /// All codes, with their names.
    pub const ALL: [(&str, ChannelCode); 2] = [("bcc", ChannelCode::Bcc), ("ldpc", ChannelCode::Ldpc)];
}

/// Modulation properties that determine the PER of a frame.
#[derive(Clone, Copy, Debug)]
struct SignalModulation {
    mcs: u8,
    /// Ratio Es/N0 of a symbol, divided by the SNR; see [`TxMode::symbol_gain`].
    symbol_gain: f64,
}

impl SignalModulation {
    fn from_mode(mode: &TxMode) -> Self {
        SignalModulation { mcs: mode.settings().mcs, symbol_gain: mode.symbol_gain() }
    }

    /// Returns the signal of an OFDM frame at a basic rate: 48 data subcarriers per 20 MHz, symbols of 4 µs.
    /// The modulations are BPSK, QPSK and 16-QAM, each with code rate 1/2 (IEEE 802.11-2020 §17.2).
    fn from_basic_rate(rate: Rate) -> Self {
        let mcs = BASIC_RATES.into_iter().zip([0, 1, 3]).find(|(basic, _)| *basic == rate);
        SignalModulation { mcs: mcs.map_or(0, |(_, mcs)| mcs), symbol_gain: 20.0 * 4.0 / 48.0 }
    }
}

/// PER at one SNR as a function of the frame length.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PacketErrorRate {
    /// Constant number of error events per octet.
    Uniform(f64),
    /// Error events per octet by the curves of the table.
    Table(table::CurvePoint),
}

impl PacketErrorRate {
    fn new(model: PerModel, coding: ChannelCode, signal: SignalModulation, snr: f64) -> Self {
        let (ratio, modulation) = (libm::pow(10.0, snr / 10.0), Modulation::from_mcs(signal.mcs));
        // PER = 1 − (1 − p)^(8 n) for a frame of n octets
        let of_bits = |p: f64| PacketErrorRate::Uniform(-8.0 * libm::log1p(-p));
        let yans = || of_bits(yans::bit_error_rate(modulation, ratio * signal.symbol_gain));
        match (model, coding) {
            (PerModel::Nist, _) => of_bits(nist::bit_error_rate(modulation, ratio)),
            (PerModel::Yans, _) => yans(),
            (PerModel::Table, ChannelCode::Ldpc) => {
                PacketErrorRate::Table(table::CurvePoint::ldpc(signal.mcs, snr))
            }
            // An MCS without a curve has the PER of YANS, as in ns-3.
            (PerModel::Table, ChannelCode::Bcc) => {
                table::CurvePoint::bcc(signal.mcs, snr).map_or_else(yans, PacketErrorRate::Table)
            }
        }
    }

    /// Returns the loss probability of a frame of `bits` bits.
    fn loss_probability(&self, bits: u64) -> f64 {
        let octets = bits as f64 / 8.0;
        let events = match self {
            PacketErrorRate::Uniform(events) => *events,
            PacketErrorRate::Table(point) => point.error_events_per_octet(octets),
        };
        -libm::expm1(-octets * events)
    }
}

impl SnrPlan {
    /// Returns the SNR per stream and subcarrier of frames with data, in dB.
    pub fn snr_db(&self) -> f64 {
        let settings = self.mode.settings();
        self.budget.snr_db(self.metres, settings.width_mhz, settings.streams)
    }

    /// Returns the PER of a frame with data of `octets` octets.
    pub fn packet_error_rate(&self, octets: u32) -> f64 {
        self.data_error_rate().loss_probability(u64::from(octets) * 8)
    }

    fn data_error_rate(&self) -> PacketErrorRate {
        let signal = SignalModulation::from_mode(&self.mode);
        self.if_detected(|| PacketErrorRate::new(self.model, self.coding, signal, self.snr_db()))
    }

    /// Returns the PER of group-addressed frames. Such frames are sent in one stream, as duplicates on each
    /// 20 MHz of the channel.
    fn group_error_rate(&self) -> PacketErrorRate {
        let snr = self.budget.snr_db(self.metres, self.mode.settings().width_mhz, 1);
        self.if_detected(|| {
            PacketErrorRate::new(
                self.model,
                ChannelCode::Bcc,
                SignalModulation::from_basic_rate(self.group_rate),
                snr,
            )
        })
    }

    fn if_detected(&self, per: impl FnOnce() -> PacketErrorRate) -> PacketErrorRate {
        if self.budget.detects(self.metres) { per() } else { PacketErrorRate::Uniform(f64::INFINITY) }
    }
}

/// Losses of frames with data, each with its PER and independent of the others.
#[derive(Debug)]
pub(super) struct SnrModel {
    /// PER of frames for one station, and PER of group-addressed frames.
    per: [PacketErrorRate; 2],
    /// Cached loss probabilities by frame length, in the order of `per`.
    known: [LossCache; 2],
    stream: RandomStream,
}

impl SnrModel {
    pub fn new(plan: &SnrPlan, stream: RandomStream) -> Self {
        SnrModel {
            per: [plan.data_error_rate(), plan.group_error_rate()],
            known: [LossCache::default(), LossCache::default()],
            stream,
        }
    }

    fn loss_probability(&mut self, frame: &Frame) -> f64 {
        let of = usize::from(frame.is_broadcast);
        self.known[of].get_or_compute(frame.bits, || self.per[of].loss_probability(frame.bits))
    }
}

impl ErrorModel for SnrModel {
    /// Draws one uniform number. Each MPDU has its own FCS, so no part of a lost frame is usable.
    fn draw_damage(&mut self, frame: &Frame) -> Damage {
        let p = self.loss_probability(frame);
        if self.stream.random_bool(p) { Damage::Header } else { Damage::None }
    }
}

#[cfg(test)]
mod tests;
