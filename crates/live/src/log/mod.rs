//! Log of the datagrams that entered a network: with it, a live run can be repeated without its hosts.
//!
//! All numbers are little-endian. The head: [`MAGIC`], version (u16), flags (u8; bit 0: headers only), length (u32) and bytes of a header
//! in UTF-8 whose meaning is the caller's, checksum. Then records, each with its kind (u8):
//!
//! * 1, a datagram: time in ns (u64), node (u16), length of the datagram (u32), length of the kept part (u32), checksum; the kept
//!   part, checksum;
//! * 2, the end, and the last record: time in ns (u64), checksum;
//! * 4, a sample of a connection by the kernel of a host, which may have been taken earlier than the record before: length (u16), checksum;
//!   bytes of `Sampled::to_bytes`, checksum.
//!
//! A checksum (u32) is the CRC-32 of all bytes of the file before it without the earlier checksums, so a damaged,
//! missing, duplicated or moved record is detected. Version 1 is the same without checksums, and can still be read.

mod checksum;
#[cfg(target_os = "linux")]
mod file;
mod read;
mod write;

pub use read::{Ending, Entry, Log};
pub use write::Writer;

use crate::outside::{Outside, Stopped};
use airhop_base::Time;
use std::io::{self, Read};
use std::path::PathBuf;

/// First bytes of a log.
pub const MAGIC: [u8; 8] = *b"AIRHOPLG";
/// The version that is written. Version 1, without checksums, can be read, too.
pub const VERSION: u16 = 2;

const HEADERS_ONLY: u8 = 1;
const DATAGRAM: u8 = 1;
const END: u8 = 2;
/// Two bits from the other kinds: a flipped one makes no kind of another.
const SAMPLE: u8 = 4;

/// Reason for which a log cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The system refuses.
    #[error("{}: {error}", .path.display())]
    Io {
        /// Of the log.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// No log, or a damaged one.
    #[error("{}: {}byte {offset}: expected {expected}", .path.display(), record_words(*.record))]
    Malformed {
        /// Of the log.
        path: PathBuf,
        /// Number of the record, the first is 1; 0 stands for the head.
        record: u64,
        /// Offset in the file.
        offset: u64,
        /// Expected content.
        expected: String,
    },
}

fn record_words(record: u64) -> String {
    if record == 0 { String::new() } else { format!("record {record}, ") }
}

/// Reason for which a log was not replayed to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log is damaged.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The world stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Result of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The time up to which the world went.
    pub ended: Time,
    /// Number of datagrams that entered.
    pub admitted: u64,
    /// End of the log: the log of a killed emulator has none.
    pub ending: Ending,
}

/// Replays `log` into `world`, to the end of the world. Departures are discarded.
///
/// Of a log with headers only, payload is zeros: its checksums do not hold.
///
/// # Errors
/// The log is damaged, or the world stopped.
pub fn replay<R: Read>(world: &mut impl Outside, log: &mut Log<R>) -> Result<Replayed, ReplayError> {
    let mut left = Vec::new();
    let mut admitted = 0;
    for entry in log.by_ref() {
        let Entry { at, node, length, mut kept } = entry?;
        kept.resize(length, 0);
        world.admit(at, node, &kept)?;
        world.departures(&mut left);
        left.clear();
        admitted += 1;
    }
    let ending = log.ending();
    let ended = ending.time();
    world.advance(ended)?;
    world.departures(&mut left);
    Ok(Replayed { ended, admitted, ending })
}
