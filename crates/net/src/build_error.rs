//! Errors in a plan that prevent the building of a world: a flow without a route, too many agents, or random
//! positions that cannot be connected.

use crate::agents::MAX_AGENTS;
use crate::apps::TransportProtocol;
use std::fmt;

/// Maximum number of random placements that are tried for a wlan's stations. The run fails after the last
/// placement.
pub const MAX_PLACEMENTS: usize = 10_000;

/// Maximum number of flows in a run with applications that open flows. Packet captures distinguish flows by
/// port, so the number of ports is the limit.
pub(crate) const MAX_FLOWS: usize = 16_000;

/// Reason why no world can be built from a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// There is no route between the ends of a flow.
    NoRoute {
        /// Name of the flow.
        flow: String,
        /// Start node of the missing route.
        from: String,
        /// End node of the missing route.
        to: String,
    },
    /// A flow crosses a cell with on-demand routing (AODV), but one of its ends is outside the cell.
    OnDemand {
        /// Name of the flow.
        flow: String,
        /// Name of the cell.
        wlan: String,
    },
    /// The flow's transport protocol cannot carry the flow's application.
    OtherTransport {
        /// Name of the flow.
        flow: String,
        /// Transport protocol that the application needs.
        needs: TransportProtocol,
    },
    /// The services of all flows together need more agents than a world can have.
    TooManyAgents {
        /// Name of the first flow with agents beyond the limit.
        flow: String,
    },
    /// The applications of all flows together open more flows than a run can have.
    TooManyFlows {
        /// Name of the first flow with an application beyond the limit.
        flow: String,
    },
    /// No random placement of the stations is connected.
    Disconnected {
        /// Name of the wlan.
        wlan: String,
    },
    /// More flows request a pair of stations at this distance in hops than the wlan has pairs.
    NoPairs {
        /// Name of the wlan.
        wlan: String,
        /// Name of the first flow that requests a pair at this distance.
        flow: String,
        /// Distance in hops; `None` for any distance.
        hops: Option<u32>,
        /// Number of flows that request a pair at this distance.
        flows: usize,
        /// Number of pairs at this distance in the wlan.
        pairs: usize,
        /// True if the positions are random. The number of pairs is then that of the last placement.
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
                "flow \"{flow}\": wlan \"{wlan}\" finds its routes on demand; a flow over it must start and end at its stations"
            ),
            BuildError::OtherTransport { flow, needs } => {
                write!(f, "flow \"{flow}\": its application needs {needs}")
            }
            BuildError::TooManyAgents { flow } => write!(
                f,
                "flow.{flow}.services: expected at most {MAX_AGENTS} agents of all flows, one for each flow at each node that serves it; this flow exceeds the maximum"
            ),
            BuildError::TooManyFlows { flow } => write!(
                f,
                "flow.{flow}.app: expected at most {MAX_FLOWS} flows, including one for the requests of each application; this flow exceeds the maximum"
            ),
            BuildError::Disconnected { wlan } => write!(
                f,
                "wlan.{wlan}.layout: its stations were not connected in any of {MAX_PLACEMENTS} draws; expected more `nodes`, less `width` or `height`, a longer receive range, or `connected = false`"
            ),
            BuildError::NoPairs { wlan, flow, hops, flows, pairs, drawn } => {
                let apart = match hops {
                    Some(1) => "1 hop apart".to_string(),
                    Some(hops) => format!("{hops} hops apart"),
                    None => "that reach each other".to_string(),
                };
                let which = match drawn {
                    true => format!(" (the last of {MAX_PLACEMENTS} draws of its layout)"),
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
