//! Call: voice over RTP and UDP in both directions.

use super::conversation::{Conversation, Deadline, QualityModel};
use super::quality::{CallQuality, Codec};
use super::{App, AppPlan, AppSetup, Punctuality, Quality, TransportProtocol};
use airhop_base::{Rate, Span};

/// Length of the RTP header in bytes, without contributing sources (RFC 3550 §5.1). The header is UDP
/// payload.
const RTP_HEADER_BYTES: u32 = 12;

/// Call between two nodes. Both sides speak all the time, without silence suppression. Each listener has a
/// playout buffer of constant delay (ITU-T G.1020 §7.2: fixed de-jitter buffer).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallPlan {
    /// Rate of the codec, without any headers.
    pub rate: Rate,
    /// Duration of the speech in a packet.
    pub packet_interval: Span,
    /// Time from the arrival of the first packet to its playout.
    pub playout_delay: Span,
    /// Equipment impairment factor Ie of the codec (ITU-T G.113).
    pub ie: f64,
    /// Packet-loss robustness factor Bpl of the codec in percent (ITU-T G.113).
    pub bpl: f64,
}

impl CallPlan {
    /// Returns the UDP payload of a packet in bytes: speech padded to whole bytes, plus the RTP header.
    fn payload_bytes(&self) -> u32 {
        let bits = u128::from(self.rate.bps()) * u128::from(self.packet_interval.nanos());
        let speech = u32::try_from(bits.div_ceil(8 * 1_000_000_000)).unwrap_or(u32::MAX);
        speech.saturating_add(RTP_HEADER_BYTES)
    }
}

impl AppPlan for CallPlan {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Udp
    }

    fn datagram_bytes(&self) -> Option<u32> {
        Some(self.payload_bytes())
    }

    fn is_conversation(&self) -> bool {
        true
    }

    fn mean_rate_bps(&self) -> f64 {
        f64::from(self.payload_bytes()) * 8.0 / self.packet_interval.secs_f64()
    }

    fn create_app(&self, opening: &AppSetup) -> Box<dyn App> {
        Box::new(Conversation::new(*self, self.packet_interval, opening))
    }
}

impl QualityModel for CallPlan {
    fn deadline(&self) -> Deadline {
        Deadline::AfterFirstArrival(self.playout_delay)
    }

    fn quality(&self, packets: Punctuality, bound: Option<Span>) -> Quality {
        let codec = Codec { ie: self.ie, bpl: self.bpl };
        Quality::Call(CallQuality::new(packets, self.packet_interval, bound, codec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(kbps: u64, ms: u64) -> CallPlan {
        let (rate, every) = (Rate::from_bps(kbps * 1000), Span::from_millis(ms));
        CallPlan { rate, packet_interval: every, playout_delay: Span::from_millis(60), ie: 0.0, bpl: 4.3 }
    }

    // G.711 has 160 bytes of speech per 20 ms, and GSM 260 bits in 33 bytes (RFC 3551 §4.5.8). With 12 bytes
    // of RTP header the UDP payload of G.711 is 172 bytes per packet, 68.8 kbit/s.
    #[test]
    fn a_packet_has_the_speech_of_an_interval_and_an_rtp_header() {
        assert_eq!(call(64, 20).datagram_bytes(), Some(172));
        assert_eq!(call(13, 20).datagram_bytes(), Some(45));
        assert_eq!(call(64, 20).mean_rate_bps(), 68_800.0);
        assert_eq!(call(u64::MAX / 1000, 1_000_000_000).datagram_bytes(), Some(u32::MAX));
    }
}
