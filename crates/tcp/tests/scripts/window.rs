//! Window if the receiver or the application limits the sender: an unused window does not grow, and a loss
//! halves only the used part of the window.

use crate::common;
use crate::common::script::Script;
use crate::common::{MSS, byte, linux, ns2, rfc};
use airhop_base::Span;
use airhop_tcp::{Config, IdleRestartWindow, Preset, RtoConfig, WindowGrowth};

/// Returns a sender of scheme `sack` with a receiver's window of 20 segments, after a thousand ACKs of one
/// segment each.
fn limited(config: Config) -> Script {
    let receive_window = 20 * u64::from(MSS);
    let mut s = Script::new("sack", Config { receive_window, delayed_ack: None, ..config });
    s.sent();
    s.at(100);
    (2..=1000).for_each(|n| drop(s.ack(n)));
    assert_eq!(s.sender.in_flight(), receive_window);
    s
}

/// Returns the window after the loss of the oldest segment.
fn after_a_loss(mut s: Script) -> f64 {
    (1001..=1006).for_each(|last| drop(s.sack(1000, &[(1001, last)])));
    assert_eq!(s.cuts(), 1);
    s.window().0
}

// A loss while the receive window limits the sender. ns-2, TcpAgent::slowdown(), halves min(cwnd, wnd),
// although cwnd grew above wnd. RFC 5681 §3.1 (4) halves FlightSize; cwnd grew while at least half of it was
// in use (RFC 7661 §4.3). Linux halves cwnd, which grows in congestion avoidance only while the flight fills
// it (tcp_is_cwnd_limited()): up to 21 segments as an integer.
#[test]
fn a_loss_halves_the_window_limited_by_the_receiver() {
    for (config, cwnd) in [(ns2(10.0, 5.0), 45.0), (rfc(10.0, 5.0), 41.0), (linux(10.0, 5.0), 21.0)] {
        let s = limited(config);
        assert_eq!(s.window().0.floor(), cwnd);
        assert_eq!(after_a_loss(s), 10.0);
    }
}

// A loss in slow start, with an unlimited ssthresh, while the receive window limits the sender. ns-2's window
// grows by a segment per ACK without limit. With RFC 7661 §4.3 and in Linux the window grows while half of it
// is in use, up to 40, and Linux halves all of it.
#[test]
fn slow_start_grows_only_while_half_of_the_window_is_used() {
    let infinite = f64::INFINITY;
    for (config, cwnd, left) in [
        (ns2(10.0, infinite), 1009.0, 10.0),
        (rfc(10.0, infinite), 41.0, 10.0),
        (linux(10.0, infinite), 40.0, 20.0),
    ] {
        let s = limited(config);
        assert_eq!(s.window().0, cwnd);
        assert_eq!(after_a_loss(s), left);
    }
}

// A source with two segments per round trip: the unused window stays unchanged (RFC 7661 §4.3, Linux), except
// in ns-2. Copa's window, which depends on delivered data, also stays unchanged.
#[test]
fn an_unused_window_does_not_grow() {
    for (scheme, config, grows) in [
        ("reno", rfc(10.0, 5.0), false),
        ("reno", linux(10.0, 5.0), false),
        ("reno", ns2(10.0, 5.0), true),
        ("copa", rfc(10.0, 5.0), false),
        ("copa", linux(10.0, 5.0), false),
        ("copa", ns2(10.0, 5.0), true),
    ] {
        let mut s = Script::by(common::sender(scheme, &[], &config), &config, 0);
        for round in 1..=20 {
            s.at(100 * round);
            s.sender.supply_data(2 * u64::from(MSS));
            let mut sent = s.sent();
            while sent.split_whitespace().count() < 2 {
                sent = format!("{sent} {}", s.expire().1); // segments are paced
            }
            assert_eq!(sent, format!("{} {}", 2 * round - 1, 2 * round));
            while s.due().is_some_and(|due| due < (100 * round + 50) as f64) {
                assert_eq!(s.expire().1, ""); // expiry of the pacing timer
            }
            s.at(100 * round + 50).ack(2 * round + 1);
        }
        assert_eq!(s.window().0 > 10.0, grows, "{scheme} {}", s.window().0);
    }
}

