//! Laws that hold for every scheme and preset on any path.

use crate::common::ledger::Ledger;
use crate::common::path::{Fate, Path, Transfer};
use crate::common::{MSS, at, byte, sender};
use airhop_base::{NodeId, Notice, NoticeKind, Rate, Span};
use airhop_tcp::{Config, LossDetection, NoticeHandling, Preset, SCHEMES, SackRecovery, WindowGrowth};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Returns the schemes of a list that the model of the flight ([`Ledger`]) does not know.
fn without_a_law<'a>(schemes: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    schemes.into_iter().filter(|scheme| !Ledger::knows(scheme, &Preset::Rfc.config(MSS))).collect()
}

/// Checks `law` for every scheme, with `cases` random inputs each.
///
/// A scheme without a law fails before the first input: a panic within proptest would hide the reason.
fn for_every_scheme<S: Strategy>(
    cases: u32,
    strategy: &S,
    law: impl Fn(&'static str, S::Value) -> Result<(), TestCaseError>,
) {
    let missing = without_a_law(SCHEMES.iter().map(|scheme| scheme.name));
    assert!(
        missing.is_empty(),
        "{}: add the scheme with its loss recovery to `Law::of` in crates/tcp/tests/common/ledger.rs",
        missing.join(", ")
    );
    for scheme in SCHEMES {
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        let verdict = TestRunner::new(config).run(strategy, |case| law(scheme.name, case));
        verdict.unwrap_or_else(|e| panic!("{}: {e}", scheme.name));
    }
}

/// Returns the k-th combination of the parameters on which these laws depend.
fn parameters(scheme: &str, k: u8) -> Vec<(&'static str, f64)> {
    match scheme {
        "ll-elsn" | "eln-cubic" => vec![("n", f64::from(k))],
        "hack-fixed" => vec![("shield", f64::from(k % 2))],
        "cubic" => vec![("slow_start", f64::from(k))],
        "lhp" => vec![("trigger", f64::from(k % 2))],
        "tcp-cl" => vec![("repeats", f64::from(k % 2))],
        "ebsn" | "rttn" => vec![("base", f64::from(k % 3))],
        _ => vec![],
    }
}

/// Returns the scheme whose limit of the flight applies to a scheme with these parameters.
fn law_of(scheme: &'static str, k: u8) -> &'static str {
    match scheme {
        "ebsn" | "rttn" => ["tahoe", "reno", "newreno"][usize::from(k % 3)],
        itself => itself,
    }
}

#[test]
fn a_scheme_without_a_window_law_is_named() {
    assert_eq!(without_a_law(["reno", "gentle", "ll-elsn"]), ["gentle"]);
}

fn configs() -> impl Strategy<Value = Config> {
    let preset = prop::sample::select(vec![Preset::Ns2, Preset::Rfc, Preset::Linux]);
    let recovery = prop::sample::select(vec![SackRecovery::Pipe, SackRecovery::Rfc6675]);
    let notices = prop_oneof![
        4 => Just(NoticeHandling::Scheme),
        1 => Just(NoticeHandling::Ignored),
        2 => Just(NoticeHandling::Eln),
        3 => Just(NoticeHandling::Elsn),
    ];
    let ssthresh = prop::sample::select(vec![2.0, 8.0, f64::INFINITY]);
    let common = (preset, any::<bool>(), recovery, notices, ssthresh, 3u64..60).prop_map(
        |(preset, handshake, sack_recovery, notices, initial_ssthresh, window)| Config {
            handshake,
            sack_recovery,
            notice_reaction: notices,
            initial_ssthresh,
            receive_window: window * 1000,
            ..preset.config(MSS)
        },
    );
    (common, prop::option::weighted(0.5, parts())).prop_map(|(config, parts)| match parts {
        Some([rack, per_byte, prr, tlp, frto, undo]) => Config {
            loss_detection: if rack { LossDetection::Rack } else { LossDetection::Duplicates },
            growth: if per_byte { WindowGrowth::PerByte } else { WindowGrowth::PerAck },
            prr,
            tlp,
            frto,
            undo,
            ..config
        },
        None => config,
    })
}

/// Returns a strategy for any combination of the features of preset "linux".
fn parts() -> impl Strategy<Value = [bool; 6]> {
    prop::array::uniform6(any::<bool>())
}

fn span() -> impl Strategy<Value = Span> {
    (1u64..400).prop_map(Span::from_millis)
}

fn data_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Lost),
        2 => span().prop_map(Fate::Noticed),
        2 => Just(Fate::Damaged),
        1 => (span(), span()).prop_map(|(a, b)| Fate::NoticedTwice(a, b)),
        1 => span().prop_map(Fate::Late),
        1 => span().prop_map(Fate::Twice),
        1 => (span(), span()).prop_map(|(a, b)| Fate::Repeated(a, b)),
        2 => span().prop_map(Fate::Dropped),
        1 => (span(), span()).prop_map(|(a, b)| Fate::GivenUp(a, b)),
    ]
}

