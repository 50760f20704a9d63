//! Window reductions in the states of Linux (`enum tcp_ca_state`): start, progress, end and undo.

use super::KernelControl;
use crate::kernel_ops::flags;
use crate::kernel_ops::ops::{CaEvent, Callbacks};
use crate::kernel_ops::sock::{CaState, Sock};
use crate::recovery::Prr;
use crate::seams::{Delivery, Loss, RepairKind};
use crate::sender_state::SenderState;

impl KernelControl {
    /// Calls the congestion control's `ssthresh`, and saves the window for an undo.
    pub(super) fn update_ssthresh(&mut self) {
        self.sk.prior_cwnd = self.sk.snd_cwnd;
        self.sk.snd_ssthresh = self.call_required("ssthresh", |ops, sk| ops.ssthresh(sk));
    }

    /// Starts fast recovery (tcp_enter_recovery()). A reduction caused by a mark will not be undone.
    pub(super) fn begin_recovery(&mut self, s: &SenderState) {
        let is_marked = self.sk.ca_state == CaState::Cwr || flags::has_echo(self.flag);
        self.sk.prior_ssthresh = if is_marked { 0 } else { self.sk.current_ssthresh() };
        self.begin_reduction(CaState::Recovery, s);
    }

    /// Reduces the window at once for a loss that a loss probe has repaired (tcp_process_tlp_ack()).
    pub(super) fn reduce_for_probe(&mut self, s: &SenderState) {
        self.begin_reduction(CaState::Cwr, s);
        self.complete_reduction();
        self.set_state(CaState::Open);
    }

    /// Starts fast recovery or CWR. The window decreases to ssthresh by PRR (RFC 9937), or at once without
    /// PRR. If `set_state` changes ssthresh, the new ssthresh applies. DCTCP does so after a loss.
    pub(super) fn begin_reduction(&mut self, new: CaState, s: &SenderState) {
        let begins = self.sk.ca_state != CaState::Cwr;
        if begins {
            self.record_high_seq(s);
            (self.sk.snd_cwnd_cnt, self.sk.prr_out, self.sk.prr_delivered) = (0, 0, 0);
            self.update_ssthresh();
            self.schedule_cwr();
        }
        let threshold = self.sk.snd_ssthresh;
        self.set_state(new);
        if begins || self.sk.snd_ssthresh != threshold {
            let [from, to] = [self.sk.prior_cwnd, self.sk.snd_ssthresh].map(|n| u64::from(n) * s.mss);
            self.prr = self.uses_prr.then(|| Prr::new(s.mss, from, to));
        }
        if self.prr.is_none() && !self.has_cong_control() {
            self.sk.snd_cwnd = self.sk.snd_ssthresh;
        }
    }

    /// Handles a timeout after the sender has marked the lost segments. The window becomes the remaining
    /// flight plus one segment (RFC 5681 §3.1; tcp_enter_loss()). ssthresh is reduced, and the congestion
    /// control notified, only once per window of data.
    pub(super) fn enter_loss(&mut self, l: &Loss, s: &SenderState) {
        let is_first = match self.sk.ca_state {
            CaState::Open | CaState::Disorder => true,
            CaState::Cwr | CaState::Recovery => s.una >= self.high_seq,
            CaState::Loss => l.halving_base.is_some(),
        };
        if is_first {
            self.sk.prior_ssthresh = self.sk.current_ssthresh();
            self.update_ssthresh();
            self.notify_event(CaEvent::Loss);
        }
        (self.sk.snd_cwnd, self.sk.snd_cwnd_cnt) = (self.sk.in_flight() + 1, 0);
        self.sk.stamp_cwnd();
        self.prr = None;
        self.set_state(CaState::Loss);
        self.record_high_seq(s);
        self.schedule_cwr();
        self.sk.icsk_retransmits = self.sk.icsk_retransmits.saturating_add(1);
        self.in_flight = 0;
    }

