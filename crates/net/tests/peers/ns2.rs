//! Comparison with ns-2.35 on the last hop of Yun 2009, in long runs. `airhop doctor --cross-check` compares
//! 688 points of shorter runs, and `tests/python/peers/test_crosscheck.py` a part of them.

use crate::common::LastHop;

#[test]
fn goodput_over_2000_s_is_within_5_percent_of_ns2() {
    // Goodput of ns-2 over 2000 s at FER 1 % and a control rate of 1 Mbit/s, seeds 1 to 3: Reno 0.708, 0.717,
    // 0.727; SACK 0.816, 0.824, 0.806.
    for (scheme, ns2) in [("reno", 0.717), ("sack", 0.815)] {
        let hop = LastHop { scheme, seconds: 2000, ..LastHop::default() };
        let ours = (1..=3).map(|seed| hop.run(seed).flows[0].goodput_mbps).sum::<f64>() / 3.0;
        assert!((ours / ns2 - 1.0).abs() < 0.05, "{scheme}: ns-2 {ns2}, Airhop {ours:.3}");
    }
}
