use super::{ReceiverFeatures, BASE_PARAM, Param, Scheme, build_recovery};
use crate::control::Reno;
use crate::notices::ExtendRtoOnRttn;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "rttn",
    title: "RTTN (reconstruction)",
    family: "explicit notification",
    preset: None,
    about: "The base station measures the durations of the fades of its wireless link, and notifies the source of the expected delay of \
    the next fade (\"round trip time notification\"). The source's RTO then exceeds the duration of such a fade. Only the idea \
    is known from the paper; the algorithm is Airhop's.",
    applicability: "On links with a persistent link layer and fades of similar length: a source that was notified before a fade needs no notice \
    during the fade, with any number of wireless links. The longer RTO also delays the repair of real losses.",
    citation: "M. E. Kounavis, A study on the design, performance and implementation of Transport Layer Protocols over Wireless \
           Links, Columbia University 1996, section 4",
    network_requirements: &["rttn"],
    params: &[
        BASE_PARAM,
        Param::with_range("k", 2.0, (0.0, 100.0), "k in D = F + k Fd, the mean deviations added to the mean length of a fade"),
    ],
    verified_rules: &[],
    reconstructed_rules: &[
        "the whole scheme except the idea: the paper's lists of steps and of advantages are lost, and the paper did not \
         simulate the scheme",
        "Tahoe as the base is inferred, as for EBSN",
        "for a base station a fade begins with the first failed attempt towards the mobile after a success, and ends \
         with the next link ACK; the station keeps for each mobile the mean length F and the mean deviation Fd, both \
         with a gain of 1/8 and initially F and F/2, and expects D = F + k Fd, summed over its mobiles on the path of \
         the flow",
        "a base station observes only its own transmissions to a mobile. On an uplink it observes the TCP ACKs that \
         it sends to the source, which meet the same fades; without transmissions to the mobile, or without link \
         ACKs, it sends no notice",
        "a source receives D at the beginning of each fade, and whenever D differs by 20 % from the last announced \
         value, that value has expired, or none was announced; at most once a second, and only if data of the flow \
         passed in the last 60 s",
        "an announcement is valid for 60 s; the source adds the latest announcements of all base stations. Its timeout is \
         max(a + 4v, a + D + G), with backoff; a running timer is extended, never shortened; a and v are measured as \
         before",
        "before the first round-trip sample the timeout is the larger of the initial timeout and D + G",
        "an RTTN is an ICMP message of 40 bytes, and can be queued and lost",
    ],
    features: ReceiverFeatures::NONE,
    build: &|p, c| SenderPolicies { control: Box::new(Reno), recovery: build_recovery(&BASE_PARAM, p, c), notices: Box::new(ExtendRtoOnRttn) },
};
