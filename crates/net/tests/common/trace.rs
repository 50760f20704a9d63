//! Runs that are traced, and functions that read the tables of a trace.

use airhop_net::plan::Plan;
use airhop_net::{Report, World};
use airhop_trace::{Column, Recorder, Table};
use std::sync::atomic::AtomicBool;

/// Runs a plan to its end, checks that all its packets are accounted for, and returns the report
/// and the tables.
pub fn traced(plan: &Plan, seed: u64) -> (Report, Vec<Table>) {
    let flows: Vec<String> = plan.flows.iter().map(|f| f.name.clone()).collect();
    let recorder = Recorder::new(&flows, &plan.nodes, plan.duration, true, None).expect("no files");
    let mut world = World::new(plan, seed, 0, Some(recorder)).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("no stop is requested");
    world.check_packet_counts().expect("every packet has exactly one outcome");
    let report = world.report();
    (report, world.into_recorder().expect("the flow has one").finish().expect("no files"))
}

fn column_of<'a>(tables: &'a [Table], table: &str, column: &str) -> &'a Column {
    let found = tables.iter().find(|t| t.name == table).and_then(|t| t.column(column));
    found.unwrap_or_else(|| panic!("{table}.{column}"))
}

/// Returns a column of numbers: times, windows, lengths or counts.
pub fn numbers(tables: &[Table], table: &str, column: &str) -> Vec<f64> {
    match column_of(tables, table, column) {
        Column::F64(values) => values.clone(),
        Column::U32(values) => values.iter().map(|&v| f64::from(v)).collect(),
        other => panic!("{table}.{column}: {other:?}"),
    }
}

/// Returns a column of stream offsets.
pub fn offsets<'a>(tables: &'a [Table], table: &str, column: &str) -> &'a [u64] {
    match column_of(tables, table, column) {
        Column::U64(values) => values,
        other => panic!("{table}.{column}: {other:?}"),
    }
}

/// Returns a column of strings.
pub fn words<'a>(tables: &'a [Table], table: &str, column: &str) -> Vec<&'a str> {
    match column_of(tables, table, column) {
        Column::Category(codes, words) => codes.iter().map(|&code| words[code as usize].as_str()).collect(),
        other => panic!("{table}.{column}: {other:?}"),
    }
}

/// Transmission of a frame on the air: a row of the table `air`.
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

/// Returns the table `air`.
pub fn on_air(tables: &[Table]) -> Vec<Sent> {
    let [start, end, bytes, attempt] =
        ["start_s", "end_s", "bytes", "attempt"].map(|name| numbers(tables, "air", name));
    let [from, to, kind, packet, outcome] =
        ["from", "to", "kind", "packet", "outcome"].map(|name| words(tables, "air", name));
    let seq = offsets(tables, "air", "seq");
    let row = |i: usize| Sent {
        start: start[i],
        end: end[i],
        from: from[i].into(),
        to: to[i].into(),
        kind: kind[i].into(),
        bytes: bytes[i] as u32,
        packet: packet[i].into(),
        seq: seq[i],
        attempt: attempt[i] as u32,
        outcome: outcome[i].into(),
    };
    (0..seq.len()).map(row).collect()
}

/// Returns the changes of the queue length at a place: time in seconds, and length in packets.
pub fn queue_at(tables: &[Table], place: &str) -> Vec<(f64, u32)> {
    let [time, packets] = ["time_s", "packets"].map(|name| numbers(tables, "queue", name));
    let places = words(tables, "queue", "place");
    (0..time.len()).filter(|&i| places[i] == place).map(|i| (time[i], packets[i] as u32)).collect()
}
