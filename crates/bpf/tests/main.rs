//! Objects that clang made from the sources in `objects`, and hostile ones.
//!
//! One program for all of them: linking dominates the build of tests.

mod faults;
mod hears;
mod heeds;
mod hostile;
mod loading;
mod mutations;
mod reaches;
mod refused;
mod shares;
mod uses;
mod varies;
