use super::ArrivalFlags;
use crate::seams::Ack;
use crate::sender_state::SenderState;

/// Forward RTO recovery (RFC 5682 §3.1, with SACK). After a timeout, the sender transmits two new segments
/// before further retransmissions, to test whether the timeout was spurious.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Frto {
    /// Step 2: waits for the ACK after the retransmission of the first segment.
    AwaitsAnswer,
    /// Step 3: waits for the ACK after new data.
    AwaitsVerdict {
        /// RecoveryPoint: first byte of new data.
        point: u64,
    },
}

/// Outcome of an ACK for F-RTO.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// Undecided: F-RTO continues in this state.
    Open(Frto),
    /// The timeout was not spurious.
    Lost,
    /// The timeout was spurious: segments were delayed, not lost.
    Spurious,
}

impl Frto {
    /// Processes an ACK after the timeout. If `at_once`, the arrival of a segment sent before the timeout and
    /// not retransmitted suffices in either step (Linux, tcp_process_loss()).
    pub fn on_ack(
        self,
        s: &SenderState,
        a: &Ack,
        news: ArrivalFlags,
        at_once: bool,
        recovery_point: u64,
    ) -> Verdict {
        let ArrivalFlags { late, beyond, .. } = news;
        match self {
            _ if at_once && late => Verdict::Spurious,
            // "If duplicate ACKs arrive …, adjust the scoreboard …, and stay in step 2".
            Frto::AwaitsAnswer if a.acked_bytes == 0 => Verdict::Open(self),
            Frto::AwaitsAnswer if s.una >= recovery_point => Verdict::Lost, // step 2a
            Frto::AwaitsAnswer => Verdict::Open(Frto::AwaitsVerdict { point: s.sent_end }), // step 2b
            Frto::AwaitsVerdict { .. } if beyond => Verdict::Lost,          // step 3a
            Frto::AwaitsVerdict { .. } if late => Verdict::Spurious,        // step 3b
            Frto::AwaitsVerdict { .. } => Verdict::Open(self),
        }
    }
}
