//! Ways to repair a loss.
//!
//! Seven go by the scoreboard; they stay separate because each defines "lost" and "in flight" differently:
//!
//! | recovery | lost is | the flight is limited by |
//! |---|---|---|
//! | [`SackPipe`] | the third duplicate's segment; any hole may be filled after that | a counter that each duplicate lowers by one |
//! | [`Rfc6675`] | what DupThresh runs, or as many segments, lie above (sequence order) | what is neither SACKed nor lost; PRR |
//! | [`RateHalving`] | what DupThresh segments lie above; a repair, by the order of sending | the same, lowered with every second ACK |
//! | [`Ns2Linux`] | what DupThresh + 1 segments lie above; a repair, by the order of repairs | the same, by ns-2.35's rules |
//! | [`Esack`] | what DupThresh segments were sent after (Algorithm 1 of Yun 2009), held ones left out | the same, without halving |
//! | [`Rack`] | what something sent later has overtaken for too long | the same; PRR |
//! | [`Delayed`] | as [`Rfc6675`], a round trip later | all that is outstanding, while it waits |

mod common;
mod duplicates;
mod fine_timeout;
mod notice_aware;
mod ns2;
mod order;
mod prr;
mod rack;
mod sack;

pub use duplicates::{Corrupted, Partial, RenoRecovery, Tahoe, Vegas};
pub use notice_aware::NoticeAware;
pub use ns2::{Ns2Linux, Ns2Vegas};
pub use order::{Entry, Esack, Lhp, PacketList, Trigger};
pub(crate) use prr::Prr;
pub use rack::Rack;
pub use sack::{Delayed, RateHalving, Rfc6675, SackPipe};

use crate::config::{LossDetection, SackRecovery};
use crate::seams::Recovery;
use crate::{Config, Preset};

/// A way to repair a loss, for schemes that choose it by its name.
#[derive(Debug)]
pub struct Kind {
    /// The recovery's name.
    pub name: &'static str,
    /// True if the receiver must report SACK blocks.
    pub sack: bool,
    /// Makes it for a new connection.
    pub build: fn(&Config) -> Box<dyn Recovery>,
}

/// The recoveries by name.
pub static KINDS: &[Kind] = &[
    Kind { name: "tahoe", sack: false, build: |_| Box::new(Tahoe::default()) },
    Kind { name: "reno", sack: false, build: reno },
    Kind { name: "newreno", sack: false, build: newreno },
    Kind { name: "sack", sack: true, build: sack },
    Kind { name: "esack", sack: true, build: |_| Box::new(Esack::default()) },
];

/// Returns Reno's recovery, or the one configured instead.
pub fn reno(c: &Config) -> Box<dyn Recovery> {
    by_detection(c, |_| Box::new(RenoRecovery::new(Partial::Ends, false)))
}

/// NewReturns Reno's recovery, or the one configured instead.
pub fn newreno(c: &Config) -> Box<dyn Recovery> {
    by_detection(c, |c| Box::new(RenoRecovery::new(Partial::RepairsNext, c.exit_to_flight)))
}

/// Returns the recovery with SACK that the configuration asks for.
pub fn sack(c: &Config) -> Box<dyn Recovery> {
    by_detection(c, |c| match c.sack_recovery {
        SackRecovery::Pipe => Box::new(SackPipe::default()),
        SackRecovery::Rfc6675 => Box::new(Rfc6675::new(c)),
        SackRecovery::RateHalving => rate_halving(c),
    })
}

/// Rate halving: ns-2's where the sender is ns-2's.
pub fn rate_halving(c: &Config) -> Box<dyn Recovery> {
    match c.stack {
        Preset::Ns2 => Box::new(Ns2Linux::default()),
        Preset::Rfc | Preset::Linux => Box::new(RateHalving::default()),
    }
}

/// Returns the recovery of a scheme of Reno's family: the configured one for all schemes if set, else its `own`.
pub fn by_detection(c: &Config, own: impl FnOnce(&Config) -> Box<dyn Recovery>) -> Box<dyn Recovery> {
    match c.loss_detection {
        LossDetection::Duplicates => own(c),
        LossDetection::Rfc6675 => Box::new(Rfc6675::new(c)),
        LossDetection::Rack => Box::new(Rack::new(c)),
    }
}
