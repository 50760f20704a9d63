use super::{ReceiverFeatures, BASE, Param, Scheme, repair_by};
use crate::control::Reno;
use crate::notices::ExpectDelay;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "rttn",
    title: "RTTN (reconstruction)",
    family: "explicit notification",
    preset: None,
    about: "The base station measures the durations of the fades of its wireless link, and notifies the source of the delay to expect from \
            the next one: \"round trip time notification\". The source's timeouts then outlast such a fade. Only the idea of the paper \
            survives; the algorithm here is Airhop's.",
    helps: "On links with a persistent link layer and similar fades: a source that was notified in good time needs no timely notice from \
            within a fade, across any number of wireless links. A real loss is repaired as much later.",
    cite: "M. E. Kounavis, A study on the design, performance and implementation of Transport Layer Protocols over Wireless \
           Links, Columbia University 1996, section 4",
    needs: &["rttn"],
    params: &[
        BASE,
        Param::number("k", 2.0, (0.0, 100.0), "D = F + k Fd: mean deviations that are added to the mean length of a fade"),
    ],
    verified: &[],
    reconstructed: &[
        "all of it but the idea: the paper's lists of steps and of advantages are lost, and it had not been simulated",
        "the base of Tahoe is inferred, as for EBSN",
        "a fade begins, for a base station, with the first attempt towards the mobile that fails after a success, and ends with \
         the next link ACK; for each mobile it keeps the mean length F and the mean deviation Fd, both with a gain of 1/8, F and \
         F/2 at first, and expects D = F + k Fd, summed over the mobiles of the flow that it serves",
        "a base station knows what its own transmissions to a mobile meet, and no more. One that data comes up through judges its \
         link by the ACKs that it sends down to the source, as those meet the same fades; where nothing is sent down, or \
         without link ACKs, it knows nothing and says nothing",
        "a source is told D at each fade's beginning, and whenever D is news: 20 % other than what it was told last, or that no \
         longer holds, or nothing was said before. At most once a second, and only while data of the flow passed in the last 60 s",
        "a word holds for 60 s; the source adds up the newest one of each base station. Its timeout is \
         max(a + 4v, a + D + G), with backoff; a running timer is put off, never brought forward; a and v are measured as ever",
        "before the first round-trip sample the timeout is the larger of the initial one and D + G",
        "an RTTN is an ICMP message of 40 bytes, and can be queued and lost",
    ],
    features: ReceiverFeatures::NOTHING,
    build: &|p, c| Parts { control: Box::new(Reno), recovery: repair_by(&BASE, p, c), notices: Box::new(ExpectDelay) },
};
