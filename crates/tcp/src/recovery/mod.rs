//! Loss recoveries.
//!
//! Seven recoveries use the scoreboard. They differ in the definition of a lost segment, and in the limit of
//! the flight:
//!
//! | recovery | a segment is lost | limit of the flight |
//! |---|---|---|
//! | [`SackPipe`] | at the third duplicate ACK; after that any hole may be filled | a counter that each duplicate ACK lowers by one |
//! | [`Rfc6675`] | if DupThresh separate SACKed ranges, or SACKed bytes of as many segments, lie above it in sequence order | bytes neither SACKed nor lost; PRR |
//! | [`RateHalving`] | if DupThresh SACKed segments lie above it; a retransmission, if a segment sent after it has arrived | as [`Rfc6675`], lowered with every second ACK |
//! | [`Ns2LinuxRecovery`] | if DupThresh + 1 SACKed segments lie above it; a retransmission, also if a much later retransmission has arrived | as [`Rfc6675`], by ns-2.35's rules |
//! | [`EsackRecovery`] | if DupThresh segments sent after it have arrived (Algorithm 1 of Yun 2009), except while a link layer retransmits it | as [`Rfc6675`], without halving |
//! | [`RackRecovery`] | if a segment sent later arrived longer ago than the reordering window | as [`Rfc6675`]; PRR |
//! | [`DcrRecovery`] | as [`Rfc6675`], a round trip later | all outstanding data during the delay |

mod common;
mod duplicates;
mod fine_timeout;
mod notice_aware;
mod ns2;
mod order;
mod prr;
mod rack;
mod sack;

pub use duplicates::{PartialAckReaction, RenoRecovery, TahoeRecovery, TcpClRecovery, VegasRecovery};
pub use notice_aware::NoticeAwareRecovery;
pub use ns2::{Ns2LinuxRecovery, Ns2VegasRecovery};
pub use order::{EsackRecovery, LhpRecovery, SendOrderEntry, SendOrderList, TriggerField};
pub(crate) use prr::Prr;
pub use rack::RackRecovery;
pub use sack::{DcrRecovery, RateHalving, Rfc6675, SackPipe};

use crate::config::{LossDetection, SackRecovery};
use crate::seams::Recovery;
use crate::{Config, Preset};

/// Kind of recovery, selected by name.
#[derive(Debug)]
pub struct RecoveryKind {
    /// The recovery's name.
    pub name: &'static str,
    /// True if the recovery requires SACK blocks from the receiver.
    pub needs_sack: bool,
    /// Builds the recovery of a new connection.
    pub build: fn(&Config) -> Box<dyn Recovery>,
}

/// All kinds of recovery.
pub static RECOVERY_KINDS: &[RecoveryKind] = &[
    RecoveryKind { name: "tahoe", needs_sack: false, build: |_| Box::new(TahoeRecovery::default()) },
    RecoveryKind { name: "reno", needs_sack: false, build: reno },
    RecoveryKind { name: "newreno", needs_sack: false, build: newreno },
    RecoveryKind { name: "sack", needs_sack: true, build: sack },
    RecoveryKind { name: "esack", needs_sack: true, build: |_| Box::new(EsackRecovery::default()) },
];

/// Returns the configured recovery. The default is Reno's.
pub fn reno(c: &Config) -> Box<dyn Recovery> {
    recovery_by_detection(c, |_| Box::new(RenoRecovery::new(PartialAckReaction::Ends, false)))
}

/// Returns the configured recovery. The default is NewReno's.
pub fn newreno(c: &Config) -> Box<dyn Recovery> {
    recovery_by_detection(c, |c| {
        Box::new(RenoRecovery::new(PartialAckReaction::RepairsNext, c.exit_to_flight))
    })
}

/// Returns the configured recovery of the scheme `sack`.
pub fn sack(c: &Config) -> Box<dyn Recovery> {
    recovery_by_detection(c, |c| match c.sack_recovery {
        SackRecovery::Pipe => Box::new(SackPipe::default()),
        SackRecovery::Rfc6675 => Box::new(Rfc6675::new(c)),
        SackRecovery::RateHalving => rate_halving(c),
    })
}

/// Returns rate-halving recovery. The preset ns2 selects ns-2.35's variant.
pub fn rate_halving(c: &Config) -> Box<dyn Recovery> {
    match c.stack {
        Preset::Ns2 => Box::new(Ns2LinuxRecovery::default()),
        Preset::Rfc | Preset::Linux => Box::new(RateHalving::default()),
    }
}

/// Returns the recovery of a Reno-family scheme. For `Duplicates` this is `own`; otherwise [`LossDetection`]
/// selects the same recovery for all schemes.
pub fn recovery_by_detection(
    c: &Config,
    own: impl FnOnce(&Config) -> Box<dyn Recovery>,
) -> Box<dyn Recovery> {
    match c.loss_detection {
        LossDetection::Duplicates => own(c),
        LossDetection::Rfc6675 => Box::new(Rfc6675::new(c)),
        LossDetection::Rack => Box::new(RackRecovery::new(c)),
    }
}
