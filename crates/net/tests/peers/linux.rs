//! Reference: measurements of Linux 6.18 on an emulated link (`reference/linux.csv`, mean of 3 runs per
//! point). Goodput with losses is compared in `tests/python/peers/test_crosscheck.py`.
//!
//! The kernel's sockets were paced, so the preset also paces: BBR is the default of that kernel, iperf3
//! selects the congestion control after connect(), and the pacing enabled by BBR remains enabled. A 6.18
//! kernel over an emulator of the same kind (10 Mbit/s, 30 ms each way, 50 packets) reproduces all figures of
//! the table with pacing: at zero loss 54, 54 and 54 retransmissions with CUBIC, and a slow start that an ACK
//! train ends at 154. If CUBIC is selected before connect(), the kernel has 23 retransmissions, and a slow
//! start that ends at 78 or 118.

use crate::common::trace::{numbers, traced};
use crate::common::{hosts, run};
use airhop_base::Span;
use airhop_net::apps::{Bulk, Transfer};
use airhop_net::links::Links;
use airhop_net::plan::Plan;
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::Preset;
use std::sync::Arc;

/// Returns the plan of two hosts, 10 Mbit/s and 30 ms each way, a queue of 50 packets, independent losses
/// towards the receiver; MTU 1040, so a segment has 988 bytes of payload and 12 bytes of timestamps.
fn wire(scheme: &str, loss: f64) -> Plan {
    Plan {
        links: Links {
            wired: vec![hosts::wire(10, Span::from_millis(30), 50, ErrorPlan::Loss(loss))],
            ..Links::default()
        },
        ..hosts::hosts(Span::from_secs(60), hosts::tcp(scheme, Preset::Linux.config(988)), Arc::new(Bulk))
    }
}

/// Returns the mean of a column of the kernel's runs of a scheme at a loss rate.
fn kernel(scheme: &str, loss: &str, column: usize) -> f64 {
    let rows = include_str!("../reference/linux.csv").lines().map(|l| l.split(',').collect::<Vec<_>>());
    let values: Vec<f64> = rows
        .filter(|f| f[0] == scheme && f[8] == loss)
        .map(|f| f[column].parse().expect("a number"))
        .collect();
    values.iter().sum::<f64>() / values.len() as f64
}

const GOODPUT: usize = 11;
const RETRANSMISSIONS: usize = 13;

// In the kernel at zero loss retransmissions equal the queue's drops exactly: 148 for reno in 13 recoveries,
// 54 for cubic.
#[test]
fn retransmissions_equal_queue_drops_without_errors() {
    for scheme in ["reno", "cubic"] {
        let report = run(&wire(scheme, 0.0), 1);
        let flow = &report.flows[0];
        println!("{scheme}: {} Mbit/s, {} retransmissions", flow.goodput_mbps, flow.retransmissions);
        let goodput = kernel(scheme, "0", GOODPUT);
        assert!((flow.goodput_mbps / goodput - 1.0).abs() < 0.01, "{goodput}");
        let retransmissions = kernel(scheme, "0", RETRANSMISSIONS);
        let off = flow.retransmissions as f64 / retransmissions - 1.0;
        assert!(off.abs() < 0.05, "{scheme}: {} of {retransmissions}", flow.retransmissions);
        assert_eq!(flow.timeouts, 0, "{scheme}");
        assert!(scheme == "cubic" || flow.fast_recoveries == 13);
    }
}

/// Returns time, cwnd and ssthresh at each change, in the first `seconds` seconds without losses.
fn windows(scheme: &str, seconds: u64) -> Vec<[f64; 3]> {
    let plan = Plan { duration: Span::from_secs(seconds), ..wire(scheme, 0.0) };
    let (_, tables) = traced(&plan, 1);
    let columns = ["time_s", "cwnd", "ssthresh"].map(|name| numbers(&tables, "window", name));
    (0..columns[0].len()).map(|i| [0, 1, 2].map(|column: usize| columns[column][i])).collect()
}

/// Returns the time, and the window before and after each reduction.
fn cuts(windows: &[[f64; 3]]) -> Vec<(f64, f64, f64)> {
    windows.windows(2).filter(|w| w[1][1] < w[0][1]).map(|w| (w[1][0], w[0][1], w[1][1])).collect()
}

fn is_within(ours: f64, linux: f64, tolerance: f64) {
    assert!((ours / linux - 1.0).abs() < tolerance, "{ours}, Linux {linux}");
}

