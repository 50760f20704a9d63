//! The parser of scripts, and scripts that test Airhop and the kernel.

mod judged;
mod read;
mod rules;
