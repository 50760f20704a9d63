use super::Scheme;

pub(super) static SCHEME: Scheme = Scheme {
    name: "snoop",
    title: "NewReno with a Snoop agent",
    family: "local recovery",
    preset: None,
    about: "An agent at the base station stores copies of segments, retransmits lost segments itself, and filters the \
            duplicate ACKs towards the sender.",
    applicability: "On the downlink of a lossy last hop whose base station can store state per connection. On the uplink the agent cannot \
    determine the link on which a segment was lost. Local retransmissions disturb the ACK clock.",
    citation: "H. Balakrishnan, S. Seshan, E. Amir and R. H. Katz, Improving TCP/IP Performance over Wireless Networks, \
           MobiCom 1995",
    network_requirements: &["snoop"],
    verified_rules: &["goodput of one flow towards the station within 10 % of ns-2.35's agent at every point of docs/cross-checks-table.md"],
    reconstructed_rules: &[
        "the agent drops duplicate ACKs also if its own retransmission was lost: implementations differ in that line of the \
         algorithm, and the goodput of this form is nearer to ns-2's at long round trips",
    ],
    // Yun 2009 §5.1: "We use NewReno when evaluating the performance of Snoop for better performance."
    ..super::newreno::SCHEME
};
