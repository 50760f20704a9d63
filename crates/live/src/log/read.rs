//! Reader of logs. The reader does not trust lengths in the file, and allocates no more memory than the file
//! has bytes.

use super::checksum::Checksum;
use super::{DATAGRAM_RECORD, END_RECORD, HEADERS_ONLY_FLAG, LogError, MAGIC, SAMPLE_RECORD, VERSION};
use crate::port::MAX_DATAGRAM_BYTES;
use crate::sockets::ConnectionSample;
use airhop_base::{NodeId, Span, Time};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Logged datagram that entered the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDatagram {
    /// Time at which the datagram entered.
    pub at: Time,
    /// Node at which the datagram entered.
    pub node: NodeId,
    /// Length of the whole datagram in bytes.
    pub length: usize,
    /// Kept bytes of the datagram: the whole datagram, or only its headers.
    pub kept_bytes: Vec<u8>,
}

/// State of a log at its end: complete or truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEnding {
    /// The log is complete. The run ended at this time.
    Complete(Time),
    /// The log ends in the middle of the run, because the emulator was killed.
    Cut {
        /// Entry time of the last complete datagram in the log.
        last: Time,
    },
}

impl LogEnding {
    /// Returns the time up to which the log contains all datagrams.
    pub fn end_time(self) -> Time {
        match self {
            LogEnding::Complete(time) | LogEnding::Cut { last: time } => time,
        }
    }
}

/// Reader of a log: an iterator over the datagrams that entered.
#[derive(Debug)]
pub struct LogReader<R> {
    path: PathBuf,
    reader: R,
    offset: u64,
    version: u16,
    header: String,
    headers_only: bool,
    bounds: Option<Bounds>,
    checksum: Checksum,
    /// Number of the current record, from 1; 0 in the head.
    record: u64,
    last: Time,
    samples: Vec<ConnectionSample>,
    ending: Option<LogEnding>,
}

/// Limits for the values in the records of a run.
#[derive(Clone, Debug)]
struct Bounds {
    nodes: Vec<NodeId>,
    end: Time,
}

impl LogReader<BufReader<File>> {
    /// Opens the log at `path`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not a log of a known version.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        match File::open(path) {
            Ok(file) => LogReader::from_reader(path, BufReader::new(file)),
            Err(error) => Err(LogError::Io { path: path.to_owned(), error }),
        }
    }
}

impl<R: Read> LogReader<R> {
    /// Reads a log from `reader`; errors contain `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if the log cannot be read, or is not of a known version.
    pub fn from_reader(path: &Path, reader: R) -> Result<Self, LogError> {
        let mut log = LogReader {
            path: path.to_owned(),
            reader,
            offset: 0,
            version: VERSION,
            header: String::new(),
            headers_only: false,
            bounds: None,
            checksum: Checksum::INITIAL,
            record: 0,
            last: Time::ZERO,
            samples: Vec::new(),
            ending: None,
        };
        log.read_head()?;
        Ok(log)
    }

    /// Sets limits for the records. A record is an error if the node is not in `nodes`, or if the time is
    /// after `duration`. `nodes` are the nodes with hosts.
    #[must_use]
    pub fn with_bounds(mut self, nodes: impl IntoIterator<Item = NodeId>, duration: Span) -> Self {
        self.bounds = Some(Bounds { nodes: nodes.into_iter().collect(), end: Time::ZERO + duration });
        self
    }

    /// Returns the version of the format. Version 1 has no checksums, so damage of the log is not detected.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// Returns the header that the writer of the log has specified.
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Returns the connection samples in the part of the log read so far.
    pub fn samples(&self) -> &[ConnectionSample] {
        &self.samples
    }

    /// True if the log contains no payload.
    pub fn headers_only(&self) -> bool {
        self.headers_only
    }

    /// Returns the end of the log. Before all records are read, the log counts as truncated.
    pub fn ending(&self) -> LogEnding {
        self.ending.unwrap_or(LogEnding::Cut { last: self.last })
    }

