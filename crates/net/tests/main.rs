//! Behaviour of networks, compared with papers, theory, measurements and other simulators.
//!
//! All tests are one program, because most of the time to build tests is the time to link each
//! program.

mod classes;
mod common;
mod connections;
mod conversations;
mod determinism;
mod ecn;
mod links;
mod netsim;
mod oracle;
mod outside;
mod peers;
mod queues;
mod requests;
mod schedule;
mod schemes;
mod theory;
mod traffic;
mod video;
mod waits;
mod walk;
mod web;
