mod reductions;

use super::flags;
use super::ops::{CaEvent, CallbackError, Callbacks, TcpCongestionOps};
use super::samples::{AckSample, RateSample, micros};
use super::sock::{CaState, Sock, round_to_packets};
use crate::estimators::LostSegment;
use crate::recovery::Prr;
use crate::seams::{
    Ack, CongestionControl, CongestionSignal, ConnectionEnds, Delivery, IdlePeriod, Loss, LossClass,
    NextSegment, RunState, TransmissionCause, Window,
};
use crate::sender_state::SenderState;
use crate::{Config, PolicyFault};
use airhop_base::{Rate, Time};

/// Number of segments that a connection sends before pacing begins.
const INITIAL_UNPACED_SEGMENTS: u32 = 10;
/// `CA_ACK_SLOWPATH`, `CA_ACK_WIN_UPDATE` and `CA_ACK_ECE`.
const ACK_SLOWPATH: u32 = 1;
const ACK_WIN_UPDATE: u32 = 1 << 1;
const ACK_ECE: u32 = 1 << 2;
/// Send buffer in bytes: the default maximum of Linux (third number of `net.ipv4.tcp_wmem`).
const SEND_BUFFER: u32 = 4 << 20;

/// Adapter that runs a Linux congestion control as an Airhop [`CongestionControl`].
///
/// For each ACK, the adapter calls the callbacks in the kernel's order (6.18): `pkts_acked`, `in_ack_event`,
/// callbacks for a loss or an undo, `set_state`, and then `cong_control`. Without `cong_control`, the adapter
/// calls `cong_avoid` for a cumulative ACK outside a reduction. If the path reorders packets, an ACK that
/// only SACKs data also causes the call.
#[derive(Debug)]
pub struct KernelControl {
    scheme: &'static str,
    ops: Box<dyn TcpCongestionOps>,
    has: Callbacks,
    sk: Sock,
    /// Window that the adapter last reported to the sender.
    shown: Window,
    /// True if the sender has detected the last reduction as spurious.
    is_spurious: bool,
    /// First unsent byte at the start of the last reduction.
    high_seq: u64,
    /// True if the last ACK acknowledged data cumulatively.
    advances: bool,
    /// Flags of the last ACK (`FLAG_*`).
    flag: u32,
    /// First byte never sent.
    max_sent: u64,
    /// First byte of a retransmission sent as a loss probe (RFC 8985 §7.3); `None` after the retransmission
    /// is acknowledged or replaced.
    probe: Option<u64>,
    /// True if the congestion control marked the connection as application-limited.
    holds_back: bool,
    uses_prr: bool,
    /// PRR state of the present reduction; `None` outside a reduction.
    prr: Option<Prr>,
    /// Bytes in flight after the last ACK, plus the bytes sent after that ACK.
    in_flight: u64,
    /// Bytes known to have arrived.
    delivered: u64,
    /// Bytes of `delivered` whose ACK carried ECE.
    delivered_ce: u64,
    /// Packets marked lost so far, as reported by the sender.
    lost: u32,
    quantum: u64,
}

impl KernelControl {
    /// Creates the adapter of `ops` for a new connection of `scheme`.
    pub fn new(scheme: &'static str, ops: Box<dyn TcpCongestionOps>, c: &Config) -> Self {
        let has = ops.callbacks();
        let shown = Window { cwnd: c.initial_window, ssthresh: c.initial_ssthresh };
        let sk = Sock::new(c);
        KernelControl {
            scheme,
            ops,
            has,
            sk,
            shown,
            is_spurious: false,
            high_seq: 0,
            advances: false,
            flag: 0,
            max_sent: 1,
            probe: None,
            holds_back: false,
            uses_prr: c.prr && !has.contains(Callbacks::CONG_CONTROL),
            prr: None,
            in_flight: 0,
            delivered: 0,
            delivered_ce: 0,
            lost: 0,
            quantum: 2,
        }
    }

    /// Calls a callback if the congestion control implements the callback. An error in the callback ends the
    /// run.
    fn call_if_implemented(
        &mut self,
        which: Callbacks,
        method: &'static str,
        run: impl FnOnce(&mut dyn TcpCongestionOps, &mut Sock) -> Result<(), CallbackError>,
    ) {
        if self.has.contains(which) {
            self.call_required(method, run);
        }
    }