// Linux, tcp_clean_rtx_queue(): nearly every ACK is a sample for the retransmission timer, from the recorded
// transmission times; Karn's rule excludes retransmitted segments.
#[test]
fn the_linux_rto_uses_nearly_every_ack_as_a_sample() {
    let mut s = Script::new("sack", linux(4.0, 2.0));
    assert_eq!(s.sent(), "1 2 3 4");
    s.at(100).ack(2);
    assert_eq!(s.sender.srtt(), Some(Span::from_millis(100)));
    s.at(180).ack(3);
    assert_eq!(s.sender.srtt(), Some(Span::from_millis(110)));
}

// The clock of these samples has a finer resolution than that of timestamps: 40 µs are not rounded to zero.
// Linux, tcp_schedule_loss_probe(): the probe waits two ticks of 1 ms in addition to two round trips.
#[test]
fn an_rtt_of_40_microseconds_is_measured() {
    let us = Span::from_micros;
    let mut s = Script::new("sack", Config { timestamps: true, ..linux(4.0, 2.0) });
    assert_eq!(s.sent(), "1 2 3 4");
    s.at_us(40).sack_bytes(byte(3), &[]);
    assert_eq!(s.sender.srtt(), Some(us(40)));
    assert_eq!(s.due(), Some(0.04 + 2.0 * 0.04 + 2.0));
}

// RFC 5681 §3.1 (4) at a timeout: ssthresh is half of FlightSize, which is all data not cumulatively
// acknowledged. Of ten segments, five are SACKed, and no further ACK arrives.
#[test]
fn a_timeout_halves_the_whole_flight_size() {
    let mut s = Script::new("sack", Config { dupthresh: 100, limited_transmit: false, ..rfc(10.0, 5.0) });
    s.sent();
    s.at(100).sack(1, &[(6, 10)]);
    s.expire();
    assert_eq!(s.window(), (1.0, 5.0));
}

// Linux, tcp_init_transfer() and tcp_init_metrics(): a single lost SYN delays the connection by a second. The
// window becomes one segment only after a second lost SYN. The timeout becomes three seconds only if
// timestamps provided no RTT sample. RFC 5681 §3.1 and RFC 6298 §5.7 require this window and this timeout
// after the first lost SYN.
#[test]
fn a_lost_syn_keeps_the_initial_window_in_linux() {
    for (preset, timestamps, syns, cwnd, rto) in [
        (Preset::Linux, true, 1, 10.0, 300),
        (Preset::Linux, false, 1, 10.0, 3000),
        (Preset::Linux, true, 2, 1.0, 300),
        (Preset::Rfc, true, 1, 1.0, 3000),
    ] {
        let mut s = Script::new("reno", Config { timestamps, pacing: false, ..preset.config(MSS) });
        assert_eq!(s.sent(), "SYN");
        (0..syns).for_each(|_| assert_eq!(s.expire().1, "SYN"));
        s.after(100).syn_ack_of_now();
        assert_eq!(s.window().0, cwnd, "{preset:?} after {syns}");
        assert_eq!(s.rto(), Span::from_millis(rto), "{preset:?} after {syns}");
    }
}

/// Returns the window and the size of the burst after an idle period. The application writes 30 segments, the
/// last of which is sent at 100 ms, and writes again at time `ms`. By then slow start has increased the
/// window to 40 segments; the RTO is 250 to 300 ms.
fn after_a_pause(config: Config, ms: u64) -> (f64, usize) {
    let rto = RtoConfig { min: Span::from_millis(200), ..config.rto };
    let config = Config { rto, growth: WindowGrowth::PerByte, ..config };
    let mut s = Script::by(common::sender("reno", &[], &config), &config, 30 * u64::from(MSS));
    assert_eq!(s.sent().split(' ').count(), 10);
    assert_eq!(s.at(100).ack(11).split(' ').count(), 20);
    s.at(200).ack(31);
    assert_eq!(s.window().0, 40.0);
    s.at(ms).sender.supply_data(100 * u64::from(MSS));
    let sent = s.sent().split(' ').count();
    (s.window().0, sent)
}

