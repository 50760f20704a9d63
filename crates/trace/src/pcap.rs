//! Captures of a run: the packets of each node, and the frames of each cell.
//!
//! Packets and frames are written during the run. The first error ends capturing, because a partial capture
//! is of no use. The error is reported at the end of the run.

use crate::air::AirRow;
use crate::monitor::{CellChannel, MonitorCapture, MsduHeader};
use crate::pcapng::{CaptureFile, CaptureRecord, Direction, add_path_to_error};
use airhop_base::{Body, FlowId, MacHeader, NodeId, Packet, Span, Time};
use airhop_wire::Conversation;
use airhop_wire::addressing::MAX_FLOWS;
use pcap_file::DataLink;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Capture files of a run.
pub(crate) struct Captures {
    dir: PathBuf,
    /// Period covered by the captures, for file comments.
    period: String,
    /// Names of the files, without extension.
    names: Vec<String>,
    /// Names of the nodes.
    nodes: Vec<String>,
    /// File of each node.
    files: Vec<CaptureFile>,
    /// Captures of the cells.
    monitors: Vec<MonitorCapture>,
    datagrams: DatagramEncoder,
    error: Option<io::Error>,
}

/// Encoder of packets as datagrams.
struct DatagramEncoder {
    /// Conversation of each flow; `None` before the flow's first packet.
    conversations: Vec<Option<Conversation>>,
    /// Bytes of the last packet.
    bytes: Vec<u8>,
}

