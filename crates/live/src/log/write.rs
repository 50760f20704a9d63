//! Writer of logs.

use super::checksum::Checksum;
use super::{DATAGRAM_RECORD, END_RECORD, HEADERS_ONLY_FLAG, LogError, MAGIC, SAMPLE_RECORD, VERSION};
use crate::sockets::ConnectionSample;
use airhop_base::{NodeId, Time};
use airhop_wire::real::header_bytes;
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;

/// Size in bytes of a block that is passed to the writing thread.
const BLOCK_BYTES: usize = 64 * 1024;
/// Maximum number of blocks that wait for the disk, 16 MB. With more blocks the emulator itself waits, and
/// the wait counts as a stall.
const MAX_WAITING_BLOCKS: usize = 256;

/// Writer of a log. A separate thread waits for the disk, so that the loop only copies the records.
#[derive(Debug)]
pub struct LogWriter {
    path: PathBuf,
    headers_only: bool,
    block: Vec<u8>,
    checksum: Checksum,
    /// Number of bytes of the block that the next checksum need not cover.
    sealed: usize,
    blocks: Option<SyncSender<Vec<u8>>>,
    disk: Option<JoinHandle<io::Result<()>>>,
}

impl LogWriter {
    /// Creates the log at `path`, or replaces an existing file. With `headers_only` the payload is not
    /// stored, for privacy.
    ///
    /// # Errors
    /// Returns an error if `path` is not a regular file, if another emulation writes the file, if the file
    /// cannot be created, or if `header` has 4 GiB or more.
    #[cfg(target_os = "linux")]
    pub fn create(path: &Path, header: &str, headers_only: bool) -> Result<Self, LogError> {
        let file =
            super::file::create(path).map_err(|error| LogError::Io { path: path.to_owned(), error })?;
        Self::with_sink(path, file, header, headers_only)
    }

    /// Starts a log that is written to `sink`. Error messages contain `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if `header` has 4 GiB or more, or if no thread can be started.
    pub fn with_sink(
        path: &Path,
        mut sink: impl Write + Send + 'static,
        header: &str,
        headers_only: bool,
    ) -> Result<Self, LogError> {
        let failed = |error| LogError::Io { path: path.to_owned(), error };
        let length =
            u32::try_from(header.len()).map_err(|_| failed(io::Error::other("a header of 4 GiB or more")))?;
        let (blocks, written) = mpsc::sync_channel::<Vec<u8>>(MAX_WAITING_BLOCKS);
        let disk = std::thread::Builder::new()
            .name("log".into())
            .spawn(move || written.iter().try_for_each(|block| sink.write_all(&block)))
            .map_err(failed)?;
        let mut writer = LogWriter {
            path: path.to_owned(),
            headers_only,
            block: Vec::with_capacity(2 * BLOCK_BYTES),
            checksum: Checksum::INITIAL,
            sealed: 0,
            blocks: Some(blocks),
            disk: Some(disk),
        };
        writer.block.extend_from_slice(&MAGIC);
        writer.block.extend_from_slice(&VERSION.to_le_bytes());
        writer.block.push(if headers_only { HEADERS_ONLY_FLAG } else { 0 });
        writer.block.extend_from_slice(&length.to_le_bytes());
        writer.block.extend_from_slice(header.as_bytes());
        writer.append_checksum();
        Ok(writer)
    }

    /// Appends the checksum of all previous bytes.
    fn append_checksum(&mut self) {
        self.checksum.add(&self.block[self.sealed..]);
        self.block.extend_from_slice(&self.checksum.value().to_le_bytes());
        self.sealed = self.block.len();
    }

    /// Appends a datagram that entered the network at `node`.
    ///
    /// # Errors
    /// Returns an error if an earlier record could not be written.
    pub fn append(&mut self, at: Time, node: NodeId, datagram: &[u8]) -> Result<(), LogError> {
        let kept = if self.headers_only { &datagram[..header_bytes(datagram)] } else { datagram };
        self.block.push(DATAGRAM_RECORD);
        self.block.extend_from_slice(&at.nanos().to_le_bytes());
        self.block.extend_from_slice(&node.0.to_le_bytes());
        // A datagram has at most 65575 bytes (`MAX_DATAGRAM_BYTES`).
        self.block.extend_from_slice(&(datagram.len() as u32).to_le_bytes());
        self.block.extend_from_slice(&(kept.len() as u32).to_le_bytes());
        self.append_checksum();
        self.block.extend_from_slice(kept);
        self.append_checksum();
        if self.block.len() >= BLOCK_BYTES { self.flush() } else { Ok(()) }
    }

    /// Appends a connection sample from the kernel of a host.
    pub fn append_sample(&mut self, sampled: &ConnectionSample) {
        let bytes = sampled.to_bytes();
        // Names of congestion controls have at most 16 bytes (TCP_CA_NAME_MAX).
        let Ok(length) = u16::try_from(bytes.len()) else { return };
        self.block.push(SAMPLE_RECORD);
        self.block.extend_from_slice(&length.to_le_bytes());
        self.append_checksum();
        self.block.extend_from_slice(&bytes);
        self.append_checksum();
    }

    /// Passes the appended records to the thread that writes the file.
    ///
    /// # Errors
    /// Returns an error if an earlier record could not be written.
    pub fn flush(&mut self) -> Result<(), LogError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let block = mem::replace(&mut self.block, Vec::with_capacity(2 * BLOCK_BYTES));
        self.sealed = 0;
        // After a failed write the thread closes the channel, and its result has the reason.
        match self.blocks.as_ref().map(|blocks| blocks.send(block)) {
            Some(Ok(())) => Ok(()),
            _ => self.close(),
        }
    }

    /// Ends the log. The log accepts no further records. When this function returns, all records are in the
    /// file.
    ///
    /// # Errors
    ///
    /// Returns an error if a record cannot be written.
    pub fn finish(&mut self, at: Time) -> Result<(), LogError> {
        self.block.push(END_RECORD);
        self.block.extend_from_slice(&at.nanos().to_le_bytes());
        self.append_checksum();
        self.flush()?;
        self.close()
    }

    fn close(&mut self) -> Result<(), LogError> {
        self.blocks = None;
        let result = match self.disk.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) | None => Err(io::Error::other("the log is closed")),
        };
        result.map_err(|error| LogError::Io { path: self.path.clone(), error })
    }
}
