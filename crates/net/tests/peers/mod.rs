//! What other simulators and a kernel measured.

mod aodv;
mod chain;
mod linux;
mod ns2;
mod ns2_radio;
