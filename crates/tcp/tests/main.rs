//! Behaviour of TCP endpoints, segment by segment and over whole paths.
//!
//! All tests form one program, because linking dominates the build time of tests.

mod closing;
mod common;
mod connection;
mod deliveries;
mod fuzzed;
mod hostile;
mod kernel_marks;
mod kernel_members;
mod kernel_ops;
mod laws;
mod notices_unheard;
mod presets;
mod rounds;
mod scripts;
mod slow_start;
