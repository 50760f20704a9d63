//! Log of the datagrams that entered a network. A live run can be repeated from its log without hosts.
//!
//! All numbers are little-endian. The head consists of [`MAGIC`], the version (u16), flags (u8; bit 0:
//! headers only), the length (u32) and bytes of a UTF-8 header, and a checksum. The caller defines the
//! meaning of the header. Records follow the head. Each record begins with its kind (u8):
//!
//! * 1, a datagram: time in ns (u64), node (u16), length of the datagram (u32), length of the kept part
//!   (u32), checksum; the kept part, checksum.
//! * 2, the end, and the last record: time in ns (u64), checksum.
//! * 4, a sample of a connection by the kernel of a host: length (u16), checksum; bytes of
//!   `ConnectionSample::to_bytes`, checksum. A sample may be older than the previous record.
//!
//! A checksum (u32) is the CRC-32 of all previous bytes in the file, except earlier checksums. A damaged,
//! missing, duplicated or moved record is therefore detected. Version 1 has no checksums, and can still be
//! read.

mod checksum;
#[cfg(target_os = "linux")]
mod file;
mod read;
mod write;

pub use read::{LogEnding, LogReader, LoggedDatagram};
pub use write::LogWriter;

use crate::outside::{SimulatedNetwork, WorldStopped};
use airhop_base::Time;
use std::io::{self, Read};
use std::path::PathBuf;

/// First bytes of a log.
pub const MAGIC: [u8; 8] = *b"AIRHOPLG";
/// Version of written logs. Version 1, without checksums, can also be read.
pub const VERSION: u16 = 2;

const HEADERS_ONLY_FLAG: u8 = 1;
const DATAGRAM_RECORD: u8 = 1;
const END_RECORD: u8 = 2;
/// Kind of a sample. The number differs from every other kind in two bits. A single flipped bit therefore
/// does not change one kind into another.
const SAMPLE_RECORD: u8 = 4;

/// Reason why a log cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The operating system reported an error.
    #[error("{}: {error}", .path.display())]
    Io {
        /// Path of the log.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// The file is not a log, or is damaged.
    #[error("{}: {}byte {offset}: expected {expected}", .path.display(), record_words(*.record))]
    Malformed {
        /// Path of the log.
        path: PathBuf,
        /// Number of the record, from 1; 0 is the head.
        record: u64,
        /// Offset of the record in the file, in bytes.
        offset: u64,
        /// Expected content.
        expected: String,
    },
}

fn record_words(record: u64) -> String {
    if record == 0 { String::new() } else { format!("record {record}, ") }
}

/// Reason why a log was not replayed up to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log is damaged.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The world has stopped.
    #[error(transparent)]
    Stopped(#[from] WorldStopped),
}

/// Result of the replay of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplaySummary {
    /// Time up to which the world ran.
    pub end_time: Time,
    /// Number of datagrams that entered the emulation.
    pub admitted_datagrams: u64,
    /// End of the log. The log of a killed emulator ends in the middle of the run.
    pub ending: LogEnding,
}

/// Replays `log` into `world` up to the end of the log, and discards the departures.
///
/// In a log with headers only, zeros replace the payload. The checksums of the datagrams are then wrong.
///
/// # Errors
///
/// Returns an error if the log is damaged, or if the world stops.
pub fn replay<R: Read>(
    world: &mut impl SimulatedNetwork,
    log: &mut LogReader<R>,
) -> Result<ReplaySummary, ReplayError> {
    let mut left = Vec::new();
    let mut admitted = 0;
    for entry in log.by_ref() {
        let LoggedDatagram { at, node, length, kept_bytes: mut kept } = entry?;
        kept.resize(length, 0);
        world.admit(at, node, &kept)?;
        world.take_departures(&mut left);
        left.clear();
        admitted += 1;
    }
    let ending = log.ending();
    let ended = ending.end_time();
    world.advance(ended)?;
    world.take_departures(&mut left);
    Ok(ReplaySummary { end_time: ended, admitted_datagrams: admitted, ending })
}
