//! The two topologies of Kounavis 1996, and what a recorder says of them.

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::plan::{AppPlan, FlowPlan, Plan, QueuePlan, RadioLinkPlan, Transport, WiredPlan};
use airhop_net::{World, services};
use airhop_radio::arq::{ArqPlan, ArqRules, Group, derived_timeout};
use airhop_radio::errors::{ErrorPlan, FadePlan, Sojourn, Start};
use airhop_radio::link::RadioPlan;
use airhop_tcp::{Params, Preset};
use airhop_trace::{Column, Recorder, Table};
use std::sync::atomic::AtomicBool;

/// A fixed host, a base station and a mobile, f - bs - m; or two mobiles and their base stations, m1 - bs1 - bs2 - m2. 56 kbit/s by wire
/// and 19.2 kbit/s on the air; 88 bytes of payload with 40 of headers are 128 (Kounavis 1996 §5).
#[derive(Clone, Debug)]
pub struct Mobile {
    pub scheme: &'static str,
    pub to_mobile: bool,
    /// Recovery of the data, and of the ACKs, on each radio link.
    pub arq: [ArqPlan; 2],
    pub errors: ErrorPlan,
    pub air_delay_ms: u64,
    pub overhead: u32,
    /// Largest window, segments.
    pub window: u64,
    pub seconds: u64,
}

pub const PAYLOAD: u32 = 88;
pub const FRAME: u32 = 128;
pub const AIR: Rate = Rate::from_bps(19_200);

impl Default for Mobile {
    fn default() -> Self {
        Mobile {
            scheme: "tahoe",
            to_mobile: false,
            arq: [ArqPlan::None, ArqPlan::None],
            errors: ErrorPlan::Clean,
            air_delay_ms: 10,
            overhead: 0,
            window: 20,
            seconds: 100,
        }
    }
}

/// Window, derived timeout and link ACKs of 6 bytes, for an air delay of 10 ms.
pub fn rules(window: u32, attempts: Option<u32>) -> ArqRules {
    let timeout = derived_timeout(AIR, Span::from_millis(10), window, FRAME, 6, FRAME);
    ArqRules { window, timeout, attempts, ack_bytes: 6 }
}

/// As in the paper: go-back-3 for the data, selective repeat for the ACKs.
pub fn recovery(attempts: Option<u32>) -> [ArqPlan; 2] {
    [
        ArqPlan::GoBackN { group: Group::Sliding, rules: rules(3, attempts) },
        ArqPlan::SelectiveRepeat { srej: true, rules: rules(8, attempts) },
    ]
}

/// 10 s good with a bit error rate of 1e-6, 4 s bad with 1e-2, exponential; the first time is a good one.
pub fn fades() -> ErrorPlan {
    fades_of(Sojourn::Exponential)
}

/// The same of times with another distribution around those means.
pub fn fades_of(sojourn: Sojourn) -> ErrorPlan {
    let means = [Span::from_secs(10), Span::from_secs(4)];
    let fades = FadePlan::Drawn { means, sojourn, start: Start::Good };
    ErrorPlan::TwoState { fades, errors_per_bit: [1e-6, 1e-2] }
}

impl Mobile {
    pub fn plan(&self) -> Plan {
        let nodes: &[&str] = if self.to_mobile { &["m1", "bs1", "bs2", "m2"] } else { &["f", "bs", "m"] };
        let queue = QueuePlan::DropTail { packets: 50 };
        let bases = if self.to_mobile { [NodeId(1), NodeId(2)] } else { [NodeId(0), NodeId(1)] };
        // The first of the ends sends data.
        let radio = |index: u16, ends: [u16; 2]| RadioLinkPlan {
            link: RadioPlan {
                index,
                name: format!("air{index}"),
                ends: ends.map(|node| nodes[usize::from(node)].to_string()),
                pace: AIR.into(),
                delay: Span::from_millis(self.air_delay_ms),
                overhead: self.overhead,
                arq: self.arq.clone(),
                errors: [self.errors.clone(), self.errors.clone()],
            },
            nodes: ends.map(NodeId),
            queue,
        };
        let last = nodes.len() as u16 - 1;
        let mut radios = vec![radio(0, [last - 1, last])];
        if self.to_mobile {
            radios.push(radio(1, [0, 1]));
        }
        Plan {
            name: "mobile".into(),
            duration: Span::from_secs(self.seconds),
            warmup: Span::ZERO,
            nodes: nodes.iter().map(|name| name.to_string()).collect(),
            wired: vec![WiredPlan {
                name: "w".into(),
                ends: bases,
                pace: Rate::from_bps(56_000).into(),
                delay: Span::from_millis(50),
                queue,
                errors: [ErrorPlan::Clean, ErrorPlan::Clean],
            }],
            wlans: vec![],
            radios,
            flows: vec![self.flow("f", NodeId(0), NodeId(last))],
        }
    }

