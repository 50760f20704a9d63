//! Capture of packets as pcapng (draft-ietf-opsawg-pcapng), one file per node.
//!
//! Packets are written during the run. A partial capture is of no use, so the first error ends capturing and
//! is reported at the end of the run.

use airhop_base::{Body, FlowId, NodeId, Packet, Span, Time};
use airhop_wire::Conversation;
use airhop_wire::addressing::MAX_FLOWS;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use std::borrow::Cow;
use std::fs::{self, File};
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
const NANOSECONDS: u8 = 9;
/// `snaplen`: no limit, as a checksum can be verified only over a whole packet.
const NO_LIMIT: u32 = 0;
const BUFFER: usize = 1 << 18;

/// Capture files of a run.
pub(crate) struct Captures {
    files: Vec<Capture>,
    /// Conversation of each flow; `None` before its first packet.
    conversations: Vec<Option<Conversation>>,
    /// Bytes of the current packet.
    bytes: Vec<u8>,
    error: Option<io::Error>,
}

struct Capture {
    path: PathBuf,
    writer: PcapNgWriter<BufWriter<File>>,
}

impl Captures {
    /// Creates the directory, and an empty capture in it for each node. Returns an error if the flows
    /// outnumber the ports, before any packet is captured.
    pub fn create(dir: &Path, nodes: &[String], flows: usize, duration: Span) -> io::Result<Self> {
        if flows > usize::from(MAX_FLOWS) {
            let what = format!("{flows} flows, where at most {MAX_FLOWS} can be told apart by their ports");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        fs::create_dir_all(dir).map_err(|e| at(dir, e))?;
        let files = file_names(nodes)
            .into_iter()
            .zip(nodes)
            .map(|(name, node)| Capture::create(dir.join(name), node, duration))
            .collect::<io::Result<_>>()?;
        Ok(Captures { files, conversations: vec![None; flows], bytes: Vec::new(), error: None })
    }

    /// Registers an interface under its name and returns its number.
    pub fn interface(&mut self, node: NodeId, name: &str) -> u16 {
        let capture = &mut self.files[usize::from(node.0)];
        let number = capture.writer.interfaces().len() as u16;
        let result = capture.interface(name);
        self.keep(result);
        number
    }

    /// Adds a flow.
    pub fn open(&mut self) {
        self.conversations.push(None);
    }

    /// Opens a flow again: its next packet begins a conversation.
    pub fn reopen(&mut self, flow: FlowId) {
        self.conversations[usize::from(flow.0)] = None;
    }

    /// Appends a packet to the capture of `node`.
    pub fn packet(
        &mut self,
        t: Time,
        node: NodeId,
        interface: u16,
        direction: Direction,
        packet: &Packet,
        comment: Option<&str>,
    ) {
        // A forwarded packet is captured only at its departure: a second copy in the same file would look
        // like a retransmission.
        let is_for_here = packet.dst == node || packet.dst == NodeId::BROADCAST;
        let passes = direction == Direction::In && !is_for_here && comment.is_none();
        if passes || self.error.is_some() {
            return;
        }
        let number = usize::from(node.0);
        if let Some(original) = packet.original() {
            let datagram = airhop_wire::real::write_back(original, packet, None, true);
            let result = self.files[number].packet(t, interface, direction, &datagram, packet.bytes, comment);
            return self.keep(result);
        }
        let conversation = match packet.flow.index() {
            Some(flow) => self.conversations[flow].get_or_insert_with(|| first(packet)),
            None => &mut first(packet),
        };
        conversation.observe(packet);
        let result = airhop_wire::encode(packet, conversation, &mut self.bytes)
            .map_err(|e| {
                io::Error::new(io::ErrorKind::InvalidData, format!("a packet cannot be captured: {e}"))
            })
            .and_then(|()| {
                self.files[number].packet(t, interface, direction, &self.bytes, packet.bytes, comment)
            });
        self.keep(result);
    }

    /// Writes buffered data to the files.
    pub fn finish(mut self) -> io::Result<()> {
        for mut capture in std::mem::take(&mut self.files) {
            let result = capture.writer.get_mut().flush().map_err(|e| at(&capture.path, e));
            self.keep(result);
        }
        self.error.map_or(Ok(()), Err)
    }

    /// Stores the first error.
    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }
}

/// Returns the conversation opened by this first packet of a flow.
fn first(packet: &Packet) -> Conversation {
    match packet.body {
        Body::Tcp(_) | Body::Udp(_) | Body::Routing(_) => Conversation::new(packet.src, packet.dst),
        Body::Notice(_) => Conversation::new(packet.dst, packet.src),
    }
}

impl Capture {
    fn create(path: PathBuf, node: &str, duration: Span) -> io::Result<Capture> {
        let comment =
            format!("Node {node}, {duration} of simulated time that begins at 0 s (1970-01-01 00:00:00 UTC)");
        let application = concat!("airhop ", env!("CARGO_PKG_VERSION"));
        let section = SectionHeaderBlock {
            // The byte order is little-endian on every machine, so that the files are identical.
            endianness: Endianness::Little,
            options: vec![
                SectionHeaderOption::Comment(comment.into()),
                SectionHeaderOption::UserApplication(application.into()),
            ],
            ..SectionHeaderBlock::default()
        };
        let file = File::create(&path).map_err(|e| at(&path, e))?;
        let buffer = BufWriter::with_capacity(BUFFER, file);
        match PcapNgWriter::with_section_header(buffer, section) {
            Ok(writer) => Ok(Capture { path, writer }),
            Err(e) => Err(at(&path, io_error(e))),
        }
    }

    fn interface(&mut self, name: &str) -> io::Result<()> {
        let block = InterfaceDescriptionBlock {
            linktype: DataLink::IPV4,
            snaplen: NO_LIMIT,
            options: vec![
                InterfaceDescriptionOption::IfName(name.into()),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ],
        };
        let result = self.writer.write_pcapng_block(block);
        self.check(result)
    }

    fn packet(
        &mut self,
        t: Time,
        interface: u16,
        direction: Direction,
        bytes: &[u8],
        length: u32,
        comment: Option<&str>,
    ) -> io::Result<()> {
        let mut options = vec![EnhancedPacketOption::Flags(direction.epb_flags())];
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

    fn check(&self, result: Result<usize, PcapError>) -> io::Result<()> {
        result.map(drop).map_err(|e| at(&self.path, io_error(e)))
    }
}

fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(e) => e,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}

/// Adds the path to an error.
fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Returns a file name for each node: the node's name without unsafe characters, and with a number if another
/// node has the same name.
fn file_names(nodes: &[String]) -> Vec<String> {
    let harmless = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut names: Vec<String> = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let mut name: String = node.chars().map(harmless).collect();
        // A file name must not be hidden, and must be distinct on a file system that ignores case.
        while name.starts_with('.') || names.iter().any(|n| n.eq_ignore_ascii_case(&name)) {
            name = format!("{number}-{name}");
        }
        names.push(name);
    }
    names.iter().map(|name| format!("{name}.pcapng")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name from a scenario file can neither leave the directory nor overwrite another node's file.
    #[test]
    fn capture_file_names_are_safe_and_unique() {
        let nodes = ["bs", "d", "../etc/x", "a b", "a_b", "BS", ".."].map(String::from);
        let names = ["bs", "d", "2-.._etc_x", "a_b", "4-a_b", "5-BS", "6-.."].map(|n| format!("{n}.pcapng"));
        assert_eq!(file_names(&nodes), names);
    }
}
