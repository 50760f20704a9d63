//! Tables of a trace, and the values of their category columns.
//!
//! Times are in seconds. Sequence numbers are stream offsets in bytes; the first data byte is 1.

use crate::columns::{Column, Table};
use airhop_base::{DropCause, FlowId, NoticeKind, Segment, Span, Time};
use indexmap::IndexSet;

/// Reason for which a sender passed a data segment to IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendCause {
    /// New data, in order.
    New,
    /// Fast retransmit of the segment whose loss was detected (RFC 5681 §3.2).
    Fast,
    /// Expiry of the retransmission timer (RFC 6298 §5.4).
    Timeout,
    /// Explicit notice of the segment's loss.
    Notice,
    /// Further retransmission in the same recovery, or data that keeps the ACK clock running (RFC 6582, RFC
    /// 6675).
    Recovery,
    /// Tail loss probe (RFC 8985 §7.3).
    Probe,
    /// Unknown, for a real sender.
    Unknown,
}

impl SendCause {
    /// All causes, indexed by category code.
    pub const ALL: [SendCause; 7] = [
        SendCause::New,
        SendCause::Fast,
        SendCause::Timeout,
        SendCause::Notice,
        SendCause::Recovery,
        SendCause::Probe,
        SendCause::Unknown,
    ];

    /// Name used in traces.
    pub const fn name(self) -> &'static str {
        match self {
            SendCause::New => "new",
            SendCause::Fast => "fast",
            SendCause::Timeout => "timeout",
            SendCause::Notice => "notice",
            SendCause::Recovery => "recovery",
            SendCause::Probe => "probe",
            SendCause::Unknown => "unknown",
        }
    }
}

/// Kind of a packet or frame that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// A TCP segment with payload.
    Data,
    /// A TCP segment without payload.
    Ack,
    /// An explicit notification.
    Notice,
    /// A control frame of the link layer (RTS, CTS, link ACK).
    Control,
    /// A UDP datagram.
    Datagram,
    /// A message between routers.
    Routing,
}

impl PacketKind {
    /// All kinds, indexed by category code.
    pub const ALL: [PacketKind; 6] = [
        PacketKind::Data,
        PacketKind::Ack,
        PacketKind::Notice,
        PacketKind::Control,
        PacketKind::Datagram,
        PacketKind::Routing,
    ];

    /// Name used in traces.
    pub const fn name(self) -> &'static str {
        match self {
            PacketKind::Data => "data",
            PacketKind::Ack => "ack",
            PacketKind::Notice => "notice",
            PacketKind::Control => "control",
            PacketKind::Datagram => "datagram",
            PacketKind::Routing => "routing",
        }
    }
}

/// Row of `drops`, without its time and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropRow {
    /// Flow of the packet; [`FlowId::NONE`] for a packet without a flow.
    pub flow: FlowId,
    /// Cause of the drop.
    pub cause: DropCause,
    /// Kind of the packet or frame.
    pub kind: PacketKind,
    /// First byte of the payload. For an ACK, the acknowledgement number; for a datagram, the datagram
    /// number.
    pub seq: u64,
    /// Length of the IP datagram or frame in bytes.
    pub bytes: u32,
}

/// State of a sender at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSample {
    /// Congestion window, in segments.
    pub cwnd: f64,
    /// Slow-start threshold, in segments.
    pub ssthresh: f64,
    /// Bytes in flight, as counted by the sender.
    pub in_flight_bytes: u32,
    /// Smoothed round-trip time; `None` before the first sample.
    pub srtt: Option<Span>,
    /// Retransmission timeout; `None` before the first sample.
    pub rto: Option<Span>,
}

/// State of the sender at the transmission of a data segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SendContext {
    /// True if the segment begins below the highest byte sent before.
    pub retransmission: bool,
    /// Cause of the transmission.
    pub cause: SendCause,
    /// Congestion window at the transmission, in segments.
    pub cwnd: f64,
    /// Bytes in flight including the segment, as counted by the sender.
    pub in_flight_bytes: u32,
}