// RFC 5681 §4.1: after more than an RTO without transmissions the window is at most the initial window.
// Linux, tcp_cwnd_restart(): the window is halved for each RTO of the idle period, down to the initial
// window. ns-2 keeps the window. After less than an RTO, all presets keep it.
#[test]
fn an_idle_period_reduces_the_window() {
    let infinite = f64::INFINITY;
    for (config, windows) in [
        (rfc(10.0, infinite), [40.0, 10.0, 10.0]),
        (linux(10.0, infinite), [40.0, 20.0, 10.0]),
        (ns2(10.0, infinite), [40.0, 40.0, 40.0]),
    ] {
        let after = [300, 550, 5000].map(|ms| after_a_pause(config, ms));
        assert_eq!(after, windows.map(|window| (window, window as usize)), "{:?}", config.stack);
    }
}

// RFC 7661 §4.4.3, with any preset: the window is kept for five minutes, and halved for each five minutes of
// the idle period, down to the initial window. ssthresh becomes at least three quarters of the window.
#[test]
fn window_validation_halves_an_idle_window_every_5_minutes() {
    let minutes = |minutes: u64| 200 + minutes * 60_000;
    for config in [rfc(10.0, f64::INFINITY), linux(10.0, f64::INFINITY), ns2(10.0, f64::INFINITY)] {
        let decaying = Config { idle_restart_window: IdleRestartWindow::Decay, ..config };
        let after = [4, 6, 9, 11, 16, 60].map(|m| after_a_pause(decaying, minutes(m)).0);
        assert_eq!(after, [40.0, 20.0, 20.0, 10.0, 10.0, 10.0], "{:?}", config.stack);
    }
    let config = Config { idle_restart_window: IdleRestartWindow::Decay, ..rfc(40.0, 5.0) };
    let mut s = Script::of("reno", config, 40);
    s.sent();
    s.at(100).ack(41);
    let before = s.window().0;
    s.at(minutes(6)).sender.supply_data(1000);
    s.sent();
    assert_eq!(s.window(), (40.0, before * 0.75));
}

// Linux, tcp_current_ssthresh(): after a pause, slow start ends at three quarters of the window before the
// pause: for a window of 11 at 5 + 2 segments.
#[test]
fn linux_slow_start_after_idle_ends_at_3_4_of_the_window() {
    let mut s = Script::of("reno", linux(10.0, 5.0), 10);
    s.sent();
    s.at(100).ack(11);
    assert_eq!(s.window(), (11.0, 5.0));
    s.at(1000).sender.supply_data(1000);
    s.sent();
    assert_eq!(s.window(), (10.0, 7.0));
}

// RFC 9293 §3.8.6: the window of the SYN-ACK limits the first flight, for any configured buffer of the
// receiver.
#[test]
fn the_window_of_the_syn_ack_bounds_the_first_flight() {
    let mut s = Script::new("newreno", rfc(10.0, 5.0));
    s.sender.set_initial_receive_window(3 * u64::from(MSS));
    assert_eq!(s.sent(), "1 2 3");
}

// Linux: `ssthresh` returns an integer number of packets, and a reduction discards the fraction of a packet
// by which the window has grown (tcp_init_cwnd_reduction()). In Linux half of 11.1 segments is 5; with the
// real numbers of the RFCs, half of a flight of 11 is 5.5.
#[test]
fn linux_reduces_to_whole_segments() {
    for scheme in ["reno", "htcp", "illinois"] {
        let left = |config: Config| {
            let mut s = Script::new(scheme, config);
            s.sent();
            s.at(110);
            (3..=8).for_each(|last| drop(s.sack(2, &[(3, last)])));
            assert_eq!(s.cuts(), 1);
            s.window().1
        };
        assert_eq!(left(linux(11.0, 5.0)), 5.0, "{scheme}");
        assert!((5.5..5.6).contains(&left(rfc(11.0, 5.0))), "{scheme}");
    }
}
