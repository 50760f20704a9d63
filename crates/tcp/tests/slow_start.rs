//! End of CUBIC's slow start when the queue grows, without losses.

use crate::common::path::{Blind, Path, Transfer};
use crate::common::{MSS, at, byte, sender};
use airhop_base::Rate;
use airhop_tcp::seams::Window;
use airhop_tcp::{Config, Preset};

/// Returns the window after four seconds on a link with a service time of 1 ms per segment, a round trip of
/// 100 ms and no drops. The bandwidth-delay product is 100 segments. Every segment is acknowledged.
fn after_four_seconds(preset: Preset, slow_start: f64) -> Window {
    after(Config { delayed_ack: None, ..preset.config(MSS) }, slow_start)
}

fn after(config: Config, slow_start: f64) -> Window {
    let path = Path { bottleneck: Some((Rate::from_bps(8_416_000), 100_000)), ..Path::of(50) };
    let sender = sender("cubic", &[("slow_start", slow_start)], &config);
    let mut t = Transfer::watched(sender, "cubic", &config, path, byte(100_000), Blind);
    t.run_until(at(4_000));
    t.sender.window()
}

const STANDARD: f64 = 3.0;

// RFC 9406: the first of 160 segments arrives at an empty queue, because the 80 segments before were served
// within a round trip. The first of 320 segments arrives behind 60 queued segments of the 160, and the eighth
// sample of that round shows this delay. Then the window grows by at most a quarter in each of five rounds,
// and slow start ends. RFC 9438 §4.10: HyStart++ is the default.
#[test]
fn hystart_plus_plus_ends_slow_start_after_five_css_rounds() {
    assert_eq!(after_four_seconds(Preset::Rfc, STANDARD).ssthresh, f64::INFINITY);
    let Window { ssthresh, .. } = after_four_seconds(Preset::Rfc, 0.0);
    assert_eq!(after_four_seconds(Preset::Rfc, 1.0).ssthresh, ssthresh);
    assert!((320.0..320.0 * 1.25f64.powi(5)).contains(&ssthresh), "{ssthresh}");
}

// Ha and Rhee 2011, as in Linux: the default of preset linux. The ACKs of a round arrive one millisecond
// apart. An ACK train longer than half of the minimum round trip plus 1 ms, 51 ms, ends slow start at the
// 52nd of the 80 ACKs. With pacing the limit is the whole round trip plus 1 ms, 102 ms: the 103rd of 160
// ACKs.
#[test]
fn hystart_ends_slow_start_by_an_ack_train() {
    let ends = |pacing, slow_start| {
        let config = Config { delayed_ack: None, pacing, ..Preset::Linux.config(MSS) };
        after(config, slow_start).ssthresh
    };
    for (pacing, acks) in [(false, 80.0 + 52.0), (true, 160.0 + 103.0)] {
        assert_eq!(ends(pacing, STANDARD), f64::INFINITY);
        assert_eq!(ends(pacing, 0.0), acks);
        assert_eq!(ends(pacing, 2.0), acks);
    }
}
