//! Behaviour of cells and radio links, compared with the standards, with theory and with
//! calculations by hand.
//!
//! All tests are one program, because most of the time to build tests is the time to link each
//! program.

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
