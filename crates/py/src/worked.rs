//! Parts of a sender for the worked examples of papers: LHP's packet list, and a sender that receives given
//! ACKs.

use airhop_base::{
    Body, Flags, FlowId, NodeId, Packet, RareOptions, Sack, SackBlock, Segment, SegmentArrival, Span,
    TCP_IP_HEADER_BYTES, Time,
};
use airhop_tcp::recovery::SendOrderList;
use airhop_tcp::{Config, Params, Preset, Sender};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Payload of a segment, bytes. Segments are numbered from 1.
const MSS: u32 = 1000;

/// Packet list in sending order, as (segment, duplicate ACKs), and the segments that an ACK reveals as lost.
type Shown = (Vec<(u64, u32)>, Vec<u64>);
/// Effect of an ACK: released segments, fast recoveries so far, window reductions so far, and congestion
/// window in segments.
type Answer = (Vec<u64>, u64, u64, f64);

/// Step in the history of a packet list.
#[derive(FromPyObject)]
pub enum Step {
    /// Transmission of a segment.
    Send(u64),
    /// Arrival of an ACK: the next expected segment, and the segment that triggered the ACK.
    Ack((u64, u64)),
}

/// Returns LHP's packet list after each ACK in `steps`. A list is in sending order, as (segment, duplicate
/// ACKs), with the segments that the ACK reveals as lost. A step is the transmission of a segment, or an ACK
/// (expected segment, segment that triggered the ACK).
#[pyfunction]
#[pyo3(signature = (steps, dupthresh = 3))]
pub fn packet_list(steps: Vec<Step>, dupthresh: u32) -> Vec<Shown> {
    let mut list = SendOrderList::new(dupthresh);
    let mut shown = Vec::new();
    for step in steps {
        match step {
            Step::Send(segment) => list.on_sent(segment, segment + 1),
            Step::Ack((expected, trigger)) => {
                let lost = list.on_ack(expected, trigger);
                shown.push((list.entries().map(|e| (e.seq, e.duplicate_acks)).collect(), lost));
            }
        }
    }
    shown
}

/// Return the effect of each ACK on a single saturated sender of `scheme`. The effect is the released
/// segments, the fast recoveries and window reductions so far, and the congestion window in segments. An ACK
/// is (time in ms, expected segment, arrived segments). The arrived segments lie above the expected segment,
/// and the last triggered the ACK. `window` is the initial window in segments, which grows by one segment per
/// round trip. Raises ValueError for an unknown scheme.
#[pyfunction]
pub fn answers(scheme: &str, window: f64, acks: Vec<(u64, u64, Vec<u64>)>) -> PyResult<Vec<Answer>> {
    let scheme = airhop_tcp::find_scheme(scheme)
        .ok_or_else(|| PyValueError::new_err(format!("there is no scheme `{scheme}`")))?;
    let config = Config {
        initial_window: window,
        initial_ssthresh: 1.0,
        handshake: false,
        timestamps: false,
        delayed_ack: None,
        ..Preset::Rfc.config(MSS)
    };
    let parts = (scheme.build)(&Params::defaults(scheme), &config);
    let mut sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, scheme.features, parts);
    sender.supply_data(u64::from(MSS) * 1_000_000);
    sent(&mut sender, Time::ZERO);
    let answer = |(ms, expected, arrived): (u64, u64, Vec<u64>)| {
        let now = Time::ZERO + Span::from_millis(ms);
        sender.on_segment(now, &ack(now, expected, &arrived, &config));
        let segments = sent(&mut sender, now);
        let counters = sender.counters();
        (segments, counters.fast_recoveries, counters.window_reductions, sender.window().cwnd)
    };
    Ok(acks.into_iter().map(answer).collect())
}

fn first_byte(segment: u64) -> u64 {
    1 + (segment - 1) * u64::from(MSS)
}

/// Returns the segments that the sender can send now.
fn sent(sender: &mut Sender, now: Time) -> Vec<u64> {
    let packets = std::iter::from_fn(|| sender.poll_transmit(now));
    let first = packets.filter_map(|p| match p.body {
        Body::Tcp(s) => Some((s.seq - 1) / u64::from(MSS) + 1),
        _ => None,
    });
    first.collect()
}

/// Builds an ACK with the information of both SACK and SMART.
fn ack(now: Time, expected: u64, arrived: &[u64], config: &Config) -> Packet {
    let mut sack = Sack::EMPTY;
    for &segment in arrived.iter().rev().take(3) {
        sack.push(SackBlock { start: first_byte(segment), end: first_byte(segment + 1) });
    }
    let arrival = arrived.last().map(|&segment| SegmentArrival { seq: first_byte(segment), at: now });
    let segment = Segment {
        seq: 1,
        ack: first_byte(expected),
        window: config.receive_window,
        flags: Flags { ack: true, ..Flags::default() },
        options: RareOptions { sack, arrival, ..RareOptions::NONE }.into(),
        ..Segment::default()
    };
    let bytes = TCP_IP_HEADER_BYTES + segment.option_bytes();
    Packet::new(FlowId(0), NodeId(1), NodeId(0), bytes, Body::Tcp(segment))
}
