//! Transcripts of every recovery over the same paths, with and without notices: the segments sent, their
//! times, and the window.
//!
//! Each of the other scripts checks one rule. A transcript detects a change of any rule where several rules
//! interact (a loss within a recovery, a notice about a retransmission, a timeout in a disconnection). A
//! change of a rule updates the transcripts, and its commit explains the changed lines.

use crate::common::path::{Fate, Observer, Path, Transfer};
use crate::common::{MSS, linux, ns2, rfc, sender};
use airhop_base::{Notice, NoticeKind, Rate, Span, Time};
use airhop_tcp::seams::{LossClass, RepairKind};
use airhop_tcp::{Config, LossDetection, NoticeHandling, SackRecovery, Sender};

/// One-way delay, ms.
const DELAY: u64 = 50;
/// Number of segments of a transfer.
const SEGMENTS: u64 = 70;
/// Number of these segments that the application writes after a pause.
const LATER: u64 = 20;

/// A recovery: its name, a scheme that uses it, and the configuration.
fn recoveries() -> Vec<(&'static str, &'static str, Config)> {
    let of = |sack_recovery, config: Config| Config { sack_recovery, ..config };
    let large = 12.0;
    let rfc = rfc(large, large);
    let ns2 = ns2(large, large);
    vec![
        ("tahoe", "tahoe", rfc),
        ("reno", "reno", rfc),
        ("newreno", "newreno", rfc),
        ("newreno-ns2", "newreno", ns2),
        ("vegas", "vegas", rfc),
        ("vegas-ns2", "vegas", ns2),
        ("tcp-cl", "tcp-cl", rfc),
        ("pipe", "sack", of(SackRecovery::Pipe, ns2)),
        ("rfc6675", "sack", of(SackRecovery::Rfc6675, rfc)),
        ("rfc6675-prr", "cubic", Config { prr: true, ..of(SackRecovery::Rfc6675, rfc) }),
        ("rate-halving", "sack", of(SackRecovery::RateHalving, rfc)),
        ("rate-halving-ns2", "sack", of(SackRecovery::RateHalving, ns2)),
        ("delayed", "dcr", rfc),
        ("esack", "ll-elsn", rfc),
        ("lhp", "lhp", rfc),
        ("rack", "reno", Config { loss_detection: LossDetection::Rack, ..rfc }),
        ("rack-linux", "reno", linux(large, large)),
        ("rate-linux", "bbr", linux(large, large)),
        ("loss-rate-linux", "bbr3", linux(large, large)),
    ]
}

/// Events on a path in addition to losses, delays and duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Nothing,
    Notices,
    Marks,
}

/// Returns a path drawn from a seed: about one transmission in twelve is lost, delayed or duplicated,
/// including retransmissions.
fn path(seed: u64, beside: Beside) -> Path {
    let (with_notices, with_marks) = (beside == Beside::Notices, beside == Beside::Marks);
    let mut state = seed;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let ms = Span::from_millis;
    let mut path = Path::of(DELAY);
    for n in 1..=SEGMENTS {
        for nth in 1..=4 {
            let kind = draw(if nth == 1 { 60 } else { 24 });
            let (first, then) = (ms(5 + draw(60)), ms(70 + draw(120)));
            let fate = match kind {
                0 | 1 => Fate::Lost,
                2 => Fate::Late(then),
                3 => Fate::Twice(first),
                4 | 5 if with_notices => Fate::Noticed(first),
                6 if with_notices => Fate::NoticedTwice(first, then),
                7 if with_notices => Fate::Repeated(first, then),
                8 if with_notices => Fate::GivenUp(first, then),
                9 if with_notices => Fate::Dropped(first),
                10 | 11 if with_marks && nth == 1 => Fate::Congested,
                _ => continue,
            };
            path = path.with(n, nth, fate);
        }
    }
    for ack in 1..=SEGMENTS {
        match draw(20) {
            0 => drop(path.acks.insert(ack, Fate::Lost)),
            1 => drop(path.acks.insert(ack, Fate::Late(ms(5 + draw(40))))),
            2 => drop(path.acks.insert(ack, Fate::Twice(ms(3 + draw(20))))),
            3 if with_notices => drop(path.acks.insert(ack, Fate::Marked)),
            _ => {}
        }
    }
    if with_notices {
        for kind in [NoticeKind::Eln, NoticeKind::Ersn, NoticeKind::Nak, NoticeKind::Ebsn] {
            let (at, first) = (Time::ZERO + ms(150 + draw(900)), 1 + 1000 * draw(SEGMENTS));
            path.notices.push((at, Notice::with_segment(kind, first, first + 1000)));
        }
    }
    path
}

/// Sums over all events of a transfer.
#[derive(Default)]
struct Sums {
    /// Bytes in flight.
    flight: u64,
    /// Number of events while a disconnection freezes the sender.
    frozen: u32,
    /// Numbers of events while a loss is repaired: after duplicate ACKs, and after a timeout.
    repairs: [u32; 2],
}

