//! Windows per round trip of senders that adapt their increase or decrease, in segments. `common/rounds.rs`
//! describes the path and the notation.

use crate::common::path::{Fate, Path};
use crate::common::rounds::{clean, rounds, rounds_with};

/// Returns a path on which a router marks the given segments.
fn marking(segments: std::ops::RangeInclusive<u64>) -> Path {
    segments.fold(clean(), |p, n| p.with(n, 1, Fate::Congested))
}

// RFC 8257 §3.4, §3.5: without marks, DCTCP behaves as SACK does.
#[test]
fn dctcp_without_marks_has_the_windows_of_sack() {
    for path in [clean(), clean().losing(&[20]), clean().losing(&[20, 22, 24])] {
        assert_eq!(rounds("dctcp", &path, 12), rounds("sack", &path, 12));
    }
}

// RFC 8257 §3.3. A single mark: alpha starts at 1 and decreases by 1/16 per round. The sixth ACK of round 4
// echoes the mark, when cwnd is 9.49 and alpha is (15/16)^4 = 0.77. The window becomes 5.83, and two more
// ACKs add 0.34. Marks on all segments from 40 on: there is one reduction per round and no growth (RFC 3168
// §6.1.2); alpha increases from 0.68 to 1, so each reduction is larger than the previous one. With an initial
// alpha of 0, the first reductions are small.
#[test]
fn dctcp_alpha_sets_the_reduction_per_round() {
    insta::assert_snapshot!(rounds("dctcp", &marking(20..=20), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   6   6.17
    5   7   7.08
    6   8   8.02
    7   8   8.97
    8   9   9.82
    9  10  10.70
    ");
    insta::assert_snapshot!(rounds("dctcp", &marking(40..=1000), 14), @r"
     0   2   2.00
     1   4   4.00
     2   8   8.00
     3   8   8.95
     4   9   9.81
     5  10  10.69
     6   9   7.54
     7   7   7.54
     8   4   4.99
     9   3   3.25
    10   2   2.09
    11   1   1.32
    12   1   1.00
    13   1   1.00
    ");
    insta::assert_snapshot!(rounds_with("dctcp", &[("alpha", 0.0)], &marking(40..=1000), 14), @r"
     0   2   2.00
     1   4   4.00
     2   8   8.00
     3   8   8.95
     4   9   9.81
     5  10  10.69
     6  11  11.42
     7  11  11.31
     8  10  10.86
     9  10  10.11
    10   9   9.14
    11   9   9.14
    12   7   7.82
    13   6   6.51
    ");
}

// Caini and Firrincieli 2004: the round trip of 100 ms is four times the reference of 25 ms. Therefore the
// initial window is four segments; each ACK adds 15 segments up to four times the threshold of 8, and then
// 16/cwnd. A loss halves the window. With a reference of 100 ms, the scheme behaves as Reno does. (Pacing is
// off, as in Linux.)
#[test]
fn hybla_windows_scale_with_rho_per_round() {
    const LINUX: &[(&str, f64)] = &[("form", 1.0)];
    insta::assert_snapshot!(rounds_with("hybla", LINUX, &clean(), 6), @r"
    0   2   2.00
    1  32  32.00
    2  45  45.32
    3  59  59.14
    4  73  73.41
    5  87  87.91
    ");
    insta::assert_snapshot!(rounds_with("hybla", LINUX, &clean().losing(&[60]), 8), @r"
    0   2   2.00
    1  32  32.00
    2  45  45.32
    3  36  26.72  60!
    4  26  26.72
    5  39  39.40
    6  52  52.96
    7  66  66.88
    ");
    insta::assert_snapshot!(rounds_with("hybla", &[("form", 1.0), ("rtt0", 100.0)], &clean(), 6), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.81
    5  10  10.69
    ");
}

// Liu et al. 2008: growth is Reno's up to 15 segments. Afterwards each ACK adds 10/cwnd, because no queueing
// delay was measured. A loss removes an eighth of the window: it decreases from 49.05 to 42.92.
#[test]
fn illinois_windows_grow_by_10_and_lose_an_eighth() {
    insta::assert_snapshot!(rounds("illinois", &clean(), 16), @r"
     0   2   2.00
     1   4   4.00
     2   8   8.00
     3   8   8.95
     4   9   9.81
     5  10  10.69
     6  11  11.59
     7  12  12.51
     8  13  13.44
     9  14  14.37
    10  15  15.32
    11  23  23.21
    12  31  31.65
    13  40  40.30
    14  49  49.26
    15  58  58.38
    ");
    insta::assert_snapshot!(rounds("illinois", &clean().losing(&[200]), 20), @r"
     0   2   2.00
     1   4   4.00
     2   8   8.00
     3   8   8.95
     4   9   9.81
     5  10  10.69
     6  11  11.59
     7  12  12.51
     8  13  13.44
     9  14  14.37
    10  15  15.32
    11  23  23.21
    12  31  31.65
    13  40  40.30
    14  48  49.05
    15  42  42.92  200!
    16  51  51.23
    17  60  60.38
    18  69  69.62
    19  78  78.92
    ");
}

// Leith and Shorten 2004: the first ACK arrives at 100 ms, so round 11 is the last round with Reno's growth.
// Afterwards the window grows by 1 + 10 t + t²/4 per round trip of 100 ms, that is by 2, 3, 4, … (RTT scaling
// has no effect at this round trip). The first loss halves the window, and growth is Reno's again for one
// second.
#[test]
fn htcp_windows_grow_with_time_since_the_loss_per_round() {
    insta::assert_snapshot!(rounds("htcp", &clean(), 24), @r"
     0   2   2.00
     1   4   4.00
     2   8   8.00
     3   8   8.95
     4   9   9.81
     5  10  10.69
     6  11  11.59
     7  12  12.51
     8  13  13.44
     9  14  14.37
    10  15  15.32
    11  16  16.27
    12  18  18.14
    13  20  20.92
    14  24  24.48
    15  29  29.02
    16  34  34.57
    17  40  40.97
    18  48  48.26
    19  56  56.66
    20  65  65.99
    21  76  76.28
    22  87  87.69
    23 100 100.08
    ");
    insta::assert_snapshot!(rounds("htcp", &clean().losing(&[300]), 24), @r"
     0   2   2.00
     1   4   4.00
     2   8   8.00
     3   8   8.95
     4   9   9.81
     5  10  10.69
     6  11  11.59
     7  12  12.51
     8  13  13.44
     9  14  14.37
    10  15  15.32
    11  16  16.27
    12  18  18.14
    13  20  20.92
    14  24  24.48
    15  29  29.02
    16  34  34.57
    17  40  40.97
    18  48  48.26
    19  25  25.25  300!
    20  25  25.56
    21  26  26.52
    22  27  27.49
    23  28  28.45
    ");
}
