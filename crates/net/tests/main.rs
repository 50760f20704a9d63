//! What networks do, against papers, theory, measurements and other simulators.
//!
//! One program for all of them: linking dominates the build of tests.

mod adaptive;
mod aodv;
mod bbr3;
mod chain;
mod common;
mod delay;
mod determinism;
mod ecn;
mod fade_notices;
mod link_fades;
mod linux;
mod netsim;
mod notices;
mod ns2;
mod ns2_radio;
mod ns3;
mod oracle;
mod outages;
mod pace;
mod physics;
mod placement;
mod queues;
mod radio;
mod schedule;
mod tcp_cl;
mod theory;
mod traffic;
mod varying;
mod walk;
