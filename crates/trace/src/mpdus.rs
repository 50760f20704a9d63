//! The table `mpdus`: each MPDU in cells with aggregation.

use crate::air::AirOutcome;
use crate::columns::{Column, Table};
use crate::tables::{PacketKind, flow_column, to_strings};
use airhop_base::FlowId;

/// Row of `mpdus`: a packet in an MPDU. Excludes the number of the PPDU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MpduRow {
    /// Position in the A-MPDU, from 0. Zero for a single MPDU.
    pub mpdu_index: u32,
    /// Position of the packet in the A-MSDU, from 0. Zero for the only packet of an MPDU.
    pub msdu_index: u32,
    /// Sequence number in the Block Ack agreement, from 0. On the air, the number is modulo 4096.
    pub sequence: u64,
    /// Flow of the packet in the MPDU; [`FlowId::NONE`] for a packet without a flow.
    pub flow: FlowId,
    /// Kind of the packet in the MPDU.
    pub packet: PacketKind,
    /// First byte of the packet's payload. For an ACK, the acknowledgement number; for a datagram, the
    /// datagram number.
    pub seq: u64,
    /// Length of the MPDU in bytes, without delimiter and padding.
    pub bytes: u32,
    /// Attempt number of the MPDU, from 1.
    pub attempt: u32,
    /// Outcome of the MPDU at the addressed station.
    pub outcome: AirOutcome,
}

/// `mpdus`: one row per packet of each MPDU, in the order of `air` and then by position.
#[derive(Default)]
pub(crate) struct MpduTableBuilder {
    ppdu: Vec<u32>,
    place: Vec<u32>,
    msdu: Vec<u32>,
    sequence: Vec<u64>,
    flow: Vec<u32>,
    packet: Vec<u32>,
    seq: Vec<u64>,
    bytes: Vec<u32>,
    attempt: Vec<u32>,
    outcome: Vec<u32>,
}

impl MpduTableBuilder {
    /// Adds a packet of flow code `flow` in an MPDU. `ppdu` is the row of the PPDU in `air`.
    pub fn push(&mut self, ppdu: u32, flow: u32, row: MpduRow) {
        self.ppdu.push(ppdu);
        self.place.push(row.mpdu_index);
        self.msdu.push(row.msdu_index);
        self.sequence.push(row.sequence);
        self.flow.push(flow);
        self.packet.push(row.packet as u32);
        self.seq.push(row.seq);
        self.bytes.push(row.bytes);
        self.attempt.push(row.attempt);
        self.outcome.push(row.outcome as u32);
    }

    pub fn into_table(self, flows: &[String]) -> Table {
        let columns = vec![
            ("ppdu", Column::U32(self.ppdu)),
            ("place", Column::U32(self.place)),
            ("msdu", Column::U32(self.msdu)),
            ("sequence", Column::U64(self.sequence)),
            ("flow", flow_column(self.flow, flows)),
            ("packet", Column::Category(self.packet, to_strings(&PacketKind::ALL.map(PacketKind::name)))),
            ("seq", Column::U64(self.seq)),
            ("bytes", Column::U32(self.bytes)),
            ("attempt", Column::U32(self.attempt)),
            ("outcome", Column::Category(self.outcome, to_strings(&AirOutcome::ALL.map(AirOutcome::name)))),
        ];
        Table { name: "mpdus", columns }
    }
}
