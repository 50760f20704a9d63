use super::News;
use crate::seams::Ack;
use crate::sender_state::SenderState;

/// Forward RTO-recovery (RFC 5682 §3.1, with SACK): before the other segments are retransmitted after a timeout, two
/// new segments test whether they are lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Frto {
    /// Step 2: the answer to the retransmission of the first segment.
    AwaitsAnswer,
    /// Step 3: the answer to new data.
    AwaitsVerdict {
        /// RecoveryPoint: new data begins here.
        point: u64,
    },
}

/// Outcome of an ACK for F-RTO.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// Not yet known: continue with this state.
    Open(Frto),
    /// The timeout was genuine.
    Lost,
    /// The timeout was spurious: all segments were only late.
    Spurious,
}

impl Frto {
    /// An ACK after the timeout. `late`: it shows that something arrived that was sent once and before the timeout; with `at_once` (Linux,
    /// tcp_process_loss()) that is enough whenever it comes. `beyond`: it reports something above `point`.
    pub fn on_ack(self, s: &SenderState, a: &Ack, news: News, at_once: bool, recovery_point: u64) -> Verdict {
        let News { late, beyond, .. } = news;
        match self {
            _ if at_once && late => Verdict::Spurious,
            // "If duplicate ACKs arrive …, adjust the scoreboard …, and stay in step 2".
            Frto::AwaitsAnswer if a.acked == 0 => Verdict::Open(self),
            Frto::AwaitsAnswer if s.una >= recovery_point => Verdict::Lost, // step 2a
            Frto::AwaitsAnswer => Verdict::Open(Frto::AwaitsVerdict { point: s.max_sent }), // step 2b
            Frto::AwaitsVerdict { .. } if beyond => Verdict::Lost,          // step 3a
            Frto::AwaitsVerdict { .. } if late => Verdict::Spurious,        // step 3b
            Frto::AwaitsVerdict { .. } => Verdict::Open(self),
        }
    }
}
