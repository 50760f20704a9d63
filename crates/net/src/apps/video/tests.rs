//! Timelines of videos over networks with given download times, compared with values computed by hand.

use super::*;
use crate::apps::{AppCommand, VideoQuality};
use std::collections::HashMap;

const MBIT: u64 = 1_000_000;

fn ms(span: Span) -> u64 {
    span.nanos() / Span::from_millis(1).nanos()
}

fn at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn rates(mbps: &[f64]) -> Arc<[Rate]> {
    mbps.iter().map(|&rate| Rate::from_bps((rate * 1e6) as u64)).collect()
}

/// Returns a video of 1, 2 or 4 Mbit/s, in segments of 4 s, with a buffer of 12 s.
fn video(choice: BitrateRule) -> VideoPlan {
    VideoPlan {
        bitrate_ladder: rates(&[1.0, 2.0, 4.0]),
        segment_duration: Span::from_secs(4),
        buffer_capacity: Span::from_secs(12),
        startup_level: Span::from_secs(4),
        request_bytes: 700,
        bitrate_rule: choice,
        safety_factor: 0.85,
    }
}

/// Request of a segment: its time in ms, the buffer level in ms, and the bitrate in Mbit/s.
type Asked = (u64, u64, u64);

/// Runs a video over a network. `downloads`: download times of the successive segments, ms. Returns the
/// requests until all downloads are complete, and the client.
fn timeline(video: VideoPlan, downloads: &[u64]) -> (Vec<Asked>, Client) {
    let chooser = BitrateChooser::new(&video);
    let mut client = Client { plan: video, chooser, player: None, asked: None, due: None, written: [0; 2] };
    let (mut io, mut now, mut asked) = (AppContext::default(), 0, Vec::new());
    client.on_start(at_ms(0), &mut io);
    for took in downloads {
        if let Some(due) = client.poll_timeout() {
            assert!(io.commands.is_empty(), "a full buffer requests nothing: {:?}", io.commands);
            now = ms(due - Time::ZERO);
            client.on_timeout(due, &mut io);
        }
        let level = ms(client.player.as_ref().unwrap().buffer_level());
        assert_eq!(
            written(&mut io),
            HashMap::from([(REQUEST_FLOW.0, client.plan.request_bytes)]),
            "one request"
        );
        client.on_delivered(at_ms(now), REQUEST_FLOW, &mut io);
        let bytes = written(&mut io)[&SEGMENT_FLOW.0];
        asked.push((now, level, bytes * 8 / 4 / MBIT));
        now += took;
        client.on_delivered(at_ms(now), SEGMENT_FLOW, &mut io);
    }
    (asked, client)
}

/// Returns the numbers of bytes written since the previous call, by flow.
fn written(io: &mut AppContext) -> HashMap<u16, u64> {
    let writes = io.commands.drain(..).filter_map(|order| match order {
        AppCommand::Write(flow, bytes) => Some((flow.0, bytes)),
        _ => None,
    });
    writes.collect()
}

fn quality(client: &Client, ms: u64) -> VideoQuality {
    let Some(Quality::Video(quality)) = client.quality(at_ms(ms)) else { panic!("a video has a quality") };
    quality
}

// BOLA with Q_max = 3 segments: v = (0, ln 2, ln 4), V = 2 / (ln 4 + 5) = 0.31317. The scores of 1 and 2
// Mbit/s are equal at Q = 1.3488 segments (5.395 s), those of 2 and 4 Mbit/s at Q = 1.5658 (6.263 s).
//
// time | event                          | level | next request
//  0 s | start                          |  0 s  | 1 Mbit/s
//  1 s | segment 1, playback begins     |  4 s  | 1 Mbit/s, since 4 < 5.395
//  2 s | segment 2                      |  7 s  | 4 Mbit/s, since 7 > 6.263
//  9 s | empty: stall                   |  0 s  |
// 10 s | segment 3, playback resumes    |  4 s  | 1 Mbit/s
// 11 s | segment 4                      |  7 s  | 4 Mbit/s
// 13 s | segment 5: 9 + 4 > 12          |  9 s  | none until the level is 8 s
// 14 s | room                           |  8 s  | 4 Mbit/s
// 15 s | segment 6                      | 11 s  | none until 18 s
//
// Up to 16 s playback has 8 s at 1 Mbit/s and, from 10 s on, 4 s at 4 Mbit/s and 2 s at 1 Mbit/s: 26 Mbit in
// 14 s. The bitrate changes at 10 and at 14 s.
#[test]
fn a_choice_by_buffer_follows_the_timeline_on_paper() {
    let (asked, client) = timeline(video(BitrateRule::Buffer), &[1000, 1000, 8000, 1000, 2000, 1000]);
    let levels = [(0, 0, 1), (1000, 4000, 1), (2000, 7000, 4), (10_000, 4000, 1), (11_000, 7000, 4)];
    assert_eq!(asked, [&levels[..], &[(14_000, 8000, 4)]].concat());
    assert_eq!(client.poll_timeout(), Some(at_ms(18_000)));
    let found = quality(&client, 16_000);
    assert_eq!(found.startup_delay, Some(Span::from_secs(1)));
    assert_eq!((found.stalls, found.stalled_time), (1, Span::from_secs(1)));
    assert_eq!(
        (found.played_time, found.downloaded_segments, found.bitrate_switches),
        (Span::from_secs(14), 6, 2)
    );
    assert!((found.bitrate_mbps().unwrap() - 26.0 / 14.0).abs() < 1e-12);
    assert!((found.stalled_pct().unwrap() - 100.0 / 15.0).abs() < 1e-12);
}

