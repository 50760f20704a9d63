//! Probes called by the simulator.

use crate::acks::{AckRow, AckTableBuilder};
use crate::air::{AirRow, AirTableBuilder};
use crate::columns::Table;
use crate::fades::FadeTableBuilder;
use crate::links::LinkTableBuilder;
use crate::monitor::{CellChannel, MsduHeader};
use crate::mpdus::{MpduRow, MpduTableBuilder};
use crate::pcap::Captures;
use crate::pcapng::Direction;
use crate::tables::{
    DeliveryTableBuilder, DropRow, DropTableBuilder, NO_FLOW, NoticeEvent, NoticeTableBuilder, PlaceNames,
    QueueTableBuilder, SegmentTableBuilder, SendContext, StationTableBuilder, WindowSample,
    WindowTableBuilder,
};
use crate::walk::{PacketStepTableBuilder, PathStep, StepLocation, StepPacket};
use airhop_base::{FlowId, MacHeader, NodeId, NoticeKind, Packet, Rate, Segment, Span, Time};
use std::io;
use std::path::Path;

/// Recorder of one run: tables in memory, packets in files.
///
/// A method returns at once if its output was not requested.
pub struct Recorder {
    /// Names of all flows and connections, by code.
    flows: Vec<String>,
    /// Code of each flow in the tables. A reopened flow has the code of the present connection.
    codes: Vec<u32>,
    tables: Option<TableBuilders>,
    captures: Option<Captures>,
}

struct TableBuilders {
    segments: SegmentTableBuilder,
    acks: AckTableBuilder,
    window: WindowTableBuilder,
    places: PlaceNames,
    drops: DropTableBuilder,
    queue: QueueTableBuilder,
    notices: NoticeTableBuilder,
    deliveries: DeliveryTableBuilder,
    fades: FadeTableBuilder,
    links: LinkTableBuilder,
    stations: StationTableBuilder,
    air: AirTableBuilder,
    mpdus: MpduTableBuilder,
    walks: PacketStepTableBuilder,
}

impl Recorder {
    /// Creates a recorder of tables (if `tables`) and packets. The directory `pcap_dir` receives one
    /// `NODE.pcapng` per node and one `CELL.air.pcapng` per channel, and is created if missing. `flow_names`
    /// and `node_names` are indexed by [`FlowId`] and [`NodeId`].
    ///
    /// # Errors
    /// If a capture file cannot be created.
    pub fn new(
        flow_names: &[String],
        node_names: &[String],
        duration: Span,
        tables: bool,
        pcap_dir: Option<&Path>,
    ) -> io::Result<Recorder> {
        let tables = tables.then(|| TableBuilders {
            segments: SegmentTableBuilder::default(),
            acks: AckTableBuilder::default(),
            window: WindowTableBuilder::new(flow_names.len()),
            places: PlaceNames::default(),
            drops: DropTableBuilder::default(),
            queue: QueueTableBuilder::default(),
            notices: NoticeTableBuilder::default(),
            deliveries: DeliveryTableBuilder::default(),
            fades: FadeTableBuilder::default(),
            links: LinkTableBuilder::default(),
            stations: StationTableBuilder::default(),
            air: AirTableBuilder::new(node_names),
            mpdus: MpduTableBuilder::default(),
            walks: PacketStepTableBuilder::new(node_names),
        });
        let captures = match pcap_dir {
            Some(dir) => Some(Captures::create(dir, node_names, flow_names.len(), duration)?),
            None => None,
        };
        let codes = (0..).zip(flow_names).map(|(code, _)| code).collect();
        Ok(Recorder { flows: flow_names.to_vec(), codes, tables, captures })
    }

    /// Adds a flow that opens during the run.
    pub fn add_flow(&mut self, name: &str) {
        let code = self.add_name(name);
        self.codes.push(code);
        if let Some(captures) = &mut self.captures {
            captures.add_flow();
        }
    }

    /// Opens a flow again for a new connection. New rows have the new name. The capture begins a new
    /// conversation with the old ports.
    pub fn reopen_flow(&mut self, flow: FlowId, name: &str) {
        self.codes[usize::from(flow.0)] = self.add_name(name);
        if let Some(captures) = &mut self.captures {
            captures.reopen_flow(flow);
        }
    }

