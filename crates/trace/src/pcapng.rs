//! Capture file in the format pcapng (draft-ietf-opsawg-pcapng).

use airhop_base::Time;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Direction in which a packet crossed an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the node.
    In,
    /// Out of the node.
    Out,
}

impl Direction {
    /// Returns bits 0 and 1 of `epb_flags`.
    const fn epb_flags(self) -> u32 {
        match self {
            Direction::In => 0b01,
            Direction::Out => 0b10,
        }
    }
}

/// `if_tsresol`: timestamps in units of 10⁻⁹ s.
const TIMESTAMP_RESOLUTION: u8 = 9;
/// `snaplen` without a limit. Checksums can be verified only over whole packets.
const NO_LIMIT: u32 = 0;
const BUFFER: usize = 1 << 18;

/// Capture file.
pub(crate) struct CaptureFile {
    path: PathBuf,
    writer: PcapNgWriter<BufWriter<File>>,
}

/// Captured packet.
pub(crate) struct CaptureRecord<'a> {
    pub time: Time,
    /// Number of the interface.
    pub interface: u16,
    /// Direction; `None` for a monitor, because a monitor neither sends nor receives.
    pub direction: Option<Direction>,
    pub bytes: &'a [u8],
    /// Full length of the packet. `bytes` may contain only the beginning.
    pub original_length: u32,
    pub comment: Option<&'a str>,
}

impl CaptureFile {
    /// Creates an empty capture with these file comments.
    pub fn create(path: PathBuf, comments: impl IntoIterator<Item = String>) -> io::Result<CaptureFile> {
        let application = concat!("airhop ", env!("CARGO_PKG_VERSION"));
        let comments = comments.into_iter().map(|comment| SectionHeaderOption::Comment(comment.into()));
        let application = SectionHeaderOption::UserApplication(application.into());
        let section = SectionHeaderBlock {
            // The byte order is little-endian on every machine, so that the files are identical.
            endianness: Endianness::Little,
            options: comments.chain([application]).collect(),
            ..SectionHeaderBlock::default()
        };
        let file = File::create(&path).map_err(|e| add_path_to_error(&path, e))?;
        let buffer = BufWriter::with_capacity(BUFFER, file);
        match PcapNgWriter::with_section_header(buffer, section) {
            Ok(writer) => Ok(CaptureFile { path, writer }),
            Err(e) => Err(add_path_to_error(&path, io_error(e))),
        }
    }

    /// Returns the number of interfaces.
    pub fn interface_count(&self) -> u16 {
        self.writer.interfaces().len() as u16
    }

    /// Adds an interface.
    pub fn add_interface(&mut self, name: &str, linktype: DataLink) -> io::Result<()> {
        let block = InterfaceDescriptionBlock {
            linktype,
            snaplen: NO_LIMIT,
            options: vec![
                InterfaceDescriptionOption::IfName(name.into()),
                InterfaceDescriptionOption::IfTsResol(TIMESTAMP_RESOLUTION),
            ],
        };
        let result = self.writer.write_pcapng_block(block);
        self.check(result)
    }

    /// Appends a packet.
    pub fn add_packet(&mut self, packet: &CaptureRecord<'_>) -> io::Result<()> {
        let &CaptureRecord { time: t, interface, direction, bytes, original_length: length, comment } =
            packet;
        let flags = direction.map(|direction| EnhancedPacketOption::Flags(direction.epb_flags()));
        let mut options: Vec<_> = flags.into_iter().collect();
        options.extend(comment.map(|text| EnhancedPacketOption::Comment(text.into())));
        let block = EnhancedPacketBlock {
            interface_id: interface.into(),
            timestamp: Duration::from_nanos(t.nanos()),
            original_len: length,
            data: Cow::Borrowed(bytes),
            options,
        };
        let result = self.writer.write_pcapng_block(block);
        self.check(result)
    }

    /// Writes buffered data to the file.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.get_mut().flush().map_err(|e| add_path_to_error(&self.path, e))
    }

    fn check(&self, result: Result<usize, PcapError>) -> io::Result<()> {
        result.map(drop).map_err(|e| add_path_to_error(&self.path, io_error(e)))
    }
}

fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(e) => e,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}

/// Adds the path to an error.
pub(crate) fn add_path_to_error(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
