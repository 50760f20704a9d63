use super::Scheme;
use crate::control::Reno;
use crate::notices::Deaf;
use crate::recovery::{Partial, RenoRecovery};
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "reno",
    title: "TCP Reno",
    family: "loss-based",
    cite: "RFC 5681, TCP Congestion Control, 2009",
    needs: &[],
    params: &[],
    reconstructed: &[],
    sack: false,
    build: &|_, _| Parts {
        control: Box::new(Reno),
        recovery: Box::new(RenoRecovery::new(Partial::Ends, false)),
        notices: Box::new(Deaf),
    },
};
