//! Plan of a radio link: rates, delay, recovery and error models.

use crate::arq::ArqPlan;
use crate::errors::ErrorPlan;
use crate::link_rate::LinkRate;
use airhop_base::Span;

/// Plan of a radio link.
#[derive(Clone, Debug)]
pub struct RadioPlan {
    /// Index among the radio links of the world.
    pub index: u16,
    /// Name of the link. The names of the link's random streams begin with it.
    pub name: String,
    /// Names of the two ends.
    pub ends: [String; 2],
    /// Rate of each end.
    pub rates: [LinkRate; 2],
    /// Propagation delay of frames from each end: time from the transmission of the last bit to its
    /// reception. A link schedule replaces this delay.
    pub delay: [Span; 2],
    /// Bytes that the link adds to an IP packet in a data frame.
    pub overhead_bytes: u32,
    /// Recovery of the data sent by each end.
    pub arq: [ArqPlan; 2],
    /// Error model of the frames sent by each end: data frames, and link ACKs for the data of the other end.
    pub errors: [ErrorPlan; 2],
}

impl RadioPlan {
    /// Creates a link with equal rate and delay in both directions, without errors, overhead and recovery.
    pub fn new(name: &str, ends: [&str; 2], pace: LinkRate, delay: Span) -> RadioPlan {
        RadioPlan {
            index: 0,
            name: name.to_string(),
            ends: ends.map(String::from),
            rates: LinkRate::both_ways(pace),
            delay: [delay; 2],
            overhead_bytes: 0,
            arq: [ArqPlan::None, ArqPlan::None],
            errors: [ErrorPlan::Clean, ErrorPlan::Clean],
        }
    }
}
