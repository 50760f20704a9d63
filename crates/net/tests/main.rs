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
mod fades;
mod layout;
mod linux;
mod netsim;
mod notices;
mod ns2;
mod ns2_radio;
mod ns3;
mod outages;
mod pace;
mod physics;
mod queues;
mod radio;
mod schedule;
mod tcp_cl;
mod theory;
mod traffic;
mod truth;
mod varying;
mod walk;
