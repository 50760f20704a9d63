//! The table `air`: every transmission on the 802.11 channels, for space-time diagrams.

use crate::columns::{Column, Table};
use crate::tables::{PacketKind, flow_column, to_strings};
use airhop_base::{AccessCategory, FlowId, NodeId, Time};

/// Kind of a frame on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirFrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Data frame to one station.
    Data,
    /// Acknowledgement by the link layer.
    Ack,
    /// Data frame to all stations.
    Broadcast,
    /// Several data frames to one station in one PPDU.
    Ampdu,
    /// Request for a BlockAck.
    BlockAckReq,
    /// Acknowledgement of the data frames of an A-MPDU.
    BlockAck,
    /// End of a TXOP before the TXOP limit.
    CfEnd,
}

impl AirFrameKind {
    /// All kinds, indexed by category code.
    pub const ALL: [AirFrameKind; 9] = [
        AirFrameKind::Rts,
        AirFrameKind::Cts,
        AirFrameKind::Data,
        AirFrameKind::Ack,
        AirFrameKind::Broadcast,
        AirFrameKind::Ampdu,
        AirFrameKind::BlockAckReq,
        AirFrameKind::BlockAck,
        AirFrameKind::CfEnd,
    ];

    /// Name used in traces.
    pub const fn name(self) -> &'static str {
        match self {
            AirFrameKind::Rts => "rts",
            AirFrameKind::Cts => "cts",
            AirFrameKind::Data => "data",
            AirFrameKind::Ack => "ack",
            AirFrameKind::Broadcast => "broadcast",
            AirFrameKind::Ampdu => "a-mpdu",
            AirFrameKind::BlockAckReq => "block-ack-req",
            AirFrameKind::BlockAck => "block-ack",
            AirFrameKind::CfEnd => "cf-end",
        }
    }
}

/// Outcome of a frame at the addressed station. For a broadcast, the best outcome at any station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirOutcome {
    /// Received.
    Received,
    /// Lost by bit errors.
    Channel,
    /// Lost to another signal, or because the station was transmitting.
    Collision,
    /// Received although another signal overlapped the frame.
    Captured,
    /// No addressed station was in reception range.
    Unheard,
}

impl AirOutcome {
    /// All outcomes, indexed by category code.
    pub const ALL: [AirOutcome; 5] = [
        AirOutcome::Received,
        AirOutcome::Channel,
        AirOutcome::Collision,
        AirOutcome::Captured,
        AirOutcome::Unheard,
    ];

    /// Name used in traces.
    pub const fn name(self) -> &'static str {
        match self {
            AirOutcome::Received => "received",
            AirOutcome::Channel => "channel",
            AirOutcome::Collision => "collision",
            AirOutcome::Captured => "captured",
            AirOutcome::Unheard => "unheard",
        }
    }
}

/// Row of `air`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirRow {
    /// Start of the preamble.
    pub start: Time,
    /// End of the transmission.
    pub end: Time,
    /// The sending node.
    pub from: NodeId,
    /// Addressed node; `None` for a broadcast.
    pub to: Option<NodeId>,
    /// Kind of the frame.
    pub kind: AirFrameKind,
    /// Length of the MAC frame in bytes.
    pub bytes: u32,
    /// Flow of the packet in the frame. For a control frame, flow of the packet that the exchange carries.
    /// [`FlowId::NONE`] if the packet belongs to no flow.
    pub flow: FlowId,
    /// Kind of the packet in the frame or exchange.
    pub packet: PacketKind,
    /// First byte of the packet's payload. For an ACK, the acknowledgement number; for a datagram, the
    /// datagram number.
    pub seq: u64,
    /// Number of the attempt to transmit the packet, from 1.
    pub attempt: u32,
    /// Access category of the exchange; `None` without EDCA.
    pub category: Option<AccessCategory>,
    /// Outcome of the frame.
    pub outcome: AirOutcome,
}

/// `air`: all transmissions, ordered by end time.
pub(crate) struct AirTableBuilder {
    /// Node names, for the columns that name a node.
    nodes: Vec<String>,
    start: Vec<f64>,
    end: Vec<f64>,
    from: Vec<u32>,
    to: Vec<u32>,
    kind: Vec<u32>,
    bytes: Vec<u32>,
    flow: Vec<u32>,
    packet: Vec<u32>,
    seq: Vec<u64>,
    attempt: Vec<u32>,
    category: Vec<u32>,
    outcome: Vec<u32>,
}

impl AirTableBuilder {
    pub fn new(nodes: &[String]) -> Self {
        AirTableBuilder {
            nodes: nodes.to_vec(),
            start: Vec::new(),
            end: Vec::new(),
            from: Vec::new(),
            to: Vec::new(),
            kind: Vec::new(),
            bytes: Vec::new(),
            flow: Vec::new(),
            packet: Vec::new(),
            seq: Vec::new(),
            attempt: Vec::new(),
            category: Vec::new(),
            outcome: Vec::new(),
        }
    }

    pub fn push(&mut self, flow: u32, row: AirRow) {
        self.start.push(row.start.secs_f64());
        self.end.push(row.end.secs_f64());
        self.from.push(row.from.0.into());
        self.to.push(row.to.map_or(self.nodes.len() as u32, |to| to.0.into()));
        self.kind.push(row.kind as u32);
        self.bytes.push(row.bytes);
        self.flow.push(flow);
        self.packet.push(row.packet as u32);
        self.seq.push(row.seq);
        self.attempt.push(row.attempt);
        self.category.push(row.category.map_or(AccessCategory::ALL.len() as u32, |category| category as u32));
        self.outcome.push(row.outcome as u32);
    }

    /// Returns the number of the last row, from 0.
    pub fn last(&self) -> u32 {
        self.start.len().saturating_sub(1) as u32
    }

    pub fn into_table(self, flows: &[String]) -> Table {
        // The word "*" represents all nodes; it is not a valid node name.
        let everyone = std::iter::once("*".to_owned());
        let receivers = self.nodes.iter().cloned().chain(everyone).collect();
        // "-" represents the exchanges of stations without EDCA.
        let categories = AccessCategory::ALL.map(AccessCategory::name).into_iter().chain(["-"]);
        let categories = categories.map(str::to_string).collect();
        let columns = vec![
            ("start_s", Column::F64(self.start)),
            ("end_s", Column::F64(self.end)),
            ("from", Column::Category(self.from, self.nodes)),
            ("to", Column::Category(self.to, receivers)),
            ("kind", Column::Category(self.kind, to_strings(&AirFrameKind::ALL.map(AirFrameKind::name)))),
            ("bytes", Column::U32(self.bytes)),
            ("flow", flow_column(self.flow, flows)),
            ("packet", Column::Category(self.packet, to_strings(&PacketKind::ALL.map(PacketKind::name)))),
            ("seq", Column::U64(self.seq)),
            ("attempt", Column::U32(self.attempt)),
            ("category", Column::Category(self.category, categories)),
            ("outcome", Column::Category(self.outcome, to_strings(&AirOutcome::ALL.map(AirOutcome::name)))),
        ];
        Table { name: "air", columns }
    }
}
