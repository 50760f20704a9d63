//! Table `packets`: the path of each packet, step by step.

use crate::columns::{Column, Table};
use crate::tables::{PacketKind, PlaceNames, flow_column, to_strings};
use airhop_base::{DropCause, Ecn, Flags, FlowId, NodeId, Time};

/// Step of a packet's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// Creation at a node.
    Made,
    /// Arrival at the queue before a link, at the start of the link.
    Offered,
    /// Intact arrival at the end of a link.
    Arrived,
    /// End of the path. The packet reached its destination or a proxy agent, or a broadcast packet was sent.
    Delivered,
    /// End of the path by a drop with this cause.
    Dropped(DropCause),
    /// Arrival at the end of a reordering wire. The wire delays the packet further.
    Late,
}

impl PathStep {
    /// Names of steps in traces, indexed by category code.
    pub const NAMES: [&'static str; 6] = ["made", "offered", "arrived", "delivered", "dropped", "late"];

    const fn code(self) -> u32 {
        match self {
            PathStep::Made => 0,
            PathStep::Offered => 1,
            PathStep::Arrived => 2,
            PathStep::Delivered => 3,
            PathStep::Dropped(_) => 4,
            PathStep::Late => 5,
        }
    }

    /// Returns the cause of a drop as a number. Other steps have the number after the last cause.
    const fn cause(self) -> u32 {
        match self {
            PathStep::Dropped(why) => why as u32,
            _ => DropCause::ALL.len() as u32,
        }
    }
}

/// Location of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepLocation {
    /// At a node.
    Node(NodeId),
    /// At a place of [`Recorder::place`](crate::Recorder::intern_place), such as `bs->d`.
    Place(u32),
}

/// Packet that takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPacket {
    /// Slot of the packet in the simulator's memory. Unique from the packet's first step to the last.
    pub slot: u32,
    /// Flow of the packet; [`FlowId::NONE`] for a packet without a flow.
    pub flow: FlowId,
    /// Kind of the packet.
    pub kind: PacketKind,
    /// First byte of the payload. For an ACK, the acknowledgement number; for a datagram, the datagram
    /// number.
    pub seq: u64,
    /// Length of the IP datagram in bytes.
    pub bytes: u32,
    /// Payload in bytes.
    pub payload_bytes: u32,
    /// True if only the packet's headers are intact.
    pub has_payload_errors: bool,
    /// ECN codepoint before the step.
    pub ecn: Ecn,
    /// Control bits of a TCP segment; `None` for other packets.
    pub flags: Option<Flags>,
}

/// Letters of control bits as in tcpdump, from the lowest bit of a code.
const LETTERS: [char; 6] = ['F', 'S', 'P', '.', 'E', 'W'];
/// Code of packets other than TCP segments.
const NO_FLAGS: u32 = 1 << LETTERS.len();

/// Returns the control bits as a bit mask in the order of [`LETTERS`]; [`NO_FLAGS`] for `None`.
fn flags_code(flags: Option<Flags>) -> u32 {
    let Some(Flags { syn, ack, fin, psh, ece, cwr }) = flags else { return NO_FLAGS };
    (0..).zip([fin, syn, psh, ack, ece, cwr]).map(|(place, bit)| u32::from(bit) << place).sum()
}

/// Returns the words of all codes, such as `SEW`, `.` and `-`.
fn flags_labels() -> Vec<String> {
    let word = |code: u32| {
        let letters = (0..).zip(LETTERS).filter(|(place, _)| code >> place & 1 == 1);
        letters.map(|(_, letter)| letter).collect()
    };
    (0..NO_FLAGS).map(word).chain(["-".to_owned()]).collect()
}

/// `packets`: each step of each packet, in chronological order.
pub(crate) struct PacketStepTableBuilder {
    /// Node names. The codes of nodes precede the codes of places.
    nodes: Vec<String>,
    /// Number of the packet in each slot.
    numbers: Vec<u64>,
    made: u64,
    time: Vec<f64>,
    packet: Vec<u64>,
    step: Vec<u32>,
    cause: Vec<u32>,
    place: Vec<u32>,
    flow: Vec<u32>,
    kind: Vec<u32>,
    seq: Vec<u64>,
    bytes: Vec<u32>,
    payload: Vec<u32>,
    damaged: Vec<bool>,
    ecn: Vec<u32>,
    flags: Vec<u32>,
}

impl PacketStepTableBuilder {
    pub fn new(nodes: &[String]) -> Self {
        PacketStepTableBuilder {
            nodes: nodes.to_vec(),
            numbers: Vec::new(),
            made: 0,
            time: Vec::new(),
            packet: Vec::new(),
            step: Vec::new(),
            cause: Vec::new(),
            place: Vec::new(),
            flow: Vec::new(),
            kind: Vec::new(),
            seq: Vec::new(),
            bytes: Vec::new(),
            payload: Vec::new(),
            damaged: Vec::new(),
            ecn: Vec::new(),
            flags: Vec::new(),
        }
    }

    pub fn push(&mut self, t: Time, step: PathStep, at: StepLocation, flow: u32, w: StepPacket) {
        let slot = w.slot as usize;
        if step == PathStep::Made {
            if self.numbers.len() <= slot {
                self.numbers.resize(slot + 1, 0);
            }
            self.numbers[slot] = self.made;
            self.made += 1;
        }
        self.time.push(t.secs_f64());
        self.packet.push(self.numbers[slot]);
        self.step.push(step.code());
        self.cause.push(step.cause());
        self.place.push(match at {
            StepLocation::Node(node) => node.0.into(),
            StepLocation::Place(place) => self.nodes.len() as u32 + place,
        });
        self.flow.push(flow);
        self.kind.push(w.kind as u32);
        self.seq.push(w.seq);
        self.bytes.push(w.bytes);
        self.payload.push(w.payload_bytes);
        self.damaged.push(w.has_payload_errors);
        self.ecn.push(w.ecn as u32);
        self.flags.push(flags_code(w.flags));
    }

    pub fn into_table(self, flows: &[String], places: &PlaceNames) -> Table {
        let spots = self.nodes.into_iter().chain(places.names()).collect();
        let causes = DropCause::ALL.iter().map(|why| why.name()).chain(["-"]).map(str::to_owned).collect();
        let columns = vec![
            ("time_s", Column::F64(self.time)),
            ("packet", Column::U64(self.packet)),
            ("step", Column::Category(self.step, to_strings(&PathStep::NAMES))),
            ("cause", Column::Category(self.cause, causes)),
            ("place", Column::Category(self.place, spots)),
            ("flow", flow_column(self.flow, flows)),
            ("kind", Column::Category(self.kind, to_strings(&PacketKind::ALL.map(PacketKind::name)))),
            ("seq", Column::U64(self.seq)),
            ("bytes", Column::U32(self.bytes)),
            ("payload", Column::U32(self.payload)),
            ("damaged", Column::Bool(self.damaged)),
            ("ecn", Column::Category(self.ecn, to_strings(&Ecn::ALL.map(Ecn::name)))),
            ("flags", Column::Category(self.flags, flags_labels())),
        ];
        Table { name: "packets", columns }
    }
}