    fn add_name(&mut self, name: &str) -> u32 {
        self.flows.push(name.to_string());
        if let Some(tables) = &mut self.tables {
            tables.window.add_flow();
        }
        self.flows.len() as u32 - 1
    }

    fn flow_code(&self, flow: FlowId) -> u32 {
        flow.index().and_then(|flow| self.codes.get(flow).copied()).unwrap_or(NO_FLOW)
    }

    /// Records a segment with data or a FIN that a sender passes to IP.
    pub fn record_segment(&mut self, t: Time, flow: FlowId, segment: &Segment, sent: SendContext) {
        let flow = self.flow_code(flow);
        if let Some(tables) = &mut self.tables {
            tables.segments.push(t, flow, segment, sent);
        }
    }

    /// Records an ACK processed by a sender.
    pub fn record_ack(&mut self, t: Time, flow: FlowId, acked: AckRow) {
        let flow = self.flow_code(flow);
        if let Some(tables) = &mut self.tables {
            tables.acks.push(t, flow, acked);
        }
    }

    /// Records the state of a sender. Adds a row if cwnd, ssthresh, srtt or rto differ from the flow's last
    /// row.
    pub fn record_window(&mut self, t: Time, flow: FlowId, w: WindowSample) {
        let flow = self.flow_code(flow);
        if let Some(tables) = &mut self.tables {
            tables.window.push(t, flow, w);
        }
    }

    /// Records a step of a packet's path.
    pub fn record_step(&mut self, t: Time, step: PathStep, at: StepLocation, walker: StepPacket) {
        let flow = self.flow_code(walker.flow);
        if let Some(tables) = &mut self.tables {
            tables.walks.push(t, step, at, flow, walker);
        }
    }

    /// Records a drop at `place`, a code from [`Recorder::intern_place`].
    pub fn record_drop(&mut self, t: Time, place: u32, packet: DropRow) {
        let flow = self.flow_code(packet.flow);
        if let Some(tables) = &mut self.tables {
            tables.drops.push(t, place, flow, packet);
        }
    }

    /// Records a queue length of `packets` packets from `t` on. `place` is a code from [`Recorder::intern_place`].
    /// Adds a row if the length changed. The calls for a place must be in chronological order.
    pub fn record_queue_length(&mut self, t: Time, place: u32, packets: usize) {
        if let Some(tables) = &mut self.tables {
            tables.queue.push(t, place, packets as u32);
        }
    }

    /// Returns the code of a place with queues or drops, such as `bs->d`. Called once per place, at the
    /// start.
    pub fn intern_place(&mut self, name: &str) -> u32 {
        self.tables.as_mut().map_or(0, |tables| tables.places.intern(name))
    }

    /// Records a notice about the segment that starts at `seq`. The link layer sent the notice, or the sender
    /// received it.
    pub fn record_notice(&mut self, t: Time, flow: FlowId, kind: NoticeKind, event: NoticeEvent, seq: u64) {
        let flow = self.flow_code(flow);
        if let Some(tables) = &mut self.tables {
            tables.notices.push(t, flow, kind, event, seq);
        }
    }

    /// Records that `total` bytes have been delivered to the receiving application.
    pub fn record_delivery(&mut self, t: Time, flow: FlowId, total: u64) {
        let flow = self.flow_code(flow);
        if let Some(tables) = &mut self.tables {
            tables.deliveries.push(t, flow, total);
        }
    }

    /// Records that the channel at `place` is bad in the interval `times`. `place` is a code from
    /// [`Recorder::intern_place`].
    pub fn record_fade(&mut self, place: u32, times: [Time; 2]) {
        if let Some(tables) = &mut self.tables {
            tables.fades.push(place, times);
        }
    }

    /// Records rate and delay of the link at `place` from the time `from` on. `place` is a code from
    /// [`Recorder::intern_place`]. A rate of `None` means that the link sends nothing.
    pub fn record_link(&mut self, from: Time, place: u32, rate: Option<Rate>, delay: Span) {
        if let Some(tables) = &mut self.tables {
            tables.links.push(from, place, rate, delay);
        }
    }