// Throughputs of the segments, their harmonic mean, and 85 % of this mean. A segment of 4 s has 4, 8 or 16
// Mbit.
//
// segment      | took   | throughput | mean of all                        | 85 % | next
// 1, 1 Mbit/s  | 2 s    | 2 Mbit/s   | 2                                  | 1.7  | 1 Mbit/s
// 2, 1 Mbit/s  | 0.5 s  | 8          | 2 / (1/2 + 1/8) = 3.2              | 2.72 | 2
// 3, 2 Mbit/s  | 1 s    | 8          | 3 / (1/2 + 2/8) = 4                | 3.4  | 2
// 4, 2 Mbit/s  | 1 s    | 8          | 4 / (1/2 + 3/8) = 4.57             | 3.89 | 2
// 5, 2 Mbit/s  | 1 s    | 8          | 5 / (1/2 + 4/8) = 5                | 4.25 | 4
// 6, 4 Mbit/s  | 16 s   | 1          | 6 / (1/2 + 4/8 + 1) = 3            | 2.55 | 2
//
// The arithmetic mean after the second segment, 5 Mbit/s, would lead to 4 Mbit/s.
#[test]
fn a_choice_by_throughput_follows_the_harmonic_mean() {
    let (asked, client) =
        timeline(video(BitrateRule::Throughput), &[2000, 500, 1000, 1000, 1000, 16_000, 1000]);
    let bitrates: Vec<u64> = asked.iter().map(|asked| asked.2).collect();
    assert_eq!(bitrates, [1, 1, 2, 2, 2, 4, 2]);
    // Buffer levels: 4 s at time 2 s, 7.5 s at 2.5 s, 10.5 s at 3.5 s, and therefore 8 s at 6 s. From then on
    // each download of 1 s ends at a level of 11 s, and 3 s pass until the next request.
    let times: Vec<u64> = asked.iter().map(|asked| asked.0).collect();
    assert_eq!(times, [0, 2000, 2500, 6000, 10_000, 14_000, 30_000]);
    // The buffer holds 8 s at time 14 s and is empty at 22 s; the next segment arrives at 30 s.
    let found = quality(&client, 31_000);
    assert_eq!(
        (found.stalls, found.stalled_time, found.played_time),
        (1, Span::from_secs(8), Span::from_secs(21))
    );
}

fn wide(choice: BitrateRule) -> VideoPlan {
    VideoPlan {
        bitrate_ladder: rates(&[1.0, 2.5, 5.0]),
        buffer_capacity: Span::from_secs(30),
        ..video(choice)
    }
}

// The mean covers the last 20 segments. After 19 downloads at 8 Mbit/s, one of the 20 is still that at 0.01
// Mbit/s, which lowers the mean to 0.2 Mbit/s. With the factor 85 %, 5.9 Mbit/s suffice for 5 Mbit/s (5.015),
// and 5.8 Mbit/s do not (4.93).
#[test]
fn throughputs_of_twenty_segments_are_averaged() {
    let mut chooser = BitrateChooser::new(&wide(BitrateRule::Throughput));
    let mut found = Vec::new();
    for (mbps, count) in [(0.01, 20), (8.0, 19), (8.0, 1), (5.9, 20), (5.8, 20)] {
        for _ in 0..count {
            chooser.on_download(mbps * 1e6, Span::from_secs(1));
        }
        found.push(chooser.choose_bitrate(Span::ZERO));
    }
    assert_eq!(found, [0, 0, 2, 2, 1]);
    let mut bold = BitrateChooser::new(&VideoPlan { safety_factor: 1.0, ..wide(BitrateRule::Throughput) });
    bold.on_download(5.8e6, Span::from_secs(1));
    assert_eq!(bold.choose_bitrate(Span::ZERO), 2);
}

// BOLA with Q_max = 7.5 segments: V = 6.5 / (ln 5 + 5) = 0.98345. The scores of 1 and 2.5 Mbit/s are equal at
// Q = 4.3164 segments (17.266 s), those of 2.5 and 5 Mbit/s at Q = 5.1366 (20.546 s).
#[test]
fn bola_changes_bitrates_at_the_levels_of_equal_scores() {
    let mut chooser = BitrateChooser::new(&wide(BitrateRule::Buffer));
    let mut at = |ms| chooser.choose_bitrate(Span::from_millis(ms));
    assert_eq!([0, 17_260, 17_270, 20_540, 20_550, 26_000].map(&mut at), [0, 0, 1, 1, 2, 2]);
}