    fn call_required<T>(
        &mut self,
        method: &'static str,
        run: impl FnOnce(&mut dyn TcpCongestionOps, &mut Sock) -> Result<T, CallbackError>,
    ) -> T {
        let limited = self.sk.app_limited;
        let answer = run(self.ops.as_mut(), &mut self.sk).unwrap_or_else(|cause| {
            PolicyFault { scheme: self.scheme.to_string(), method, cause }.raise();
        });
        self.holds_back |= self.sk.app_limited != limited && self.sk.app_limited != 0;
        answer
    }

    fn notify_event(&mut self, event: CaEvent) {
        self.call_if_implemented(Callbacks::CWND_EVENT, "cwnd_event", |ops, sk| ops.cwnd_event(sk, event));
    }

    fn set_state(&mut self, new: CaState) {
        self.call_if_implemented(Callbacks::SET_STATE, "set_state", |ops, sk| ops.set_state(sk, new));
        self.sk.ca_state = new;
    }

    fn initialize(&mut self) {
        if !self.sk.ca_initialized {
            self.call_if_implemented(Callbacks::INIT, "init", |ops, sk| ops.init(sk));
            self.sk.ca_initialized = true;
        }
    }

    /// Copies the window if the sender has changed it since the last call. The sender sets the window to one
    /// segment after the loss of a SYN.
    fn adopt_window(&mut self, w: &Window) {
        if *w != self.shown {
            (self.sk.snd_cwnd, self.sk.snd_ssthresh) =
                (round_to_packets(w.cwnd), round_to_packets(w.ssthresh));
        }
    }

    /// Writes the sender's window, limited by the send buffer. While PRR reduces the flight in fast recovery
    /// or CWR, the sender's window is ssthresh.
    fn publish_window(&mut self, w: &mut Window) {
        let is_moved = self.prr.is_some() && matches!(self.sk.ca_state, CaState::Cwr | CaState::Recovery);
        let cwnd = if is_moved { self.sk.snd_ssthresh } else { self.sk.snd_cwnd };
        let cwnd = cwnd.min(SEND_BUFFER / self.sk.mss_cache.max(1)).max(1);
        *w = Window { cwnd: f64::from(cwnd), ssthresh: f64::from(self.sk.snd_ssthresh) };
        self.shown = *w;
    }

    /// Returns the delivery-rate sample of an ACK with `acked` newly delivered packets. Also stores the rate
    /// in the socket (tcp_rate_gen()).
    fn take_rate_sample(&mut self, d: &Delivery, acked: u32) -> RateSample {
        if acked > 0 {
            self.sk.delivered_mstamp = self.sk.tcp_mstamp;
        }
        let rate = d.arrivals.rate.as_ref();
        if rate.is_none_or(|r| {
            r.prior_delivered_bytes + d.arrivals.newly_delivered_bytes != d.arrivals.total_delivered_bytes
        }) {
            self.flag = flags::without_maybe_delayed(self.flag);
        }
        let rs = RateSample::from_delivery(d, acked, self.sk.mss_cache, flags::may_be_delayed(self.flag));
        self.sk.store_rate_sample(&rs);
        rs
    }

    /// Updates the socket before the callbacks for a loss or a mark. Newly lost packets already count as
    /// lost.
    fn prepare_loss_callbacks(&mut self, w: &Window, now: Time, s: &SenderState) {
        self.adopt_window(w);
        self.refresh(now, s);
        self.sk.lost = self.lost.wrapping_add(s.scoreboard.newly_lost().len() as u32);
        self.initialize();
        self.undo();
    }

    /// Updates the socket from the sender's state.
    fn refresh(&mut self, now: Time, s: &SenderState) {
        self.probe =
            self.probe.filter(|&seq| s.scoreboard.get(seq).is_some_and(|e| e.is_retransmission_in_flight()));
        self.sk.refresh(now, s, self.probe.is_some());
        self.sk.lost = self.lost;
    }
}

