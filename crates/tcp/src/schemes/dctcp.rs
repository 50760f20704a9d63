use super::{ReceiverFeatures, EchoMode, Param, Params, Scheme};
use crate::Config;
use crate::config::HalveFrom;
use crate::control::{Reno, set_reduced_window, floor_segments};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;

pub(super) static SCHEME: Scheme = Scheme {
    name: "dctcp",
    title: "DCTCP",
    family: "marks",
    preset: Some(crate::Preset::Linux),
    about: "Routers mark every packet that arrives while more than K packets wait, and the receiver echoes each mark. \
            The sender keeps a moving mean alpha of the share of its bytes that were marked, and on a mark, once per \
            window, reduces its window by the share alpha/2: by half, as Reno, if every packet was marked, and by a small share if few \
            packets were marked. Growth and the response to losses are Reno's.",
    applicability: "On paths where every bottleneck marks all packets above a threshold K: the queue length remains about K, and the \
            link is fully used if K is at least \
    a seventh of the bandwidth-delay product. Without marks DCTCP is Reno with SACK, and does not distinguish wireless losses from \
    congestion. Beside flows that respond to marks as in RFC 3168, DCTCP takes more than its share, so it does not suit the open Internet.",
    citation: "RFC 8257, Data Center TCP (DCTCP): TCP Congestion Control for Data Centers, 2017; M. Alizadeh et al., Data Center TCP (DCTCP), \
           SIGCOMM 2010",
    network_requirements: &["step-marking"],
    params: &[
        Param::with_range("g", 1.0 / 16.0, (1.0 / 1024.0, 1.0), "gain of the moving mean alpha, updated once per window (RFC 8257 §4.2)"),
        Param::with_range("alpha", 1.0, (0.0, 1.0), "initial alpha; with 1 the first mark halves the window (RFC 8257 §3.3)"),
    ],
    verified_rules: &[
        "the receiver's two states and the ACK at a change of state, alpha, the reduction once per window, the \
         response to a loss and to a timeout: RFC 8257 §3.2 to §3.5, by hand",
        "alpha, and the amplitudes of window and queue: the fluid model of Alizadeh et al. 2010 §3.3",
    ],
    reconstructed_rules: &[
        "a mark reduces cwnd, as in the RFC, also with presets in which a loss halves the data in flight",
        "retransmissions are not ECN-capable (RFC 3168 §6.1.5; RFC 8257 does not mention them); with preset linux all packets \
         are ECN-capable, pure \
         ACKs included, as in Linux' DCTCP",
        "K is a quarter of the buffer if the scenario names no queue",
    ],
    features: ReceiverFeatures { echo_mode: EchoMode::EachByte, ..ReceiverFeatures::SACK },
    build: &|p, c| SenderPolicies { control: Box::new(Dctcp::new(p, c)), recovery: recovery::sack(c), notices: Box::new(IgnoreNotices) },
};

#[derive(Debug)]
struct Dctcp {
    g: f64,
    /// DCTCP.Alpha: estimated fraction of marked bytes.
    alpha: f64,
    /// DCTCP.WindowEnd: the first ACK above this byte ends the observation window.
    window_end: u64,
    /// DCTCP.BytesAcked and DCTCP.BytesMarked.
    acked: u64,
    marked: u64,
    /// True if an ECN mark reduces the window by whole segments.
    takes_whole: bool,
}

impl Dctcp {
    fn new(p: &Params, c: &Config) -> Self {
        Dctcp {
            g: p.get("g"),
            alpha: p.get("alpha"),
            window_end: 1,
            acked: 0,
            marked: 0,
            takes_whole: c.halve_from == HalveFrom::WholeCwnd,
        }
    }