// The kernel: 191 retransmissions for BBR, all during its startup, which fills the queue and exceeds it by
// the same amount; each retransmission is a drop of the queue.
#[test]
fn bbr_startup_loses_as_many_segments_as_in_linux() {
    let report = run(&wire("bbr", 0.0), 1);
    let flow = &report.flows[0];
    println!("{} Mbit/s, {} retransmissions", flow.goodput_mbps, flow.retransmissions);
    assert!((flow.goodput_mbps / kernel("bbr", "0", GOODPUT) - 1.0).abs() < 0.01);
    let retransmissions = kernel("bbr", "0", RETRANSMISSIONS);
    assert!((flow.retransmissions as f64 / retransmissions - 1.0).abs() < 0.05, "{retransmissions}");
    assert_eq!((report.drops[0], flow.timeouts), (flow.retransmissions, 0));
}

// With losses, the number of retransmissions equals the losses of channel and queue, as in the kernel; 3 % is
// the kernel's own variation between runs at a loss of 1 %.
#[test]
fn bbr_retransmits_as_many_segments_as_in_linux() {
    for loss in ["0.01", "0.05"] {
        let p = loss.parse().expect("a number");
        let ours =
            (1..=5).map(|seed| run(&wire("bbr", p), seed).flows[0].retransmissions as f64).sum::<f64>() / 5.0;
        let linux = kernel("bbr", loss, RETRANSMISSIONS);
        println!("{loss}: Linux {linux:.0}, Airhop {ours:.0}");
        assert!((ours / linux - 1.0).abs() < 0.05, "{loss}: Linux {linux}, Airhop {ours}");
    }
}

// Noted with the measurement: "reno's slow start reaches cwnd 250 at 0.61 s, ssthresh 125, a second halving
// to 62 at 0.92 s". The bandwidth-delay product is 73 packets, the queue holds 50, and one more is in
// service: the first packet beyond a window of 124 is dropped, and the window has doubled when the loss is
// detected. The times of the note do not follow from these numbers: their origin is not stated (perhaps
// iperf3's control connection, which is opened first), and they are not asserted. From the SYN on, slow start
// lasts 0.45 s: ten segments, doubling every 61 ms to 80, and then one more per 0.832 ms of the link.
#[test]
fn slow_start_ends_at_the_window_of_linux() {
    let cuts = cuts(&windows("reno", 2));
    println!("{cuts:?}");
    assert!(cuts.len() >= 2);
    for (cut, linux) in cuts.iter().zip([(250.0, 125.0), (125.0, 62.0)]) {
        is_within(cut.1, linux.0, 0.02);
        is_within(cut.2, linux.1, 0.02);
    }
    let doublings = 0.061 * (1.0 + (80.0f64 / 10.0).log2()); // the handshake is one more round trip
    let ends = doublings + 0.832e-3 * (250.0 - 80.0) + 0.061;
    assert!((cuts[0].0 / ends - 1.0).abs() < 0.1, "at {} s, not {ends}", cuts[0].0);
}

// Noted with the measurement: "CUBIC's HyStart (delay) leaves slow start at cwnd 154 at 0.509 s, first loss
// at 0.587 s, ssthresh 110, then between 86 and 123". In fact an ACK train as long as the minimum round trip
// ends slow start: the kernel counts it as an ACK train (TCPHystartTrainCwnd 154), and every round of slow
// start has a short round trip. iperf3's first segment is small; without it the kernel has 156, as here.
#[test]
fn hystart_ends_slow_start_at_the_window_of_linux() {
    let windows = windows("cubic", 60);
    let left = windows.iter().find(|w| w[2].is_finite()).expect("slow start ends");
    let cuts = cuts(&windows);
    println!("{left:?} {cuts:?}");
    is_within(left[2], 154.0, 0.02);
    is_within(cuts[0].2, 110.0, 0.02);
    is_within(cuts[0].0 - left[0], 0.587 - 0.509, 0.05);
    for cut in &cuts[2..] {
        is_within(cut.1, 123.0, 0.02);
        is_within(cut.2, 86.0, 0.02);
    }
}

// Round trips of 40 and 400 µs. With srtt = 0, as with timestamps of a millisecond, RFC 8985 §7.2 would send
// spurious probes, each of which causes a duplicate. Linux' samples are in microseconds, and its probe waits
// two ticks longer than two round trips.
#[test]
fn no_tail_loss_probe_is_sent_at_rtts_below_a_millisecond() {
    for us in [20, 200] {
        let transfer = Arc::new(Transfer { bytes: 20_000 });
        let tcp = hosts::tcp("cubic", Preset::Linux.config(1448));
        let plan = Plan {
            links: Links {
                wired: vec![hosts::wire(1000, Span::from_micros(us), 100, ErrorPlan::Clean)],
                ..Links::default()
            },
            ..hosts::hosts(Span::from_secs(2), tcp, transfer)
        };
        let flow = &run(&plan, 1).flows[0];
        assert_eq!(
            (flow.delivered_bytes, flow.sent_segments, flow.retransmissions),
            (20_000, 14, 0),
            "{us} µs"
        );
    }
}
