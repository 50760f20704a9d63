use super::{Param, Scheme};

pub(super) static SCHEME: Scheme = Scheme {
    name: "split",
    title: "I-TCP: the connection split at the base station",
    family: "split connection",
    preset: None,
    about: "The connection ends at the base station, which acknowledges and stores the data, and forwards it over a \
            second connection. Each half repairs its losses; on the downlink the sender detects no wireless loss.",
    applicability: "On a lossy last hop behind a long wired path: the wireless half has a short round trip, so its sender repairs losses and \
    reopens the window quickly. Drawbacks: acknowledged data may still be at the base station and is lost if the base station fails; every \
    byte passes through TCP twice; a handoff must move the buffers of all connections.",
    citation: "A. Bakre and B. R. Badrinath, I-TCP: Indirect TCP for Mobile Hosts, ICDCS 1995",
    network_requirements: &["split"],
    params: &[Param::with_range(
        "buffer",
        64.0,
        (2.0, 1e6),
        "buffer of the base station, segments; Airhop's choice",
    )],
    verified_rules: &[
        "all bytes arrive once and in order, end to end",
        "on the downlink no wireless loss reduces the sender's window",
    ],
    reconstructed_rules: &[
        "both halves are NewReno with the connection's configuration",
        "the base station advertises the free space of its buffer as its window, and repeats an ACK that opens the window",
        "the counters of a flow are those of the half that begins at the sender",
    ],
    ..super::newreno::SCHEME
};