fn ack_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        3 => Just(Fate::Lost),
        2 => Just(Fate::Marked),
        1 => seqs().prop_map(Fate::Names),
        1 => seqs().prop_map(Fate::Nak),
        1 => span().prop_map(Fate::Late),
        1 => span().prop_map(Fate::Twice),
    ]
}

/// Returns a strategy for sequence numbers: mostly the first byte of a segment, sometimes another byte or a
/// distant byte.
fn seqs() -> impl Strategy<Value = u64> {
    prop_oneof![6 => (1u64..60).prop_map(byte), 1 => 0u64..50_000, 1 => Just(u64::MAX)]
}

fn notice() -> impl Strategy<Value = (airhop_base::Time, Notice)> {
    let kinds = prop::sample::select(NoticeKind::ALL.to_vec());
    (0u64..5_000, kinds, seqs(), 0u64..9_000, 0u16..3).prop_map(|(ms, kind, seq, delay, origin)| {
        let (delay, origin) = (Span::from_millis(delay), NodeId(origin));
        (
            at(ms),
            Notice {
                additional_delay: delay,
                origin,
                ..Notice::with_segment(kind, seq, seq.saturating_add(MSS.into()))
            },
        )
    })
}

fn paths() -> impl Strategy<Value = Path> {
    let data = prop::collection::btree_map((1u64..60, 1u32..4), data_fate(), 0..40);
    let acks = prop::collection::btree_map(1u64..80, ack_fate(), 0..20);
    let notices = prop::collection::vec(notice(), 0..12);
    let bottleneck = prop::option::of((20_000u64..10_000_000, 0usize..20));
    (1u64..120, bottleneck, data, acks, notices, 0u32..3, 0u32..3).prop_map(
        |(ms, bottleneck, data, acks, notices, lost_syns, lost_syn_acks)| Path {
            bottleneck: bottleneck.map(|(bps, room)| (Rate::from_bps(bps), room)),
            data,
            acks,
            notices,
            lost_syns,
            lost_syn_acks,
            ..Path::of(ms)
        },
    )
}

/// Runs a transfer of `bytes` bytes until no event is left, and checks all laws.
fn transfer(scheme: &'static str, k: u8, config: &Config, path: Path, bytes: u64) -> Transfer<Ledger> {
    let ledger = Ledger::new(law_of(scheme, k), config);
    let sender = sender(scheme, &parameters(scheme, k), config);
    let mut t = Transfer::watched(sender, scheme, config, path, bytes, ledger);
    t.run_until(at(100_000_000));
    t
}

fn is_complete(t: &Transfer<Ledger>, bytes: u64) -> Result<(), TestCaseError> {
    prop_assert_eq!(t.receiver.delivered_bytes(), bytes);
    prop_assert_eq!(t.sender.state().una, bytes + 1);
    prop_assert!(t.sender.poll_timeout().is_none(), "a timer runs without a purpose");
    Ok(())
}

// RFC 9293 §1: a reliable, in-order byte stream. After each event `Transfer` checks that the delivered stream
// equals an independent reassembly of the arrivals, that a timer runs while data is outstanding, and that the
// window is at least one segment. `Ledger` checks at each new segment that the window permits it, and at each
// reduction that it is the first in its window of data.
#[test]
fn every_transfer_delivers_all_data_and_ends() {
    for_every_scheme(128, &(0u8..4, configs(), paths(), 1u64..50_000), |scheme, (k, config, path, bytes)| {
        is_complete(&transfer(scheme, k, &config, path, bytes), bytes)
    });
}

