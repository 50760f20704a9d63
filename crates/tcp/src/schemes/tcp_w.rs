use super::Scheme;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tcp-w",
    title: "TCP-W",
    about: "A column of Cheng and Lin's tables, of which nothing but the label is printed. Here it is TCP Westwood on \
            Reno's recovery.",
    helps: "As Westwood; on a chain of wireless hops it gains little, as what collisions lose there mostly costs \
            timeouts.",
    cite: "R.-S. Cheng and H.-T. Lin, A cross-layer design for TCP end-to-end performance improvement in multi-hop \
           wireless networks, Computer Communications 31 (2008) 3145-3152: the label alone; C. Casetti, M. Gerla, S. \
           Mascolo, M. Y. Sanadidi and R. Wang, TCP Westwood: Bandwidth Estimation for Enhanced Transport over Wireless \
           Links, MobiCom 2001",
    verified: &["segment by segment the same as westwood, which was verified against UCLA's modules for ns-2"],
    reconstructed: &[
        "all of it: the tables say \"TCP-W\", and neither a reference nor a description survives. That it is Westwood is \
         the best reading (same years, and the same authors worked with bandwidth estimation)",
    ],
    ..super::westwood::SCHEME
};
