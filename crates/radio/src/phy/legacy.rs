//! Timing of 802.11, 802.11b and 802.11g, and of the OFDM control frames of later standards.
//!
//! All values are those of the standard. The fields are public so that a study can change single values, for
//! example the contention windows as in Cheng & Lin 2008.
use airhop_base::{Rate, Span};

/// Length of an RTS frame in bytes (IEEE 802.11-2016 §9.3.1.2).
pub const RTS_BYTES: u32 = 20;
/// Length of a CTS frame in bytes (IEEE 802.11-2016 §9.3.1.3).
pub const CTS_BYTES: u32 = 14;
/// Length of an ACK frame in bytes (IEEE 802.11-2016 §9.3.1.4).
pub const ACK_BYTES: u32 = 14;
/// Length of the MAC header and FCS of a data frame, in bytes (IEEE 802.11-2016 §9.3.2.1). Each fragment has
/// a header and an FCS.
pub const MAC_OVERHEAD_BYTES: u32 = 24 + 4;
/// Length of LLC and SNAP before each packet, in bytes (IEEE 802.2).
pub const LLC_BYTES: u32 = 8;
/// Number of bytes that a data frame adds to an IP packet: MAC header, FCS, LLC and SNAP.
pub const DATA_OVERHEAD_BYTES: u32 = MAC_OVERHEAD_BYTES + LLC_BYTES;

/// Timing of one 802.11 PHY.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phy {
    /// Name in scenario files: "802.11", "802.11b", "802.11g".
    pub name: &'static str,
    /// Slot time.
    pub slot: Span,
    /// Short interframe space.
    pub sifs: Span,
    /// Smallest contention window in slots. A backoff is uniform in {0, …, CW} slots.
    pub cw_min: u32,
    /// Largest contention window in slots.
    pub cw_max: u32,
    /// Duration of PLCP preamble and header, the same at any data rate.
    pub plcp_duration: Span,
    /// Coding of a frame's bits. The airtime depends on it.
    pub coding: Coding,
    /// Rates of the standard in ascending order. The first is the lowest basic rate.
    pub rates: &'static [Rate],
}

/// Coding of a frame's bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coding {
    /// Bits are sent one after the other at the data rate (FHSS, DSSS, CCK).
    Serial,
    /// Bits are sent in OFDM symbols of 4 µs, followed by a signal extension (ERP-OFDM: 6 µs, IEEE
    /// 802.11-2016 §18.3.2.4).
    Ofdm {
        /// Duration of the signal extension.
        signal_extension: Span,
    },
}

const fn mbps<const N: usize>(tenths: [u64; N]) -> [Rate; N] {
    let mut rates = [Rate::from_bps(1); N];
    let mut i = 0;
    while i < N {
        rates[i] = Rate::from_bps(tenths[i] * 100_000);
        i += 1;
    }
    rates
}

const FHSS_RATES: [Rate; 2] = mbps([10, 20]);
const DSSS_RATES: [Rate; 4] = mbps([10, 20, 55, 110]);
pub(super) const OFDM_RATES: [Rate; 8] = mbps([60, 90, 120, 180, 240, 360, 480, 540]);

impl Phy {
    /// 802.11 with frequency hopping: 96 + 32 bits of preamble and header at 1 Mbit/s.
    pub const FHSS: Phy = Phy {
        name: "802.11",
        slot: Span::from_micros(50),
        sifs: Span::from_micros(28),
        cw_min: 15,
        cw_max: 1023,
        plcp_duration: Span::from_micros(128),
        coding: Coding::Serial,
        rates: &FHSS_RATES,
    };

    /// 802.11b with the long preamble: 144 + 48 bits at 1 Mbit/s.
    pub const DSSS: Phy = Phy {
        name: "802.11b",
        slot: Span::from_micros(20),
        sifs: Span::from_micros(10),
        cw_min: 31,
        cw_max: 1023,
        plcp_duration: Span::from_micros(192),
        coding: Coding::Serial,
        rates: &DSSS_RATES,
    };

    /// 802.11g without 802.11b stations: preamble 16 µs, SIGNAL 4 µs, short slots.
    pub const ERP_OFDM: Phy = Phy {
        name: "802.11g",
        slot: Span::from_micros(9),
        sifs: Span::from_micros(10),
        cw_min: 15,
        cw_max: 1023,
        plcp_duration: Span::from_micros(20),
        coding: Coding::Ofdm { signal_extension: Span::from_micros(6) },
        rates: &OFDM_RATES,
    };

    /// All standards, the oldest first.
    pub const ALL: [Phy; 3] = [Phy::FHSS, Phy::DSSS, Phy::ERP_OFDM];

    /// Returns the standard with this name; `None` for other names.
    pub fn find(name: &str) -> Option<Phy> {
        Self::ALL.into_iter().find(|p| p.name == name)
    }

