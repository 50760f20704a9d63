mod frto;
mod losses;
mod probe;
mod reordering;
mod sending_order;

use crate::control::floor_segments;
use crate::recovery::common::{ReductionGuard, UrgentQueue, segment_at_nxt};
use crate::recovery::prr::Prr;
use crate::scoreboard::{OutstandingSegment, find_dsack};
use crate::seams::{
    Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, RepairKind, TransmissionCause,
    UndoEvidence, Window,
};
use crate::sender_state::SenderState;
use crate::{Config, Preset};
use airhop_base::{Span, Time};
use frto::{Frto, Verdict};
use probe::TailLossProbe;
use reordering::ReorderingWindow;
use sending_order::SendingOrder;

/// RACK-TLP (RFC 8985), the default of Linux. A segment is lost if a segment sent later has arrived and the
/// reordering window has passed. PRR, tail loss probes and F-RTO are optional.
#[derive(Debug)]
pub struct RackRecovery {
    /// Transmissions neither delivered nor marked lost.
    under_way: SendingOrder,
    guard: ReductionGuard,
    urgent: UrgentQueue,
    state: State,
    /// Most recently sent segment that has arrived; `None` before the first arrival.
    newest: Option<NewestArrival>,
    /// True if the recovery follows Linux where Linux differs from the RFC.
    is_linux: bool,
    reordering: ReorderingWindow,
    /// Expiry of the reordering timer; `None` while stopped.
    wait: Option<Time>,
    probe: Option<TailLossProbe>,
    uses_prr: bool,
    uses_frto: bool,
    news: ArrivalFlags,
}

/// RACK.xmit_ts, RACK.end_seq and RACK.rtt (§5.2).
#[derive(Clone, Copy, Debug)]
struct NewestArrival {
    order: u64,
    rtt: Span,
}

/// Properties of the arrivals that the last ACK reports.
#[derive(Clone, Copy, Debug, Default)]
struct ArrivalFlags {
    /// True if a segment sent before the last timeout and not retransmitted has arrived.
    late: bool,
    /// True if a segment first sent after the last timeout has arrived.
    beyond: bool,
    /// True if a retransmitted segment was marked lost (Linux, FLAG_LOST_RETRANS).
    lost_repair: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Open,
    /// Linux' TCP_CA_CWR: reduction after an ECN mark, until data above this byte is acknowledged.
    Reducing(Prr, u64),
    /// Recovery from a loss, until all data outstanding at its detection is acknowledged.
    Recovering(Option<Prr>),
    /// Recovery after a timeout: segments marked lost are retransmitted in slow start.
    Slow(Option<Frto>),
}

impl RackRecovery {
    /// Creates the recovery of a new connection.
    pub fn new(c: &Config) -> Self {
        RackRecovery {
            under_way: SendingOrder::default(),
            guard: ReductionGuard::default(),
            urgent: UrgentQueue::default(),
            state: State::Open,
            newest: None,
            is_linux: c.stack == Preset::Linux,
            reordering: ReorderingWindow::default(),
            wait: None,
            probe: c.tlp.then(|| TailLossProbe::new(c)),
            uses_prr: c.prr,
            uses_frto: c.frto,
            news: ArrivalFlags::default(),
        }
    }

    /// Processes the arrivals that an ACK reports, and detects losses (§6.2). Returns the first lost segment;
    /// `None` without a loss.
    fn detect_losses(&mut self, s: &mut SenderState, a: &Ack) -> Option<u64> {
        let point = self.guard.recovery_point;
        let mut news = ArrivalFlags::default();
        // RFC 7323 §4.1: timestamps measure the RTT of retransmitted segments too
        let mut is_measured = a.timer_rtt.is_some();
        for e in s.scoreboard.newly_arrived() {
            self.under_way.remove(e.transmission_number);
            news.late |= !e.retransmitted && e.end <= point;
            news.beyond |= e.start >= point;
            self.reordering.on_arrival(e);
            is_measured |= !e.retransmitted;
        }
        if let Some(probe) = self.probe.as_mut().filter(|_| is_measured) {
            probe.on_sample();
        }
        self.news = news;
        self.note_arrivals(s, a.now);
        let duplicate = find_dsack(s.una, a.sack).filter(|b| !self.is_dsack_ignored(b));
        self.reordering.on_ack(s, duplicate.is_some());
        self.mark_losses(s, a.now);
        self.recovery_trigger(s)
    }

