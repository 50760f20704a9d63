//! Order of a packet's fragments, and lifetime of the packet.

use airhop_base::{Span, Time};

/// dot11MaxTransmitMSDULifetime: 512 TU of 1024 µs (IEEE 802.11-2016 annex C.3).
const MAX_MSDU_LIFETIME: Span = Span::from_micros(512 * 1024);

/// Order of a packet's fragments, with the limits of attempts.
#[derive(Clone, Copy, Debug)]
pub(super) enum FragmentOrder {
    /// Each fragment is retransmitted until it is acknowledged (IEEE 802.11-2016 §10.3.4.5).
    Standard(FragmentLimits),
    /// LHP: the first fragment is retransmitted until it is acknowledged; then the other fragments are sent
    /// in turn.
    HeadersFirst,
}

impl FragmentOrder {
    /// Returns the number of the fragment after `current`; `None` if all `count` fragments are acknowledged.
    pub fn next_fragment(&self, acknowledged: u16, count: u32, current: u32) -> Option<u32> {
        let waits = |number: &u32| acknowledged & (1 << number) == 0;
        match self {
            FragmentOrder::Standard(_) => (0..count).find(waits),
            FragmentOrder::HeadersFirst => {
                let in_turn = (1..=count).map(|i| (current + i) % count);
                Some(0).filter(waits).or_else(|| in_turn.clone().find(waits))
            }
        }
    }

    /// Starts a burst, or the next fragment of a burst. Returns false if the packet's lifetime has ended.
    pub fn begin_burst(&mut self, now: Time) -> bool {
        match self {
            FragmentOrder::Standard(limits) => limits.start_lifetime(now),
            FragmentOrder::HeadersFirst => true,
        }
    }
}

/// Attempts of each fragment, and the packet's lifetime.
#[derive(Clone, Copy, Debug)]
pub(super) struct FragmentLimits {
    /// Maximum number of transmissions of a fragment.
    pub max_attempts: u32,
    /// End of the packet's lifetime; `None` before the first burst.
    expires: Option<Time>,
}

impl FragmentLimits {
    pub fn new(attempts: u32) -> Self {
        FragmentLimits { max_attempts: attempts, expires: None }
    }

    /// Starts the packet's lifetime at its first burst: the lifetime "starts on the attempt to transmit the
    /// first" fragment. Returns false if the lifetime has ended.
    fn start_lifetime(&mut self, now: Time) -> bool {
        now <= *self.expires.get_or_insert(now + MAX_MSDU_LIFETIME)
    }
}
