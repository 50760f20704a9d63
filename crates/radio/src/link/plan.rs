//! `RadioPlan`: rates, delay, recovery and errors of a radio link.

use crate::arq::ArqPlan;
use crate::errors::ErrorPlan;
use crate::pace::LinkRate;
use airhop_base::Span;

/// Specification of a radio link.
#[derive(Clone, Debug)]
pub struct RadioPlan {
    /// Index among the radio links of the world.
    pub index: u16,
    /// Name, the root of the names of its random streams.
    pub name: String,
    /// Names of its ends.
    pub ends: [String; 2],
    /// Rate of each end.
    pub pace: [LinkRate; 2],
    /// Propagation delay from each end, from the last bit sent to the last bit received; a schedule replaces
    /// it.
    pub delay: [Span; 2],
    /// Bytes that the link adds to an IP packet in a data frame.
    pub overhead: u32,
    /// Recovery of the data from each end.
    pub arq: [ArqPlan; 2],
    /// Error model of the frames from each end: data frames, and the link ACKs of the other end's data.
    pub errors: [ErrorPlan; 2],
}

impl RadioPlan {
    /// Creates a link with the same rate and delay in both directions, without errors, overhead and recovery.
    pub fn new(name: &str, ends: [&str; 2], pace: LinkRate, delay: Span) -> RadioPlan {
        RadioPlan {
            index: 0,
            name: name.to_string(),
            ends: ends.map(String::from),
            pace: LinkRate::both_ways(pace),
            delay: [delay; 2],
            overhead: 0,
            arq: [ArqPlan::None, ArqPlan::None],
            errors: [ErrorPlan::Clean, ErrorPlan::Clean],
        }
    }
}
