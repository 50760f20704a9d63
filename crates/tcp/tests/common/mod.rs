//! Test bench: a sender driven by a script, or a sender and a receiver connected by a path, without sockets,
//! clock or threads.
//!
//! Segments are numbered from 1 and have [`MSS`] bytes each; an ACK that "expects n" acknowledges all
//! segments below n.
#![allow(dead_code, reason = "a benchmark that includes it uses a part")]

pub mod ledger;
pub mod path;
pub mod rounds;
pub mod script;

use airhop_base::{Body, FlowId, NodeId, Packet, Segment, Span, Time};
use airhop_tcp::seams::TransmissionCause;
use airhop_tcp::{Config, Params, Preset, Sender};

/// Payload of every segment, bytes.
pub const MSS: u32 = 1000;

/// Returns the first byte of segment `n`.
pub fn byte(n: u64) -> u64 {
    1 + (n - 1) * u64::from(MSS)
}

/// Returns the number of the segment that contains `byte`.
pub fn number(byte: u64) -> u64 {
    (byte - 1) / u64::from(MSS) + 1
}

/// Returns the time `ms` milliseconds after the start.
pub fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// Returns a sender of `scheme` with the parameters in `given`; other parameters have their defaults.
pub fn sender(scheme: &str, given: &[(&str, f64)], config: &Config) -> Sender {
    let scheme = airhop_tcp::find_scheme(scheme).expect("a known scheme");
    let mut params = Params::defaults(scheme);
    given
        .iter()
        .for_each(|&(name, value)| params.set(scheme, name, value).expect("a parameter of the scheme"));
    Sender::new(FlowId(0), NodeId(0), NodeId(1), config, scheme.features, (scheme.build)(&params, config))
}

/// Returns the ns-2 preset with an open window of `cwnd` segments and a threshold of `ssthresh`.
pub fn ns2(cwnd: f64, ssthresh: f64) -> Config {
    Config { initial_window: cwnd, initial_ssthresh: ssthresh, ..Preset::Ns2.config(MSS) }
}

/// Returns the RFC preset without handshake and timestamps, so that a script shows only data and ACKs.
pub fn rfc(cwnd: f64, ssthresh: f64) -> Config {
    Config {
        initial_window: cwnd,
        initial_ssthresh: ssthresh,
        handshake: false,
        timestamps: false,
        delayed_ack: None,
        ..Preset::Rfc.config(MSS)
    }
}

/// Returns the Linux preset without handshake, timestamps and pacing, so that a script shows only data and
/// ACKs.
pub fn linux(cwnd: f64, ssthresh: f64) -> Config {
    Config {
        initial_window: cwnd,
        initial_ssthresh: ssthresh,
        handshake: false,
        timestamps: false,
        pacing: false,
        ..Preset::Linux.config(MSS)
    }
}

/// Returns the notation of a segment in scripts and traces: its number, and a mark of the cause of its
/// transmission. New data has no mark; `!` is a fast retransmit, `+` a further retransmission of the
/// recovery, `t` a retransmission after a timeout, `n` after a notice, and `p` a probe.
pub fn label(s: &Segment, cause: TransmissionCause) -> String {
    let mark = match cause {
        TransmissionCause::New => "",
        TransmissionCause::Fast => "!",
        TransmissionCause::Recovery => "+",
        TransmissionCause::Timeout => "t",
        TransmissionCause::Notice => "n",
        TransmissionCause::Probe => "p",
    };
    match (s.flags.syn, s.len) {
        (true, _) => "SYN".into(),
        (_, 0) if s.flags.fin => format!("FIN{mark}"),
        (_, 0) => "ACK".into(),
        _ => format!("{}{}{mark}", number(s.seq), if s.flags.fin { "F" } else { "" }),
    }
}

/// Returns the TCP segment in `p`.
pub fn segment(p: &Packet) -> &Segment {
    match &p.body {
        Body::Tcp(s) => s,
        other => panic!("a sender sent {other:?}"),
    }
}
