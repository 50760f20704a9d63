//! Packets to bytes, and back.
//!
//! One program for all of them: linking dominates the build of tests.

mod bytes;
mod carried;
mod common;
mod hostile;
mod real;
mod roundtrip;