    fn read_head(&mut self) -> Result<(), LogError> {
        let magic = self.read_array::<8>()?;
        if magic != Some(MAGIC) {
            return Err(self.malformed(0, "a log of airhop emulate, which begins with AIRHOPLG"));
        }
        self.version = match self.read_array()?.map(u16::from_le_bytes) {
            Some(version @ 1..=VERSION) => version,
            other => {
                let has = other.map_or("the end of the file".into(), |version| format!("version {version}"));
                return Err(self.malformed(8, &format!("version 1 to {VERSION} of the log, not {has}")));
            }
        };
        match self.read_array()? {
            Some([flags]) if flags & !HEADERS_ONLY_FLAG == 0 => self.headers_only = flags != 0,
            _ => return Err(self.malformed(10, "flags 0 or 1")),
        }
        let length = self.read_array()?.map(u32::from_le_bytes);
        let header = self.read_bytes(length.unwrap_or(1))?;
        let header = header.and_then(|bytes| String::from_utf8(bytes).ok());
        self.header =
            header.ok_or_else(|| self.malformed(11, "the length of a header and the header in UTF-8"))?;
        match self.read_checksum()? {
            Some(()) => Ok(()),
            None => Err(self.malformed(self.offset, "the checksum of the head")),
        }
    }

    /// Returns the next datagram; `None` at the end of the log, truncated or not.
    fn read_record(&mut self) -> Result<Option<LoggedDatagram>, LogError> {
        loop {
            let begin = self.offset;
            self.record += 1;
            match self.read_array()? {
                Some([DATAGRAM_RECORD]) => return self.read_datagram(),
                Some([SAMPLE_RECORD]) if self.version > 1 => match self.read_sample()? {
                    Some(sampled) => self.samples.push(sampled),
                    None => return Ok(None),
                },
                Some([END_RECORD]) => {
                    if let Some(time) = self.read_end()? {
                        self.ending = Some(LogEnding::Complete(time));
                    }
                    return Ok(None);
                }
                Some([kind]) => {
                    let expected = format!(
                        "a record of kind {DATAGRAM_RECORD}, {END_RECORD} or {SAMPLE_RECORD}, not {kind}"
                    );
                    return Err(self.malformed(begin, &expected));
                }
                None => return Ok(None),
            }
        }
    }

    /// Reads a connection sample from the kernel of a host.
    fn read_sample(&mut self) -> Result<Option<ConnectionSample>, LogError> {
        let begin = self.offset;
        let Some(length) = self.read_array()?.map(u16::from_le_bytes) else { return Ok(None) };
        let Some(()) = self.read_checksum()? else { return Ok(None) };
        let Some(bytes) = self.read_bytes(length.into())? else { return Ok(None) };
        let Some(()) = self.read_checksum()? else { return Ok(None) };
        let sampled = ConnectionSample::from_bytes(&bytes);
        let sampled = sampled.ok_or_else(|| self.malformed(begin, "a kernel's TCP_INFO of a connection"))?;
        self.check_node(begin, sampled.node)?;
        Ok(Some(sampled))
    }

    fn read_datagram(&mut self) -> Result<Option<LoggedDatagram>, LogError> {
        let begin = self.offset;
        let Some(time) = self.read_array()? else { return Ok(None) };
        let Some(node) = self.read_array()?.map(u16::from_le_bytes) else { return Ok(None) };
        let lengths = self.offset;
        let Some(length) = self.read_array()?.map(u32::from_le_bytes) else { return Ok(None) };
        let Some(kept) = self.read_array()?.map(u32::from_le_bytes) else { return Ok(None) };
        let Some(()) = self.read_checksum()? else { return Ok(None) };
        let at = self.parse_time(begin, time)?;
        let node = self.check_node(begin + 8, NodeId(node))?;
        if kept > length || length as usize > MAX_DATAGRAM_BYTES {
            let expected = format!(
                "a datagram of at most {MAX_DATAGRAM_BYTES} bytes, and at most its own length stored"
            );
            return Err(self.malformed(lengths, &expected));
        }
        let Some(kept) = self.read_bytes(kept)? else { return Ok(None) };
        let Some(()) = self.read_checksum()? else { return Ok(None) };
        self.last = at;
        Ok(Some(LoggedDatagram { at, node, length: length as usize, kept_bytes: kept }))
    }

