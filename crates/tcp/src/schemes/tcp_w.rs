use super::Scheme;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tcp-w",
    title: "TCP-W",
    about: "A column of Cheng and Lin's tables, which print only its label. In Airhop it is TCP Westwood with Reno's recovery.",
    applicability: "In the same networks as Westwood. On a chain of wireless hops the gain is small, since most losses by collisions \
            lead to timeouts.",
    citation: "R.-S. Cheng and H.-T. Lin, A cross-layer design for TCP end-to-end performance improvement in multi-hop \
           wireless networks, Computer Communications 31 (2008) 3145-3152: only the label; C. Casetti, M. Gerla, S. \
           Mascolo, M. Y. Sanadidi and R. Wang, TCP Westwood: Bandwidth Estimation for Enhanced Transport over Wireless \
           Links, MobiCom 2001",
    verified_rules: &["compared with westwood segment by segment, without a difference; westwood was verified against UCLA's modules for ns-2"],
    reconstructed_rules: &[
        "the whole scheme: the tables say \"TCP-W\", and neither a reference nor a description survives. Westwood is the most \
         probable candidate (same years, and the same authors worked with bandwidth estimation)",
    ],
    ..super::westwood::SCHEME
};
