use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::OncePerLoss;
use crate::recovery;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "eln",
    title: "ELN at the base station",
    family: "explicit notification",
    preset: None,
    about: "The base station remembers which segments crossed it. On duplicate ACKs for one that the \
           wireless link lost it sets a bit, ELN; the sender then retransmits that segment and leaves its \
           window alone. An ACK with the bit never counts as a duplicate.",
    helps: "On a lossy last hop whose base station can look into TCP and keep some state per connection, in either direction, with any \
            link layer. It detects every loss, but slowly: another segment and an ACK must cross the wireless link first, and no new data \
            goes out while the sender waits for the repair. A retransmission that is lost too costs a timeout. Uplink, a drop of the \
            sender's own queue looks like a wireless loss.",
    cite: "H. Balakrishnan and R. H. Katz, Explicit Loss Notification and Wireless Web Performance, GLOBECOM \
           Internet Mini-Conference 1998",
    needs: &["eln"],
    params: &[],
    verified: &[
        "the sender's rule, one retransmission per loss and no other effect of an ACK with the bit, is that \
         of ns-2.35",
        "the news comes one data packet, one ACK and the wire after the loss, as Table 1 of Yun 2009 has it \
         (measured downlink, on an idle path)",
    ],
    reconstructed: &[
        "Reno underneath: in ns-2 Reno and NewReno have the rule alike, Yun 2009 names neither",
        "uplink, a hole stays a hole until it is acknowledged, although its repair has passed the base \
         station: the duplicate ACKs that are still on their way must not count",
        "downlink (Yun 2009 §1 alone has it): the base station remembers 256 segments, and sets the bit on \
         all duplicate ACKs for one of them; after the repair of a congestion loss not on those that \
         segments ahead of it cause",
    ],
    features: ReceiverFeatures::NOTHING,
    build: &|_, c| Parts {
        control: Box::new(Reno),
        recovery: recovery::reno(c),
        notices: Box::new(OncePerLoss::default()),
    },
};