    /// Records the position of a station of `wlan` in metres. Called once per station, at the start.
    pub fn record_station(&mut self, wlan: &str, station: &str, place: [f64; 2]) {
        if let Some(tables) = &mut self.tables {
            tables.stations.push(wlan, station, place);
        }
    }

    /// True if tables or captures record transmissions. Otherwise [`Recorder::record_transmission`] and
    /// [`Recorder::record_frame`] need not be called.
    pub fn records_transmissions(&self) -> bool {
        self.tables.is_some() || self.captures.is_some()
    }

    /// Records a transmission. Called at the end of the transmission.
    pub fn record_transmission(&mut self, row: AirRow) {
        let flow = self.flow_code(row.flow);
        if let Some(tables) = &mut self.tables {
            tables.air.push(flow, row);
        }
    }

    /// Records an MPDU of the last transmission recorded by [`Recorder::record_transmission`].
    pub fn record_mpdu(&mut self, row: MpduRow) {
        let flow = self.flow_code(row.flow);
        if let Some(tables) = &mut self.tables {
            tables.mpdus.push(tables.air.last(), flow, row);
        }
    }

    /// True if packets are captured. Otherwise [`Recorder::record_packet`] need not be called.
    pub fn captures_packets(&self) -> bool {
        self.captures.is_some()
    }

    /// Registers an interface of a node under the name of the link. Returns the interface number for
    /// [`Recorder::record_packet`].
    pub fn add_interface(&mut self, node: NodeId, name: &str) -> u16 {
        self.captures.as_mut().map_or(0, |captures| captures.add_interface(node, name))
    }

    /// Records a packet that crossed an interface of `node`. `comment` describes a loss at this interface.
    ///
    /// A forwarded packet is captured once: at its departure, or at its arrival if it was lost there.
    pub fn record_packet(
        &mut self,
        t: Time,
        node: NodeId,
        interface: u16,
        direction: Direction,
        packet: &Packet,
        comment: Option<&str>,
    ) {
        if let Some(captures) = &mut self.captures {
            captures.add_packet(t, node, interface, direction, packet, comment);
        }
    }

    /// Registers the channel of a cell. Returns the channel number for [`Recorder::record_frame`] and
    /// [`Recorder::record_msdu`].
    pub fn add_channel(&mut self, channel: CellChannel) -> u16 {
        self.captures.as_mut().map_or(0, |captures| captures.add_channel(channel))
    }

    /// Records a frame on a channel. Called at the end of the frame. Calls of [`Recorder::record_msdu`] add the
    /// packets of a data frame or A-MPDU.
    pub fn record_frame(&mut self, channel: u16, row: &AirRow, header: &MacHeader) {
        if let Some(captures) = &mut self.captures {
            captures.add_frame(channel, row, header);
        }
    }

    /// Records the next packet of the last frame on a channel.
    pub fn record_msdu(&mut self, channel: u16, packet: &Packet, header: &MsduHeader) {
        if let Some(captures) = &mut self.captures {
            captures.add_msdu(channel, packet, header);
        }
    }

    /// Closes the capture files and returns the tables (empty if not requested).
    ///
    /// # Errors
    /// The first error of any capture file, such as a full disk.
    pub fn finish(self) -> io::Result<Vec<Table>> {
        if let Some(captures) = self.captures {
            captures.finish()?;
        }
        let flows = &self.flows;
        Ok(self.tables.map_or_else(Vec::new, |tables| {
            let links = tables.links.into_table(&tables.places);
            let others = vec![
                tables.segments.into_table(flows),
                tables.acks.into_table(flows),
                tables.window.into_table(flows),
                tables.drops.into_table(flows, &tables.places),
                tables.queue.into_table(&tables.places),
                tables.notices.into_table(flows),
                tables.deliveries.into_table(flows),
                tables.fades.into_table(&tables.places),
                tables.stations.into_table(),
                tables.air.into_table(flows),
                tables.mpdus.into_table(flows),
                tables.walks.into_table(flows, &tables.places),
            ];
            others.into_iter().chain(links).collect()
        }))
    }
}