impl Observer for Sums {
    fn processed(&mut self, sender: &Sender) {
        self.flight += sender.in_flight();
        self.frozen += u32::from(sender.is_frozen());
        self.repairs[0] += u32::from(sender.repair_kind() == RepairKind::Loss);
        self.repairs[1] += u32::from(sender.repair_kind() == RepairKind::Timeout);
    }

    fn expired(&mut self, sender: &Sender) {
        self.processed(sender);
    }
}

/// Returns the segments sent at each time, and the state at the end of the transfer.
fn transcript(scheme: &str, config: &Config, path: Path) -> String {
    let sender = sender(scheme, &[], config);
    let (bytes, later) = (SEGMENTS * u64::from(MSS), LATER * u64::from(MSS));
    let mut t = Transfer::watched(sender, scheme, config, path, bytes - later, Sums::default());
    let end = Time::ZERO + Span::from_secs(10_000);
    t.run_until(end);
    t.supply(t.now + Span::from_millis(700), later);
    t.run_until(end);
    assert_eq!(t.receiver.delivered_bytes(), bytes, "{scheme}: {}", t.trace());
    let lines: Vec<String> = t.trace().lines().map(|line| line.trim().replace("  ", ": ")).collect();
    let (window, srtt, rto) = (t.sender.window(), t.sender.srtt(), t.sender.rto(t.now));
    let losses = std::iter::from_fn(|| t.sender.poll_classification());
    let wireless = losses.filter(|loss| loss.class == LossClass::Wireless).count();
    let (c, sums) = (t.sender.counters(), &t.observer);
    format!(
        "{}\ncwnd {:.3}, ssthresh {:.3}, RTO {rto}, SRTT {}; {} reductions, {} fast recoveries, {} timeouts, {} undone, \
         {wireless} losses taken for wireless, {} ECT, {} echoes, notices {:?}; flight {}, repairs {:?}, frozen {}",
        lines.join(" | "),
        window.cwnd,
        window.ssthresh,
        srtt.map_or_else(String::new, |srtt| srtt.to_string()),
        c.window_reductions,
        c.fast_recoveries,
        c.timeouts,
        c.undone_reductions,
        c.ect_segments,
        c.ecn_echoes,
        c.notices,
        sums.flight,
        sums.repairs,
        sums.frozen,
    )
}

/// Returns the transcripts of all recoveries, each over the paths of these seeds.
fn transcripts(seeds: [u64; 4], beside: Beside, adapt: impl Fn(usize, Config) -> Config) -> String {
    let of = |(name, scheme, config): (&str, &str, Config)| {
        let run = |(i, &seed): (usize, &u64)| transcript(scheme, &adapt(i, config), path(seed, beside));
        format!("{name}\n{}", seeds.iter().enumerate().map(run).collect::<Vec<_>>().join("\n"))
    };
    recoveries().into_iter().map(of).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn recoveries_from_losses_match_their_transcripts() {
    insta::assert_snapshot!(transcripts([1, 2, 3, 4], Beside::Nothing, |_, config| config));
}

#[test]
fn recoveries_with_timestamps_match_their_transcripts() {
    let adapt = |i, config| Config { timestamps: true, nagle: i % 2 == 0, pacing: i > 1, ..config };
    insta::assert_snapshot!(transcripts([5, 6, 7, 8], Beside::Nothing, adapt));
}

#[test]
fn recoveries_with_marks_match_their_transcripts() {
    let adapt = |i, config| Config { ecn: true, undo: i % 2 == 0, ..config };
    insta::assert_snapshot!(transcripts([21, 22, 23, 24], Beside::Marks, adapt));
}

#[test]
fn recoveries_with_notices_match_their_transcripts() {
    let kinds = [NoticeHandling::Elsn, NoticeHandling::Eln, NoticeHandling::Elsn, NoticeHandling::Scheme];
    let adapt = |i: usize, config| Config { notice_reaction: kinds[i], ..config };
    insta::assert_snapshot!(transcripts([11, 12, 13, 14], Beside::Notices, adapt));
}

// The seed determines the random numbers of a scheme: the phase of BBR's pacing gains after Startup.
#[test]
fn a_seed_changes_the_draws_of_a_scheme() {
    let log = |seed: u32| {
        let config = linux(10.0, f64::INFINITY);
        let mut sender = sender("bbr", &[], &config);
        sender.set_seed(seed);
        let path = Path { bottleneck: Some((Rate::from_bps(4_000_000), 200)), ..Path::of(DELAY) };
        let mut t = Transfer::watched(sender, "bbr", &config, path, 1_000_000, Sums::default());
        t.run_until(Time::ZERO + Span::from_secs(100));
        t.trace()
    };
    let logs: Vec<String> = (1..=8).map(log).collect();
    assert!(logs.iter().any(|other| *other != logs[0]));
    assert_eq!(log(1), logs[0]);
}
