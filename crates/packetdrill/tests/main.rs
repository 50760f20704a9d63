//! The reader of scripts, and Airhop and the kernel held to scripts.

mod judged;
mod read;
mod rules;
