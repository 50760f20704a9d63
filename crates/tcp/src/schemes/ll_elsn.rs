use super::{Param, Scheme};
use crate::control::Reno;
use crate::notices::ElnFilter;
use crate::recovery::Esack;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ll-elsn",
    title: "LL-ELSN with ESACK",
    family: "explicit notification",
    cite: "J.-H. Yun, Cross-Layer Explicit Link Status Notification to Improve TCP Performance in Wireless Networks, \
           EURASIP JWCN 2009, 617818",
    needs: &["elsn"],
    params: &[Param {
        name: "n",
        default: 2.0,
        range: (0.0, 1e6),
        about: "ELNs in a row that are still taken for channel noise; more are a disconnection (Yun 2009 §4.2)",
    }],
    reconstructed: &[
        "flight is what was sent less what is SACKed or lost, so that duplicate ACKs clock out new data",
        "in recovery a segment is lost once three segments sent after it were SACKed",
        "an ERSN suspends congestion control for its segment for two RTOs at most",
        "a frozen sender probes with its RTO, and thaws after 12 probes without an answer",
    ],
    sack: true,
    build: &|p, _| Parts {
        control: Box::new(Reno),
        recovery: Box::new(Esack::default()),
        notices: Box::new(ElnFilter::new(p.get("n") as u32)),
    },
};
