//! How long routers wait, and for how long what they say holds.

use crate::plan::{AodvPlan, Variant};
use airhop_base::Span;
use airhop_engine::Stream;

impl AodvPlan {
    /// How long to wait for an answer to a request that goes `ttl` hops, the `floods`-th of those that go through the whole network;
    /// `hop_time` is what a hop took so far.
    pub(super) fn wait(&self, ttl: u8, floods: u32, hop_time: Span) -> Span {
        let there_and_back = |hops: u8| 2 * u64::from(hops);
        match self.variant {
            // RFC 3561 §6.4: with room for two hops more in a ring (TIMEOUT_BUFFER), and twice as long for each further flood.
            Variant::Rfc3561 if floods == 0 => self.hop_time * there_and_back(ttl + 2),
            Variant::Rfc3561 => self.hop_time * there_and_back(self.diameter) * (1 << (floods - 1)),
            Variant::Ns2 => (hop_time * there_and_back(ttl) * u64::from(floods.max(1))).min(self.pause),
        }
    }

    /// For how long the way back holds that a request from so many hops away shows.
    pub(super) fn way_back(&self, hops: u8) -> Span {
        match self.variant {
            // RFC 3561 §6.5: 2 NET_TRAVERSAL_TIME - 2 HopCount NODE_TRAVERSAL_TIME.
            Variant::Rfc3561 => {
                let crossing = self.hop_time * 2 * u64::from(self.diameter);
                (crossing * 2).saturating_sub(self.hop_time * 2 * u64::from(hops))
            }
            Variant::Ns2 => Span::from_secs(6),
        }
    }

    /// What is left of the time of a route, as a reply says it: ns-2 counts whole seconds.
    pub(super) fn rounded(&self, lifetime: Span) -> Span {
        const SECOND: Span = Span::from_secs(1);
        match self.variant {
            Variant::Rfc3561 => lifetime,
            Variant::Ns2 => SECOND * lifetime.whole(SECOND),
        }
    }

    /// The delay of a broadcast that others, who received the same, may send at this moment too.
    pub(super) fn jitter(&self, stream: &mut Stream) -> Span {
        Span::from_secs_f64(stream.uniform() * self.jitter.secs_f64())
    }
}
