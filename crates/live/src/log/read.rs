//! Reading a log. Nothing in the file is believed: no length in it makes room for more than the file has.

use super::{DATAGRAM, END, HEADERS_ONLY, LogError, MAGIC, VERSION};
use crate::port::MAX_DATAGRAM;
use airhop_base::{NodeId, Time};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// A datagram that entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When it entered.
    pub at: Time,
    /// Where it entered.
    pub node: NodeId,
    /// The length of the whole datagram in bytes.
    pub length: usize,
    /// Its first bytes: all of it, or its headers.
    pub kept: Vec<u8>,
}

/// How a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With the end of the run, at this time.
    Complete(Time),
    /// In the middle of the run: the emulator was killed.
    Cut {
        /// The last datagram that is there entered at this time.
        last: Time,
    },
}

impl Ending {
    /// The time up to which the log tells what entered.
    pub fn time(self) -> Time {
        match self {
            Ending::Complete(time) | Ending::Cut { last: time } => time,
        }
    }
}

/// A log that is being read: an iterator of what entered.
#[derive(Debug)]
pub struct Log<R> {
    path: PathBuf,
    reader: R,
    offset: u64,
    header: String,
    headers_only: bool,
    last: Time,
    ending: Option<Ending>,
}

impl Log<BufReader<File>> {
    /// Opens the log at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or is no log of this version.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        match File::open(path) {
            Ok(file) => Log::read(path, BufReader::new(file)),
            Err(error) => Err(LogError::Io { path: path.to_owned(), error }),
        }
    }
}

impl<R: Read> Log<R> {
    /// Reads a log from `reader`; errors call it `path`.
    ///
    /// # Errors
    /// It cannot be read, or is no log of this version.
    pub fn read(path: &Path, reader: R) -> Result<Self, LogError> {
        let mut log = Log {
            path: path.to_owned(),
            reader,
            offset: 0,
            header: String::new(),
            headers_only: false,
            last: Time::ZERO,
            ending: None,
        };
        log.head()?;
        Ok(log)
    }

    /// The header that the caller gave when the log was written.
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Whether no payload was kept.
    pub fn headers_only(&self) -> bool {
        self.headers_only
    }

    /// How the log ends. As long as there is something to read, it seems cut there.
    pub fn ending(&self) -> Ending {
        self.ending.unwrap_or(Ending::Cut { last: self.last })
    }

    fn head(&mut self) -> Result<(), LogError> {
        let magic = self.number::<8>()?;
        if magic != Some(MAGIC) {
            return Err(self.malformed(0, "a log of airhop emulate, which begins with AIRHOPLG"));
        }
        let version = self.number()?.map(u16::from_le_bytes);
        if version != Some(VERSION) {
            let has = version.map_or("the end of the file".into(), |version| format!("version {version}"));
            return Err(self.malformed(8, &format!("version {VERSION} of the log, not {has}")));
        }
        match self.number()? {
            Some([flags]) if flags & !HEADERS_ONLY == 0 => self.headers_only = flags != 0,
            _ => return Err(self.malformed(10, "flags 0 or 1")),
        }
        let length = self.number()?.map(u32::from_le_bytes);
        let header = self.bytes(length.unwrap_or(1))?;
        let header = header.and_then(|bytes| String::from_utf8(bytes).ok());
        self.header =
            header.ok_or_else(|| self.malformed(11, "the length of a header and the header in UTF-8"))?;
        Ok(())
    }

    /// The next record: `None` at the end, and where the file is cut.
    fn record(&mut self) -> Result<Option<Entry>, LogError> {
        let begin = self.offset;
        match self.number()? {
            Some([DATAGRAM]) => self.datagram(),
            Some([END]) => {
                if let Some(time) = self.time()? {
                    self.ending = Some(Ending::Complete(time));
                }
                Ok(None)
            }
            Some([kind]) => {
                Err(self.malformed(begin, &format!("a record of kind {DATAGRAM} or {END}, not {kind}")))
            }
            None => Ok(None),
        }
    }

    fn datagram(&mut self) -> Result<Option<Entry>, LogError> {
        let Some(at) = self.time()? else { return Ok(None) };
        let Some(node) = self.number()?.map(u16::from_le_bytes) else { return Ok(None) };
        let lengths = self.offset;
        let Some(length) = self.number()?.map(u32::from_le_bytes) else { return Ok(None) };
        let Some(kept) = self.number()?.map(u32::from_le_bytes) else { return Ok(None) };
        if kept > length || length as usize > MAX_DATAGRAM {
            let expected =
                format!("a datagram of at most {MAX_DATAGRAM} bytes and no more of it kept than it has");
            return Err(self.malformed(lengths, &expected));
        }
        let Some(kept) = self.bytes(kept)? else { return Ok(None) };
        self.last = at;
        Ok(Some(Entry { at, node: NodeId(node), length: length as usize, kept }))
    }

    fn time(&mut self) -> Result<Option<Time>, LogError> {
        let begin = self.offset;
        let Some(time) = self.number()?.map(|bytes| Time::from_nanos(u64::from_le_bytes(bytes))) else {
            return Ok(None);
        };
        if time < self.last {
            return Err(
                self.malformed(begin, &format!("a time not before {}, that of the record before", self.last))
            );
        }
        Ok(Some(time))
    }

    fn number<const N: usize>(&mut self) -> Result<Option<[u8; N]>, LogError> {
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
        Ok(Some(bytes))
    }

    /// The next `count` bytes; `None` if the file has fewer. Room is made for what comes, not for what is announced.
    fn bytes(&mut self, count: u32) -> Result<Option<Vec<u8>>, LogError> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(count.into()).read_to_end(&mut bytes);
        let read = read.map_err(|error| LogError::Io { path: self.path.clone(), error })?;
        self.offset += read as u64;
        Ok((read == count as usize).then_some(bytes))
    }

    fn malformed(&self, offset: u64, expected: &str) -> LogError {
        LogError::Malformed { path: self.path.clone(), offset, expected: expected.into() }
    }
}

impl<R: Read> Iterator for Log<R> {
    type Item = Result<Entry, LogError>;

    /// The next datagram. After an error there is none: where the next record begins is not known.
    fn next(&mut self) -> Option<Self::Item> {
        if self.ending.is_some() {
            return None;
        }
        let record = self.record().transpose();
        if !matches!(record, Some(Ok(_))) {
            self.ending = Some(self.ending());
        }
        record
    }
}