    /// Reads the end record, and returns the end time; `None` if the file is truncated.
    fn read_end(&mut self) -> Result<Option<Time>, LogError> {
        let begin = self.offset;
        let Some(time) = self.read_array()? else { return Ok(None) };
        let Some(()) = self.read_checksum()? else { return Ok(None) };
        let time = self.parse_time(begin, time)?;
        let behind = self.offset;
        if self.version > 1 && self.read_array::<1>()?.is_some() {
            return Err(self.malformed(behind, "no data after the end of the run"));
        }
        Ok(Some(time))
    }

    fn check_node(&self, offset: u64, node: NodeId) -> Result<NodeId, LogError> {
        let Some(Bounds { nodes, .. }) = &self.bounds else { return Ok(node) };
        if nodes.contains(&node) {
            return Ok(node);
        }
        let known: Vec<_> = nodes.iter().map(|node| node.0.to_string()).collect();
        let expected = format!("a node with a real host ({}), not {}", known.join(", "), node.0);
        Err(self.malformed(offset, &expected))
    }

    /// Converts the bytes at `offset` to a time, and checks the time.
    fn parse_time(&self, offset: u64, bytes: [u8; 8]) -> Result<Time, LogError> {
        let time = Time::from_nanos(u64::from_le_bytes(bytes));
        if time < self.last {
            return Err(self.malformed(
                offset,
                &format!("a time not before {}, the time of the previous record", self.last),
            ));
        }
        match &self.bounds {
            Some(Bounds { end, .. }) if time > *end => {
                let expected = format!("a time up to {end}, the duration of the scenario, not {time}");
                Err(self.malformed(offset, &expected))
            }
            _ => Ok(time),
        }
    }

    /// Reads and verifies the checksum of all previous bytes; `None` if the file ends before the checksum.
    /// Does nothing for version 1.
    fn read_checksum(&mut self) -> Result<Option<()>, LogError> {
        if self.version == 1 {
            return Ok(Some(()));
        }
        let (offset, expected) = (self.offset, self.checksum);
        let Some(found) = self.read_array()?.map(u32::from_le_bytes) else { return Ok(None) };
        // The next checksum does not cover this checksum.
        self.checksum = expected;
        let expected = expected.value();
        if found == expected {
            return Ok(Some(()));
        }
        let expected = format!(
            "the checksum {expected:08x} of the preceding bytes, not {found:08x}: a byte here or shortly before is damaged, or records \
             are missing"
        );
        Err(self.malformed(offset, &expected))
    }

    fn read_array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, LogError> {
        let mut bytes = [0; N];
        let mut filled = 0;
        while filled < N {
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) => return Ok(None),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(LogError::Io { path: self.path.clone(), error }),
            }
        }
        self.offset += N as u64;
        self.checksum.add(&bytes);
        Ok(Some(bytes))
    }

    /// Returns the next `count` bytes; `None` if the file has fewer. Memory is allocated only for bytes in
    /// the file, not for the announced length.
    fn read_bytes(&mut self, count: u32) -> Result<Option<Vec<u8>>, LogError> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(count.into()).read_to_end(&mut bytes);
        let read = read.map_err(|error| LogError::Io { path: self.path.clone(), error })?;
        self.offset += read as u64;
        self.checksum.add(&bytes);
        Ok((read == count as usize).then_some(bytes))
    }

    fn malformed(&self, offset: u64, expected: &str) -> LogError {
        LogError::Malformed {
            path: self.path.clone(),
            record: self.record,
            offset,
            expected: expected.into(),
        }
    }
}

impl<R: Read> Iterator for LogReader<R> {
    type Item = Result<LoggedDatagram, LogError>;

    /// Returns the next datagram. No datagram follows an error, because the start of the next record is
    /// unknown.
    fn next(&mut self) -> Option<Self::Item> {
        if self.ending.is_some() {
            return None;
        }
        let record = self.read_record().transpose();
        if !matches!(record, Some(Ok(_))) {
            self.ending = Some(self.ending());
        }
        record
    }
}
