//! Objects compiled by clang from the sources in `objects`, and hostile objects.
//!
//! All tests form one program, because linking dominates the build time of tests.

mod faults;
mod hears;
mod heeds;
mod hostile;
mod loading;
mod mutations;
mod native;
mod reaches;
mod refused;
mod shares;
mod uses;
mod varies;
