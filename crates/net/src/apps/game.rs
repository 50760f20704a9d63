//! Game: small packets in both directions.

use super::conversation::{Conversation, Deadline, QualityModel};
use super::quality::GameQuality;
use super::{App, AppPlan, AppSetup, Punctuality, Quality, TransportProtocol};
use airhop_base::Span;

/// Game between a player and a server. Each node sends packets of constant size at constant intervals
/// (ticks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GamePlan {
    /// Payload of a packet in bytes.
    pub payload_bytes: u32,
    /// Interval between packets in one direction.
    pub packet_interval: Span,
    /// Maximum one-way delay of a packet. A packet with a longer delay is late.
    pub deadline: Span,
}

impl AppPlan for GamePlan {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Udp
    }

    fn datagram_bytes(&self) -> Option<u32> {
        Some(self.payload_bytes)
    }

    fn is_conversation(&self) -> bool {
        true
    }

    fn mean_rate_bps(&self) -> f64 {
        f64::from(self.payload_bytes) * 8.0 / self.packet_interval.secs_f64()
    }

    fn create_app(&self, opening: &AppSetup) -> Box<dyn App> {
        Box::new(Conversation::new(*self, self.packet_interval, opening))
    }
}

impl QualityModel for GamePlan {
    fn deadline(&self) -> Deadline {
        Deadline::AfterSending(self.deadline)
    }

    fn quality(&self, packets: Punctuality, _: Option<Span>) -> Quality {
        Quality::Game(GameQuality { punctuality: packets })
    }
}
