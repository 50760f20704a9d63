//! Videos over a link with a known rate: startup delay, bitrates and stalls, compared with closed forms.

use crate::common::{hosts, run};
use airhop_base::{Rate, Span, Time};
use airhop_net::apps::{BitrateRule, Quality, VideoPlan, VideoQuality};
use airhop_net::links::Links;
use airhop_net::plan::Plan;
use airhop_net::{FlowReport, ReportValue};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Config, IdleRestartWindow, Preset};
use std::sync::Arc;

const DELAY: Span = Span::from_millis(1);
const SEGMENT_S: f64 = 4.0;

fn video(ladder: &[f64], choice: BitrateRule) -> VideoPlan {
    VideoPlan {
        bitrate_ladder: ladder.iter().map(|mbps| Rate::from_bps((mbps * 1e6) as u64)).collect(),
        segment_duration: Span::from_secs_f64(SEGMENT_S),
        buffer_capacity: Span::from_secs(30),
        startup_level: Span::from_secs_f64(SEGMENT_S),
        request_bytes: 700,
        bitrate_rule: choice,
        safety_factor: 0.9,
    }
}

/// Returns a plan with a video from a to b for 200 s, over a link without losses. The window always fills the
/// link, because there is no slow start and no restart after idle periods, and there is an ACK for each
/// packet. A full queue of 20 packets lasts less than 0.2 s.
fn plan(mbps: u64, video: VideoPlan) -> Plan {
    let config = Config {
        initial_window: 100.0,
        receive_window: 20_000,
        idle_restart_window: IdleRestartWindow::Keep,
        ..Preset::Ns2.config(1000)
    };
    let wire = hosts::wire(mbps, DELAY, 100, ErrorPlan::Clean);
    Plan {
        links: Links { wired: vec![wire], ..Links::default() },
        ..hosts::hosts(Span::from_secs(200), hosts::tcp("newreno", config), Arc::new(video))
    }
}

/// Returns the time from a request to the last byte of its segment, in seconds: a round trip, the request and
/// its ACK, and the packets of the segment, each with headers of 40 B.
fn download_s(link_mbps: f64, bitrate_mbps: f64) -> f64 {
    let bytes = bitrate_mbps * 1e6 * SEGMENT_S / 8.0;
    let sent = 700.0 + 2.0 * 40.0 + bytes + 40.0 * (bytes / 1000.0).ceil();
    2.0 * DELAY.secs_f64() + sent * 8.0 / (link_mbps * 1e6)
}

fn quality(flow: &FlowReport) -> VideoQuality {
    let Some(Quality::Video(quality)) = flow.quality else { panic!("no quality: {:?}", flow.quality) };
    quality
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
}