impl Captures {
    /// Creates the directory and an empty capture for each node. Returns an error if there are more flows
    /// than ports.
    pub fn create(dir: &Path, nodes: &[String], flows: usize, duration: Span) -> io::Result<Self> {
        if flows > usize::from(MAX_FLOWS) {
            let what = format!("{flows} flows, where at most {MAX_FLOWS} can be told apart by their ports");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        fs::create_dir_all(dir).map_err(|e| add_path_to_error(dir, e))?;
        let datagrams = DatagramEncoder { conversations: vec![None; flows], bytes: Vec::new() };
        let mut captures = Captures {
            dir: dir.to_owned(),
            period: format!("{duration} of simulated time that begins at 0 s (1970-01-01 00:00:00 UTC)"),
            names: Vec::new(),
            nodes: nodes.to_vec(),
            files: Vec::new(),
            monitors: Vec::new(),
            datagrams,
            error: None,
        };
        for node in nodes {
            let comment = format!("Node {node}, {}", captures.period);
            let file = CaptureFile::create(captures.path(node), [comment])?;
            captures.files.push(file);
        }
        Ok(captures)
    }

    /// Registers a named interface and returns the interface number.
    pub fn add_interface(&mut self, node: NodeId, name: &str) -> u16 {
        let file = &mut self.files[usize::from(node.0)];
        let number = file.interface_count();
        let result = file.add_interface(name, DataLink::IPV4);
        self.keep_first_error(result);
        number
    }

    /// Creates an empty capture for the frames of a cell. Returns the number of the capture.
    pub fn add_channel(&mut self, channel: CellChannel) -> u16 {
        let number = self.monitors.len() as u16;
        let path = self.path(&format!("{}.air", channel.name));
        match MonitorCapture::create(path, &self.period, channel, &self.nodes) {
            Ok(monitor) => self.monitors.push(monitor),
            Err(error) => self.keep_first_error(Err(error)),
        }
        number
    }

    /// Adds a flow.
    pub fn add_flow(&mut self) {
        self.datagrams.conversations.push(None);
    }

    /// Opens a flow again. The next packet begins a new conversation.
    pub fn reopen_flow(&mut self, flow: FlowId) {
        self.datagrams.conversations[usize::from(flow.0)] = None;
    }

    /// Appends a packet to the capture of `node`.
    pub fn add_packet(
        &mut self,
        t: Time,
        node: NodeId,
        interface: u16,
        direction: Direction,
        packet: &Packet,
        comment: Option<&str>,
    ) {
        // A forwarded packet is captured only at its departure, because a second copy in the same file
        // would look like a retransmission.
        let is_for_here = packet.dst == node || packet.dst == NodeId::BROADCAST;
        let passes = direction == Direction::In && !is_for_here && comment.is_none();
        if passes || self.error.is_some() {
            return;
        }
        let file = &mut self.files[usize::from(node.0)];
        let direction = Some(direction);
        let result = self.datagrams.encode(packet).and_then(|bytes| {
            file.add_packet(&CaptureRecord {
                time: t,
                interface,
                direction,
                bytes,
                original_length: packet.bytes,
                comment,
            })
        });
        self.keep_first_error(result);
    }

    /// Appends a control frame to the capture of a cell, or begins a data PPDU. [`Captures::add_msdu`] adds the
    /// packets of a PPDU.
    pub fn add_frame(&mut self, channel: u16, row: &AirRow, header: &MacHeader) {
        if self.error.is_none() {
            let result = self.monitors[usize::from(channel)].add_frame(row, header);
            self.keep_first_error(result);
        }
    }

    /// Appends a packet to the present PPDU of a cell.
    pub fn add_msdu(&mut self, channel: u16, packet: &Packet, header: &MsduHeader) {
        if self.error.is_none() {
            let monitor = &mut self.monitors[usize::from(channel)];
            let datagram = self.datagrams.encode(packet);
            let result = datagram.and_then(|bytes| monitor.add_msdu(bytes, packet.bytes, header));
            self.keep_first_error(result);
        }
    }

    /// Writes buffered data to the files.
    pub fn finish(mut self) -> io::Result<()> {
        let nodes = self.files.iter_mut().map(CaptureFile::flush);
        let cells = self.monitors.iter_mut().map(MonitorCapture::flush);
        let results: Vec<_> = nodes.chain(cells).collect();
        results.into_iter().for_each(|result| self.keep_first_error(result));
        self.error.map_or(Ok(()), Err)
    }

    /// Stores the first error.
    fn keep_first_error(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    /// Returns the path of a new file.
    fn path(&mut self, name: &str) -> PathBuf {
        let name = file_name(&mut self.names, name);
        self.dir.join(format!("{name}.pcapng"))
    }
}

impl DatagramEncoder {
    /// Returns the bytes of a packet. For a truncated datagram of a real host, returns the first bytes.
    fn encode(&mut self, packet: &Packet) -> io::Result<&[u8]> {
        if let Some(original) = packet.original() {
            let datagram = airhop_wire::real::rewrite_datagram(original, packet, None, true);
            self.bytes.clear();
            self.bytes.extend_from_slice(&datagram);
            return Ok(&self.bytes);
        }
        let conversation = match packet.flow.index() {
            Some(flow) => self.conversations[flow].get_or_insert_with(|| open_conversation(packet)),
            None => &mut open_conversation(packet),
        };
        conversation.record_window_scale(packet);
        match airhop_wire::encode(packet, conversation, &mut self.bytes) {
            Ok(()) => Ok(&self.bytes),
            Err(e) => {
                let what = format!("a packet cannot be captured: {e}");
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
        }
    }
}

/// Returns the conversation opened by this first packet of a flow.
fn open_conversation(packet: &Packet) -> Conversation {
    match packet.body {
        Body::Tcp(_) | Body::Udp(_) | Body::Routing(_) => Conversation::new(packet.src, packet.dst),
        Body::Notice(_) => Conversation::new(packet.dst, packet.src),
    }
}

/// Returns a file name for `name` and adds it to `names`. Removes unsafe characters. Appends a number if
/// another file has the same name.
fn file_name(names: &mut Vec<String>, name: &str) -> String {
    let harmless = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut safe: String = name.chars().map(harmless).collect();
    // A file name must not be hidden, and must be distinct on a file system that ignores case.
    while safe.starts_with('.') || names.iter().any(|n| n.eq_ignore_ascii_case(&safe)) {
        safe = format!("{}-{safe}", names.len());
    }
    names.push(safe.clone());
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name from a scenario file can neither leave the directory nor overwrite another node's file.
    #[test]
    fn capture_file_names_are_safe_and_unique() {
        let given = ["bs", "d", "../etc/x", "a b", "a_b", "BS", ".."];
        let mut names = Vec::new();
        let files = given.map(|name| file_name(&mut names, name));
        assert_eq!(files, ["bs", "d", "2-.._etc_x", "a_b", "4-a_b", "5-BS", "6-.."]);
    }
}
