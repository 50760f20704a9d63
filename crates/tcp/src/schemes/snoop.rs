use super::Scheme;

pub(super) static SCHEME: Scheme = Scheme {
    name: "snoop",
    title: "NewReno with a Snoop agent",
    family: "local recovery",
    preset: None,
    about: "An agent at the base station keeps copies of segments, sends lost ones again itself, and keeps the \
           duplicate ACKs from the sender.",
    helps: "On a lossy last hop, downlink, with a base station that can hold state per connection. Uplink it cannot \
           tell where a segment was lost. Local repairs disturb the ACK clock.",
    cite: "H. Balakrishnan, S. Seshan, E. Amir and R. H. Katz, Improving TCP/IP Performance over Wireless Networks, \
           MobiCom 1995",
    needs: &["snoop"],
    verified: &["goodput of one flow towards the station within 10 % of ns-2.35's agent at every point of the reference table"],
    reconstructed: &[
        "duplicate ACKs are kept from the sender also when the agent's own repair was lost: implementations read that line of the \
         algorithm differently, and this reading is nearer to ns-2's goodput at long round trips",
    ],
    // Yun 2009 §5.1: "We use NewReno when evaluating the performance of Snoop for better performance."
    ..super::newreno::SCHEME
};
