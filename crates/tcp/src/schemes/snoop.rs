use super::Scheme;

pub(super) static SCHEME: Scheme = Scheme {
    name: "snoop",
    title: "NewReno with a Snoop agent",
    family: "local recovery",
    cite: "H. Balakrishnan, S. Seshan, E. Amir and R. H. Katz, Improving TCP/IP Performance over Wireless Networks, \
           MobiCom 1995",
    needs: &["snoop"],
    // Yun 2009 §5.1: "We use NewReno when evaluating the performance of Snoop for better performance."
    ..super::newreno::SCHEME
};
