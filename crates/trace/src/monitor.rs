//! Capture of a cell's frames, as by a monitor that receives every frame. Each record has a radiotap header
//! and the 802.11 frame.
//!
//! If the addressed station did not receive a frame, the FCS is wrong.

use crate::air::{AirFrameKind, AirOutcome, AirRow};
use crate::pcapng::{CaptureFile, CaptureRecord};
use airhop_base::{Fragment, MacHeader, NodeId, Rate, Span};
use airhop_wire::addressing::{bssid, mac_address};
use airhop_wire::wifi::{
    self, AmpduPosition, ControlFrame, DataHeader, FrameAddresses, FrameBody, Radiotap, RadiotapPpdu,
};
use pcap_file::DataLink;
use std::io;
use std::path::PathBuf;

/// Channel of a cell.
#[derive(Clone, Debug)]
pub struct CellChannel {
    /// Cell number. Part of the cell's MAC addresses.
    pub cell: u16,
    /// Name of the cell.
    pub name: String,
    /// Node of each station.
    pub stations: Vec<NodeId>,
    /// Band and modulation.
    pub band: wifi::RadiotapChannel,
    /// Format and preamble duration of data PPDUs to a single station.
    pub data_ppdu: (RadiotapPpdu, Span),
    /// Preamble duration of all other PPDUs.
    pub preamble: Span,
    /// Rate of RTS, CF-End and group-addressed frames.
    pub control_rate: Rate,
    /// Rate of CTS frames.
    pub cts_rate: Rate,
    /// Rate of Ack, BlockAck and BlockAckReq frames.
    pub response_rate: Rate,
}

impl CellChannel {
    /// Returns format and preamble duration of PPDUs that carry this kind of frame.
    fn ppdu(&self, kind: AirFrameKind) -> (RadiotapPpdu, Span) {
        let rate = match kind {
            AirFrameKind::Data | AirFrameKind::Ampdu => return self.data_ppdu,
            AirFrameKind::Rts | AirFrameKind::CfEnd | AirFrameKind::Broadcast => self.control_rate,
            AirFrameKind::Cts => self.cts_rate,
            AirFrameKind::Ack | AirFrameKind::BlockAck | AirFrameKind::BlockAckReq => self.response_rate,
        };
        (RadiotapPpdu::Legacy(rate), self.preamble)
    }
}

/// Fields of a packet's Data frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MsduHeader {
    /// Position of the packet in the A-MSDU, from 0.
    pub msdu_index: u32,
    /// Sequence number.
    pub sequence: u64,
    /// Fragment of the MSDU in the frame.
    pub fragment: Fragment,
    /// True if this MPDU is a retry.
    pub retry: bool,
    /// Outcome of the MPDU at the addressed station.
    pub outcome: AirOutcome,
}

/// Length in bytes of a BlockAck with a 64-bit bitmap.
const SHORT_BLOCK_ACK: u32 = 32;

/// Capture of a cell.
pub(crate) struct MonitorCapture {
    file: CaptureFile,
    channel: CellChannel,
    /// Names of the nodes.
    nodes: Vec<String>,
    /// Number of PPDUs so far.
    ppdus: u32,
    /// Data frame or A-MPDU that still lacks packets; `None` if all packets are written.
    pending: Option<Pending>,
    body: FrameBody,
    /// Bytes of the last frame.
    bytes: Vec<u8>,
}

/// Data frame or A-MPDU that still lacks packets.
#[derive(Clone, Copy)]
struct Pending {
    row: AirRow,
    duration: Span,
    /// Number of packets that still follow.
    left: u32,
    /// MPDU of the last packet. The next packet may belong to the same A-MSDU.
    mpdu: Option<MsduHeader>,
}

impl MonitorCapture {
    /// Creates an empty capture. File comments list the MAC addresses of the cell's stations.
    pub fn create(
        path: PathBuf,
        period: &str,
        channel: CellChannel,
        nodes: &[String],
    ) -> io::Result<MonitorCapture> {
        let title = format!("Cell {}, {period}", channel.name);
        let stations = channel.stations.iter().map(|&node| {
            let address = mac_address(channel.cell, node).map(|byte| format!("{byte:02x}")).join(":");
            format!("{address} {}", nodes[usize::from(node.0)])
        });
        let mut file = CaptureFile::create(path, std::iter::once(title).chain(stations))?;
        file.add_interface(&channel.name, DataLink::IEEE802_11_RADIOTAP)?;
        let (nodes, body, bytes) = (nodes.to_vec(), FrameBody::default(), Vec::new());
        Ok(MonitorCapture { file, channel, nodes, ppdus: 0, pending: None, body, bytes })
    }

