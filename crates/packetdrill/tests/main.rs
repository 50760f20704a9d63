//! The reader of scripts, and Airhop held to scripts.

mod judged;
mod read;