/// `segments`: segments with data or a FIN that senders passed to IP.
#[derive(Default)]
pub(crate) struct SegmentTableBuilder {
    time: Vec<f64>,
    flow: Vec<u32>,
    seq: Vec<u64>,
    bytes: Vec<u32>,
    retransmission: Vec<bool>,
    cause: Vec<u32>,
    cwnd: Vec<f64>,
    flight: Vec<u32>,
    fin: Vec<bool>,
}

impl SegmentTableBuilder {
    /// Adds the row of a segment that its sender passes to IP.
    pub fn push(&mut self, t: Time, flow: u32, segment: &Segment, sent: SendContext) {
        self.time.push(t.secs_f64());
        self.flow.push(flow);
        self.seq.push(segment.seq);
        self.bytes.push(segment.len);
        self.retransmission.push(sent.retransmission);
        self.cause.push(sent.cause as u32);
        self.cwnd.push(sent.cwnd);
        self.flight.push(sent.in_flight_bytes);
        self.fin.push(segment.flags.fin);
    }

    pub fn into_table(self, flows: &[String]) -> Table {
        let columns = vec![
            ("time_s", Column::F64(self.time)),
            ("flow", Column::Category(self.flow, flows.to_vec())),
            ("seq", Column::U64(self.seq)),
            ("bytes", Column::U32(self.bytes)),
            ("retransmission", Column::Bool(self.retransmission)),
            ("cause", Column::Category(self.cause, to_strings(&SendCause::ALL.map(SendCause::name)))),
            ("cwnd", Column::F64(self.cwnd)),
            ("flight", Column::U32(self.flight)),
            ("fin", Column::Bool(self.fin)),
        ];
        Table { name: "segments", columns }
    }
}

/// `window`: state of senders at each change of cwnd, ssthresh, srtt or rto.
pub(crate) struct WindowTableBuilder {
    /// Last sample of each flow.
    last: Vec<Option<WindowSample>>,
    time: Vec<f64>,
    flow: Vec<u32>,
    cwnd: Vec<f64>,
    ssthresh: Vec<f64>,
    flight: Vec<u32>,
    srtt_ms: Vec<f64>,
    rto_ms: Vec<f64>,
}

impl WindowTableBuilder {
    pub fn new(flows: usize) -> Self {
        WindowTableBuilder {
            last: vec![None; flows],
            time: Vec::new(),
            flow: Vec::new(),
            cwnd: Vec::new(),
            ssthresh: Vec::new(),
            flight: Vec::new(),
            srtt_ms: Vec::new(),
            rto_ms: Vec::new(),
        }
    }

    /// Adds a flow.
    pub fn add_flow(&mut self) {
        self.last.push(None);
    }

    /// Adds a row if a value other than the flight has changed.
    pub fn push(&mut self, t: Time, flow: u32, sample: WindowSample) {
        let last = &mut self.last[flow as usize];
        // The flight changes with every segment, so a change of only the flight adds no row.
        if last.is_some_and(|last| WindowSample { in_flight_bytes: sample.in_flight_bytes, ..last } == sample)
        {
            return;
        }
        *last = Some(sample);
        self.time.push(t.secs_f64());
        self.flow.push(flow);
        self.cwnd.push(sample.cwnd);
        self.ssthresh.push(sample.ssthresh);
        self.flight.push(sample.in_flight_bytes);
        self.srtt_ms.push(sample.srtt.map_or(f64::NAN, Span::millis_f64));
        self.rto_ms.push(sample.rto.map_or(f64::NAN, Span::millis_f64));
    }

    pub fn into_table(self, flows: &[String]) -> Table {
        let columns = vec![
            ("time_s", Column::F64(self.time)),
            ("flow", Column::Category(self.flow, flows.to_vec())),
            ("cwnd", Column::F64(self.cwnd)),
            ("ssthresh", Column::F64(self.ssthresh)),
            ("flight", Column::U32(self.flight)),
            ("srtt_ms", Column::F64(self.srtt_ms)),
            ("rto_ms", Column::F64(self.rto_ms)),
        ];
        Table { name: "window", columns }
    }
}

