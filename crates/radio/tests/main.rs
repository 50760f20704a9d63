//! Behaviour of cells and radio links, compared with the standard, theory and hand calculation.
//!
//! All tests form one program, because linking dominates the build time of tests.

mod aggregates;
mod arq;
mod arq_link;
mod arq_theory;
mod bianchi;
mod contention;
mod fuzzed;
mod harness;
mod hearing;
mod hostile;
mod laws;
mod ppdu;
mod radio_link;
mod rlp;
mod rlp_model;
mod snr;
