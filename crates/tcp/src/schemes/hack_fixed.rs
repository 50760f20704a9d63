use super::{Param, Scheme};
use crate::control::Reno;
use crate::notices::{Lasts, Shield};
use crate::recovery;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "hack-fixed",
    title: "TCP HACK, fixed",
    about: "HACK that does not count duplicate ACKs for a segment that an ELN made it send again: segments \
           that were sent before the retransmission cause them.",
    helps: "Wherever HACK does; its window is not halved for losses that were notified. While the shield \
           lasts, a congestion loss of the same segment stays undetected.",
    cite: "J.-H. Yun, Cross-Layer Explicit Link Status Notification to Improve TCP Performance in Wireless \
           Networks, EURASIP JWCN 2009, 617818, section 5.3",
    params: &[Param::word(
        "shield",
        &["one-rtt", "until-rto"],
        "time for which an ELN explains duplicate ACKs: one smoothed round-trip time, or until the segment is acknowledged or times out",
    )],
    verified: &["Yun 2009 §5.3 compares a sender of this name under LL-ELSN's notifications"],
    reconstructed: &[
        "all of the difference to HACK: its description is lost, and each word of shield is a reading of its name; one-rtt is the likelier",
    ],
    build: &|p, c| {
        let lasts = [Lasts::OneRtt, Lasts::UntilRto][p.choice("shield")];
        Parts {
            control: Box::new(Reno),
            recovery: recovery::sack(c),
            notices: Box::new(Shield::new(lasts)),
        }
    },
    ..super::hack::SCHEME
};