/// Names of places with queues or drops. The code of a place is the index of its name.
#[derive(Default)]
pub(crate) struct PlaceNames(IndexSet<String>);

impl PlaceNames {
    /// Returns the code of a place. A name always has the same code.
    pub fn intern(&mut self, name: &str) -> u32 {
        let known = self.0.get_index_of(name);
        known.unwrap_or_else(|| self.0.insert_full(name.to_owned()).0) as u32
    }

    /// Returns the names, in the order of their codes.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().cloned()
    }

    pub(crate) fn column(&self, codes: Vec<u32>) -> Column {
        debug_assert!(
            codes.iter().all(|&code| (code as usize) < self.0.len()),
            "a place that was not registered"
        );
        Column::Category(codes, self.names().collect())
    }
}

/// `drops`: frames lost on the channel or in a collision, and packets dropped anywhere else.
#[derive(Default)]
pub(crate) struct DropTableBuilder {
    time: Vec<f64>,
    flow: Vec<u32>,
    place: Vec<u32>,
    cause: Vec<u32>,
    kind: Vec<u32>,
    seq: Vec<u64>,
    bytes: Vec<u32>,
}

impl DropTableBuilder {
    pub fn push(&mut self, t: Time, place: u32, flow: u32, row: DropRow) {
        self.time.push(t.secs_f64());
        self.flow.push(flow);
        self.place.push(place);
        self.cause.push(row.cause as u32);
        self.kind.push(row.kind as u32);
        self.seq.push(row.seq);
        self.bytes.push(row.bytes);
    }

    pub fn into_table(self, flows: &[String], places: &PlaceNames) -> Table {
        let columns = vec![
            ("time_s", Column::F64(self.time)),
            ("flow", flow_column(self.flow, flows)),
            ("place", places.column(self.place)),
            ("cause", Column::Category(self.cause, to_strings(&DropCause::ALL.map(DropCause::name)))),
            ("kind", Column::Category(self.kind, to_strings(&PacketKind::ALL.map(PacketKind::name)))),
            ("seq", Column::U64(self.seq)),
            ("bytes", Column::U32(self.bytes)),
        ];
        Table { name: "drops", columns }
    }
}

/// `queue`: number of queued packets, one row per change.
#[derive(Default)]
pub(crate) struct QueueTableBuilder {
    /// Queue length in the last row of each place. Queues begin empty.
    last: Vec<u32>,
    time: Vec<f64>,
    place: Vec<u32>,
    packets: Vec<u32>,
}

impl QueueTableBuilder {
    /// Adds a row if the length has changed.
    pub fn push(&mut self, t: Time, place: u32, packets: u32) {
        let i = place as usize;
        if self.last.len() <= i {
            self.last.resize(i + 1, 0);
        }
        if std::mem::replace(&mut self.last[i], packets) == packets {
            return;
        }
        self.time.push(t.secs_f64());
        self.place.push(place);
        self.packets.push(packets);
    }

    /// Returns the table, sorted by time. The sort is needed because a wire records departures from its queue
    /// at the next arrival.
    pub fn into_table(self, places: &PlaceNames) -> Table {
        let mut order: Vec<usize> = (0..self.time.len()).collect();
        order.sort_by(|&a, &b| self.time[a].total_cmp(&self.time[b]));
        let columns = vec![
            ("time_s", Column::F64(order.iter().map(|&row| self.time[row]).collect())),
            ("place", places.column(order.iter().map(|&row| self.place[row]).collect())),
            ("packets", Column::U32(order.iter().map(|&row| self.packets[row]).collect())),
        ];
        Table { name: "queue", columns }
    }
}

/// Event of a notice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoticeEvent {
    /// Creation of the notice.
    Sent,
    /// Reception by the sender, and the sender's reaction.
    Received {
        /// Time in ms from the expiry of the retransmission timer to the notice that should have prevented
        /// the expiry. Negative if the notice was in time.
        lateness_ms: Option<f64>,
    },
}

