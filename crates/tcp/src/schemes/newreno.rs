use super::Scheme;
use crate::control::Reno;
use crate::notices::Deaf;
use crate::recovery::{Partial, RenoRecovery};
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "newreno",
    title: "TCP NewReno",
    family: "loss-based",
    cite: "RFC 6582, The NewReno Modification to TCP's Fast Recovery Algorithm, 2012",
    needs: &[],
    params: &[],
    reconstructed: &[],
    sack: false,
    build: &|_, c| Parts {
        control: Box::new(Reno),
        recovery: Box::new(RenoRecovery::new(Partial::RepairsNext, c.exit_to_flight)),
        notices: Box::new(Deaf),
    },
};