    /// True if no lost segment is being repaired. A reduction after an ECN mark may be in progress.
    fn has_no_repair(&self) -> bool {
        matches!(self.state, State::Open | State::Reducing(..))
    }

    /// Starts the probe timer if no loss is being repaired, no data is SACKed, and data is outstanding
    /// (§7.2). Otherwise stops the timer.
    fn arm_probe(&mut self, s: &SenderState, now: Time) {
        let is_calm = self.has_no_repair() && s.scoreboard.sacked_bytes() == 0;
        let outstanding = s.scoreboard.len();
        if let Some(probe) = &mut self.probe {
            probe.deadline = None;
            if is_calm && outstanding > 0 {
                probe.arm(now, s.srtt, outstanding == 1);
            }
        }
    }

    /// Returns the probe (§7.3): new data if the receiver's window permits, even beyond cwnd. Without new
    /// data, the probe is a retransmission of the last segment.
    fn send_probe(&mut self, s: &SenderState) -> DetectionOutcome {
        let is_calm = self.has_no_repair();
        let Some(probe) = self.probe.as_mut() else { return DetectionOutcome::Nothing };
        probe.deadline = None;
        let may_go = is_calm && probe.may_send();
        let fresh = s.next_acceptable_segment().map(|(start, end)| (start, end, None));
        let tail = s.scoreboard.last().map(|e| (e.start, e.end, Some(e.start)));
        let Some((start, end, again)) = fresh.or(tail).filter(|_| may_go) else {
            return DetectionOutcome::Nothing;
        };
        probe.on_sent(end.max(s.nxt), again);
        self.urgent.push(start, end, TransmissionCause::Probe);
        DetectionOutcome::Probe
    }

    /// Advances F-RTO with an ACK. Returns true if the timeout was spurious.
    fn on_frto_ack(&mut self, s: &SenderState, a: &Ack) -> bool {
        let State::Slow(Some(frto)) = self.state else { return false };
        let verdict = frto.on_ack(s, a, self.news, self.is_linux, self.guard.recovery_point);
        match verdict {
            Verdict::Open(next) => self.state = State::Slow(Some(next)),
            Verdict::Lost => self.state = State::Slow(None),
            Verdict::Spurious => {}
        }
        verdict == Verdict::Spurious
    }

    /// Returns the next segment of fast recovery: a lost segment, else new data.
    fn next_in_recovery(
        s: &mut SenderState,
        cause: TransmissionCause,
        has_room: impl Fn(&SenderState, u64) -> bool,
    ) -> Option<NextSegment> {
        let lost = s.scoreboard.first_lost().map(|e| e.to_retransmission(cause));
        let next = lost.or_else(|| segment_at_nxt(s, 0, f64::INFINITY))?;
        has_room(s, next.end - next.start).then_some(next)
    }
}

/// Processes an ACK during a reduction after an ECN mark. The reduction lasts one round trip (Linux,
/// tcp_cwnd_reduction()).
fn on_reduction_ack(prr: &mut Prr, s: &SenderState, is_safe: bool) {
    let delivered = s.scoreboard.delivered();
    if delivered > 0 {
        prr.on_ack(delivered, s.pipe(), is_safe);
        prr.permit_one_segment(s.pipe());
    }
}