impl CongestionControl for KernelControl {
    /// No effect. [`CongestionControl::on_delivery_report`] processes ACKs, because the sender's state is up to date
    /// there.
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        if let Some(rtt) = a.timer_rtt {
            self.sk.add_rtt_sample(micros(rtt) as u32);
        }
        self.refresh(a.now, s);
        if !self.sk.ca_initialized && !self.has_cong_control() {
            self.sk.update_pacing_rate(); // for the ACK of the SYN, which has no delivery report
        }
        let opens = !self.sk.ca_initialized;
        self.holds_back = false;
        self.advances = a.acked_bytes > 0;
        self.sk.icsk_retransmits = if self.advances { 0 } else { self.sk.icsk_retransmits };
        self.flag = flags::ack_flags(a, s, &self.sk, self.high_seq);
        self.delivered += a.delivered_bytes;
        self.sk.delivered = self.delivered.div_ceil(s.mss) as u32;
        self.delivered_ce += if a.ece { a.delivered_bytes } else { 0 };
        self.sk.delivered_ce = self.delivered_ce.div_ceil(s.mss) as u32;
        let sample = AckSample {
            pkts_acked: a.acked_bytes.div_ceil(s.mss) as u32,
            rtt_us: a.newest_rtt.or(a.timer_rtt.filter(|_| opens)).map_or(-1, |rtt| micros(rtt) as i32),
            in_flight: self.in_flight as u32,
        };
        self.call_if_implemented(Callbacks::PKTS_ACKED, "pkts_acked", |ops, sk| ops.pkts_acked(sk, &sample));
        let is_plain = a.sack.is_empty() && !a.ece && !opens;
        let flags = if is_plain && self.advances { 0 } else { ACK_SLOWPATH }
            | if self.advances { ACK_WIN_UPDATE } else { 0 }
            | if a.ece { ACK_ECE } else { 0 };
        self.call_if_implemented(Callbacks::IN_ACK_EVENT, "in_ack_event", |ops, sk| {
            ops.in_ack_event(sk, flags)
        });
        self.initialize(); // tcp_rcv_synsent_state_process(): after the ACK of the SYN
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        self.prepare_loss_callbacks(w, l.now, s);
        match l.signal {
            CongestionSignal::Timeout => self.enter_loss(l, s),
            // lost_out is zero if a loss probe has repaired the loss; a lost segment that was retransmitted
            // still counts.
            CongestionSignal::Duplicates if self.sk.lost_out == 0 => self.reduce_for_probe(s),
            CongestionSignal::Duplicates => {
                self.end_reduction(); // the ACK that ends a reduction may report the next loss
                self.begin_recovery(s);
            }
            CongestionSignal::Echo => {
                self.end_reduction(); // and the next mark
                self.sk.prior_ssthresh = 0; // tcp_enter_cwr(): a mark is never undone
                self.begin_reduction(CaState::Cwr, s);
            }
        }
        self.publish_window(w);
        match l.signal {
            CongestionSignal::Echo => LossClass::Congestion, // a mark always reports congestion (RFC 3168 §5)
            _ => LossClass::Undecided, // the callback `ssthresh` returns a window, not a class of loss
        }
    }

    /// Starts recovery for a loss during CWR. The recovery continues the reduction that CWR began.
    fn on_marked_loss(&mut self, w: &mut Window, now: Time, s: &SenderState) -> LossClass {
        self.prepare_loss_callbacks(w, now, s);
        self.begin_recovery(s);
        self.publish_window(w);
        LossClass::Undecided
    }

    fn on_segment_lost(&mut self, _: &mut Window, _: Time, _: &LostSegment) {
        self.lost = self.lost.wrapping_add(1);
        self.sk.lost = self.lost;
    }

    /// Records that the last reduction was spurious. The undo follows later: the sender detects a spurious
    /// reduction before [`CongestionControl::observe_ack`], but Linux after these steps.
    fn on_spurious_reduction(&mut self, _: &mut Window, _: &Window, _: &SenderState) {
        self.is_spurious = true;
    }

    fn on_delivery_report(&mut self, w: &mut Window, d: &Delivery, s: &SenderState) {
        self.adopt_window(w);
        let count = |bytes: u64| bytes.div_ceil(s.mss) as u32;
        let acked = count(d.arrivals.newly_delivered_bytes);
        self.refresh(d.now, s);
        self.flag |= flags::loss_flags(s);
        self.delivered = d.arrivals.total_delivered_bytes;
        self.sk.delivered = count(self.delivered);
        self.in_flight = d.in_flight;
        self.undo();
        self.update_ca_state(d.repair_kind, s);
        let rs = self.take_rate_sample(d, acked);
        if self.has_cong_control() {
            let (ack, flag) = (self.sk.snd_una, self.flag);
            self.call_required("cong_control", |ops, sk| ops.cong_control(sk, ack, flag, &rs));
        } else if matches!(self.sk.ca_state, CaState::Cwr | CaState::Recovery) {
            self.reduce_by_prr(d, s.mss);
        } else if self.advances || (s.has_reordering && d.arrivals.newly_delivered_bytes > 0) {
            let ack = self.sk.snd_una;
            self.call_if_implemented(Callbacks::CONG_AVOID, "cong_avoid", |ops, sk| {
                ops.cong_avoid(sk, ack, acked)
            });
        }
        if !self.has_cong_control() {
            self.sk.update_pacing_rate();
        }
        if self.has.contains(Callbacks::MIN_TSO_SEGS) {
            self.quantum = u64::from(self.call_required("min_tso_segs", |ops, sk| ops.min_tso_segs(sk)));
        }
        self.publish_window(w);
    }

    fn on_join(&mut self, run: &mut RunState, ends: &ConnectionEnds) {
        self.ops.on_join(run, ends, &mut self.sk);
    }

    fn on_seed(&mut self, seed: u32) {
        self.ops.on_seed(seed);
    }

    /// Handles an idle period (Linux, tcp_cwnd_restart()). The event precedes the window reduction. If the
    /// congestion control sets the window at this event, that window only affects ssthresh.
    fn on_idle(&mut self, w: &mut Window, now: Time, idle: &IdlePeriod, s: &SenderState) {
        self.adopt_window(w);
        let written = self.sk.write_seq;
        self.refresh(now, s);
        // write_seq includes the data that ends the idle period only after the event
        self.sk.write_seq = written;
        let left = round_to_packets(idle.halved_window(self.sk.snd_cwnd.into()));
        self.notify_event(CaEvent::CwndRestart);
        self.sk.snd_ssthresh = self.sk.current_ssthresh();
        self.sk.snd_cwnd = left;
        self.sk.stamp_cwnd();
        self.prr = None; // no data is in flight, so PRR has no flight to reduce
        self.publish_window(w);
    }

    fn on_start(&mut self, now: Time, s: &SenderState) {
        self.initialize();
        self.refresh(now, s);
        self.notify_event(CaEvent::TxStart);
        if s.scoreboard.is_empty() {
            self.sk.delivered_mstamp = self.sk.tcp_mstamp; // tcp_rate_skb_sent()
        }
    }

    fn on_sent(&mut self, now: Time, sent: &NextSegment) {
        self.initialize();
        self.sk.tcp_mstamp = now.nanos() / 1000;
        let is_new = sent.start >= self.max_sent;
        self.max_sent = self.max_sent.max(sent.end);
        self.probe = match sent.cause {
            TransmissionCause::Probe if !is_new => Some(sent.start),
            _ => self.probe.filter(|&seq| seq != sent.start),
        };
        self.sk.note_sent(is_new, sent.end - sent.start.max(1));
        self.in_flight += sent.end - sent.start;
        if let Some(prr) = &mut self.prr {
            prr.on_sent(sent.end - sent.start);
        }
    }

    /// Returns the pacing rate; `None` if the connection is not paced.
    ///
    /// A congestion control with `cong_control` sets the rate. For all others, the host computes the rate.
    /// The connection then paces from the tenth segment on (tcp_update_skb_after_send()) if the socket paces
    /// or has a maximum pacing rate. Otherwise, only a queueing discipline could use the rate.
    fn pacing_rate(&self, _: &Window, _: &SenderState) -> Option<Rate> {
        let sk = &self.sk;
        let is_own = sk.sk_pacing_status == Sock::PACING_NEEDED || sk.sk_max_pacing_rate < u64::MAX;
        let is_paced = match self.has_cong_control() {
            true => sk.sk_pacing_status != Sock::PACING_NONE,
            false => is_own && sk.data_segs_out + 1 >= INITIAL_UNPACED_SEGMENTS,
        };
        let rate = sk.sk_pacing_rate.min(sk.sk_max_pacing_rate);
        (is_paced && rate < u64::MAX).then(|| Rate::from_bps_f64(rate.max(1) as f64 * 8.0))
    }

    /// True if the congestion control has written `app_limited`. BBR does so in ProbeRTT.
    fn is_self_limiting(&self) -> bool {
        self.holds_back
    }

    /// Returns the maximum burst in segments: the data of 1/1024 s at the pacing rate, at most 64 KiB, and at
    /// least the segments that `min_tso_segs` returns.
    fn send_quantum(&self) -> u64 {
        (self.sk.sk_pacing_rate / 1024)
            .min(65_535)
            .checked_div(self.sk.mss_cache.into())
            .unwrap_or(1)
            .max(self.quantum)
    }
}