    /// Returns the window after an ECN mark in segments. §3.3: "cwnd = cwnd * (1 - DCTCP.Alpha / 2)". Linux
    /// rounds the reduction down to whole segments (dctcp_ssthresh()).
    fn marked_window(&self, cwnd: f64) -> f64 {
        if self.takes_whole {
            let cwnd = floor_segments(cwnd);
            return cwnd - floor_segments(cwnd * self.alpha / 2.0);
        }
        cwnd * (1.0 - self.alpha / 2.0)
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s); // RFC 8257 §3.4
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        if l.signal == CongestionSignal::Echo {
            set_reduced_window(w, Some(self.marked_window(w.cwnd)), l.signal);
            return LossClass::Congestion;
        }
        Reno.on_loss(w, l, s) // §3.5
    }

    /// Implements §3.3, steps 1 to 8. SACK blocks are ignored.
    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        self.acked += a.acked_bytes;
        self.marked += if a.ece { a.acked_bytes } else { 0 };
        if s.una <= self.window_end {
            return;
        }
        let share = self.marked as f64 / self.acked as f64;
        self.alpha += self.g * (share - self.alpha);
        self.window_end = s.nxt;
        (self.acked, self.marked) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Time;

    const MSS: u64 = 1000;

    fn state() -> SenderState {
        SenderState::new(&Preset::Ns2.config(MSS as u32))
    }

    fn dctcp() -> Dctcp {
        Dctcp::new(&Params::defaults(&SCHEME), &Preset::Rfc.config(MSS as u32))
    }

    /// Acknowledges a window of segments and sends the next window. The last `marked` ACKs carry ECE.
    fn window(d: &mut Dctcp, s: &mut SenderState, segments: u64, marked: u64) {
        for n in 0..segments {
            let una = s.una + MSS;
            (s.una, s.nxt) = (una, una + segments * MSS);
            let ece = n >= segments - marked;
            d.observe_ack(
                &Ack { ece, ..Ack::with_acked_bytes(Time::ZERO, MSS) },
                s,
            );
        }
    }

    fn loss(signal: CongestionSignal) -> Loss {
        Loss { now: Time::ZERO, signal, halving_base: Some(60.0), halved_base: 30.0, halved_cwnd: 30.0 }
    }

    fn is_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value}, not {expected}");
    }

    // §3.3, steps 1 to 8. The first ACK ends the first window. The segments sent at this ACK end the second
    // window: the tenth ACK after the first.
    #[test]
    fn alpha_is_a_moving_mean_of_the_marked_byte_fraction() {
        let (mut d, mut s) = (dctcp(), state());
        window(&mut d, &mut s, 1, 0);
        is_near(d.alpha, 15.0 / 16.0);
        s.nxt = s.una + 9 * MSS;
        d.window_end = s.nxt;
        window(&mut d, &mut s, 9, 4);
        is_near(d.alpha, 15.0 / 16.0); // an ACK of exactly the window's last byte does not end the window
        window(&mut d, &mut s, 1, 0);
        is_near(d.alpha, (15.0 * 15.0 / 16.0 + 0.4) / 16.0);
    }

    // A constant fraction of marked bytes is the fixed point of alpha; each window reduces the error by 1/16.
    #[test]
    fn alpha_converges_to_a_constant_marked_fraction() {
        let (mut d, mut s) = (dctcp(), state());
        for n in 1..=64 {
            d.window_end = s.una + 9 * MSS;
            window(&mut d, &mut s, 10, 3);
            is_near(d.alpha, 0.3 + 0.7 * (15.0_f64 / 16.0).powi(n));
        }
    }

    // §3.3, step 9: a mark reduces the window, not the flight: to half if alpha is 1, not at all if alpha is
    // 0. RFC 5681: ssthresh is at least 2.
    #[test]
    fn a_mark_reduces_the_window_by_half_of_alpha() {
        for (alpha, cwnd, left, ssthresh) in
            [(1.0, 100.0, 50.0, 50.0), (0.4, 100.0, 80.0, 80.0), (0.0, 100.0, 100.0, 100.0), (1.0, 3.0, 1.5, 2.0)]
        {
            let mut w = Window { cwnd, ssthresh: f64::INFINITY };
            let judged = Dctcp { alpha, ..dctcp() }.on_loss(&mut w, &loss(CongestionSignal::Echo), &state());
            assert_eq!((w, judged), (Window { cwnd: left, ssthresh }, LossClass::Congestion));
        }
    }

    // Linux, dctcp_ssthresh(): 43.9 segments count as 43, and 0.05 of them, 2.15 segments, as 2.
    #[test]
    fn in_linux_a_mark_takes_whole_segments() {
        let mut d = Dctcp { alpha: 0.1, takes_whole: true, ..dctcp() };
        let mut w = Window { cwnd: 43.9, ssthresh: f64::INFINITY };
        d.on_loss(&mut w, &loss(CongestionSignal::Echo), &state());
        assert_eq!(w.cwnd, 41.0);
    }

    // §3.5: a loss is handled "in the same way as conventional TCP", for any alpha, and does not change
    // alpha.
    #[test]
    fn a_loss_halves_the_dctcp_window_for_any_alpha() {
        for (signal, cwnd) in [(CongestionSignal::Duplicates, 30.0), (CongestionSignal::Timeout, 1.0)] {
            let mut d = Dctcp { alpha: 0.1, ..dctcp() };
            let mut w = Window { cwnd: 60.0, ssthresh: 40.0 };
            d.on_loss(&mut w, &loss(signal), &state());
            assert_eq!((w, d.alpha), (Window { cwnd, ssthresh: 30.0 }, 0.1));
        }
    }
}
