//! Tests of originator and recipient together, with random losses.
use super::originator::OriginatorRules;
use super::pair::{BlockAckPair, limits, rules};
use crate::cell::plan::{LostBlockAck, RetryLimit};
use airhop_base::Span;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Push { count: u32, bytes: u32 },
    Wait { ms: u64 },
    Exchange,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => (1_u32..100, 30_u32..3000).prop_map(|(count, bytes)| Step::Push { count, bytes }),
        1 => (0_u64..60).prop_map(|ms| Step::Wait { ms }),
        4 => Just(Step::Exchange),
    ]
}

fn any_rules() -> impl Strategy<Value = OriginatorRules> {
    let window = prop::sample::select(vec![1, 2, 3, 16, 63, 64, 65, 255, 256]);
    let retries = prop_oneof![
        (1_u32..5).prop_map(RetryLimit::Attempts),
        (1_u64..200).prop_map(|ms| RetryLimit::Lifetime(Span::from_millis(ms))),
    ];
    let lost = prop::sample::select(vec![LostBlockAck::Resend, LostBlockAck::Request]);
    (window, retries, lost).prop_map(|(window, retries, lost)| rules(window, retries, lost))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Laws for any loss of MPDUs, BlockAcks and BlockAckReqs, checked by [`BlockAckPair`]. At most a window of MPDUs
    /// is sent, the oldest first. Each MPDU is delivered at most once and in order, and is either
    /// acknowledged or discarded, once. After the last loss, a bounded number of exchanges delivers every
    /// MPDU that was not discarded, and empties the reorder buffer.
    #[test]
    fn every_mpdu_is_delivered_once_in_order_or_discarded(
        rules in any_rules(), mcs in 0_u8..12, frames in 1_u32..300,
        steps in prop::collection::vec(step(), 1..150),
        losses in prop::collection::vec(prop::bool::weighted(0.4), 1..400),
        spares in 0_usize..4,
    ) {
        let mut pair = BlockAckPair::new(rules, limits(mcs, frames));
        // Losses occur in runs, with loss-free periods between them.
        let mut fates = losses.iter().cycle().enumerate();
        let mut loses = || fates.next().is_some_and(|(i, lost)| *lost && i / 100 % 4 >= spares);
        for step in steps {
            match step {
                Step::Push { count, bytes } => pair.push(count, bytes),
                Step::Wait { ms } => pair.now += Span::from_millis(ms),
                Step::Exchange => _ = pair.simulate_exchange(&mut loses),
            }
        }
        let most = pair.pushed() + 3;
        for _ in 0..most {
            pair.simulate_exchange(|| false);
        }
        prop_assert!(!pair.has_work(), "a stall");
        prop_assert!(!pair.has_held_mpdu(), "the recipient stores an MPDU permanently");
        let all = pair.pushed() as usize;
        prop_assert_eq!(pair.acknowledged.len() + pair.discarded.len(), all);
        let missing = (0..pair.pushed()).filter(|number| pair.delivered.binary_search(number).is_err());
        let missing: Vec<_> = missing.collect();
        prop_assert!(missing.iter().all(|number| pair.discarded.contains(number)), "{:?}", missing);
    }
}

/// Sequence numbers modulo 4096 identify every MPDU, even with the largest window.
#[test]
fn mpdu_sequence_numbers_wrap_at_4096() {
    let lifetime = RetryLimit::Lifetime(Span::from_secs(1000));
    for lost in [LostBlockAck::Resend, LostBlockAck::Request] {
        let mut pair = BlockAckPair::new(rules(256, lifetime, lost), limits(11, 256));
        let mut i = 0_u64;
        while pair.pushed() < 20_000 {
            pair.push(256, 100);
            pair.simulate_exchange(|| {
                i += 1;
                i.is_multiple_of(7)
            });
        }
        assert!(pair.delivered.len() > 19_000, "{}", pair.delivered.len());
    }
}
