mod delays;
mod plus_plus;
mod rfc6817;

use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{CongestionControl, Parts};
use airhop_base::Span;
use plus_plus::PlusPlus;
use rfc6817::Ledbat;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ledbat",
    title: "LEDBAT",
    family: "delay-based",
    preset: None,
    about: "Background transfer (scavenger): it uses only the capacity that other flows leave. The sender measures one-way delays, takes \
            the least of ten minutes for the delay of the empty path, and steers its window so that the queueing delay is 100 ms: the \
            window grows by a segment a round trip without a queue, less and less towards the target, and shrinks as fast beyond it. A \
            loss halves the window. LEDBAT++ aims at 60 ms on round trips, shrinks by a share of the window, and slows down periodically \
            so that all flows measure the empty path.",
    helps: "Beside loss-based flows in a buffer of more than its target: it leaves them nearly all capacity, and uses the rest. In a \
            buffer of less it meets losses before its target and shares as Reno does. Of two LEDBAT flows the later one takes the earlier \
            one's queue for the path and drives it out; LEDBAT++ does not. Random losses cut it like Reno, and delays of a MAC that \
            repeats and contends look like a queue.",
    cite: "S. Shalunov, G. Hazel, J. Iyengar and M. Kuehlewind, Low Extra Delay Background Transport (LEDBAT), RFC 6817, 2012; P. \
           Balasubramanian, O. Ertugay and D. Havey, LEDBAT++: Congestion Control for Background Traffic, \
           draft-irtf-iccrg-ledbat-plus-plus",
    needs: &[],
    params: &[
        Param::word("form", &["ledbat", "ledbat++"], "ledbat = RFC 6817; ledbat++ = the draft's changes to it"),
        Param::number(
            "target",
            0.0,
            (0.0, 10_000.0),
            "TARGET, the delay that it may add, ms; 0 = what the form has, 100 (RFC 6817 §2.5) or 60 (LEDBAT++)",
        ),
        Param::number(
            "gain",
            1.0,
            (0.001, 1.0),
            "GAIN, segments a round trip at no queue (RFC 6817 §2.5); LEDBAT++ has a gain of its own",
        ),
        Param::number(
            "allowed_increase",
            1.0,
            (0.1, 1000.0),
            "ALLOWED_INCREASE, segments by which the window may exceed what is in flight (RFC 6817 §2.5); not in LEDBAT++",
        ),
    ],
    verified: &[
        "the sender of RFC 6817 §2.4.2, step by step, with BASE_HISTORY 10 minutes, CURRENT_FILTER the least of 4 samples, MIN_CWND 2",
        "of LEDBAT++ the gain, the decrease, slow start up to three quarters of the target, and the slowdowns, by hand from the draft's \
         rules",
    ],
    reconstructed: &[
        "the clock: the time of arrival that an option of 12 bytes on each ACK bears, against the time of sending, both of them the \
         simulation's own clock and so exact; neither uTP's microseconds nor TCP's milliseconds round it, and no skew or offset is there",
        "in TCP's frame: the connection's own initial window instead of INIT_CWND 2, TCP's retransmission timer instead of the congestion \
         timeout, the window rests during fast recovery",
        "no slow start, as in the RFC's own account of the sender: after a timeout too the window grows by a segment a round trip at most",
        "LEDBAT++ by what three implementations say of its sections (Apple's kernel among them), the draft itself was not at hand; its \
         round trips are those of single segments, the least of 4 as in the RFC; its times of two round trips are counted in such samples",
    ],
    features: ReceiverFeatures { arrival: true, ..ReceiverFeatures::SACK },
    build: &|p, c| Parts { control: control(p), recovery: recovery::sack(c), notices: Box::new(IgnoreNotices) },
};

fn control(p: &Params) -> Box<dyn CongestionControl> {
    let is_plus_plus = p.choice("form") == 1;
    let target = match p.get("target") {
        0.0 if is_plus_plus => Span::from_millis(60),
        0.0 => Span::from_millis(100),
        ms => Span::from_secs_f64(ms / 1e3),
    };
    if is_plus_plus {
        Box::new(PlusPlus::new(target))
    } else {
        Box::new(Ledbat::new(target, p.get("gain"), p.get("allowed_increase")))
    }
}

/// MIN_CWND, segments (RFC 6817 §2.5).
const LEAST_CWND: f64 = 2.0;