    /// Appends a control frame, or begins a data PPDU. [`MonitorCapture::add_msdu`] adds the packets of a PPDU.
    pub fn add_frame(&mut self, row: &AirRow, header: &MacHeader) -> io::Result<()> {
        let &MacHeader { duration, ppdu_packets: packets, starting_sequence: start, bitmap, .. } = header;
        self.ppdus = self.ppdus.wrapping_add(1);
        let tid = wifi::tid(row.category.unwrap_or_default());
        let control = match row.kind {
            AirFrameKind::Rts => ControlFrame::Rts,
            AirFrameKind::Cts => ControlFrame::Cts,
            AirFrameKind::Ack => ControlFrame::Ack,
            AirFrameKind::CfEnd => ControlFrame::CfEnd,
            AirFrameKind::BlockAckReq => ControlFrame::BlockAckReq { tid, start },
            AirFrameKind::BlockAck => {
                ControlFrame::BlockAck { tid, start, bitmap, is_wide: row.bytes > SHORT_BLOCK_ACK }
            }
            AirFrameKind::Data | AirFrameKind::Broadcast | AirFrameKind::Ampdu => {
                self.pending = Some(Pending { row: *row, duration, left: packets, mpdu: None });
                return Ok(());
            }
        };
        self.write_radiotap(row, row.outcome, false);
        let start = self.bytes.len();
        control.write(duration, &self.addresses(row), &mut self.bytes);
        self.write_frame(row, row.outcome, start)
    }

    /// Appends a packet of `length` bytes to the present PPDU. Bytes missing at the end of `datagram` are
    /// written as zero.
    pub fn add_msdu(&mut self, datagram: &[u8], length: u32, header: &MsduHeader) -> io::Result<()> {
        let Some(mut pending) = self.pending.take() else { return Ok(()) };
        if header.msdu_index == 0 {
            self.write_mpdu(&pending, false)?;
            pending.mpdu = Some(*header);
            self.body.clear();
        }
        self.body.push(&self.addresses(&pending.row), datagram, length as usize);
        pending.left = pending.left.saturating_sub(1);
        if pending.left == 0 {
            return self.write_mpdu(&pending, true);
        }
        self.pending = Some(pending);
        Ok(())
    }

    /// Writes buffered data to the file.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Appends the pending MPDU with its packets. No effect without a pending MPDU.
    fn write_mpdu(&mut self, pending: &Pending, is_last: bool) -> io::Result<()> {
        let Pending { row, duration, mpdu, .. } = pending;
        let &Some(MsduHeader { sequence, fragment, retry, outcome, .. }) = mpdu else { return Ok(()) };
        self.write_radiotap(row, outcome, is_last);
        let start = self.bytes.len();
        let data = DataHeader {
            duration: *duration,
            addresses: self.addresses(row),
            bssid: bssid(self.channel.cell),
            sequence,
            fragment: fragment.number,
            more_fragments: !fragment.is_last,
            retry,
            tid: row.category.map(wifi::tid),
            is_amsdu: self.body.is_amsdu(),
        };
        data.write(&mut self.bytes);
        self.bytes.extend_from_slice(self.body.fragment_bytes(&fragment));
        self.write_frame(row, outcome, start)
    }

    /// Writes the radiotap header of a new frame into the buffer.
    fn write_radiotap(&mut self, row: &AirRow, outcome: AirOutcome, is_last: bool) {
        let (ppdu, preamble) = self.channel.ppdu(row.kind);
        let is_single = row.kind != AirFrameKind::Ampdu;
        let eof = match ppdu {
            RadiotapPpdu::Legacy(_) | RadiotapPpdu::Ht(_) => None,
            RadiotapPpdu::Vht(_) | RadiotapPpdu::He(_) => Some(is_single),
        };
        let subframe = AmpduPosition { reference_number: self.ppdus.wrapping_sub(1), is_last, eof };
        let radiotap = Radiotap {
            tsft_us: (row.start + preamble).nanos() / 1000,
            is_damaged: !is_received(outcome),
            channel: self.channel.band,
            ppdu,
            subframe: (eof.is_some() || !is_single).then_some(subframe),
        };
        radiotap.write(&mut self.bytes);
    }

    /// Adds the FCS to the frame that begins at `start` in the buffer, and appends the frame to the file.
    fn write_frame(&mut self, row: &AirRow, outcome: AirOutcome, start: usize) -> io::Result<()> {
        let is_damaged = !is_received(outcome);
        wifi::append_fcs(&mut self.bytes, start, is_damaged);
        let comment = is_damaged.then(|| {
            let to = row.to.map_or("*", |to| &self.nodes[usize::from(to.0)]);
            format!("lost on {}->{to}: {}", self.nodes[usize::from(row.from.0)], outcome.name())
        });
        self.file.add_packet(&CaptureRecord {
            time: row.end,
            interface: 0,
            direction: None,
            bytes: &self.bytes,
            original_length: self.bytes.len() as u32,
            comment: comment.as_deref(),
        })
    }

    /// Returns the addresses of a frame.
    fn addresses(&self, row: &AirRow) -> FrameAddresses {
        let CellChannel { cell, .. } = self.channel;
        let receiver = mac_address(cell, row.to.unwrap_or(NodeId::BROADCAST));
        let transmitter =
            if row.kind == AirFrameKind::CfEnd { bssid(cell) } else { mac_address(cell, row.from) };
        FrameAddresses { receiver, transmitter }
    }
}

/// True if the addressed station received the frame.
fn is_received(outcome: AirOutcome) -> bool {
    matches!(outcome, AirOutcome::Received | AirOutcome::Captured)
}
