//! `RadioPlan`: rates, delay, recovery and errors that a radio link is built from; `Outgoing`: a packet that goes into
//! it.

use crate::arq::ArqPlan;
use crate::errors::ErrorPlan;
use crate::pace::LinkRate;
use crate::tag::Tag;
use airhop_base::{Packet, Span};
use airhop_engine::Id;

/// Everything that a radio link is built from.
#[derive(Clone, Debug)]
pub struct RadioPlan {
    /// Its index among the radio links of the world.
    pub index: u16,
    /// Its name, the root of the names of its random streams.
    pub name: String,
    /// The names of its ends.
    pub ends: [String; 2],
    /// How fast each end sends.
    pub pace: [LinkRate; 2],
    /// How long a frame from each end is under way, from its last bit sent to its last bit received; a schedule may say otherwise.
    pub delay: [Span; 2],
    /// Bytes that the link adds to an IP packet in a data frame.
    pub overhead: u32,
    /// How the data from each end are recovered.
    pub arq: [ArqPlan; 2],
    /// What the channel does to the frames from each end: data frames, and the link ACKs of the other end's data.
    pub errors: [ErrorPlan; 2],
}

impl RadioPlan {
    /// A link of the same pace and delay either way, without errors, overhead and recovery.
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

/// A packet on its way into a radio link.
#[derive(Debug)]
pub struct Outgoing {
    /// The packet.
    pub packet: Id<Packet>,
    /// Length of the IP datagram, bytes.
    pub bytes: u32,
    /// Header bytes at the start: IP and transport.
    pub header: u32,
    /// What it is.
    pub tag: Tag,
}
