//! `BuildError`: a plan from which no world can be built: without a route, with too many agents, or with an
//! impossible random placement.

use crate::agents::MOST_AGENTS;
use crate::apps::Carrier;
use std::fmt;

/// Maximum number of draws of the positions of a wlan's stations before a run fails.
pub const DRAWS: usize = 10_000;

/// Maximum number of flows of a run with flows that open at run time: as many as the ports in a capture can
/// distinguish.
pub(crate) const MOST_FLOWS: usize = 16_000;

/// Plan from which no world can be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// There is no route between the ends of a flow.
    NoRoute {
        /// The flow.
        flow: String,
        /// Node without a route
        from: String,
        /// to this node.
        to: String,
    },
    /// A flow crosses a cell with on-demand routing, and does not begin and end there.
    OnDemand {
        /// The flow.
        flow: String,
        /// The cell.
        wlan: String,
    },
    /// The application of a flow needs the other transport.
    OtherTransport {
        /// The flow.
        flow: String,
        /// Transport that the application needs.
        needs: Carrier,
    },
    /// The services of all flows together need more agents than a world can have.
    TooManyAgents {
        /// First flow whose agents exceed the limit.
        flow: String,
    },
    /// The applications of all flows together open more flows than a run can have.
    TooManyFlows {
        /// First flow whose application exceeds the limit.
        flow: String,
    },
    /// No draw of the stations' positions was connected.
    Disconnected {
        /// The wlan.
        wlan: String,
    },
    /// A wlan has fewer pairs of stations at this distance in hops than flows that request one.
    NoPairs {
        /// The wlan.
        wlan: String,
        /// First of the flows.
        flow: String,
        /// Distance in hops; `None` stands for any number.
        hops: Option<u32>,
        /// Number of flows that request a pair.
        flows: usize,
        /// Number of pairs.
        pairs: usize,
        /// True if the pairs are those of the last draw of positions.
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
            BuildError::OtherTransport { flow, needs } => {
                write!(f, "flow \"{flow}\": its application needs {needs}")
            }
            BuildError::TooManyAgents { flow } => write!(
                f,
                "flow.{flow}.services: expected at most {MOST_AGENTS} agents of all flows together, one for each flow at each node that \
                 serves it; got more, from this flow on"
            ),
            BuildError::TooManyFlows { flow } => write!(
                f,
                "flow.{flow}.app: expected at most {MOST_FLOWS} flows with those that applications open, one for the requests of each; \
                 got more, from this flow on"
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