// A link of 3 Mbit/s carries 2.88 Mbit/s of payload. 90 % of that is enough for the bitrate of 2.5 Mbit/s,
// but not for that of 5. The first segment has 1 Mbit/s, all others 2.5 Mbit/s. A segment of 4 s then takes
// 3.47 s to download, so the buffer grows until it is full; from then on the link is idle for part of each 4
// s.
#[test]
fn a_choice_by_throughput_converges_to_the_bitrate_below_the_rate_of_the_link() {
    let report = run(&plan(3, video(&[1.0, 2.5, 5.0], BitrateRule::Throughput)), 1);
    let found = quality(&report.flows[0]);
    let startup = download_s(3.0, 1.0);
    assert_near(found.startup_delay.unwrap().secs_f64(), startup);
    assert_eq!((found.stalls, found.stalled_time, found.bitrate_switches), (0, Span::ZERO, 1));
    let played = 200.0 - startup;
    assert_near(found.played_time.secs_f64(), played);
    assert_near(found.bitrate_mbps().unwrap(), (SEGMENT_S + 2.5 * (played - SEGMENT_S)) / played);
    let (mut now, mut level, mut segments, mut waits) = (startup, SEGMENT_S, 0, 0);
    while now <= 200.0 {
        segments += 1;
        let wait = (level + SEGMENT_S - 30.0_f64).max(0.0);
        waits += u32::from(wait > 0.0);
        now += wait + download_s(3.0, 2.5);
        level += SEGMENT_S - wait - download_s(3.0, 2.5);
    }
    assert_eq!(found.downloaded_segments, segments);
    assert!(waits > 5, "the buffer was full {waits} times");
    // The class has only this flow, and therefore the same results.
    let is_video = |entry: &(&'static str, ReportValue)| entry.0 == "video";
    let (mut of_flow, mut of_class) = (report.flows[0].values(), report.classes[0].values());
    let entry = of_flow.find(is_video);
    assert!(entry.is_some() && entry == of_class.find(is_video));
}

// With BOLA the mean bitrate matches the link: at the buffer level at which 2.5 and 5 Mbit/s have equal
// scores, the bitrates alternate. Before it reaches that level, BOLA uses lower bitrates than a choice by
// throughput.
#[test]
fn a_choice_by_buffer_alternates_between_the_bitrates_around_the_rate_of_the_link() {
    let found = quality(&run(&plan(3, video(&[1.0, 2.5, 5.0], BitrateRule::Buffer)), 1).flows[0]);
    assert_eq!((found.stalls, found.stalled_time), (0, Span::ZERO));
    assert!(found.bitrate_switches > 10, "{found:?}");
    let downloaded = found.bitrate_mbps().unwrap();
    assert!((2.3..2.88).contains(&downloaded), "{downloaded}");
}

// With a bitrate of 2 Mbit/s on a link of 1 Mbit/s, playback stalls after each segment until the next one has
// arrived.
#[test]
fn a_link_below_the_lowest_bitrate_stalls_after_each_segment() {
    for choice in [BitrateRule::Buffer, BitrateRule::Throughput, BitrateRule::Hybrid] {
        let plan = Plan { duration: Span::from_secs(207), ..plan(1, video(&[2.0], choice)) };
        let found = quality(&run(&plan, 1).flows[0]);
        let download = download_s(1.0, 2.0);
        let segments = (207.0 / download).floor();
        let rest = 207.0 - segments * download;
        assert!(rest > SEGMENT_S, "the run ends in a stall");
        assert_near(found.startup_delay.unwrap().secs_f64(), download);
        assert_eq!((found.downloaded_segments as f64, found.stalls as f64), (segments, segments));
        assert_near(found.played_time.secs_f64(), segments * SEGMENT_S);
        assert_near(
            found.stalled_time.secs_f64(),
            (segments - 1.0) * (download - SEGMENT_S) + rest - SEGMENT_S,
        );
        assert_near(found.bitrate_mbps().unwrap(), 2.0);
    }
}

// A warm-up excludes the playback, the stalls and the segments before its end, but not the startup delay. A
// video without a segment, or that has not started to play, has no startup delay. Other applications have no
// video quality.
#[test]
fn quality_excludes_the_warm_up() {
    let all = plan(1, video(&[2.0], BitrateRule::Hybrid));
    let late = Plan { warmup: Span::from_secs(50), ..all.clone() };
    let (whole, found) = (quality(&run(&all, 1).flows[0]), quality(&run(&late, 1).flows[0]));
    let early = quality(&run(&Plan { duration: Span::from_secs(50), ..all.clone() }, 1).flows[0]);
    assert_eq!(found.startup_delay, whole.startup_delay);
    assert_eq!(found.played_time + found.stalled_time, Span::from_secs(150));
    assert_eq!(
        (early.played_time + found.played_time, early.stalled_time + found.stalled_time),
        (whole.played_time, whole.stalled_time)
    );
    assert_eq!(
        (early.stalls + found.stalls, early.downloaded_segments + found.downloaded_segments),
        (whole.stalls, whole.downloaded_segments)
    );
    let mut absent = all.clone();
    absent.flows[0].start = Time::ZERO + Span::from_secs(300);
    assert_eq!(quality(&run(&absent, 1).flows[0]), VideoQuality::default());
    let short = quality(&run(&Plan { duration: Span::from_secs(5), ..all }, 1).flows[0]);
    assert_eq!(short, VideoQuality::default());
}
