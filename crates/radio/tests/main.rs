//! Behaviour of the air, against the standard, theory and hand calculation.
//!
//! One program for all of them: linking dominates the build of tests.

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
