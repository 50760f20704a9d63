//! `BuildError`: a plan without a route, with too many agents, or with an impossible draw, from which no world can be
//! built.

use crate::agents::MOST_AGENTS;
use std::fmt;

/// Draws of the places of a wlan's stations, all anew each time, before a run gives up.
pub const DRAWS: usize = 10_000;

/// A plan that no world can be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// There is no way between the ends of a flow.
    NoRoute {
        /// The flow.
        flow: String,
        /// From this node
        from: String,
        /// no way to this one.
        to: String,
    },
    /// A flow crosses a cell in which routes are found on demand, and does not begin and end there.
    OnDemand {
        /// The flow.
        flow: String,
        /// The cell.
        wlan: String,
    },
    /// A flow of datagrams has an application of TCP.
    NotForUdp {
        /// The flow.
        flow: String,
    },
    /// The services of all flows together take more agents than a world can have.
    TooManyAgents {
        /// The first flow whose agents find no room.
        flow: String,
    },
    /// No draw of its stations' places was connected.
    Disconnected {
        /// The wlan.
        wlan: String,
    },
    /// A wlan has fewer pairs of stations at this distance in hops than flows that ask for one.
    NoPairs {
        /// The wlan.
        wlan: String,
        /// The first of the flows.
        flow: String,
        /// Distance in hops; `None` stands for any number.
        hops: Option<u32>,
        /// Number of flows that ask for a pair.
        flows: usize,
        /// Number of pairs.
        pairs: usize,
        /// True for the pairs of the last draw of places.
        drawn: bool,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoRoute { flow, from, to } => {
                write!(f, "flow \"{flow}\": no route from \"{from}\" to \"{to}\"")
            }
            BuildError::OnDemand { flow, wlan } => write!(
                f,
                "flow \"{flow}\": wlan \"{wlan}\" finds its routes on demand; a flow over it begins and ends at stations of it"
            ),
            BuildError::NotForUdp { flow } => write!(f, "flow \"{flow}\": its application needs TCP"),
            BuildError::TooManyAgents { flow } => write!(
                f,
                "flow.{flow}.services: expected at most {MOST_AGENTS} agents of all flows together, one for each flow at each node that \
                 serves it; got more, from this flow on"
            ),
            BuildError::Disconnected { wlan } => write!(
                f,
                "wlan.{wlan}.layout: in none of {DRAWS} draws were its stations connected within their receive range; \
                 expected more `nodes`, less `width` or `height`, a longer receive range, or `connected = false`"
            ),
            BuildError::NoPairs { wlan, flow, hops, flows, pairs, drawn } => {
                let apart = match hops {
                    Some(1) => "1 hop apart".to_string(),
                    Some(hops) => format!("{hops} hops apart"),
                    None => "that reach each other".to_string(),
                };
                let which = match drawn {
                    true => format!(" (the last of {DRAWS} draws of its layout)"),
                    false => String::new(),
                };
                write!(
                    f,
                    "flow.{flow}.between: expected at least {flows} pairs of stations {apart} in wlan.{wlan}, one for each \
                     flow, got {pairs}{which}"
                )
            }
        }
    }
}

impl std::error::Error for BuildError {}
