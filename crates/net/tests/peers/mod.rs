//! Comparison with measurements of other simulators and of a Linux kernel.

mod aodv;
mod chain;
mod linux;
mod ns2;
mod ns2_radio;