// DYNAMIC at a throughput of 6 Mbit/s, which suffices for 5 Mbit/s. BOLA chooses 5 Mbit/s only above 20.546
// s. Up to this level the throughput decides; above it BOLA decides, until the level falls below 10 s.
#[test]
fn the_hybrid_changes_its_rule_with_hysteresis() {
    let mut chooser = BitrateChooser::new(&wide(BitrateRule::Hybrid));
    chooser.on_download(6e6, Span::from_secs(1));
    let mut at = |s| chooser.choose_bitrate(Span::from_secs(s));
    assert_eq!([0, 11, 18, 21, 18, 11, 10, 9, 11, 21, 18].map(&mut at), [2, 2, 2, 2, 1, 0, 0, 2, 2, 2, 1]);
    // At 1.5 Mbit/s both rules choose 1 Mbit/s. At a level of 10 s the throughput decides, even when it
    // becomes 10 Mbit/s. Above 10 s BOLA decides, and keeps 1 Mbit/s.
    for (first, later) in [(10, 2), (11, 0)] {
        let mut chooser = BitrateChooser::new(&wide(BitrateRule::Hybrid));
        chooser.on_download(1.5e6, Span::from_secs(1));
        assert_eq!(chooser.choose_bitrate(Span::from_secs(first)), 0);
        (0..20).for_each(|_| chooser.on_download(10e6, Span::from_secs(1)));
        assert_eq!(chooser.choose_bitrate(Span::from_secs(10)), later);
    }
}

// Playback begins, and resumes, with 8 s of video. It begins after the second segment, at 3 s. The stall at
// 11 s ends with the segments that arrive at 13 and at 16 s.
#[test]
fn playback_resumes_at_the_startup_level() {
    let plan = VideoPlan { startup_level: Span::from_secs(8), ..video(BitrateRule::Throughput) };
    let (_, client) = timeline(plan, &[1000, 2000, 10_000, 3000]);
    let found = quality(&client, 17_000);
    assert_eq!((found.startup_delay, found.stalls), (Some(Span::from_secs(3)), 1));
    assert_eq!((found.played_time, found.stalled_time), (Span::from_secs(9), Span::from_secs(5)));
}

// A segment that arrives at the instant at which the buffer becomes empty prevents a stall. A segment that
// arrives 1 ns later does not.
#[test]
fn a_stall_needs_time_without_video() {
    for (late, stalls) in [(0, 0), (1, 1)] {
        let mut player = Player::new(Span::from_secs(4), Span::from_secs(4), at_ms(0));
        player.push_segment(Rate::from_bps(MBIT));
        let end = at_ms(4000) + Span::from_nanos(late);
        player.advance(end);
        player.push_segment(Rate::from_bps(MBIT));
        let found = player.quality(end + Span::from_secs(1));
        assert_eq!((found.stalls, found.stalled_time), (stalls, Span::from_nanos(late)));
        assert_eq!(found.played_time, Span::from_secs(5));
    }
}

// Startup delay, playback and stalls together cover the whole time. After a warm-up only later playback and
// stalls count, but the startup delay remains.
#[test]
fn startup_playback_and_stalls_cover_the_time() {
    let (_, mut client) = timeline(video(BitrateRule::Buffer), &[1000, 1000, 8000, 1000]);
    for ms in [11_000, 11_500, 16_000, 100_000] {
        let found = quality(&client, ms);
        assert_eq!(
            found.startup_delay.unwrap() + found.played_time + found.stalled_time,
            Span::from_millis(ms)
        );
    }
    client.end_warm_up(at_ms(12_000));
    let late = quality(&client, 100_000);
    assert_eq!((late.startup_delay, late.played_time), (Some(Span::from_secs(1)), Span::from_secs(6)));
    // The buffer holds 7 s at time 11 s, and is empty at 18 s.
    assert_eq!((late.stalls, late.stalled_time, late.downloaded_segments), (1, Span::from_secs(82), 0));
}

// Segment sizes are bitrate times duration, at least one byte.
#[test]
fn a_segment_has_the_size_of_its_bitrate() {
    let mut video = video(BitrateRule::Buffer);
    assert_eq!(video.segment_bytes(Rate::from_bps(2_500_000)), 1_250_000);
    video.segment_duration = Span::from_nanos(1);
    assert_eq!(
        (video.segment_bytes(Rate::from_bps(1)), video.segment_bytes(Rate::from_bps(20_000_000_000))),
        (1, 3)
    );
    video.segment_duration = Span::from_secs(1_000_000);
    assert_eq!(video.segment_bytes(Rate::from_bps(1_000_000_000_000)), 125_000_000_000_000_000);
}