    /// Returns the names accepted by [`Phy::find`].
    pub fn names() -> [&'static str; 3] {
        Self::ALL.map(|p| p.name)
    }

    /// Returns DIFS: a SIFS and two slots (IEEE 802.11-2016 §10.3.7).
    pub fn difs(&self) -> Span {
        self.sifs + self.slot * 2
    }

    /// Returns EIFS: a SIFS, an ACK with preamble at the lowest basic rate, and a DIFS. A station waits EIFS
    /// after a frame that it could not decode, so that the ACK of this frame is not interrupted. The station
    /// may be out of range of the ACK (IEEE 802.11-2016 §10.3.7).
    pub fn eifs(&self) -> Span {
        self.sifs + self.airtime(ACK_BYTES, self.rates[0]) + self.difs()
    }

    /// Returns AckTimeout and CTSTimeout without the SIFS before the response. Both are one slot plus
    /// aRxPHYStartDelay, the duration of preamble and header (IEEE 802.11-2016 §10.3.2.9, Tables 15-5, 16-4,
    /// 17-21).
    pub fn response_timeout(&self) -> Span {
        self.slot + self.plcp_duration
    }

    /// Returns the airtime of a MAC frame of `bytes` bytes at `rate`, including the preamble, rounded up to a
    /// nanosecond.
    pub fn airtime(&self, bytes: u32, rate: Rate) -> Span {
        self.plcp_duration
            + match self.coding {
                Coding::Serial => rate.time_for_bytes(bytes),
                Coding::Ofdm { signal_extension } => ofdm_data_duration(bytes, rate) + signal_extension,
            }
    }
}

/// Returns the duration of the DATA field of an OFDM frame: 16 service bits, the frame and 6 tail bits,
/// padded to whole symbols (IEEE 802.11-2016 §17.3.5.4).
fn ofdm_data_duration(bytes: u32, rate: Rate) -> Span {
    const SYMBOL_US: u64 = 4;
    let bits = 16 + 8 * u64::from(bytes) + 6;
    Span::from_micros(SYMBOL_US) * (bits * 1_000_000).div_ceil(rate.bps() * SYMBOL_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbit(tenths: u64) -> Rate {
        Rate::from_bps(tenths * 100_000)
    }

    #[test]
    fn interframe_spaces_match_the_standard() {
        let us = |p: Phy| [p.difs(), p.eifs()].map(|s| s.nanos() / 1000);
        assert_eq!(us(Phy::FHSS), [128, 28 + 128 + 128 + 112]);
        assert_eq!(us(Phy::DSSS), [50, 364]); // as in ns-2
        assert_eq!(us(Phy::ERP_OFDM), [28, 10 + 28 + 50]);
    }

    #[test]
    fn dsss_airtimes_match_ns2() {
        let b = Phy::find("802.11b").unwrap();
        // ns-2.35 prints the same airtimes: data frame 973.1 µs, TCP-ACK frame 245.8 µs, link ACK 304 and
        // 202.2 µs.
        assert_eq!(b.airtime(1074, mbit(110)).nanos(), 973_091);
        assert_eq!(b.airtime(74, mbit(110)).nanos(), 245_819);
        assert_eq!(b.airtime(ACK_BYTES, mbit(10)).nanos(), 304_000);
        assert_eq!(b.airtime(ACK_BYTES, mbit(110)).nanos(), 202_182);
        assert_eq!(b.airtime(RTS_BYTES, mbit(10)).nanos(), 352_000);
        assert_eq!(Phy::FHSS.airtime(1000, mbit(20)).nanos(), 128_000 + 4_000_000);
    }

    #[test]
    fn ofdm_airtimes_are_whole_numbers_of_symbols() {
        let g = Phy::find("802.11g").unwrap();
        // Worked example of 802.11a-1999, annex G: a 100-byte PSDU at 36 Mbit/s has 6 symbols.
        assert_eq!(g.airtime(100, mbit(360)).nanos(), (20 + 6 * 4 + 6) * 1000);
        assert_eq!(g.airtime(1536, mbit(540)).nanos(), (20 + 57 * 4 + 6) * 1000); // 12310 / 216 = 56.99
        assert_eq!(g.airtime(ACK_BYTES, mbit(60)).nanos(), (20 + 6 * 4 + 6) * 1000);
        assert_eq!(g.airtime(ACK_BYTES, mbit(240)).nanos(), (20 + 2 * 4 + 6) * 1000);
    }

    #[test]
    fn every_phy_is_found_by_its_name() {
        for name in Phy::names() {
            assert_eq!(Phy::find(name).unwrap().name, name);
        }
        assert_eq!(Phy::find("802.11n"), None);
        assert!(Phy::DSSS.rates.contains(&mbit(55)) && !Phy::DSSS.rates.contains(&mbit(60)));
    }
}
