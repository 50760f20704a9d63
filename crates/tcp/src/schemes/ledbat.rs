mod delays;
mod plus_plus;
mod rfc6817;

use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{CongestionControl, SenderPolicies};
use airhop_base::Span;
use plus_plus::LedbatPlusPlus;
use rfc6817::Ledbat;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ledbat",
    title: "LEDBAT",
    family: "delay-based",
    preset: None,
    about: "Background transfer (scavenger): it uses only the capacity that other flows leave. The sender measures \
            one-way delays, uses the minimum of the last ten minutes as the delay of the empty path, and adjusts its window \
            to a queueing delay of 100 ms: the window grows by one segment per round trip without a queue, more \
            slowly near the target, and shrinks at the same rate above it. A loss halves the window. LEDBAT++ has a target of \
            60 ms for the round trip, reduces the window by a fraction, and slows down periodically, which lets all flows \
            measure the empty path.",
    applicability: "Beside loss-based flows in a buffer larger than its target: LEDBAT leaves nearly all capacity to these flows, \
            and uses the rest. In a smaller buffer losses occur before the target is reached, and LEDBAT shares the \
            capacity as Reno does. A LEDBAT flow that starts later includes the queue of an earlier LEDBAT flow in its \
            base delay, and starves the earlier flow (latecomer advantage); LEDBAT++ does not. Random losses reduce the \
            window as Reno's, and LEDBAT counts delays by contention and retries of the MAC as queueing delay.",
    citation: "S. Shalunov, G. Hazel, J. Iyengar and M. Kuehlewind, Low Extra Delay Background Transport (LEDBAT), RFC 6817, 2012; P. \
           Balasubramanian, O. Ertugay and D. Havey, LEDBAT++: Congestion Control for Background Traffic, \
           draft-irtf-iccrg-ledbat-plus-plus",
    network_requirements: &[],
    params: &[
        Param::with_choices("form", &["ledbat", "ledbat++"], "ledbat = RFC 6817; ledbat++ = the draft's changes to it"),
        Param::with_range(
            "target",
            0.0,
            (0.0, 10_000.0),
            "TARGET, the target queueing delay, ms; 0 = default of `form`: 100 (RFC 6817 §2.5) or 60 (LEDBAT++)",
        ),
        Param::with_range(
            "gain",
            1.0,
            (0.001, 1.0),
            "GAIN, segments per round trip without a queue (RFC 6817 §2.5); LEDBAT++ has another gain",
        ),
        Param::with_range(
            "allowed_increase",
            1.0,
            (0.1, 1000.0),
            "ALLOWED_INCREASE, segments by which the window may exceed the flight (RFC 6817 §2.5); not in LEDBAT++",
        ),
    ],
    verified_rules: &[
        "the sender of RFC 6817 §2.4.2, step by step, with BASE_HISTORY of 10 minutes, CURRENT_FILTER as the smallest of 4 \
         samples, MIN_CWND 2",
        "gain, decrease, slow start up to three quarters of the target, and slowdowns of LEDBAT++: the draft's rules, by hand",
    ],
    reconstructed_rules: &[
        "one-way delays are exact: an option of 12 bytes on each ACK carries the time of arrival, and both times come \
         from the simulation's clock, without the rounding of uTP (microseconds) or TCP (milliseconds), and without \
         skew or offset",
        "adapted to TCP: the connection's initial window instead of INIT_CWND 2, TCP's retransmission timer instead \
         of the congestion timeout, a constant window during fast recovery",
        "no slow start, as in the RFC's description of the sender: after a timeout, too, the window grows by at most one \
         segment per round trip",
        "LEDBAT++ follows three implementations that quote its sections (one is Apple's kernel); the draft was not available. Round-trip \
        times are those of single segments, the smallest of 4 as in the RFC, and periods of two round trips are counted in such samples",
    ],
    features: ReceiverFeatures { arrival_report: true, ..ReceiverFeatures::SACK },
    build: &|p, c| SenderPolicies { control: build_control(p), recovery: recovery::sack(c), notices: Box::new(IgnoreNotices) },
};

fn build_control(p: &Params) -> Box<dyn CongestionControl> {
    let is_plus_plus = p.choice("form") == 1;
    let target = match p.get("target") {
        0.0 if is_plus_plus => Span::from_millis(60),
        0.0 => Span::from_millis(100),
        ms => Span::from_secs_f64(ms / 1e3),
    };
    if is_plus_plus {
        Box::new(LedbatPlusPlus::new(target))
    } else {
        Box::new(Ledbat::new(target, p.get("gain"), p.get("allowed_increase")))
    }
}

/// MIN_CWND, in segments (RFC 6817 §2.5).
const MIN_CWND: f64 = 2.0;
