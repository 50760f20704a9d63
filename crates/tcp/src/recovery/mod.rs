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

mod corrupted;
mod delayed;
mod esack;
mod frto;
mod lhp;
mod notice_aware;
mod ns2_linux;
mod ns2_vegas;
mod packet_list;
mod probe;
mod prr;
mod rack;
mod rate_halving;
mod reno;
mod reordering;
mod rfc6675;
mod sack_pipe;
mod sending_order;
mod tahoe;
mod vegas;

pub use corrupted::Corrupted;
pub use delayed::Delayed;
pub use esack::Esack;
pub use lhp::{Lhp, Trigger};
pub use notice_aware::NoticeAware;
pub use ns2_linux::Ns2Linux;
pub use ns2_vegas::Ns2Vegas;
pub use packet_list::{Entry, PacketList};
pub use rack::Rack;
pub use rate_halving::RateHalving;
pub use reno::{Partial, RenoRecovery};
pub use rfc6675::Rfc6675;
pub use sack_pipe::SackPipe;
pub use tahoe::Tahoe;
pub use vegas::Vegas;

use crate::config::{LossDetection, SackRecovery};
use crate::seams::{Cause, Next, Recovery};
use crate::sender_state::SenderState;
use crate::{Config, Preset};
use prr::Prr;
use std::collections::VecDeque;

/// A way to repair a loss, for schemes that choose it by its name.
#[derive(Debug)]
pub struct Kind {
    /// Its name.
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

/// Reno's recovery, or what the configuration puts in its place.
pub fn reno(c: &Config) -> Box<dyn Recovery> {
    by_detection(c, |_| Box::new(RenoRecovery::new(Partial::Ends, false)))
}

/// NewReno's recovery, or what the configuration puts in its place.
pub fn newreno(c: &Config) -> Box<dyn Recovery> {
    by_detection(c, |c| Box::new(RenoRecovery::new(Partial::RepairsNext, c.exit_to_flight)))
}

/// The recovery with SACK that the configuration asks for.
pub fn sack(c: &Config) -> Box<dyn Recovery> {
    by_detection(c, |c| match c.sack_recovery {
        SackRecovery::Pipe => Box::new(SackPipe::default()),
        SackRecovery::Rfc6675 => Box::new(Rfc6675::new(c)),
        SackRecovery::RateHalving => rate_halving(c),
    })
}

/// Rate halving: ns-2's where the sender is ns-2's.
pub fn rate_halving(c: &Config) -> Box<dyn Recovery> {
    match c.base {
        Preset::Ns2 => Box::new(Ns2Linux::default()),
        Preset::Rfc | Preset::Linux => Box::new(RateHalving::default()),
    }
}

/// The recovery of a scheme of Reno's family: one for all if the configuration says so, else its `own`.
pub fn by_detection(c: &Config, own: impl FnOnce(&Config) -> Box<dyn Recovery>) -> Box<dyn Recovery> {
    match c.loss_detection {
        LossDetection::Duplicates => own(c),
        LossDetection::Rfc6675 => Box::new(Rfc6675::new(c)),
        LossDetection::Rack => Box::new(Rack::new(c)),
    }
}

/// Segments to be sent at once, ahead of everything the window permits.
#[derive(Debug, Default)]
struct Urgent(VecDeque<Next>);

impl Urgent {
    fn push(&mut self, start: u64, end: u64, cause: Cause) {
        if !self.0.iter().any(|queued| queued.start == start) {
            self.0.push_back(Next { start, end, cause });
        }
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    /// The next of them that is still unacknowledged.
    fn pop(&mut self, s: &SenderState) -> Option<Next> {
        while let Some(next) = self.0.pop_front() {
            let start = next.start.max(s.una);
            if start < next.end {
                return Some(Next { start, ..next });
            }
        }
        None
    }
}

/// New data at `nxt`; after go-back-N pulled `nxt` back, the same bytes again.
fn forward(s: &SenderState, in_flight: u64, window: f64) -> Option<Next> {
    let (start, end) = s.next_in_window(in_flight, window)?;
    let cause = if start < s.max_sent { Cause::Timeout } else { Cause::New };
    Some(Next { start, end, cause })
}

/// Guards against a second reduction for one window of data: duplicate ACKs for data sent before the last reduction do not
/// begin a new recovery (RFC 6582 §3.2 step 1; ns-2's "bugfix").
#[derive(Clone, Copy, Debug, Default)]
struct Guard {
    /// First byte that had not been sent at the last reduction; zero before one.
    recovery_point: u64,
}

impl Guard {
    /// RFC 6582 §3.2 step 1: the ACK "covers more than recover". One that covers just that may be the echo of what
    /// go-back-N sent for nothing.
    fn permits(&self, s: &SenderState) -> bool {
        s.una > self.recovery_point
    }

    /// RFC 6582 §3.2 step 3, RFC 6675 §5: everything that was outstanding then is acknowledged.
    fn is_passed(&self, s: &SenderState) -> bool {
        s.una >= self.recovery_point
    }

    fn set(&mut self, s: &SenderState) {
        self.recovery_point = s.max_sent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // What waited is sent as far as it is not acknowledged by then: not at all, in part, or wholly; each segment once.
    #[test]
    fn what_waits_may_be_acknowledged_meanwhile() {
        let mut urgent = Urgent::default();
        for start in [1, 1001, 2001, 1001] {
            urgent.push(start, start + 1000, Cause::Recovery);
        }
        let s = SenderState { una: 1501, ..SenderState::new(&Preset::Ns2.config(1000)) };
        let sent: Vec<(u64, u64)> =
            std::iter::from_fn(|| urgent.pop(&s)).map(|next| (next.start, next.end)).collect();
        assert_eq!(sent, [(1501, 2001), (2001, 3001)]);
    }
}