    /// Schedules CWR for the next new segment (RFC 3168 §6.1.2).
    pub(super) fn schedule_cwr(&mut self) {
        self.sk.ecn_flags |= (self.sk.ecn_flags & Sock::ECN_OK) * Sock::ECN_QUEUE_CWR;
    }

    pub(super) fn record_high_seq(&mut self, s: &SenderState) {
        self.high_seq = s.sent_end;
        self.sk.high_seq = s.sent_end as u32;
    }

    /// Ends a reduction and sets the window to ssthresh. With `cong_control`, the window stays.
    pub(super) fn complete_reduction(&mut self) {
        self.prr = None;
        if !self.has_cong_control() {
            self.sk.snd_cwnd = self.sk.snd_ssthresh;
            self.sk.stamp_cwnd();
            self.notify_event(CaEvent::CompleteCwr);
        }
    }

    /// Ends the reduction. Called when the data sent before the reduction is acknowledged. Linux ends the
    /// reduction before processing losses and marks of the same ACK (tcp_fastretrans_alert()).
    pub(super) fn end_reduction(&mut self) {
        match self.sk.ca_state {
            CaState::Open | CaState::Disorder => {}
            CaState::Cwr => {
                self.complete_reduction();
                self.set_state(CaState::Open);
            }
            CaState::Recovery => {
                self.set_state(CaState::Open);
                self.complete_reduction();
            }
            CaState::Loss => self.set_state(CaState::Open),
        }
    }

    pub(super) fn has_cong_control(&self) -> bool {
        self.has.contains(Callbacks::CONG_CONTROL)
    }

    /// Undoes the last reduction if it was spurious (RFC 4015 §4; tcp_undo_cwnd_reduction()). A reduction
    /// caused by a mark is not undone.
    pub(super) fn undo(&mut self) {
        if std::mem::take(&mut self.is_spurious) {
            if self.sk.prior_ssthresh > 0 {
                self.sk.snd_cwnd = self.call_required("undo_cwnd", |ops, sk| ops.undo_cwnd(sk));
                if self.sk.prior_ssthresh > self.sk.snd_ssthresh {
                    self.sk.snd_ssthresh = self.sk.prior_ssthresh;
                    self.sk.ecn_flags &= !Sock::ECN_QUEUE_CWR;
                }
            }
            self.sk.stamp_cwnd();
            self.prr = None;
            self.set_state(CaState::Open);
        }
    }

    /// Updates the state (`enum tcp_ca_state`) after an ACK.
    pub(super) fn update_ca_state(&mut self, repair: RepairKind, s: &SenderState) {
        let is_over = match self.sk.ca_state {
            CaState::Open | CaState::Disorder => false,
            CaState::Recovery | CaState::Loss => repair == RepairKind::Nothing,
            CaState::Cwr => s.una > self.high_seq, // data sent after the mark is acknowledged
        };
        if is_over {
            self.end_reduction();
        }
        let is_amiss = s.scoreboard.sacked_bytes() + s.scoreboard.lost_bytes() > 0;
        match self.sk.ca_state {
            CaState::Open if is_amiss => self.set_state(CaState::Disorder),
            CaState::Disorder if !is_amiss => self.set_state(CaState::Open),
            _ => return,
        }
        self.record_high_seq(s);
    }

    /// Sets the window during a reduction to the flight that PRR permits.
    pub(super) fn reduce_by_prr(&mut self, d: &Delivery, mss: u64) {
        if let Some(prr) = self.prr.as_mut().filter(|_| d.arrivals.newly_delivered_bytes > 0) {
            let cwnd = prr
                .on_ack(d.arrivals.newly_delivered_bytes, d.in_flight, self.advances && d.lost_bytes == 0)
                .div_ceil(mss);
            self.sk.snd_cwnd = cwnd as u32;
            self.sk.prr_delivered += d.arrivals.newly_delivered_bytes.div_ceil(mss) as u32;
        }
    }
}