impl Recovery for RackRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        let lost = self.detect_losses(s, a);
        if let Some(probe) = &mut self.probe {
            probe.on_ack(s, a);
        }
        if s.scoreboard.newly_sacked_bytes() > 0 {
            // §7.2: a duplicate ACK without new SACK information does not restart the probe timer
            self.arm_probe(s, a.now);
        }
        let in_flight = s.pipe();
        let is_spurious = self.on_frto_ack(s, a);
        let begins_anew = self.is_linux && self.news.lost_repair;
        match &mut self.state {
            State::Open => lost.map_or(DetectionOutcome::Nothing, DetectionOutcome::Lost),
            State::Reducing(prr, _) => {
                on_reduction_ack(prr, s, false);
                lost.map_or(DetectionOutcome::Nothing, DetectionOutcome::Lost)
            }
            State::Recovering(prr) => {
                let delivered = s.scoreboard.delivered();
                if let Some(prr) = prr.as_mut().filter(|_| delivered > 0) {
                    prr.on_ack(delivered, in_flight, false);
                }
                DetectionOutcome::Nothing
            }
            State::Slow(_) if is_spurious => DetectionOutcome::Spurious,
            State::Slow(_) if begins_anew => lost.map_or(DetectionOutcome::Nothing, DetectionOutcome::Lost),
            State::Slow(_) => DetectionOutcome::Nothing,
        }
    }

    fn on_uncounted_duplicate(&mut self, s: &mut SenderState, a: &Ack) {
        self.detect_losses(s, a);
        if let Some(probe) = &mut self.probe {
            probe.on_ack(s, a);
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        if let Some(probe) = &mut self.probe {
            probe.cancel();
        }
        let delivered = s.scoreboard.delivered();
        let reducing = if let State::Reducing(prr, _) = self.state { Some(prr) } else { None };
        self.state = State::Recovering(self.uses_prr.then(|| {
            if let Some(mut prr) = reducing {
                // Linux, tcp_enter_recovery(): the reduction continues, down to the ssthresh that the
                // congestion control now sets.
                prr.lower_target_to((w.cwnd * s.mss as f64) as u64);
                return prr;
            }
            // RFC 9937 §6.1: segments that were SACKed before this ACK are not in the flight.
            let flight = s.nxt - s.una + delivered - s.scoreboard.sacked_bytes();
            let mut prr = Prr::new(s.mss, flight, (w.cwnd * s.mss as f64) as u64);
            prr.on_ack(delivered, s.pipe(), false);
            prr
        }));
        if !s.scoreboard.get(seq).is_some_and(OutstandingSegment::is_retransmission_in_flight) {
            self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
        } else if let State::Recovering(Some(prr)) = &mut self.state {
            prr.permit_one_segment(s.pipe());
        }
    }

    fn on_ecn_echo(&mut self, s: &SenderState, before: &Window, after: &Window, a: &Ack) {
        if !self.is_linux || !self.uses_prr || !matches!(self.state, State::Open) {
            return;
        }
        let bytes = |segments: f64| (segments * s.mss as f64) as u64;
        let mut prr = Prr::new(s.mss, bytes(floor_segments(before.cwnd)), bytes(after.cwnd));
        on_reduction_ack(&mut prr, s, a.acked_bytes > 0 && s.scoreboard.newly_lost_bytes() == 0);
        self.state = State::Reducing(prr, s.sent_end);
        if let Some(probe) = &mut self.probe {
            probe.discard_outstanding();
        }
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, a: &Ack) -> AdvanceOutcome {
        let mut lost = self.detect_losses(s, a);
        let repaired = self.probe.as_mut().and_then(|probe| probe.on_ack(s, a));
        let in_flight = s.pipe();
        let is_fully_acked = self.guard.is_fully_acked(s);
        let is_spurious = self.on_frto_ack(s, a);
        let begins_anew = self.is_linux && self.news.lost_repair;
        if matches!(self.state, State::Reducing(_, point) if s.una > point) {
            self.state = State::Open;
        }
        let advance = match &mut self.state {
            State::Open => lost.map_or(AdvanceOutcome::Open, AdvanceOutcome::Lost),
            State::Reducing(prr, _) => {
                on_reduction_ack(prr, s, s.scoreboard.newly_lost_bytes() == 0);
                lost.map_or(AdvanceOutcome::Open, AdvanceOutcome::Lost)
            }
            State::Recovering(prr) if !is_fully_acked => {
                if let Some(prr) = prr {
                    prr.on_ack(s.scoreboard.delivered(), in_flight, s.scoreboard.newly_lost_bytes() == 0);
                }
                lost = None;
                AdvanceOutcome::Partial { restart: true }
            }
            State::Slow(_) if is_spurious => {
                lost = None;
                AdvanceOutcome::Spurious
            }
            // Linux, tcp_fastretrans_alert(): the loss of a retransmission starts a fast recovery.
            State::Slow(_) if !is_fully_acked && begins_anew => {
                lost.map_or(AdvanceOutcome::Open, AdvanceOutcome::Lost)
            }
            State::Slow(_) if !is_fully_acked => {
                lost = None;
                AdvanceOutcome::Open
            }
            // The ACK that ends the recovery may already report the next loss.
            over => {
                let was_slow = matches!(over, State::Slow(_));
                self.state = State::Open;
                self.reordering.on_recovered();
                match lost {
                    Some(seq) => AdvanceOutcome::Lost(seq),
                    None if was_slow => AdvanceOutcome::Open,
                    None => AdvanceOutcome::Over,
                }
            }
        };
        self.arm_probe(s, a.now);
        match repaired {
            Some(seq) if lost.is_none() && matches!(self.state, State::Open) => AdvanceOutcome::Repaired(seq),
            _ => advance,
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, now: Time) {
        // RFC 5682 §3.1 step 1: no F-RTO until the last recovery has ended. Linux, tcp_enter_loss(): F-RTO is
        // also permitted if the same segment timed out before.
        let is_repeated = self.is_linux && s.timed_out_una == Some(s.una);
        let may_doubt = self.uses_frto && (self.guard.is_fully_acked(s) || is_repeated);
        self.guard.record_reduction(s);
        self.state = State::Slow(may_doubt.then_some(Frto::AwaitsAnswer));
        self.urgent.clear();
        self.wait = None;
        if let Some(probe) = &mut self.probe {
            probe.cancel();
        }
        // RFC 8985 §6.3: recently sent segments may still arrive, so they are not marked lost.
        let rtt = self.newest.map_or(Span::ZERO, |newest| newest.rtt);
        let window = match self.is_linux {
            true => Span::ZERO, // tcp_timeout_mark_lost()
            false => self.reordering.window(true, s.scoreboard.min_rtt(), s.srtt),
        };
        if let Some(first) = s.scoreboard.iter().next() {
            self.under_way.remove(first.transmission_number);
        }
        s.scoreboard.mark_first_lost();
        let is_over = |at: Time| at + rtt + window <= now;
        s.scoreboard.mark_lost_where(|e| is_over(e.sent_at));
        while let Some((order, _)) = self.under_way.first().filter(|(_, sent)| is_over(sent.sent_at)) {
            self.under_way.remove(order);
        }
        self.urgent.push(s.una, s.segment_end(s.una), TransmissionCause::Timeout);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        let flight = s.pipe();
        match self.state {
            // RFC 3042, extended: each segment that has arrived permits a new segment.
            State::Open if s.limited_transmit => segment_at_nxt(s, flight, w.cwnd),
            State::Open => segment_at_nxt(s, flight + s.scoreboard.sacked_bytes(), w.cwnd),
            State::Reducing(prr, _) => {
                // If the flight is empty, no ACK would arrive and permit further segments.
                let may = |next: &NextSegment| flight == 0 || prr.has_room(next.end - next.start, flight);
                segment_at_nxt(s, 0, f64::INFINITY).filter(may)
            }
            State::Recovering(Some(prr)) => {
                Self::next_in_recovery(s, TransmissionCause::Recovery, |_, len| prr.has_room(len, flight))
            }
            State::Recovering(None) => Self::next_in_recovery(s, TransmissionCause::Recovery, |s, len| {
                s.has_room(len, flight, w.cwnd)
            }),
            // RFC 5682 §3.1 step 2: only the first segment is sent until its ACK arrives.
            State::Slow(Some(Frto::AwaitsAnswer)) => None,
            State::Slow(Some(Frto::AwaitsVerdict { point })) => {
                let fresh = segment_at_nxt(s, flight, w.cwnd).filter(|next| next.start < point + 2 * s.mss);
                if fresh.is_none() && s.nxt == point {
                    self.state = State::Slow(None); // no new data can be sent: conventional recovery
                    return self.next_segment(s, w);
                }
                fresh
            }
            State::Slow(None) => Self::next_in_recovery(s, TransmissionCause::Timeout, |s, len| {
                s.has_room(len, flight, w.cwnd)
            }),
        }
    }

    fn deadline(&self) -> Option<Time> {
        let probe = self.probe.and_then(|probe| probe.deadline);
        [self.wait, probe].into_iter().flatten().min()
    }

    fn on_deadline(&mut self, s: &mut SenderState, now: Time) -> DetectionOutcome {
        if self.wait.is_some_and(|until| until <= now) {
            self.news = ArrivalFlags::default();
            self.mark_losses(s, now);
            // Linux, tcp_rack_reo_timeout(): a loss that the reordering timer detects starts a recovery, even
            // after a timeout.
            let is_linux_loss = self.is_linux && matches!(self.state, State::Slow(_));
            let begins = self.has_no_repair() || (is_linux_loss && s.scoreboard.newly_lost_bytes() > 0);
            let lost = self.recovery_trigger(s).filter(|_| begins);
            return lost.map_or(DetectionOutcome::Nothing, DetectionOutcome::Lost);
        }
        self.send_probe(s)
    }

    fn try_loss_probe(&mut self, s: &mut SenderState, _: Time) -> bool {
        let is_due = self.probe.is_some_and(|probe| probe.deadline.is_some());
        is_due && self.send_probe(s) == DetectionOutcome::Probe
    }

    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &NextSegment, earlier: Option<u64>) {
        if let Some(earlier) = earlier {
            self.under_way.remove(earlier);
        }
        if let Some(e) = s.scoreboard.get(sent.start).filter(|e| !e.sacked) {
            self.under_way.push(e.transmission_number, e.start, e.sent_at);
        }
        if let State::Recovering(Some(prr)) | State::Reducing(prr, _) = &mut self.state {
            prr.on_sent(sent.end - sent.start);
        }
        if sent.cause == TransmissionCause::New {
            self.arm_probe(s, now);
        }
    }

    /// Undoes the last reduction. After the undo of a fast recovery in Linux (tcp_undo_cwnd_reduction()), the
    /// sending order lacks the segments that were marked lost and not retransmitted. The retransmission timer
    /// repairs these segments. After an undo by D-SACKs, the segments stay marked lost, and the next ACK
    /// starts a recovery.
    fn undo_reduction(&mut self, s: &mut SenderState, evidence: UndoEvidence) -> bool {
        let comes_back = !self.is_linux || matches!(self.state, State::Slow(_));
        self.state = State::Open;
        self.guard = ReductionGuard::default();
        self.urgent.clear();
        self.under_way.clear();
        let mut missing: Vec<&OutstandingSegment> =
            s.scoreboard.iter().filter(|e| !e.sacked && (!e.lost || comes_back)).collect();
        missing.sort_by_key(|e| e.transmission_number);
        missing.into_iter().for_each(|e| self.under_way.push(e.transmission_number, e.start, e.sent_at));
        if comes_back || evidence == UndoEvidence::Late {
            s.scoreboard.clear_loss_marks();
        }
        true
    }

    fn repair_kind(&self) -> RepairKind {
        match self.state {
            State::Open | State::Reducing(..) => RepairKind::Nothing,
            State::Recovering(_) => RepairKind::Loss,
            State::Slow(_) => RepairKind::Timeout,
        }
    }

    fn may_grow_by_sack(&self) -> bool {
        !matches!(self.state, State::Recovering(_))
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        s.pipe()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }

    fn uses_sending_order(&self) -> bool {
        true
    }
}
