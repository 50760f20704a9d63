mod control;
mod full_pipe;
mod model;
mod probe;
mod round_trip;
mod settings;
mod state;

use super::{ReceiverFeatures, Scheme};
use crate::Config;
use crate::notices::IgnoreNotices;
use crate::recovery::RackRecovery;
use crate::seams::SenderPolicies;
use control::Bbr3;
use settings::{PARAMS, Bbr3Settings};

pub(super) static SCHEME: Scheme = Scheme {
    name: "bbr3",
    title: "TCP BBR v3",
    family: "rate-based",
    preset: Some(crate::Preset::Linux),
    about: "BBR with losses in its model of the path. The sender paces at the path's delivery rate, and keeps at most \
            twice the bandwidth-delay product in flight. Every two to three seconds, or earlier if Reno would \
            by then have regained its window, it probes for bandwidth: it paces 25 % above the delivery rate. If more \
            than 2 % of a flight are lost in the probe, the sender stores the amount in flight, and stays 15 % below \
            it until the next probe. Losses at other times lower its short-term bounds to the rate and the amount of \
            the deliveries in the round trip of the loss, but by at most 30 %, until the next probe. Every five \
            seconds it halves the data in flight for 200 ms, to measure the path without its own queue.",
    applicability: "With queues shorter than the bandwidth-delay product, where BBR v1 keeps losing segments, and beside Reno and CUBIC: with such \
    queues a Reno or CUBIC flow obtains a tenth of the capacity beside v1, and a third beside v3. Wireless losses cost little \
            at 0.1 %; on a path with a bandwidth-delay product of some dozens of segments they cost about a sixth of \
            the capacity at 1 %, half at 2 %, and most at 5 %, where v1 still fills the path.",
    citation: "N. Cardwell, I. Swett and J. Beshay (eds), BBR Congestion Control, draft-ietf-ccwg-bbr-06, 2026",
    network_requirements: &[],
    params: PARAMS,
    verified_rules: &[
        "states, gains, filters, bounds, probing, undoing and the window: draft-ietf-ccwg-bbr-06 and its editors' copy of August 2026, \
         which differ in words only; each step was compared by hand",
        "the draft's example cases: plateau, loss and drain exits, precautionary probing, ProbeRTT, undo",
    ],
    reconstructed_rules: &[
        "\"in flight\" in the cycle, a term of the draft, is taken before the ACK is processed, as in Linux' v3: with \
         the window at a bound, the flight after the ACK would never reach the bound",
        "a bound that is not a whole number of segments counts as reached if another segment would exceed it",
        "the state that an undo restores is saved where a recovery begins, as in the draft's text, and not at each later round trip with \
         losses, as in its pseudocode",
        "losses end Startup at the end of the round trip that begins with the first loss, as in Linux' v3; the draft has no pseudocode for it",
        "a mark (RFC 3168) counts as a loss, and ends a probe: the draft requires a response and specifies none",
        "loss recovery is RACK with every preset, since the window follows the model",
        "with round trips of some seconds Startup may not end, a property of the draft: ProbeRTT every five seconds \
         marks most samples as application-limited, so the plateau is not detected, and losses can end Startup only \
         while the sender is in it (§5.3.1.3). With a round trip of 4 s it paced at 2.8 times the rate of the link \
         after 240 s and lost a third of its segments; with 2 s Startup ends",
    ],
    features: ReceiverFeatures { delivery_rate: true, paces: true, ..ReceiverFeatures::SACK },
    build: &|p, c| SenderPolicies {
        control: Box::new(Bbr3::new(Bbr3Settings::new(p), c)),
        // BBR v3 sets the window by its model in recovery too (§5.6.4.4), so PRR is off.
        recovery: Box::new(RackRecovery::new(&Config { prr: false, ..*c })),
        notices: Box::new(IgnoreNotices),
    },
};