// RFC 9293 §3.6: a connection whose application closes ends on any path. The FIN is delivered after all data,
// is acknowledged, and is not payload.
#[test]
fn every_closed_connection_delivers_its_fin_and_ends() {
    for_every_scheme(64, &(0u8..4, configs(), paths(), 1u64..9_000), |scheme, (k, config, path, bytes)| {
        let ledger = Ledger::new(law_of(scheme, k), &config);
        let sender = sender(scheme, &parameters(scheme, k), &config);
        let mut t = Transfer::watched(sender, scheme, &config, path, bytes, ledger);
        t.close(at(0));
        t.run_until(at(100_000_000));
        prop_assert_eq!((t.receiver.delivered_bytes(), t.receiver.has_ended()), (bytes, true));
        prop_assert_eq!((t.sender.state().una, t.sender.is_fin_acknowledged()), (bytes + 2, true));
        prop_assert!(t.sender.poll_timeout().is_none(), "a timer runs without a purpose");
        Ok(())
    });
}

// Transfers also deliver all data and end with reordering. The bottleneck spaces packets by a millisecond, so
// up to 64 packets overtake a packet that is up to 64 ms late.
#[test]
fn transfers_end_with_reordering_by_64_packets() {
    let late = prop::collection::btree_map(
        (1u64..=150, 1u32..3),
        (1u64..=64).prop_map(|ms| Fate::Late(Span::from_millis(ms))),
        1..150,
    );
    for_every_scheme(32, &(0u8..4, configs(), late), |scheme, (k, config, data)| {
        let config = Config { initial_window: 80.0, receive_window: 150_000, ..config };
        let path = Path { bottleneck: Some((Rate::from_bps(8_320_000), 1000)), data, ..Path::of(20) };
        is_complete(&transfer(scheme, k, &config, path, 150_000), 150_000)
    });
}

// The application may supply its data in pieces of any size, at any time.
#[test]
fn transfers_end_with_data_written_in_pieces() {
    let pieces = prop::collection::vec((1u64..3000, 0u64..400), 1..30);
    for_every_scheme(64, &(configs(), paths(), pieces), |scheme, (config, path, pieces)| {
        let ledger = Ledger::new(scheme, &config);
        let mut t = Transfer::watched(sender(scheme, &[], &config), scheme, &config, path, 1, ledger);
        let mut bytes = 1;
        let mut now = 0;
        for (piece, pause) in pieces {
            now += pause;
            t.run_until(at(now));
            t.supply(at(now), piece);
            bytes += piece;
        }
        t.run_until(at(100_000_000));
        is_complete(&t, bytes)
    });
}

// The inputs of a run determine its result.
#[test]
fn equal_inputs_yield_equal_segments() {
    for_every_scheme(16, &(configs(), paths()), |scheme, (config, path)| {
        let run = || {
            let mut t = Transfer::new(scheme, &config, path.clone(), 40);
            t.run_until(at(100_000_000));
            (t.log, t.cwnd)
        };
        prop_assert_eq!(run(), run());
        Ok(())
    });
}

// RFC 8985 §7.3 and §7.4.2: a probe repairs the loss of the first segment. The window is therefore
// reduced, and is then smaller than the two segments in flight. The next probe nevertheless sends new data.
#[test]
fn a_probe_is_sent_beyond_a_reduced_window() {
    let config = Config {
        loss_detection: LossDetection::Rack,
        tlp: true,
        handshake: true,
        receive_window: 3000,
        ..Preset::Ns2.config(MSS)
    };
    let path = Path { bottleneck: Some((Rate::from_bps(32_930), 0)), ..Path::of(1) };
    let path = path.with(1, 2, Fate::Dropped(Span::from_millis(1)));
    let ledger = Ledger::new("eln", &config);
    let mut t = Transfer::watched(sender("eln", &[], &config), "eln", &config, path, 1, ledger);
    t.run_until(at(202));
    t.supply(at(202), 113);
    t.supply(at(202), 2888);
    t.run_until(at(100_000_000));
    let probe = t.log.iter().find(|sent| sent.segment.seq == 2115).expect("the last bytes are sent");
    assert_eq!(probe.label, "3p", "{:?}", t.log);
}
