use super::Scheme;
use crate::config::SackRecovery;
use crate::control::Reno;
use crate::notices::Deaf;
use crate::recovery::{Rfc6675, SackPipe};
use crate::seams::{Parts, Recovery};

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
    build: |_, c| {
        let recovery: Box<dyn Recovery> = match c.sack_recovery {
            SackRecovery::Pipe => Box::new(SackPipe::default()),
            SackRecovery::Rfc6675 => Box::new(Rfc6675::default()),
        };
        Parts { control: Box::new(Reno), recovery, notices: Box::new(Deaf) }
    },
};
