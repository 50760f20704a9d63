use super::westwood::{PARAMS, Westwood};
use super::{Asks, Scheme};
use crate::notices::Deaf;
use crate::recovery::{Partial, RenoRecovery};
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "westwood-nr",
    title: "TCP Westwood, NewReno form",
    family: "bandwidth estimation",
    about: "Westwood's estimate and windows with NewReno's recovery: one hole per round trip is repaired, and the window \
            after recovery is that which the estimate gave at its beginning.",
    helps: "As Westwood, and where a window loses several segments.",
    cite: "UCLA Network Research Lab, TCP Westwood modules for ns-2, 2001-2002; the base of WestwoodVT (Koo et al. 2007)",
    needs: &[],
    params: PARAMS,
    verified: &[],
    reconstructed: &[],
    asks: Asks::NOTHING,
    build: &|p, c| Parts {
        control: Box::new(Westwood::new(p, false)),
        recovery: Box::new(RenoRecovery::new(Partial::RepairsNext, c.exit_to_flight)),
        notices: Box::new(Deaf),
    },
};
