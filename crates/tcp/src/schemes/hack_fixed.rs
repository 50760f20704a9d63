use super::{Param, Scheme};
use crate::control::Reno;
use crate::notices::{DuplicateIgnorePeriod, IgnoreDuplicatesAfterEln};
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "hack-fixed",
    title: "TCP HACK, fixed",
    about: "HACK that ignores duplicate ACKs for a segment retransmitted on an ELN: segments that were sent before the retransmission \
    cause these duplicate ACKs.",
    applicability: "As for HACK; in addition, losses that an ELN reported do not halve the window. While the sender ignores duplicate ACKs, a \
    congestion loss of the same segment remains undetected.",
    citation: "J.-H. Yun, Cross-Layer Explicit Link Status Notification to Improve TCP Performance in Wireless \
           Networks, EURASIP JWCN 2009, 617818, section 5.3",
    params: &[Param::with_choices(
        "shield",
        &["one-rtt", "until-rto"],
        "time after an ELN in which duplicate ACKs are ignored: one smoothed round-trip time, or until the segment is \
         acknowledged or times out",
    )],
    verified_rules: &["Yun 2009 §5.3 compares a sender of this name under LL-ELSN's notifications"],
    reconstructed_rules: &[
        "the whole difference from HACK: the description of the scheme is lost, and each value of shield is one interpretation \
         of the name; one-rtt is the more probable interpretation",
    ],
    build: &|p, c| {
        let lasts = [DuplicateIgnorePeriod::OneRtt, DuplicateIgnorePeriod::UntilRto][p.choice("shield")];
        SenderPolicies {
            control: Box::new(Reno),
            recovery: recovery::sack(c),
            notices: Box::new(IgnoreDuplicatesAfterEln::new(lasts)),
        }
    },
    ..super::hack::SCHEME
};
