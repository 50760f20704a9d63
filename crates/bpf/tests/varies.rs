//! No member is a hidden constant: the value of each member changes within a run or between runs.

use airhop_bpf::{
    LoadedCongestionControl, Object, ack_sample_values, rate_sample_values, simulated_members, socket_values,
};
use airhop_scenario::{Overrides, RecordingOptions, Run, Scenario};
use airhop_tcp::kernel_ops::{
    AckSample, CaEvent, CallbackError, Callbacks, RateSample, Sock, TcpCongestionOps, kernel_scheme,
};
use airhop_tcp::seams;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

const OBJECT: &[u8] = include_bytes!("objects/shares.bpf.o");
/// Members with the same value in every simulated connection: IPv4, and one port for all receivers.
const CONSTANT: [&str; 8] = [
    "skc_dport",
    "skc_family",
    "skc_v6_daddr.in6_u.u6_addr32[0]",
    "skc_v6_daddr.in6_u.u6_addr32[1]",
    "skc_v6_daddr.in6_u.u6_addr32[2]",
    "skc_v6_rcv_saddr.in6_u.u6_addr32[0]",
    "skc_v6_rcv_saddr.in6_u.u6_addr32[1]",
    "skc_v6_rcv_saddr.in6_u.u6_addr32[2]",
];

/// At most two different values seen for each member.
type Seen = Arc<Mutex<BTreeMap<(&'static str, &'static str), BTreeSet<u64>>>>;

/// Reno in whole segments that records all values passed to it.
#[derive(Debug)]
struct Watches {
    seen: Seen,
    steers: bool,
    /// Connection of an object with known ends.
    inner: Box<dyn TcpCongestionOps>,
    acks: u32,
}

impl Watches {
    fn note(&self, structure: &'static str, values: impl Iterator<Item = (&'static str, u64)>) {
        let mut seen = self.seen.lock().expect("no thread panicked while it held the lock");
        for (name, value) in values {
            let known = seen.entry((structure, name)).or_default();
            if known.len() < 2 {
                known.insert(value);
            }
        }
    }
}

impl TcpCongestionOps for Watches {
    fn callbacks(&self) -> Callbacks {
        let grows = if self.steers { Callbacks::CONG_CONTROL } else { Callbacks::CONG_AVOID };
        Callbacks::PKTS_ACKED.union(Callbacks::CWND_EVENT).union(grows)
    }

    fn on_join(&mut self, run: &mut seams::RunState, ends: &seams::ConnectionEnds, sk: &mut Sock) {
        self.inner.on_join(run, ends, sk);
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok((sk.snd_cwnd / 2).max(2))
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok(sk.snd_cwnd.max(sk.prior_cwnd))
    }

    fn pkts_acked(&mut self, sk: &mut Sock, sample: &AckSample) -> Result<(), CallbackError> {
        self.note("tcp_sock", socket_values(sk));
        self.note("ack_sample", ack_sample_values(sample));
        Ok(())
    }

    fn cwnd_event(&mut self, sk: &mut Sock, _: CaEvent) -> Result<(), CallbackError> {
        self.note("tcp_sock", socket_values(sk)); // between a timeout and the next ACK
        Ok(())
    }

    fn cong_avoid(&mut self, sk: &mut Sock, _: u32, acked: u32) -> Result<(), CallbackError> {
        self.acks += 1;
        sk.snd_cwnd_cnt += acked;
        if sk.snd_cwnd_cnt >= sk.snd_cwnd / 2 {
            (sk.snd_cwnd, sk.snd_cwnd_cnt) = (sk.snd_cwnd + 1, 0);
        }
        if self.acks == 100 {
            // Members that bpf_setsockopt(), and a program, may write.
            (sk.snd_cwnd_clamp, sk.sk_max_pacing_rate, sk.ack_pending) = (100, 1 << 30, 16);
        }
        Ok(())
    }

