//! Behaviour of networks, against papers, theory, measurements and other simulators.
//!
//! One program for all of them: linking dominates the build of tests.

mod common;
mod determinism;
mod ecn;
mod links;
mod netsim;
mod oracle;
mod outside;
mod peers;
mod queues;
mod schedule;
mod schemes;
mod theory;
mod traffic;
mod walk;
