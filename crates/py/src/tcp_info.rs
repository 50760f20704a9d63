//! Trace table `tcp_info`: samples from the kernels of real connections.

use airhop_live::sockets::ConnectionSample;
use airhop_trace::{Column, Table};
use std::collections::HashMap;

/// Names of the states in `enum tcp_ca_state` of include/uapi/linux/tcp.h.
const STATES: [&str; 5] = ["open", "disorder", "cwr", "recovery", "loss"];

/// Returns the table with a row for each sample, in chronological order.
pub(crate) fn table(samples: &[ConnectionSample]) -> Table {
    let mut samples: Vec<&ConnectionSample> = samples.iter().collect();
    samples.sort_by_key(|sampled| sampled.at);
    let count =
        |of: fn(&ConnectionSample) -> u32| Column::U32(samples.iter().map(|sampled| of(sampled)).collect());
    let value =
        |of: fn(&ConnectionSample) -> f64| Column::F64(samples.iter().map(|sampled| of(sampled)).collect());
    let word = |of: fn(&ConnectionSample) -> String| category(samples.iter().map(|sampled| of(sampled)));
    Table {
        name: "tcp_info",
        columns: vec![
            ("time_s", value(|sampled| sampled.at.secs_f64())),
            ("flow", word(|sampled| sampled.info.flow_name())),
            ("congestion_control", word(|sampled| sampled.info.congestion_control.clone())),
            ("state", word(|sampled| state(sampled.info.ca_state))),
            ("cwnd", count(|sampled| sampled.info.cwnd)),
            ("ssthresh", value(|sampled| sampled.info.ssthresh.map_or(f64::INFINITY, f64::from))),
            ("srtt_ms", value(|sampled| f64::from(sampled.info.srtt_us) / 1e3)),
            ("retransmissions", count(|sampled| sampled.info.retransmits)),
        ],
    }
}

fn state(number: u8) -> String {
    STATES.get(usize::from(number)).map_or_else(|| number.to_string(), |word| (*word).to_string())
}

fn category(rows: impl Iterator<Item = String>) -> Column {
    let (mut words, mut known) = (Vec::new(), HashMap::new());
    let codes = rows.map(|row| {
        *known.entry(row).or_insert_with_key(|row| {
            words.push(row.clone());
            words.len() as u32 - 1
        })
    });
    Column::Category(codes.collect(), words)
}