    fn cong_control(&mut self, sk: &mut Sock, _: u32, _: u32, rs: &RateSample) -> Result<(), CallbackError> {
        self.note("rate_sample", rate_sample_values(rs));
        sk.snd_cwnd = (sk.snd_cwnd + 1).min(60);
        if sk.delivered.is_multiple_of(500) {
            sk.app_limited = sk.delivered + sk.in_flight(); // as BBR does
        }
        sk.sk_pacing_rate = 1_000_000 + u64::from(sk.delivered);
        Ok(())
    }
}

/// Returns a scenario of three flows between two pairs of nodes over a link that marks, loses and reorders
/// packets; two flows are transfers, one of them shorter than a segment.
fn scenario(scheme: &str, pacing: bool) -> String {
    let flow = |name: &str, to: &str, app: &str| {
        let segment = if name == "b" { "800 B" } else { "1000 B" };
        format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"s{name}\"\nto = \"{to}\"\nscheme = \"{scheme}\"\nsegment = \"{segment}\"\n\
             app = {app}\ntcp = {{ preset = \"linux\", ecn = true, pacing = {pacing} }}\n"
        )
    };
    let wire = |name: &str, ends: [&str; 2]| {
        let [a, b] = ends;
        format!(
            "[[wired]]\nname = \"{name}\"\nends = [\"{a}\", \"{b}\"]\nrate = \"50 Mbit/s\"\ndelay = \"2 ms\"\n"
        )
    };
    let queue = "{ kind = \"red\", packets = 100, min = 5, max = 50, ecn = true }";
    let links =
        [("a", ["sa", "r"]), ("b", ["sb", "r"]), ("c", ["sc", "r"]), ("d", ["q", "d"]), ("e", ["q", "e"])];
    let apps = [
        ("a", "d", "{ kind = \"bulk\" }"),
        ("b", "e", "{ kind = \"transfer\", size = \"301 kB\" }"),
        ("c", "e", "{ kind = \"transfer\", size = \"500 B\" }"),
    ];
    format!(
        "name = \"varies\"\nduration = \"20 s\"\n{}[[wired]]\nname = \"w\"\nends = [\"r\", \"q\"]\nrate = \"5 Mbit/s\"\ndelay = \"10 ms\"\n\
         queue = {queue}\nerrors = {{ kind = \"bernoulli\", fer = 0.005 }}\n\
         reorder = {{ share = 0.03, by = \"12 ms\", direction = \"r->q\" }}\n{}",
        links.map(|(name, ends)| wire(name, ends)).concat(),
        apps.map(|(name, to, app)| flow(name, to, app)).concat(),
    )
}

#[test]
fn every_simulated_member_varies_in_some_run() {
    let seen = Seen::default();
    let object = Arc::new(Object::read(OBJECT, "shares.bpf.o").unwrap());
    let loaded = LoadedCongestionControl::new(&object, &object.congestion_controls()[0]).unwrap();
    for (name, steers) in [("watches", false), ("watches-rates", true)] {
        let (own, loaded) = (seen.clone(), loaded.clone());
        let make = move || {
            let (seen, inner) = (own.clone(), loaded.create_connection());
            Box::new(Watches { seen, steers, inner, acks: 0 }) as Box<dyn TcpCongestionOps>
        };
        let has = make().callbacks();
        airhop_tcp::add_scheme(kernel_scheme(name, "", has, false, &[], Box::new(make)))
            .expect("a unique name");
        for pacing in [true, false] {
            let text = scenario(name, pacing);
            let scenario = Scenario::parse(&text, "varies.toml", &Overrides::default());
            let scenario = Arc::new(scenario.unwrap_or_else(|why| panic!("{why}")));
            let run = Run { scenario, seed: 1, rep: 0 };
            run.execute(&RecordingOptions::default(), &AtomicBool::new(false))
                .unwrap_or_else(|why| panic!("{why}"));
        }
    }
    let seen = seen.lock().expect("no thread panicked while it held the lock");
    let varies = |member: &(&str, &str)| seen.get(member).is_some_and(|values| values.len() == 2);
    let members = simulated_members().into_iter().map(|member| (member.structure, member.name));
    let constant: BTreeSet<&str> = members.filter(|member| !varies(member)).map(|(_, name)| name).collect();
    assert_eq!(constant, BTreeSet::from(CONSTANT));
}