    /// A flow of the scheme, with what it needs.
    pub fn flow(&self, name: &str, from: NodeId, to: NodeId) -> FlowPlan {
        let scheme = airhop_tcp::find(self.scheme).expect("a known scheme");
        let mut config = Preset::Ns2.config(PAYLOAD);
        config.receive_window = self.window * u64::from(PAYLOAD);
        config.rto.tick = Span::from_millis(100);
        let needs = scheme.needs.iter().map(|need| services::find(need).expect("it is there"));
        FlowPlan {
            name: name.into(),
            from,
            to,
            transport: Transport::Tcp { scheme, params: Params::defaults(scheme), config },
            app: AppPlan::Bulk,
            start: Time::ZERO,
            services: needs.collect(),
        }
    }

    /// The plan with a stream of datagrams, 128 bytes each with their headers, in place of TCP.
    pub fn datagrams(&self, payload_bps: u64) -> Plan {
        let mut plan = self.plan();
        plan.flows[0].transport = Transport::Udp { bytes: 100 };
        plan.flows[0].app = AppPlan::Cbr { rate: Rate::from_bps(payload_bps) };
        plan.flows[0].services.clear();
        plan
    }
}

/// Runs a plan to its end, checks the books, and returns world and tables.
pub fn traced(plan: &Plan, seed: u64) -> (airhop_net::Report, Vec<Table>) {
    let flows: Vec<String> = plan.flows.iter().map(|f| f.name.clone()).collect();
    let recorder = Recorder::new(&flows, &plan.nodes, plan.duration, true, None).expect("no files");
    let mut world = World::new(plan, seed, 0, Some(recorder)).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("nobody stops it");
    world.audit().expect("every packet has one fate");
    let report = world.report();
    (report, world.into_recorder().expect("it was given one").finish().expect("no files"))
}

/// A transmission on the air.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    pub start: f64,
    pub end: f64,
    pub from: String,
    pub to: String,
    pub kind: String,
    pub bytes: u32,
    pub packet: String,
    pub seq: u64,
    pub attempt: u32,
    pub outcome: String,
}

/// The table `air`.
pub fn on_air(tables: &[Table]) -> Vec<Sent> {
    let table = tables.iter().find(|t| t.name == "air").expect("a table of transmissions");
    let seconds = |name| match table.column(name) {
        Some(Column::F64(v)) => v.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let words = |name| match table.column(name) {
        Some(Column::Category(codes, words)) => {
            codes.iter().map(|code| words[*code as usize].clone()).collect::<Vec<_>>()
        }
        other => panic!("{name}: {other:?}"),
    };
    let numbers = |name| match table.column(name) {
        Some(Column::U32(v)) => v.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let Some(Column::U64(seq)) = table.column("seq") else { panic!("{table:?}") };
    let (start, end, from, to) = (seconds("start_s"), seconds("end_s"), words("from"), words("to"));
    let (kind, packet, outcome) = (words("kind"), words("packet"), words("outcome"));
    let (bytes, attempt) = (numbers("bytes"), numbers("attempt"));
    let row = |i: usize| Sent {
        start: start[i],
        end: end[i],
        from: from[i].clone(),
        to: to[i].clone(),
        kind: kind[i].clone(),
        bytes: bytes[i],
        packet: packet[i].clone(),
        seq: seq[i],
        attempt: attempt[i],
        outcome: outcome[i].clone(),
    };
    (0..seq.len()).map(row).collect()
}

/// The queue at a place over time: seconds and packets.
pub fn queue_at(tables: &[Table], place: &str) -> Vec<(f64, u32)> {
    let table = tables.iter().find(|t| t.name == "queue").expect("a table of queues");
    let (Some(Column::F64(time)), Some(Column::Category(code, words)), Some(Column::U32(packets))) =
        (table.column("time_s"), table.column("place"), table.column("packets"))
    else {
        panic!("{table:?}")
    };
    let rows = time.iter().zip(packets).zip(code);
    rows.filter(|(_, code)| words[**code as usize] == place).map(|((&t, &n), _)| (t, n)).collect()
}