/// `notices`: creation and reception of explicit notices.
#[derive(Default)]
pub(crate) struct NoticeTableBuilder {
    time: Vec<f64>,
    flow: Vec<u32>,
    kind: Vec<u32>,
    event: Vec<u32>,
    seq: Vec<u64>,
    lateness: Vec<f64>,
}

impl NoticeTableBuilder {
    pub fn push(&mut self, t: Time, flow: u32, kind: NoticeKind, event: NoticeEvent, seq: u64) {
        let (event, lateness) = match event {
            NoticeEvent::Sent => (0, None),
            NoticeEvent::Received { lateness_ms } => (1, lateness_ms),
        };
        self.time.push(t.secs_f64());
        self.flow.push(flow);
        self.kind.push(kind.index() as u32);
        self.event.push(event);
        self.seq.push(seq);
        self.lateness.push(lateness.unwrap_or(f64::NAN));
    }

    pub fn into_table(self, flows: &[String]) -> Table {
        let columns = vec![
            ("time_s", Column::F64(self.time)),
            ("flow", Column::Category(self.flow, flows.to_vec())),
            ("kind", Column::Category(self.kind, to_strings(&NoticeKind::ALL.map(NoticeKind::name)))),
            ("event", Column::Category(self.event, to_strings(&["sent", "received"]))),
            ("seq", Column::U64(self.seq)),
            ("lateness_ms", Column::F64(self.lateness)),
        ];
        Table { name: "notices", columns }
    }
}

/// `deliveries`: number of in-order bytes delivered to the receiving application so far.
#[derive(Default)]
pub(crate) struct DeliveryTableBuilder {
    time: Vec<f64>,
    flow: Vec<u32>,
    bytes: Vec<u64>,
}

impl DeliveryTableBuilder {
    pub fn push(&mut self, t: Time, flow: u32, total: u64) {
        self.time.push(t.secs_f64());
        self.flow.push(flow);
        self.bytes.push(total);
    }

    pub fn into_table(self, flows: &[String]) -> Table {
        let columns = vec![
            ("time_s", Column::F64(self.time)),
            ("flow", Column::Category(self.flow, flows.to_vec())),
            ("bytes", Column::U64(self.bytes)),
        ];
        Table { name: "deliveries", columns }
    }
}

/// Code of rows without a flow.
pub(crate) const NO_FLOW: u32 = u32::MAX;

/// Returns a column of flow names. Rows without a flow have "-", which is not a valid flow name.
pub(crate) fn flow_column(mut codes: Vec<u32>, flows: &[String]) -> Column {
    let mut names = flows.to_vec();
    for code in codes.iter_mut().filter(|code| **code == NO_FLOW) {
        *code = flows.len() as u32;
        names.truncate(flows.len());
        names.push("-".to_owned());
    }
    Column::Category(codes, names)
}

/// `stations`: positions of the stations of each wlan in metres. The table has no times, because stations do
/// not move.
#[derive(Default)]
pub(crate) struct StationTableBuilder {
    wlans: IndexSet<String>,
    names: IndexSet<String>,
    wlan: Vec<u32>,
    station: Vec<u32>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl StationTableBuilder {
    pub fn push(&mut self, wlan: &str, station: &str, [x, y]: [f64; 2]) {
        self.wlan.push(self.wlans.insert_full(wlan.to_string()).0 as u32);
        self.station.push(self.names.insert_full(station.to_string()).0 as u32);
        self.x.push(x);
        self.y.push(y);
    }

    pub fn into_table(self) -> Table {
        let columns = vec![
            ("wlan", Column::Category(self.wlan, self.wlans.into_iter().collect())),
            ("station", Column::Category(self.station, self.names.into_iter().collect())),
            ("x_m", Column::F64(self.x)),
            ("y_m", Column::F64(self.y)),
        ];
        Table { name: "stations", columns }
    }
}

pub(crate) fn to_strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
