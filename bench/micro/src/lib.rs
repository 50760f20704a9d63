//! Benchmarks of the event queue, the endpoints of TCP, the MAC, radio links, agents and whole runs: `cargo bench -p airhop-bench`.
//!
//! They are apart from the crates that they measure, so that a build of those crates' tests needs no criterion.
