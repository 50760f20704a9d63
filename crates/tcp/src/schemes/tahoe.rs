use super::Scheme;
use crate::control::Reno;
use crate::notices::Deaf;
use crate::recovery::Tahoe;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tahoe",
    title: "TCP Tahoe",
    family: "loss-based",
    cite: "V. Jacobson, Congestion Avoidance and Control, SIGCOMM 1988",
    needs: &[],
    params: &[],
    reconstructed: &[],
    sack: false,
    build: &|_, _| Parts {
        control: Box::new(Reno),
        recovery: Box::new(Tahoe::default()),
        notices: Box::new(Deaf),
    },
};
