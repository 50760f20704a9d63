use super::Scheme;
use crate::control::Reno;
use crate::notices::Deaf;
use crate::recovery;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "sack",
    title: "TCP SACK",
    family: "loss-based",
    cite: "RFC 6675, A Conservative Loss Recovery Algorithm Based on SACK for TCP, 2012; K. Fall and S. Floyd, \
           Simulation-based Comparisons of Tahoe, Reno, and SACK TCP, CCR 26(3), 1996",
    needs: &[],
    params: &[],
    reconstructed: &[],
    sack: true,
    build: &|_, c| Parts {
        control: Box::new(Reno),
        recovery: recovery::sack(c),
        notices: Box::new(Deaf),
    },
};
