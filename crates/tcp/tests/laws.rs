//! Laws that hold for every scheme and preset, whatever the path does.

mod common;

use airhop_base::{Notice, NoticeKind, Segment, Span};
use airhop_tcp::{Config, Preset, SCHEMES, Sender, Space};
use common::path::{Fate, Observer, Path, Transfer};
use common::{MSS, at, byte, sender};
use proptest::prelude::*;

fn schemes() -> impl Strategy<Value = &'static str> {
    (0..SCHEMES.len()).prop_map(|i| SCHEMES[i].name)
}

fn configs() -> impl Strategy<Value = Config> {
    let preset = prop::sample::select(vec![Preset::Ns2, Preset::Rfc, Preset::Linux]);
    (preset, any::<bool>(), prop::sample::select(vec![2.0, 8.0, f64::INFINITY]), 3u64..60).prop_map(
        |(preset, handshake, initial_ssthresh, window)| Config {
            handshake,
            initial_ssthresh,
            receive_window: window * 1000,
            ..preset.config(MSS)
        },
    )
}

fn span() -> impl Strategy<Value = Span> {
    (1u64..400).prop_map(Span::from_millis)
}

fn data_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Lost),
        2 => span().prop_map(Fate::Noticed),
        1 => span().prop_map(Fate::Late),
        1 => span().prop_map(Fate::Twice),
        1 => (span(), span()).prop_map(|(a, b)| Fate::Repeated(a, b)),
        1 => (span(), span()).prop_map(|(a, b)| Fate::GivenUp(a, b)),
    ]
}

fn ack_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![3 => Just(Fate::Lost), 1 => span().prop_map(Fate::Late), 1 => span().prop_map(Fate::Twice)]
}

fn notice() -> impl Strategy<Value = (airhop_base::Time, Notice)> {
    let kinds = prop::sample::select(NoticeKind::ALL.to_vec());
    // Mostly about a whole segment, sometimes about bytes that are no segment, or far away.
    let seq = prop_oneof![6 => (1u64..60).prop_map(byte), 1 => 0u64..50_000, 1 => Just(u64::MAX - 2000)];
    (0u64..5_000, kinds, seq).prop_map(|(ms, kind, seq)| {
        (at(ms), Notice { kind, seq, end: seq + u64::from(MSS), delay: Span::from_millis(50) })
    })
}

fn paths() -> impl Strategy<Value = Path> {
    let data = prop::collection::btree_map((1u64..60, 1u32..4), data_fate(), 0..40);
    let acks = prop::collection::btree_map(1u64..80, ack_fate(), 0..20);
    let notices = prop::collection::vec(notice(), 0..12);
    (1u64..120, data, acks, notices, 0u32..3, 0u32..3).prop_map(
        |(ms, data, acks, notices, lost_syns, lost_syn_acks)| Path {
            data,
            acks,
            notices,
            lost_syns,
            lost_syn_acks,
            ..Path::of(ms)
        },
    )
}

/// What a sender may have outstanding when it sends new data, restated from the RFCs without looking at the sender's own
/// account: from ACKs and sendings alone.
struct Ledger {
    scheme: &'static str,
    /// Duplicate ACKs since the last advance.
    dups: u32,
}

impl Observer for Ledger {
    fn acknowledged(&mut self, ack: &Segment, sender: &Sender) {
        let s = sender.space();
        if ack.ack > s.una && ack.ack <= s.max_sent {
            self.dups = 0;
        } else if ack.ack == s.una && !ack.flags.syn {
            self.dups += 1;
        }
    }

    fn sent(&mut self, before: &Space, segment: &Segment, sender: &Sender) {
        let _ = (before, segment, sender);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    // RFC 9293 §1: a reliable, in-order byte stream. Transfer checks after each event that what the receiver delivered
    // is what an independent reassembly of the arrivals gives.
    #[test]
    fn every_transfer_ends(scheme in schemes(), config in configs(), path in paths(), bytes in 1u64..50_000) {
        let mut t = Transfer::watched(sender(scheme, &[], &config), scheme, &config, path, bytes, Ledger { scheme, dups: 0 });
        t.run_until(at(100_000_000));
        prop_assert_eq!(t.receiver.delivered(), bytes);
        prop_assert_eq!(t.sender.space().una, bytes + 1);
        prop_assert!(t.sender.poll_timeout().is_none(), "a timer runs for nothing");
    }
}
