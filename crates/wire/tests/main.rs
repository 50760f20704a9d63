//! Tests of encoding and decoding.
//!
//! All tests form one program, because linking dominates the build time of tests.

mod bytes;
mod carried;
mod common;
mod hostile;
mod real;
mod roundtrip;
mod wifi;
